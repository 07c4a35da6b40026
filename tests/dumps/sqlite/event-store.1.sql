BEGIN TRANSACTION;
CREATE TABLE blobs (
    head  INTEGER NOT NULL,
    ref   TEXT    NOT NULL,
    bytes BLOB    NOT NULL,
    PRIMARY KEY (head, ref)
) STRICT;
INSERT INTO "blobs" VALUES(2,'r',X'32');
CREATE TABLE clock (only INTEGER PRIMARY KEY CHECK (only = 1), seen_at INTEGER NOT NULL);
INSERT INTO "clock" VALUES(1,1795990891638);
CREATE TABLE duties (
    name     TEXT PRIMARY KEY,
    owner    TEXT,
    term     INTEGER NOT NULL,
    until    INTEGER,
    last_run INTEGER
) STRICT, WITHOUT ROWID;
INSERT INTO "duties" VALUES('dumped','somebody',1,1795990892638,NULL);
CREATE TABLE edges (
    edge               INTEGER PRIMARY KEY,
    parent_head        INTEGER NOT NULL,
    parent_incarnation INTEGER NOT NULL,
    child_key          TEXT    NOT NULL,
    child_namespace    TEXT    NOT NULL,
    child_id           TEXT    NOT NULL,
    child_incarnation  INTEGER NOT NULL,
    status             TEXT    NOT NULL,
    outcome            TEXT,
    close              TEXT    NOT NULL,
    scope              TEXT    NOT NULL,
    released           INTEGER NOT NULL,
    consumed_at_seq    INTEGER,
    UNIQUE (parent_head, parent_incarnation, child_key)
) STRICT;
INSERT INTO "edges" VALUES(1,3,1024585290331762798,'done','conformance','dump-746a07721d6f~c47a4llgui7yrhcpe5skycnac2w',6037561251140278115,'completed','{"paid":3}','cancel','chain',0,NULL);
INSERT INTO "edges" VALUES(2,3,1024585290331762798,'open','conformance','dump-746a07721d6f~cdd6b7ex4azawkemxneoxye6gse',7165700404282380508,'open',NULL,'cancel','chain',0,NULL);
CREATE TABLE events (
    head         INTEGER NOT NULL,
    seq          INTEGER NOT NULL,
    kind         TEXT    NOT NULL,
    payload      TEXT    NOT NULL,
    position     INTEGER,
    fence        INTEGER NOT NULL,
    kernel       INTEGER NOT NULL,
    actor        TEXT,
    answers_park INTEGER,
    batch_id     TEXT,
    batch_digest TEXT,
    traceparent  TEXT,
    recorded_at  INTEGER NOT NULL,
    PRIMARY KEY (head, seq)
) STRICT, WITHOUT ROWID;
INSERT INTO "events" VALUES(1,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-305f2b94cc98","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-c535547c3931','6f3f34be2d7088a1a65899a1037e4b609f20a7e226c12f2c9dd470cffe81281f',NULL,1795990891440);
INSERT INTO "events" VALUES(2,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":null,"input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-640610858b7e','b79c71b77a20052c0cf159a6d4cce3109093ce5c4761a199cd4373b349de1b91',NULL,1795990891445);
INSERT INTO "events" VALUES(3,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-305f2b94cc98","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-cc502a4bbcc1','e15c99f0de1bc79e564a63eb496646e7efa488ab7bf113d0353d7133ee527f0e',NULL,1795990891449);
INSERT INTO "events" VALUES(3,2,'CHILD_STARTED','{"key":"done","child":{"namespace":"conformance","execution_id":"dump-746a07721d6f~c47a4llgui7yrhcpe5skycnac2w","incarnation":"6037561251140278115"},"workflow":"conformance","attached":false}',NULL,4294967297,1,NULL,NULL,'key-1724346bfa75','e06b6166a8b4ba1c9ae0ce0d50fc849a484afa248e43d6433c3480e2873d9075',NULL,1795990891455);
INSERT INTO "events" VALUES(3,3,'CHILD_STARTED','{"key":"open","child":{"namespace":"conformance","execution_id":"dump-746a07721d6f~cdd6b7ex4azawkemxneoxye6gse","incarnation":"7165700404282380508"},"workflow":"conformance","attached":false}',NULL,4294967297,1,NULL,NULL,'key-dd7ab16bb0b4','773c122656134e749950eb56c5158abc6b6d30a0feea52be2187939a1790ee88',NULL,1795990891460);
INSERT INTO "events" VALUES(3,4,'EXECUTION_SUSPENDED','{"waits":[{"id":"open","child":{"key":"open"}},{"id":"mail","message":{"name":"mail","key":"k"}}],"heard":null}',NULL,4294967297,1,NULL,NULL,'key-5784fcfe9c7b','428d9b0f1aec3efd76b468251ccfc537eb7e73c1f6c7ff8b6bdf2b75e5329c2c',NULL,1795990891479);
INSERT INTO "events" VALUES(4,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-305f2b94cc98","input":null,"parent":{"namespace":"conformance","execution_id":"dump-746a07721d6f","incarnation":"1024585290331762798","key":"done"},"cancel":false}',NULL,0,1,NULL,NULL,NULL,NULL,NULL,1795990891455);
INSERT INTO "events" VALUES(4,2,'EXECUTION_COMPLETED','{"paid":3}',NULL,4294967297,1,NULL,NULL,'key-f07e9b3f2998','1d43550d263df897447bbf31668c50d670eaeaf51b7d5267ff71e62aaa5cfc1e',NULL,1795990891473);
INSERT INTO "events" VALUES(5,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-305f2b94cc98","input":null,"parent":{"namespace":"conformance","execution_id":"dump-746a07721d6f","incarnation":"1024585290331762798","key":"open"},"cancel":false}',NULL,0,1,NULL,NULL,NULL,NULL,NULL,1795990891460);
INSERT INTO "events" VALUES(6,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-305f2b94cc98","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-a5cbf56fd873','13b77836ac0f0923aa7803ced34ec1e216ed1ca6c6922827e2e031c6b332db96',NULL,1795990891487);
INSERT INTO "events" VALUES(6,2,'EXECUTION_SUSPENDED','{"waits":[{"id":"mail","message":{"name":"mail","key":null}}],"heard":null}',NULL,4294967297,1,NULL,NULL,'key-b972f7084bd1','d74b18165fa0b47875adffe922599a48e1d321262ccbd38ceb4f5ceb4f70ea27',NULL,1795990891499);
INSERT INTO "events" VALUES(6,3,'MESSAGE_CONSUMED','{"message_id":"message-ff1a23fcd2dd","name":"mail","key":null,"payload":{"text":"é\\u0000"},"wait":"mail"}',NULL,4294967298,1,NULL,NULL,NULL,NULL,NULL,1795990891503);
INSERT INTO "events" VALUES(6,4,'EXECUTION_RESUMED','{"wait":"mail","keys":null,"by":"send"}',NULL,4294967298,1,NULL,2,NULL,NULL,NULL,1795990891503);
INSERT INTO "events" VALUES(7,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-305f2b94cc98","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-3d20ba0d6f31','284c3558655e9af55eb24a6ee911d8d378b2d4f11f63ecba0a2c19de4663ffe8',NULL,1795990891505);
INSERT INTO "events" VALUES(7,2,'EXECUTION_SUSPENDED','{"waits":[{"id":"timer","timer":{"wake_at":1795994491521,"delay_ms":null}}],"heard":null}',NULL,4294967297,1,NULL,NULL,'key-c3b9b7cffb25','a21939da4f64787fe659fe52fca42e6f3c81aac1f712f7730611eb42ee78f5e1',NULL,1795990891521);
INSERT INTO "events" VALUES(7,3,'EXECUTION_CANCEL_REQUESTED','{"by":"request","reason":null}',NULL,4294967297,1,NULL,NULL,NULL,NULL,NULL,1795990891528);
INSERT INTO "events" VALUES(7,4,'EXECUTION_RESUMED','{"wait":null,"keys":null,"by":"cancel"}',NULL,4294967298,1,NULL,2,NULL,NULL,NULL,1795990891528);
INSERT INTO "events" VALUES(8,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-305f2b94cc98","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-8aae3a2b63d3','ec92453e9acd728b6da3f7e8f37efc6bff46177001fd4fa85579cd8328fab550',NULL,1795990891538);
INSERT INTO "events" VALUES(8,2,'EXECUTION_COMPLETED','null',NULL,4294967297,1,NULL,NULL,'key-9784a092ca24','60a41b3ec19749ca0e05d2807aea451be0c2ab497f150d85c7fb2ef0519e279e',NULL,1795990891591);
INSERT INTO "events" VALUES(9,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-305f2b94cc98","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-e4b7a1fbefab','e253af627494c2a9a99ba24792edcd9f4714a6f99512d4e6dc596cab41e600f1',NULL,1795990891598);
INSERT INTO "events" VALUES(9,2,'EXECUTION_FAILED','null',NULL,4294967297,1,NULL,NULL,'key-5d9b91c06c63','9680088860afac2254a1d1808e7ef6a2065d0276db3f996b19e7223f820a29ec',NULL,1795990891610);
INSERT INTO "events" VALUES(10,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-305f2b94cc98","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-fbc27e4f6563','abe76d26d260862e3edaa140bf1ac1e14eebafcbe477e07a6086f50ba68106f6',NULL,1795990891614);
INSERT INTO "events" VALUES(10,2,'EXECUTION_CANCEL_REQUESTED','{"by":"request","reason":null}',NULL,4294967297,1,NULL,NULL,NULL,NULL,NULL,1795990891618);
INSERT INTO "events" VALUES(10,3,'EXECUTION_CANCELLED','{"by":"request","reason":null,"detail":null}',NULL,4294967297,1,NULL,NULL,'key-eddd7017ba25','f8404ee6775073abbf18b465434d0c5298d15bac3b0d4e984187d34a10b7431b',NULL,1795990891619);
INSERT INTO "events" VALUES(11,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-305f2b94cc98","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-5003b9723d28','2b03eeae720e31b63cee3fb9ef109a55d88e5245ece3b9c358fb35542aabc676',NULL,1795990891620);
INSERT INTO "events" VALUES(11,2,'EXECUTION_COMPLETED','null',NULL,4294967297,1,NULL,NULL,'key-7ac6517af13a','49fc5a04dc28cce22194a1b9cf608cb5f160b9c6f415a9dfd16d1debe993d6f5',NULL,1795990891623);
INSERT INTO "events" VALUES(13,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-305f2b94cc98","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-cefa55ac263e','87255162815ac106b8bd9ec823461a288183a50e471505c9ba6ed1a80fbab595',NULL,1795990891629);
CREATE TABLE grants (
    head  INTEGER NOT NULL,
    token INTEGER NOT NULL,
    rule  TEXT    NOT NULL,
    owner TEXT,
    at    INTEGER NOT NULL,
    PRIMARY KEY (head, token)
) STRICT, WITHOUT ROWID;
INSERT INTO "grants" VALUES(3,4294967297,'claim','owner-54650c610862',1795990891451);
INSERT INTO "grants" VALUES(4,4294967297,'claim','owner-2fe18daed723',1795990891467);
INSERT INTO "grants" VALUES(6,4294967297,'claim','owner-f6e8add7f42e',1795990891495);
INSERT INTO "grants" VALUES(7,4294967297,'claim','owner-e5a2a79dda4e',1795990891517);
INSERT INTO "grants" VALUES(8,4294967297,'claim','owner-c8fa10bfcde1',1795990891583);
INSERT INTO "grants" VALUES(9,4294967297,'claim','owner-5f3565e3e2e1',1795990891603);
INSERT INTO "grants" VALUES(10,4294967297,'claim','owner-a2d3523465b9',1795990891618);
INSERT INTO "grants" VALUES(11,4294967297,'claim','owner-6307f6013e2f',1795990891621);
INSERT INTO "grants" VALUES(13,4294967297,'claim','owner-c557622903f9',1795990891631);
INSERT INTO "grants" VALUES(13,4294967298,'claim','owner-95a341043896',1795990891633);
CREATE TABLE heads (
    head                INTEGER PRIMARY KEY,
    namespace           TEXT    NOT NULL,
    execution_id        TEXT    NOT NULL,
    incarnation         INTEGER NOT NULL UNIQUE,
    chain               INTEGER NOT NULL,
    link                INTEGER NOT NULL,
    single_writer       INTEGER NOT NULL,
    token               INTEGER NOT NULL,
    grant_hash          TEXT,
    owner               TEXT,
    lease_until         INTEGER,
    status              TEXT    NOT NULL,
    last_seq            INTEGER NOT NULL,
    last_position       INTEGER,
    park_seq            INTEGER,
    waits               TEXT,
    wake_at             INTEGER,
    unknown_tail        INTEGER NOT NULL,
    workflow            TEXT    NOT NULL,
    code_version        TEXT    NOT NULL,
    queue               TEXT,
    not_before          INTEGER,
    deadline_at         INTEGER,
    parent_head         INTEGER,
    parent_incarnation  INTEGER,
    parent_key          TEXT,
    root                INTEGER NOT NULL,
    cancel_requested_at INTEGER,
    cancel_seq          INTEGER,
    cancel_deadline     INTEGER,
    fruitless_claims    INTEGER NOT NULL,
    archived_seq        INTEGER,
    log_bytes           INTEGER NOT NULL,
    created_at          INTEGER NOT NULL,
    status_at           INTEGER NOT NULL,
    ended_at            INTEGER,
    ending              TEXT,
    result_digest       TEXT,
    UNIQUE (namespace, execution_id)
) STRICT;
INSERT INTO "heads" VALUES(1,'conformance','dump-c922dc662fec',9048191426108208400,9048191426108208400,1,0,0,NULL,NULL,NULL,'pending',1,NULL,NULL,NULL,NULL,0,'conformance','0','queue-305f2b94cc98',NULL,NULL,NULL,NULL,NULL,9048191426108208400,NULL,NULL,NULL,0,NULL,116,1795990891440,1795990891440,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(2,'conformance','dump-55ed59ec238a',183744632534385745,183744632534385745,1,1,0,NULL,NULL,NULL,'pending',1,NULL,NULL,NULL,NULL,0,'conformance','0',NULL,NULL,1795994491445,NULL,NULL,NULL,183744632534385745,NULL,NULL,NULL,0,NULL,100,1795990891445,1795990891445,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(3,'conformance','dump-746a07721d6f',1024585290331762798,1024585290331762798,1,0,4294967297,'365fe390c4454d244901f3c9aeb11776321a7914f5dead5738516f244e0d8a72',NULL,1795990951451,'parked',4,NULL,4,'[{"id":"open","child":{"key":"open"}},{"id":"mail","message":{"name":"mail","key":"k"}}]',NULL,0,'conformance','0','queue-305f2b94cc98',NULL,NULL,NULL,NULL,NULL,1024585290331762798,NULL,NULL,NULL,0,NULL,609,1795990891449,1795990891479,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(4,'conformance','dump-746a07721d6f~c47a4llgui7yrhcpe5skycnac2w',6037561251140278115,6037561251140278115,1,0,4294967297,NULL,NULL,NULL,'completed',2,NULL,NULL,NULL,NULL,0,'conformance','0','queue-305f2b94cc98',NULL,NULL,3,1024585290331762798,'done',1024585290331762798,NULL,NULL,NULL,1,NULL,233,1795990891455,1795990891473,1795990891473,'completed','fa6e5718bd5d9417beaa3c279f83459c1c26d04df67ecbcdd5a0083389af72ab');
INSERT INTO "heads" VALUES(5,'conformance','dump-746a07721d6f~cdd6b7ex4azawkemxneoxye6gse',7165700404282380508,7165700404282380508,1,0,0,NULL,NULL,NULL,'pending',1,NULL,NULL,NULL,NULL,0,'conformance','0','queue-305f2b94cc98',NULL,NULL,3,1024585290331762798,'open',1024585290331762798,NULL,NULL,NULL,0,NULL,223,1795990891460,1795990891460,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(6,'conformance','dump-231137bb8b9f',3752585619372097504,3752585619372097504,1,0,4294967298,NULL,NULL,NULL,'running',4,NULL,NULL,NULL,NULL,0,'conformance','0','queue-305f2b94cc98',NULL,NULL,NULL,NULL,NULL,3752585619372097504,NULL,NULL,NULL,0,NULL,337,1795990891487,1795990891503,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(7,'conformance','dump-7f9d2bc82148',4830396577044029812,4830396577044029812,1,0,4294967298,NULL,NULL,NULL,'running',4,NULL,NULL,NULL,NULL,0,'conformance','0','queue-305f2b94cc98',NULL,NULL,NULL,NULL,NULL,4830396577044029812,1795990891528,3,1795991491528,0,NULL,274,1795990891505,1795990891528,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(8,'conformance','dump-40fcff24db05',4828448326062855596,4828448326062855596,1,0,4294967297,NULL,NULL,NULL,'completed',2,NULL,NULL,NULL,NULL,0,'conformance','0','queue-305f2b94cc98',NULL,NULL,NULL,NULL,NULL,4828448326062855596,NULL,NULL,NULL,1,NULL,120,1795990891538,1795990891591,1795990891591,'completed','74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b');
INSERT INTO "heads" VALUES(9,'conformance','dump-34aac8331c8e',7223881323706914846,7223881323706914846,1,0,4294967297,NULL,NULL,NULL,'failed',2,NULL,NULL,NULL,NULL,0,'conformance','0','queue-305f2b94cc98',NULL,NULL,NULL,NULL,NULL,7223881323706914846,NULL,NULL,NULL,1,NULL,120,1795990891598,1795990891610,1795990891610,'failed','74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b');
INSERT INTO "heads" VALUES(10,'conformance','dump-d04dfa1701b6',5025903089395314973,5025903089395314973,1,0,4294967297,NULL,NULL,NULL,'cancelled',3,NULL,NULL,NULL,NULL,0,'conformance','0','queue-305f2b94cc98',NULL,NULL,NULL,NULL,NULL,5025903089395314973,1795990891618,2,NULL,1,NULL,190,1795990891614,1795990891619,1795990891619,'cancelled','a723364d1fcd892c771c8d912aed4007e60b5995ed3239220993916027c3b112');
INSERT INTO "heads" VALUES(11,'conformance','dump-3e7d665085b8',1214444723623947010,1214444723623947010,1,0,4294967297,NULL,NULL,NULL,'completed',2,NULL,NULL,NULL,NULL,0,'conformance','0','queue-305f2b94cc98',NULL,NULL,NULL,NULL,NULL,1214444723623947010,NULL,NULL,NULL,1,NULL,120,1795990891620,1795990891623,1795990891623,'completed','74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b');
INSERT INTO "heads" VALUES(12,'conformance','dump-5d59969d87df',4597358119389043599,4597358119389043599,1,0,4294967297,NULL,NULL,NULL,'deleted',2,NULL,NULL,NULL,NULL,0,'conformance','0','queue-305f2b94cc98',NULL,NULL,NULL,NULL,NULL,4597358119389043599,NULL,NULL,NULL,1,NULL,0,1795990891624,1795990891628,1795990891627,'completed','74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b');
INSERT INTO "heads" VALUES(13,'conformance','dump-d6c306ac0542',4247512607066754274,4247512607066754274,1,0,4294967298,'be5faf0fcef946824d7f8be4dd1d0698b842ab3deace62595b7acefecf818649','owner-95a341043896',1795990951633,'running',1,NULL,NULL,NULL,NULL,0,'conformance','0','queue-305f2b94cc98',NULL,NULL,NULL,NULL,NULL,4247512607066754274,NULL,NULL,NULL,1,NULL,116,1795990891629,1795990891631,NULL,NULL,NULL);
CREATE TABLE inbox (
    head            INTEGER NOT NULL,
    message_id      TEXT    NOT NULL,
    inbox_seq       INTEGER NOT NULL,
    name            TEXT    NOT NULL,
    key             TEXT,
    payload         TEXT    NOT NULL,
    sender          TEXT,
    sent_at         INTEGER NOT NULL,
    resumed         INTEGER NOT NULL,
    consumed_at_seq INTEGER, -- in the log of the link that consumed it, which an earlier one may be
    consumed_at     INTEGER,
    PRIMARY KEY (head, message_id)
) STRICT, WITHOUT ROWID;
INSERT INTO "inbox" VALUES(3,'message-328f5b7ecd1b',1,'mail','other','{"x":1}',NULL,1795990891485,0,NULL,NULL);
INSERT INTO "inbox" VALUES(6,'message-ff1a23fcd2dd',1,'mail',NULL,'{"text":"é\\u0000"}',NULL,1795990891503,1,3,1795990891503);
CREATE TABLE metas (
    head    INTEGER PRIMARY KEY,
    bytes   BLOB    NOT NULL,
    version INTEGER NOT NULL,
    name    TEXT,
    tags    TEXT
) STRICT;
INSERT INTO "metas" VALUES(2,X'31',1,'n',NULL);
CREATE TABLE namespaces (
    name   TEXT PRIMARY KEY,
    limits TEXT,
    paused INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
INSERT INTO "namespaces" VALUES('dumped',NULL,0);
CREATE TABLE outbox (
    id          INTEGER PRIMARY KEY AUTOINCREMENT, -- never given again, so that a late acknowledgement removes nothing new
    head        INTEGER NOT NULL,
    topic       TEXT    NOT NULL,
    key         TEXT    NOT NULL,
    body        TEXT    NOT NULL,
    traceparent TEXT,
    created_at  INTEGER NOT NULL,
    attempts    INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO "outbox" VALUES(1,1,'loom.notify-resume.v1','conformance/dump-c922dc662fec','{"namespace":"conformance","execution":"dump-c922dc662fec","incarnation":"9048191426108208400","queue":"queue-305f2b94cc98","workflow":"conformance","reason":"started","sequence":1}',NULL,1795990891440,0);
INSERT INTO "outbox" VALUES(2,3,'loom.notify-resume.v1','conformance/dump-746a07721d6f','{"namespace":"conformance","execution":"dump-746a07721d6f","incarnation":"1024585290331762798","queue":"queue-305f2b94cc98","workflow":"conformance","reason":"started","sequence":1}',NULL,1795990891449,0);
INSERT INTO "outbox" VALUES(3,4,'loom.notify-resume.v1','conformance/dump-746a07721d6f~c47a4llgui7yrhcpe5skycnac2w','{"namespace":"conformance","execution":"dump-746a07721d6f~c47a4llgui7yrhcpe5skycnac2w","incarnation":"6037561251140278115","queue":"queue-305f2b94cc98","workflow":"conformance","reason":"started","sequence":1}',NULL,1795990891455,0);
INSERT INTO "outbox" VALUES(4,5,'loom.notify-resume.v1','conformance/dump-746a07721d6f~cdd6b7ex4azawkemxneoxye6gse','{"namespace":"conformance","execution":"dump-746a07721d6f~cdd6b7ex4azawkemxneoxye6gse","incarnation":"7165700404282380508","queue":"queue-305f2b94cc98","workflow":"conformance","reason":"started","sequence":1}',NULL,1795990891460,0);
INSERT INTO "outbox" VALUES(5,4,'loom.child-done.v1','conformance/dump-746a07721d6f','{"namespace":"conformance","parent":"dump-746a07721d6f","parent_incarnation":"1024585290331762798","child_key":"done","child":"dump-746a07721d6f~c47a4llgui7yrhcpe5skycnac2w","child_incarnation":"6037561251140278115","status":"completed","sequence":2}',NULL,1795990891473,0);
INSERT INTO "outbox" VALUES(6,3,'loom.execution-parked.v1','conformance/dump-746a07721d6f','{"namespace":"conformance","execution":"dump-746a07721d6f","incarnation":"1024585290331762798","park_seq":4,"wait_kinds":["child","message"]}',NULL,1795990891479,0);
INSERT INTO "outbox" VALUES(7,6,'loom.notify-resume.v1','conformance/dump-231137bb8b9f','{"namespace":"conformance","execution":"dump-231137bb8b9f","incarnation":"3752585619372097504","queue":"queue-305f2b94cc98","workflow":"conformance","reason":"started","sequence":1}',NULL,1795990891487,0);
INSERT INTO "outbox" VALUES(8,6,'loom.execution-parked.v1','conformance/dump-231137bb8b9f','{"namespace":"conformance","execution":"dump-231137bb8b9f","incarnation":"3752585619372097504","park_seq":2,"wait_kinds":["message"]}',NULL,1795990891499,0);
INSERT INTO "outbox" VALUES(9,6,'loom.notify-resume.v1','conformance/dump-231137bb8b9f','{"namespace":"conformance","execution":"dump-231137bb8b9f","incarnation":"3752585619372097504","queue":"queue-305f2b94cc98","workflow":"conformance","reason":"send","sequence":4}',NULL,1795990891503,0);
INSERT INTO "outbox" VALUES(10,7,'loom.notify-resume.v1','conformance/dump-7f9d2bc82148','{"namespace":"conformance","execution":"dump-7f9d2bc82148","incarnation":"4830396577044029812","queue":"queue-305f2b94cc98","workflow":"conformance","reason":"started","sequence":1}',NULL,1795990891505,0);
INSERT INTO "outbox" VALUES(11,7,'loom.execution-parked.v1','conformance/dump-7f9d2bc82148','{"namespace":"conformance","execution":"dump-7f9d2bc82148","incarnation":"4830396577044029812","park_seq":2,"wait_kinds":["timer"]}',NULL,1795990891521,0);
INSERT INTO "outbox" VALUES(12,7,'loom.notify-resume.v1','conformance/dump-7f9d2bc82148','{"namespace":"conformance","execution":"dump-7f9d2bc82148","incarnation":"4830396577044029812","queue":"queue-305f2b94cc98","workflow":"conformance","reason":"cancel","sequence":4}',NULL,1795990891528,0);
INSERT INTO "outbox" VALUES(13,8,'loom.notify-resume.v1','conformance/dump-40fcff24db05','{"namespace":"conformance","execution":"dump-40fcff24db05","incarnation":"4828448326062855596","queue":"queue-305f2b94cc98","workflow":"conformance","reason":"started","sequence":1}',NULL,1795990891538,0);
INSERT INTO "outbox" VALUES(14,9,'loom.notify-resume.v1','conformance/dump-34aac8331c8e','{"namespace":"conformance","execution":"dump-34aac8331c8e","incarnation":"7223881323706914846","queue":"queue-305f2b94cc98","workflow":"conformance","reason":"started","sequence":1}',NULL,1795990891598,0);
INSERT INTO "outbox" VALUES(15,10,'loom.notify-resume.v1','conformance/dump-d04dfa1701b6','{"namespace":"conformance","execution":"dump-d04dfa1701b6","incarnation":"5025903089395314973","queue":"queue-305f2b94cc98","workflow":"conformance","reason":"started","sequence":1}',NULL,1795990891614,0);
INSERT INTO "outbox" VALUES(16,11,'loom.notify-resume.v1','conformance/dump-3e7d665085b8','{"namespace":"conformance","execution":"dump-3e7d665085b8","incarnation":"1214444723623947010","queue":"queue-305f2b94cc98","workflow":"conformance","reason":"started","sequence":1}',NULL,1795990891620,0);
INSERT INTO "outbox" VALUES(17,12,'loom.notify-resume.v1','conformance/dump-5d59969d87df','{"namespace":"conformance","execution":"dump-5d59969d87df","incarnation":"4597358119389043599","queue":"queue-305f2b94cc98","workflow":"conformance","reason":"started","sequence":1}',NULL,1795990891624,0);
INSERT INTO "outbox" VALUES(18,13,'loom.notify-resume.v1','conformance/dump-d6c306ac0542','{"namespace":"conformance","execution":"dump-d6c306ac0542","incarnation":"4247512607066754274","queue":"queue-305f2b94cc98","workflow":"conformance","reason":"started","sequence":1}',NULL,1795990891629,0);
INSERT INTO "outbox" VALUES(19,13,'loom.notify-resume.v1','conformance/dump-d6c306ac0542','{"namespace":"conformance","execution":"dump-d6c306ac0542","incarnation":"4247512607066754274","queue":"queue-305f2b94cc98","workflow":"conformance","reason":"released","sequence":1}',NULL,1795990891632,0);
CREATE TABLE pins (
    head   INTEGER NOT NULL,
    owner  TEXT    NOT NULL,
    reason TEXT    NOT NULL,
    expiry INTEGER,
    PRIMARY KEY (head, owner) -- the rowid is the order of their making
) STRICT;
INSERT INTO "pins" VALUES(11,'operator','to be looked at',NULL);
CREATE TABLE polls (
    namespace TEXT    NOT NULL,
    queue     TEXT    NOT NULL,
    workflow  TEXT    NOT NULL,
    worker    TEXT    NOT NULL,
    seen_at   INTEGER NOT NULL,
    PRIMARY KEY (namespace, queue, workflow, worker)
) STRICT, WITHOUT ROWID;
INSERT INTO "polls" VALUES('dumped','q','conformance@0','worker',1795990891637);
CREATE TABLE queues (
    namespace TEXT    NOT NULL,
    name      TEXT    NOT NULL,
    paused    INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (namespace, name)
) STRICT, WITHOUT ROWID;
INSERT INTO "queues" VALUES('dumped','q',0);
CREATE TABLE refusals (
    head          INTEGER NOT NULL,
    token         INTEGER NOT NULL,
    surface       TEXT    NOT NULL,
    code          TEXT    NOT NULL,
    current_token INTEGER NOT NULL,
    count         INTEGER NOT NULL,
    first_at      INTEGER NOT NULL,
    last_at       INTEGER NOT NULL,
    PRIMARY KEY (head, token, surface) -- the rowid, given anew by each refusal, is their order
) STRICT;
INSERT INTO "refusals" VALUES(13,4294967297,'events','stale',4294967298,1,1795990891634,1795990891634);
CREATE TABLE store (
    only           INTEGER PRIMARY KEY CHECK (only = 1),
    epoch          INTEGER NOT NULL,
    features       TEXT    NOT NULL, -- a JSON array of names
    schema_version INTEGER NOT NULL
) STRICT;
INSERT INTO "store" VALUES(1,1,'["redrives"]',1);
CREATE INDEX heads_listed ON heads (namespace, head);
CREATE INDEX heads_by_status ON heads (namespace, status);
CREATE INDEX heads_runnable ON heads (namespace, queue, status_at, head)
    WHERE status IN ('pending', 'running') AND queue IS NOT NULL;
CREATE INDEX heads_granted ON heads (grant_hash) WHERE grant_hash IS NOT NULL;
CREATE INDEX heads_overdue ON heads (wake_at, head) WHERE status = 'parked' AND wake_at IS NOT NULL;
CREATE INDEX heads_awaiting_children ON heads (head)
    WHERE status = 'parked' AND (instr(waits, '"child":') OR instr(waits, '"group":'));
CREATE INDEX heads_cancels ON heads (cancel_deadline, head)
    WHERE status IN ('pending', 'running', 'parked') AND cancel_deadline IS NOT NULL;
CREATE INDEX heads_deadlines ON heads (deadline_at, head)
    WHERE status IN ('pending', 'running', 'parked') AND deadline_at IS NOT NULL AND cancel_requested_at IS NULL;
CREATE UNIQUE INDEX events_answer_once ON events (head, answers_park) WHERE answers_park IS NOT NULL;
CREATE UNIQUE INDEX events_end_once ON events (head) WHERE kind IN
    ('EXECUTION_COMPLETED', 'EXECUTION_FAILED', 'EXECUTION_CANCELLED', 'EXECUTION_CONTINUED');
CREATE UNIQUE INDEX events_batch_once ON events (head, batch_id) WHERE batch_id IS NOT NULL;
CREATE INDEX edges_by_child ON edges (child_incarnation, child_namespace, child_id, edge);
CREATE INDEX edges_in_order ON edges (parent_head, parent_incarnation, edge);
CREATE INDEX edges_open ON edges (parent_head, parent_incarnation) WHERE status = 'open';
CREATE INDEX edges_closing ON edges (parent_head, child_incarnation, status, close)
    WHERE status = 'open' AND close <> 'abandon';
CREATE INDEX edges_ended ON edges (parent_head, parent_incarnation, consumed_at_seq, released)
    WHERE status <> 'open';
CREATE UNIQUE INDEX inbox_in_order ON inbox (head, inbox_seq);
CREATE INDEX inbox_waiting ON inbox (head, inbox_seq) WHERE consumed_at_seq IS NULL;
CREATE INDEX inbox_waiting_by_name ON inbox (head, name, inbox_seq) WHERE consumed_at_seq IS NULL;
CREATE INDEX outbox_by_head ON outbox (head);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('outbox',19);
COMMIT;
PRAGMA user_version = 1;
