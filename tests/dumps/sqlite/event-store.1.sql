BEGIN TRANSACTION;
CREATE TABLE blobs (
    head  INTEGER NOT NULL,
    ref   TEXT    NOT NULL,
    bytes BLOB    NOT NULL,
    PRIMARY KEY (head, ref)
) STRICT;
INSERT INTO "blobs" VALUES(8,'r',X'32');
CREATE TABLE clock (only INTEGER PRIMARY KEY CHECK (only = 1), seen_at INTEGER NOT NULL);
INSERT INTO "clock" VALUES(1,1795990015715);
CREATE TABLE duties (
    name     TEXT PRIMARY KEY,
    owner    TEXT,
    term     INTEGER NOT NULL,
    until    INTEGER,
    last_run INTEGER
) STRICT, WITHOUT ROWID;
INSERT INTO "duties" VALUES('dumped','somebody',1,1795990016715,NULL);
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
INSERT INTO "edges" VALUES(1,3,7580402733388870058,'done','conformance','dump-d2b790d55c56~cbfjst32t4dtbaat6rhiz25t3ql',8830977300916103779,'completed','{"paid":3}','cancel','chain',0,NULL);
INSERT INTO "edges" VALUES(2,3,7580402733388870058,'open','conformance','dump-d2b790d55c56~ccghfilr2xthuuiv7rqrt76mvl3',3973675908446069766,'open',NULL,'cancel','chain',0,NULL);
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
INSERT INTO "events" VALUES(1,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-6e6ff80bf98d","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-41410d63dad6','90f3fd1a3697bcf319497e2fe0275e85711082b608d5152cdc983f66e50ad2a5',NULL,1795990015463);
INSERT INTO "events" VALUES(2,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":null,"input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-4e738955a8f5','f28668883a0f879d84b85fb5cdb2c161779369bf76c5026b9651770772f12449',NULL,1795990015480);
INSERT INTO "events" VALUES(3,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-6e6ff80bf98d","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-272572d10af7','7c11e53f39d93a7f108dabef9d843e3afaa6568ec1b4aa4900ac488f2c6a0bc3',NULL,1795990015491);
INSERT INTO "events" VALUES(3,2,'CHILD_STARTED','{"key":"done","child":{"namespace":"conformance","execution_id":"dump-d2b790d55c56~cbfjst32t4dtbaat6rhiz25t3ql","incarnation":"8830977300916103779"},"workflow":"conformance","attached":false}',NULL,4294967297,1,NULL,NULL,'key-d6152b74764f','1b6662c13e4d6ee77ee8e2d85ba2820db1c4d0394f0d696f2c017ee993cdc942',NULL,1795990015515);
INSERT INTO "events" VALUES(3,3,'CHILD_STARTED','{"key":"open","child":{"namespace":"conformance","execution_id":"dump-d2b790d55c56~ccghfilr2xthuuiv7rqrt76mvl3","incarnation":"3973675908446069766"},"workflow":"conformance","attached":false}',NULL,4294967297,1,NULL,NULL,'key-af24b0932a30','17e0eea2ac4e12c6c679e11cacd43317fe27454da197bc1d46bc96a39ab35291',NULL,1795990015529);
INSERT INTO "events" VALUES(3,4,'EXECUTION_SUSPENDED','{"waits":[{"id":"open","child":{"key":"open"}},{"id":"mail","message":{"name":"mail","key":"k"}}],"heard":null}',NULL,4294967297,1,NULL,NULL,'key-67ee3a336ad9','c0ea5a97f45e4ea0667f1304a33dab4c9e63bee2958fd247881706bf1e300c4d',NULL,1795990015553);
INSERT INTO "events" VALUES(4,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-6e6ff80bf98d","input":null,"parent":{"namespace":"conformance","execution_id":"dump-d2b790d55c56","incarnation":"7580402733388870058","key":"done"},"cancel":false}',NULL,0,1,NULL,NULL,NULL,NULL,NULL,1795990015515);
INSERT INTO "events" VALUES(4,2,'EXECUTION_COMPLETED','{"paid":3}',NULL,4294967297,1,NULL,NULL,'key-41a04e9784fe','e9bf857f8ea80ef6bd54035d24789301f5562d4ae6c6bd320e97297caf2f40e9',NULL,1795990015544);
INSERT INTO "events" VALUES(5,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-6e6ff80bf98d","input":null,"parent":{"namespace":"conformance","execution_id":"dump-d2b790d55c56","incarnation":"7580402733388870058","key":"open"},"cancel":false}',NULL,0,1,NULL,NULL,NULL,NULL,NULL,1795990015529);
INSERT INTO "events" VALUES(6,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-6e6ff80bf98d","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-97df3bc565b5','940c43e2e1c151d7fcb528ef324f9cab99f37478d895a2cc4ac75c5afdaa44b0',NULL,1795990015568);
INSERT INTO "events" VALUES(6,2,'EXECUTION_SUSPENDED','{"waits":[{"id":"mail","message":{"name":"mail","key":null}}],"heard":null}',NULL,4294967297,1,NULL,NULL,'key-47bc0b25929f','9ecae42a734d719f30e2633c480c548d52c0e0056e0eb3f98eb6792c8bff2535',NULL,1795990015581);
INSERT INTO "events" VALUES(6,3,'MESSAGE_CONSUMED','{"message_id":"message-5a5bcc38099d","name":"mail","key":null,"payload":{"text":"é\\u0000"},"wait":"mail"}',NULL,4294967298,1,NULL,NULL,NULL,NULL,NULL,1795990015585);
INSERT INTO "events" VALUES(6,4,'EXECUTION_RESUMED','{"wait":"mail","keys":null,"by":"send"}',NULL,4294967298,1,NULL,2,NULL,NULL,NULL,1795990015585);
INSERT INTO "events" VALUES(7,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-6e6ff80bf98d","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-c3a9f5618314','f44a834e7fdc27e0153e8cac3caaf561b8a3760c79b79647c4664285b6747b5d',NULL,1795990015591);
INSERT INTO "events" VALUES(7,2,'EXECUTION_SUSPENDED','{"waits":[{"id":"timer","timer":{"wake_at":1795993615606,"delay_ms":null}}],"heard":null}',NULL,4294967297,1,NULL,NULL,'key-61f741d292c5','09a61d4fd274253c2ce387fcab2f670a324d9d78074f3b56b35b4d837df0837c',NULL,1795990015606);
INSERT INTO "events" VALUES(7,3,'EXECUTION_CANCEL_REQUESTED','{"by":"request","reason":null}',NULL,4294967297,1,NULL,NULL,NULL,NULL,NULL,1795990015613);
INSERT INTO "events" VALUES(7,4,'EXECUTION_RESUMED','{"wait":null,"keys":null,"by":"cancel"}',NULL,4294967298,1,NULL,2,NULL,NULL,NULL,1795990015613);
INSERT INTO "events" VALUES(8,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-6e6ff80bf98d","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-22f4fa4b1a30','bf34517701e2d0aa44079b6af5f9481219ce820a320f503301620c8f3c3250b0',NULL,1795990015618);
INSERT INTO "events" VALUES(8,2,'EXECUTION_COMPLETED','null',NULL,4294967297,1,NULL,NULL,'key-82c84fd58085','2f8a161843ded2025201ccd3c52115226bc170dd3e7851e4ad1569b6a6aab1df',NULL,1795990015626);
INSERT INTO "events" VALUES(9,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-6e6ff80bf98d","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-5a507d3aba8a','653864eeb358994589d317368f67905749a776925ee6186f53235ffa2614a134',NULL,1795990015630);
INSERT INTO "events" VALUES(9,2,'EXECUTION_FAILED','null',NULL,4294967297,1,NULL,NULL,'key-9b1dc92eb3f2','cfe0c7c77c30e61c03fb142f75004a0ec399e9806101fd1457282078df4f809e',NULL,1795990015642);
INSERT INTO "events" VALUES(10,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-6e6ff80bf98d","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-a0f0359d8fd9','57efae01bdec40b39f7097387556e1c6d0c898250e0e4f8c2ff251eec0991d6d',NULL,1795990015647);
INSERT INTO "events" VALUES(10,2,'EXECUTION_CANCEL_REQUESTED','{"by":"request","reason":null}',NULL,4294967297,1,NULL,NULL,NULL,NULL,NULL,1795990015655);
INSERT INTO "events" VALUES(10,3,'EXECUTION_CANCELLED','{"by":"request","reason":null,"detail":null}',NULL,4294967297,1,NULL,NULL,'key-db50afb05c48','d92f1baaef4673066a12e3431a46a5ffaa26fe313fca8fe46192dd09259868ca',NULL,1795990015661);
INSERT INTO "events" VALUES(11,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-6e6ff80bf98d","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-e87d54ea4481','f57202b55449efd4d3e141669f62f969310b49878a53dcdc3e7df536917cadbe',NULL,1795990015666);
INSERT INTO "events" VALUES(11,2,'EXECUTION_COMPLETED','null',NULL,4294967297,1,NULL,NULL,'key-2bdd78c9fb5e','c423104a8dc78f06990fd346b728170248cd635bcf14487933953166273f7d06',NULL,1795990015672);
INSERT INTO "events" VALUES(13,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-6e6ff80bf98d","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-5d1aa6b1b47a','f315b3d085f3151e5133e3b05b861a14fa3abdf473e85832aef525c9a4e2633c',NULL,1795990015692);
CREATE TABLE grants (
    head  INTEGER NOT NULL,
    token INTEGER NOT NULL,
    rule  TEXT    NOT NULL,
    owner TEXT,
    at    INTEGER NOT NULL,
    PRIMARY KEY (head, token)
) STRICT, WITHOUT ROWID;
INSERT INTO "grants" VALUES(3,4294967297,'claim','owner-e2e2ad56e927',1795990015503);
INSERT INTO "grants" VALUES(4,4294967297,'claim','owner-2e59c756c06d',1795990015535);
INSERT INTO "grants" VALUES(6,4294967297,'claim','owner-d3cf827ae182',1795990015578);
INSERT INTO "grants" VALUES(7,4294967297,'claim','owner-2f9abd416273',1795990015598);
INSERT INTO "grants" VALUES(8,4294967297,'claim','owner-996a7042bd82',1795990015622);
INSERT INTO "grants" VALUES(9,4294967297,'claim','owner-010bc3325aa8',1795990015636);
INSERT INTO "grants" VALUES(10,4294967297,'claim','owner-a0a809c4891c',1795990015651);
INSERT INTO "grants" VALUES(11,4294967297,'claim','owner-d7d05f503382',1795990015670);
INSERT INTO "grants" VALUES(13,4294967297,'claim','owner-9e1285781f15',1795990015696);
INSERT INTO "grants" VALUES(13,4294967298,'claim','owner-77bd3d621d0e',1795990015703);
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
INSERT INTO "heads" VALUES(1,'conformance','dump-10a26f1aa1af',6712528420694705933,6712528420694705933,1,0,0,NULL,NULL,NULL,'pending',1,NULL,NULL,NULL,NULL,0,'conformance','0','queue-6e6ff80bf98d',NULL,NULL,NULL,NULL,NULL,6712528420694705933,NULL,NULL,NULL,0,NULL,116,1795990015463,1795990015463,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(2,'conformance','dump-d71cbccada9c',9003092000754760391,9003092000754760391,1,1,0,NULL,NULL,NULL,'pending',1,NULL,NULL,NULL,NULL,0,'conformance','0',NULL,NULL,1795993615480,NULL,NULL,NULL,9003092000754760391,NULL,NULL,NULL,0,NULL,100,1795990015480,1795990015480,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(3,'conformance','dump-d2b790d55c56',7580402733388870058,7580402733388870058,1,0,4294967297,'cbc0359cd8ca440236da108c22bf34cef46ab69df5b44dd5eeaa53ec8e2f08bd',NULL,1795990075503,'parked',4,NULL,4,'[{"id":"open","child":{"key":"open"}},{"id":"mail","message":{"name":"mail","key":"k"}}]',NULL,0,'conformance','0','queue-6e6ff80bf98d',NULL,NULL,NULL,NULL,NULL,7580402733388870058,NULL,NULL,NULL,0,NULL,609,1795990015491,1795990015553,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(4,'conformance','dump-d2b790d55c56~cbfjst32t4dtbaat6rhiz25t3ql',8830977300916103779,8830977300916103779,1,0,4294967297,NULL,NULL,NULL,'completed',2,NULL,NULL,NULL,NULL,0,'conformance','0','queue-6e6ff80bf98d',NULL,NULL,3,7580402733388870058,'done',7580402733388870058,NULL,NULL,NULL,1,NULL,233,1795990015515,1795990015544,1795990015544,'completed','fa6e5718bd5d9417beaa3c279f83459c1c26d04df67ecbcdd5a0083389af72ab');
INSERT INTO "heads" VALUES(5,'conformance','dump-d2b790d55c56~ccghfilr2xthuuiv7rqrt76mvl3',3973675908446069766,3973675908446069766,1,0,0,NULL,NULL,NULL,'pending',1,NULL,NULL,NULL,NULL,0,'conformance','0','queue-6e6ff80bf98d',NULL,NULL,3,7580402733388870058,'open',7580402733388870058,NULL,NULL,NULL,0,NULL,223,1795990015529,1795990015529,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(6,'conformance','dump-e8c64f35825d',3890344308352943419,3890344308352943419,1,0,4294967298,NULL,NULL,NULL,'running',4,NULL,NULL,NULL,NULL,0,'conformance','0','queue-6e6ff80bf98d',NULL,NULL,NULL,NULL,NULL,3890344308352943419,NULL,NULL,NULL,0,NULL,337,1795990015568,1795990015585,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(7,'conformance','dump-e1b5534430e0',7936264077782221063,7936264077782221063,1,0,4294967298,NULL,NULL,NULL,'running',4,NULL,NULL,NULL,NULL,0,'conformance','0','queue-6e6ff80bf98d',NULL,NULL,NULL,NULL,NULL,7936264077782221063,1795990015613,3,1795990615613,0,NULL,274,1795990015591,1795990015613,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(8,'conformance','dump-f11e19444897',1243505091517375692,1243505091517375692,1,0,4294967297,NULL,NULL,NULL,'completed',2,NULL,NULL,NULL,NULL,0,'conformance','0','queue-6e6ff80bf98d',NULL,NULL,NULL,NULL,NULL,1243505091517375692,NULL,NULL,NULL,1,NULL,120,1795990015618,1795990015626,1795990015626,'completed','74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b');
INSERT INTO "heads" VALUES(9,'conformance','dump-677a58d4dcc7',2204636172100644485,2204636172100644485,1,0,4294967297,NULL,NULL,NULL,'failed',2,NULL,NULL,NULL,NULL,0,'conformance','0','queue-6e6ff80bf98d',NULL,NULL,NULL,NULL,NULL,2204636172100644485,NULL,NULL,NULL,1,NULL,120,1795990015630,1795990015642,1795990015642,'failed','74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b');
INSERT INTO "heads" VALUES(10,'conformance','dump-702543ab41fd',4125351375332356122,4125351375332356122,1,0,4294967297,NULL,NULL,NULL,'cancelled',3,NULL,NULL,NULL,NULL,0,'conformance','0','queue-6e6ff80bf98d',NULL,NULL,NULL,NULL,NULL,4125351375332356122,1795990015655,2,NULL,1,NULL,190,1795990015647,1795990015661,1795990015661,'cancelled','a723364d1fcd892c771c8d912aed4007e60b5995ed3239220993916027c3b112');
INSERT INTO "heads" VALUES(11,'conformance','dump-381fd621d79a',5210364889120385685,5210364889120385685,1,0,4294967297,NULL,NULL,NULL,'completed',2,NULL,NULL,NULL,NULL,0,'conformance','0','queue-6e6ff80bf98d',NULL,NULL,NULL,NULL,NULL,5210364889120385685,NULL,NULL,NULL,1,NULL,120,1795990015666,1795990015672,1795990015672,'completed','74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b');
INSERT INTO "heads" VALUES(12,'conformance','dump-35b0f6748e3e',8873805779044975870,8873805779044975870,1,0,4294967297,NULL,NULL,NULL,'deleted',2,NULL,NULL,NULL,NULL,0,'conformance','0','queue-6e6ff80bf98d',NULL,NULL,NULL,NULL,NULL,8873805779044975870,NULL,NULL,NULL,1,NULL,0,1795990015678,1795990015689,1795990015686,'completed','74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b');
INSERT INTO "heads" VALUES(13,'conformance','dump-8d51a48acbc5',4922206263813189120,4922206263813189120,1,0,4294967298,'8705d704e458dcdb2fe385b2b0e92477cc746eff0bb872850610731f46e91beb','owner-77bd3d621d0e',1795990075703,'running',1,NULL,NULL,NULL,NULL,0,'conformance','0','queue-6e6ff80bf98d',NULL,NULL,NULL,NULL,NULL,4922206263813189120,NULL,NULL,NULL,1,NULL,116,1795990015692,1795990015696,NULL,NULL,NULL);
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
    consumed_at_seq INTEGER,
    PRIMARY KEY (head, message_id)
) STRICT, WITHOUT ROWID;
INSERT INTO "inbox" VALUES(3,'message-889f9a4e537f',1,'mail','other','{"x":1}',NULL,1795990015562,0,NULL);
INSERT INTO "inbox" VALUES(6,'message-5a5bcc38099d',1,'mail',NULL,'{"text":"é\\u0000"}',NULL,1795990015585,1,3);
CREATE TABLE metas (
    head    INTEGER PRIMARY KEY,
    bytes   BLOB    NOT NULL,
    version INTEGER NOT NULL,
    name    TEXT,
    tags    TEXT
) STRICT;
INSERT INTO "metas" VALUES(8,X'31',1,'n',NULL);
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
INSERT INTO "outbox" VALUES(1,1,'loom.notify-resume.v1','conformance/dump-10a26f1aa1af','{"namespace":"conformance","execution":"dump-10a26f1aa1af","incarnation":"6712528420694705933","queue":"queue-6e6ff80bf98d","workflow":"conformance","reason":"started","sequence":1}',NULL,1795990015463,0);
INSERT INTO "outbox" VALUES(2,3,'loom.notify-resume.v1','conformance/dump-d2b790d55c56','{"namespace":"conformance","execution":"dump-d2b790d55c56","incarnation":"7580402733388870058","queue":"queue-6e6ff80bf98d","workflow":"conformance","reason":"started","sequence":1}',NULL,1795990015491,0);
INSERT INTO "outbox" VALUES(3,4,'loom.notify-resume.v1','conformance/dump-d2b790d55c56~cbfjst32t4dtbaat6rhiz25t3ql','{"namespace":"conformance","execution":"dump-d2b790d55c56~cbfjst32t4dtbaat6rhiz25t3ql","incarnation":"8830977300916103779","queue":"queue-6e6ff80bf98d","workflow":"conformance","reason":"started","sequence":1}',NULL,1795990015515,0);
INSERT INTO "outbox" VALUES(4,5,'loom.notify-resume.v1','conformance/dump-d2b790d55c56~ccghfilr2xthuuiv7rqrt76mvl3','{"namespace":"conformance","execution":"dump-d2b790d55c56~ccghfilr2xthuuiv7rqrt76mvl3","incarnation":"3973675908446069766","queue":"queue-6e6ff80bf98d","workflow":"conformance","reason":"started","sequence":1}',NULL,1795990015529,0);
INSERT INTO "outbox" VALUES(5,4,'loom.child-done.v1','conformance/dump-d2b790d55c56','{"namespace":"conformance","parent":"dump-d2b790d55c56","parent_incarnation":"7580402733388870058","child_key":"done","child":"dump-d2b790d55c56~cbfjst32t4dtbaat6rhiz25t3ql","child_incarnation":"8830977300916103779","status":"completed","sequence":2}',NULL,1795990015544,0);
INSERT INTO "outbox" VALUES(6,3,'loom.execution-parked.v1','conformance/dump-d2b790d55c56','{"namespace":"conformance","execution":"dump-d2b790d55c56","incarnation":"7580402733388870058","park_seq":4,"wait_kinds":["child","message"]}',NULL,1795990015553,0);
INSERT INTO "outbox" VALUES(7,6,'loom.notify-resume.v1','conformance/dump-e8c64f35825d','{"namespace":"conformance","execution":"dump-e8c64f35825d","incarnation":"3890344308352943419","queue":"queue-6e6ff80bf98d","workflow":"conformance","reason":"started","sequence":1}',NULL,1795990015568,0);
INSERT INTO "outbox" VALUES(8,6,'loom.execution-parked.v1','conformance/dump-e8c64f35825d','{"namespace":"conformance","execution":"dump-e8c64f35825d","incarnation":"3890344308352943419","park_seq":2,"wait_kinds":["message"]}',NULL,1795990015581,0);
INSERT INTO "outbox" VALUES(9,6,'loom.notify-resume.v1','conformance/dump-e8c64f35825d','{"namespace":"conformance","execution":"dump-e8c64f35825d","incarnation":"3890344308352943419","queue":"queue-6e6ff80bf98d","workflow":"conformance","reason":"send","sequence":4}',NULL,1795990015585,0);
INSERT INTO "outbox" VALUES(10,7,'loom.notify-resume.v1','conformance/dump-e1b5534430e0','{"namespace":"conformance","execution":"dump-e1b5534430e0","incarnation":"7936264077782221063","queue":"queue-6e6ff80bf98d","workflow":"conformance","reason":"started","sequence":1}',NULL,1795990015591,0);
INSERT INTO "outbox" VALUES(11,7,'loom.execution-parked.v1','conformance/dump-e1b5534430e0','{"namespace":"conformance","execution":"dump-e1b5534430e0","incarnation":"7936264077782221063","park_seq":2,"wait_kinds":["timer"]}',NULL,1795990015606,0);
INSERT INTO "outbox" VALUES(12,7,'loom.notify-resume.v1','conformance/dump-e1b5534430e0','{"namespace":"conformance","execution":"dump-e1b5534430e0","incarnation":"7936264077782221063","queue":"queue-6e6ff80bf98d","workflow":"conformance","reason":"cancel","sequence":4}',NULL,1795990015613,0);
INSERT INTO "outbox" VALUES(13,8,'loom.notify-resume.v1','conformance/dump-f11e19444897','{"namespace":"conformance","execution":"dump-f11e19444897","incarnation":"1243505091517375692","queue":"queue-6e6ff80bf98d","workflow":"conformance","reason":"started","sequence":1}',NULL,1795990015618,0);
INSERT INTO "outbox" VALUES(14,9,'loom.notify-resume.v1','conformance/dump-677a58d4dcc7','{"namespace":"conformance","execution":"dump-677a58d4dcc7","incarnation":"2204636172100644485","queue":"queue-6e6ff80bf98d","workflow":"conformance","reason":"started","sequence":1}',NULL,1795990015630,0);
INSERT INTO "outbox" VALUES(15,10,'loom.notify-resume.v1','conformance/dump-702543ab41fd','{"namespace":"conformance","execution":"dump-702543ab41fd","incarnation":"4125351375332356122","queue":"queue-6e6ff80bf98d","workflow":"conformance","reason":"started","sequence":1}',NULL,1795990015647,0);
INSERT INTO "outbox" VALUES(16,11,'loom.notify-resume.v1','conformance/dump-381fd621d79a','{"namespace":"conformance","execution":"dump-381fd621d79a","incarnation":"5210364889120385685","queue":"queue-6e6ff80bf98d","workflow":"conformance","reason":"started","sequence":1}',NULL,1795990015666,0);
INSERT INTO "outbox" VALUES(17,12,'loom.notify-resume.v1','conformance/dump-35b0f6748e3e','{"namespace":"conformance","execution":"dump-35b0f6748e3e","incarnation":"8873805779044975870","queue":"queue-6e6ff80bf98d","workflow":"conformance","reason":"started","sequence":1}',NULL,1795990015678,0);
INSERT INTO "outbox" VALUES(18,13,'loom.notify-resume.v1','conformance/dump-8d51a48acbc5','{"namespace":"conformance","execution":"dump-8d51a48acbc5","incarnation":"4922206263813189120","queue":"queue-6e6ff80bf98d","workflow":"conformance","reason":"started","sequence":1}',NULL,1795990015692,0);
INSERT INTO "outbox" VALUES(19,13,'loom.notify-resume.v1','conformance/dump-8d51a48acbc5','{"namespace":"conformance","execution":"dump-8d51a48acbc5","incarnation":"4922206263813189120","queue":"queue-6e6ff80bf98d","workflow":"conformance","reason":"released","sequence":1}',NULL,1795990015698,0);
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
INSERT INTO "polls" VALUES('dumped','q','conformance@0','worker',1795990015709);
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
INSERT INTO "refusals" VALUES(13,4294967297,'events','stale',4294967298,1,1795990015705,1795990015705);
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
