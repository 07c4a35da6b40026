BEGIN TRANSACTION;
CREATE TABLE blobs (
    head  INTEGER NOT NULL,
    ref   TEXT    NOT NULL,
    bytes BLOB    NOT NULL,
    PRIMARY KEY (head, ref)
) STRICT;
INSERT INTO "blobs" VALUES(10,'r',X'32');
CREATE TABLE clock (only INTEGER PRIMARY KEY CHECK (only = 1), seen_at INTEGER NOT NULL);
INSERT INTO "clock" VALUES(1,1795991481274);
CREATE TABLE duties (
    name     TEXT PRIMARY KEY,
    owner    TEXT,
    term     INTEGER NOT NULL,
    until    INTEGER,
    last_run INTEGER
) STRICT, WITHOUT ROWID;
INSERT INTO "duties" VALUES('dumped','somebody',1,1795991482274,NULL);
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
INSERT INTO "edges" VALUES(1,3,3536897633909814464,'done','conformance','dump-95707f05408a~c5fluntd355bfw2awqv3rpceika',2285705287942231074,'completed','{"paid":3}','cancel','chain',0,NULL);
INSERT INTO "edges" VALUES(2,3,3536897633909814464,'open','conformance','dump-95707f05408a~ci6eq52nrd6bjiudanvabq3zz7s',2843828954880381648,'open',NULL,'cancel','chain',0,NULL);
INSERT INTO "edges" VALUES(3,15,9004405476990215164,'kept','conformance','dump-26b40b6bc468~c7bdrsildnsg46zfkiheqf4a23q',8959291031248183016,'open',NULL,'cancel','chain',0,NULL);
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
INSERT INTO "events" VALUES(1,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-209904523f29","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-4fb59fecfca4','43ce5f83e514c317d9df5ed0ba8093263f105e1d61f3c75dac08b806e56b9db4',NULL,1795991481071);
INSERT INTO "events" VALUES(2,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":null,"input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-bda8997b2ec9','2244bf0745fbcaf260a5960c4d299801fdfb3d07e51c0a5336496f23d9d0af7e',NULL,1795991481077);
INSERT INTO "events" VALUES(3,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-209904523f29","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-947ede3204bb','74542a530e5370d94bec2b5e393439128be14178dd863e447f5380ceefdcce67',NULL,1795991481082);
INSERT INTO "events" VALUES(3,2,'CHILD_STARTED','{"key":"done","child":{"namespace":"conformance","execution_id":"dump-95707f05408a~c5fluntd355bfw2awqv3rpceika","incarnation":"2285705287942231074"},"workflow":"conformance","attached":false}',NULL,4294967297,1,NULL,NULL,'key-259dff18c2e4','3a170987647b025cc7ad8c8fc34a81e9c7ed784af2ebafd523b5a7968fec790c',NULL,1795991481091);
INSERT INTO "events" VALUES(3,3,'CHILD_STARTED','{"key":"open","child":{"namespace":"conformance","execution_id":"dump-95707f05408a~ci6eq52nrd6bjiudanvabq3zz7s","incarnation":"2843828954880381648"},"workflow":"conformance","attached":false}',NULL,4294967297,1,NULL,NULL,'key-97c2da31a806','dffb84666b21de0ffcac5ee834c543e72fdb69885058617e2bc65e9d5085ef7c',NULL,1795991481110);
INSERT INTO "events" VALUES(3,4,'EXECUTION_SUSPENDED','{"waits":[{"id":"open","child":{"key":"open"}},{"id":"mail","message":{"name":"mail","key":"k"}}],"heard":null}',NULL,4294967297,1,NULL,NULL,'key-956da4e776af','255c0551e2823aaf48e28529fefb927258f45582975b70e755aab0a83b504e38',NULL,1795991481140);
INSERT INTO "events" VALUES(4,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-209904523f29","input":null,"parent":{"namespace":"conformance","execution_id":"dump-95707f05408a","incarnation":"3536897633909814464","key":"done"},"cancel":false}',NULL,0,1,NULL,NULL,NULL,NULL,NULL,1795991481091);
INSERT INTO "events" VALUES(4,2,'EXECUTION_COMPLETED','{"paid":3}',NULL,4294967297,1,NULL,NULL,'key-b4015a231a19','db0fc8f4957bb0af17dc2a72f3435a074d50ea0ef44cb25ef2b2d06cb7e19460',NULL,1795991481134);
INSERT INTO "events" VALUES(5,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-209904523f29","input":null,"parent":{"namespace":"conformance","execution_id":"dump-95707f05408a","incarnation":"3536897633909814464","key":"open"},"cancel":false}',NULL,0,1,NULL,NULL,NULL,NULL,NULL,1795991481110);
INSERT INTO "events" VALUES(6,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-209904523f29","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-afe593271662','42b255e564683a930a3795ca99dd3ad55756f3582eaddb157541b326b085cc0e',NULL,1795991481160);
INSERT INTO "events" VALUES(6,2,'EXECUTION_SUSPENDED','{"waits":[{"id":"mail","message":{"name":"mail","key":null}}],"heard":null}',NULL,4294967297,1,NULL,NULL,'key-536243744d6d','dcdcabd1f9f24cdd7deccbfac50e02e1347e83650e309bb9c645cdbfd5bf9e3d',NULL,1795991481177);
INSERT INTO "events" VALUES(6,3,'MESSAGE_CONSUMED','{"message_id":"message-dc9bd7895d06","name":"mail","key":null,"payload":{"text":"é\\u0000"},"wait":"mail"}',NULL,4294967298,1,NULL,NULL,NULL,NULL,NULL,1795991481183);
INSERT INTO "events" VALUES(6,4,'EXECUTION_RESUMED','{"wait":"mail","keys":null,"by":"send"}',NULL,4294967298,1,NULL,2,NULL,NULL,NULL,1795991481183);
INSERT INTO "events" VALUES(7,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-209904523f29","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-681b7fd52c45','1ee32f068ee0ac7d289ee3674922fcbd6a0dd22d60cfe935181f458caac44e8f',NULL,1795991481199);
INSERT INTO "events" VALUES(7,2,'EXECUTION_SUSPENDED','{"waits":[{"id":"timer","timer":{"wake_at":1795995081209,"delay_ms":null}}],"heard":null}',NULL,4294967297,1,NULL,NULL,'key-aff483c4672a','cf6cc6a085d043119aec833a78b33f8464e9799ffadc7004db357a44ef8320c8',NULL,1795991481209);
INSERT INTO "events" VALUES(7,3,'EXECUTION_CANCEL_REQUESTED','{"by":"request","reason":null}',NULL,4294967297,1,NULL,NULL,NULL,NULL,NULL,1795991481222);
INSERT INTO "events" VALUES(7,4,'EXECUTION_RESUMED','{"wait":null,"keys":null,"by":"cancel"}',NULL,4294967298,1,NULL,2,NULL,NULL,NULL,1795991481222);
INSERT INTO "events" VALUES(8,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-209904523f29","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-181dee429d00','f21a9cb8331a99c9f93c04e58ae2ffafde592145f5ab5984f2221f11def28f0b',NULL,1795991481228);
INSERT INTO "events" VALUES(8,2,'EXECUTION_COMPLETED','null',NULL,4294967297,1,NULL,NULL,'key-d87e256b011c','b8bef89b990b1819af5c375b796b7793f79dbe3fd2db8f8717684af01554740a',NULL,1795991481244);
INSERT INTO "events" VALUES(9,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-209904523f29","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-526c47b71867','a8332150373a56798828669d56e0818342fc15382e106fda50b8b256c07b77fa',NULL,1795991481246);
INSERT INTO "events" VALUES(9,2,'EXECUTION_FAILED','null',NULL,4294967297,1,NULL,NULL,'key-862e9f3aa70b','4e6337c747431f6a5de9a5a752df9a83bd37ee29214def5c9d8d223fb7e394cb',NULL,1795991481250);
INSERT INTO "events" VALUES(10,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-209904523f29","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-e4689df15ad3','4ce59355ff1b3775f3e8f880e784eadf3fa34928679dface8aaf07f2f9767461',NULL,1795991481251);
INSERT INTO "events" VALUES(10,2,'EXECUTION_CANCEL_REQUESTED','{"by":"request","reason":null}',NULL,4294967297,1,NULL,NULL,NULL,NULL,NULL,1795991481253);
INSERT INTO "events" VALUES(10,3,'EXECUTION_CANCELLED','{"by":"request","reason":null,"detail":null}',NULL,4294967297,1,NULL,NULL,'key-e9fe943a421b','426cdab7373a7f4a1dc809b6504415e4665f109dff54ae91c102a3bcc3e8e6a9',NULL,1795991481254);
INSERT INTO "events" VALUES(11,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-209904523f29","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-9a2fd0bcca7b','042626daf39e831014f6949ff13fce84abb5aabd4e0d4053b183ae794809fadb',NULL,1795991481255);
INSERT INTO "events" VALUES(11,2,'EXECUTION_COMPLETED','null',NULL,4294967297,1,NULL,NULL,'key-f913a36dbe9c','06b789bd44cd81750df1f248c983c8a6fa6a645582769f4691ff86c81548c57e',NULL,1795991481258);
INSERT INTO "events" VALUES(13,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-209904523f29","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-36301f21d388','b6b137b1e6f761f4f3e48b0221549914272f13420a6d4f149a7d05912417ac04',NULL,1795991481263);
INSERT INTO "events" VALUES(13,2,'CHILD_STARTED','{"key":"kept","child":{"namespace":"conformance","execution_id":"dump-26b40b6bc468~c7bdrsildnsg46zfkiheqf4a23q","incarnation":"8959291031248183016"},"workflow":"conformance","attached":false}',NULL,4294967297,1,NULL,NULL,'key-7ffcea4f2313','66b89deedbcee2da0973cd2c5cb276ec339807628ec00ee98ecb195fa72213af',NULL,1795991481265);
INSERT INTO "events" VALUES(13,3,'EXECUTION_CONTINUED','{"next":{"namespace":"conformance","execution_id":"dump-26b40b6bc468","incarnation":"9004405476990215164"}}',NULL,4294967297,1,NULL,NULL,'key-bcfb0da7750d','bb879350fbf78d574bc4379dff8965fdc513bd5ae199f024035420a146267a2b',NULL,1795991481267);
INSERT INTO "events" VALUES(14,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-209904523f29","input":null,"parent":{"namespace":"conformance","execution_id":"dump-26b40b6bc468","incarnation":"8258641597749337390","key":"kept"},"cancel":false}',NULL,0,1,NULL,NULL,NULL,NULL,NULL,1795991481265);
INSERT INTO "events" VALUES(15,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-209904523f29","input":null,"parent":null,"cancel":false}',NULL,4294967297,1,NULL,NULL,NULL,NULL,NULL,1795991481267);
INSERT INTO "events" VALUES(16,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-209904523f29","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-fa539a1ce068','8febb2f8cf7665b31535ba4b671f07c0fb0caf5a73e3e89d8d2e1bb78298cd80',NULL,1795991481269);
CREATE TABLE grants (
    head  INTEGER NOT NULL,
    token INTEGER NOT NULL,
    rule  TEXT    NOT NULL,
    owner TEXT,
    at    INTEGER NOT NULL,
    PRIMARY KEY (head, token)
) STRICT, WITHOUT ROWID;
INSERT INTO "grants" VALUES(3,4294967297,'claim','owner-82ccacad7f1b',1795991481085);
INSERT INTO "grants" VALUES(4,4294967297,'claim','owner-93dc87cbe12c',1795991481123);
INSERT INTO "grants" VALUES(6,4294967297,'claim','owner-1f978dab8102',1795991481170);
INSERT INTO "grants" VALUES(7,4294967297,'claim','owner-cc05776585c5',1795991481206);
INSERT INTO "grants" VALUES(8,4294967297,'claim','owner-62a61ba10a63',1795991481242);
INSERT INTO "grants" VALUES(9,4294967297,'claim','owner-0ec9f287edfc',1795991481248);
INSERT INTO "grants" VALUES(10,4294967297,'claim','owner-e83b9235a7dd',1795991481252);
INSERT INTO "grants" VALUES(11,4294967297,'claim','owner-5af18dc5dc76',1795991481257);
INSERT INTO "grants" VALUES(13,4294967297,'claim','owner-b387fa26dff5',1795991481264);
INSERT INTO "grants" VALUES(16,4294967297,'claim','owner-3bcb88940619',1795991481270);
INSERT INTO "grants" VALUES(16,4294967298,'claim','owner-725f78870fda',1795991481271);
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
INSERT INTO "heads" VALUES(1,'conformance','dump-8764f84ff5ef',2673198257391987652,2673198257391987652,1,0,0,NULL,NULL,NULL,'pending',1,NULL,NULL,NULL,NULL,0,'conformance','0','queue-209904523f29',NULL,NULL,NULL,NULL,NULL,2673198257391987652,NULL,NULL,NULL,0,NULL,116,1795991481071,1795991481071,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(2,'conformance','dump-994626caa71a',8535471289775006873,8535471289775006873,1,1,0,NULL,NULL,NULL,'pending',1,NULL,NULL,NULL,NULL,0,'conformance','0',NULL,NULL,1795995081077,NULL,NULL,NULL,8535471289775006873,NULL,NULL,NULL,0,NULL,100,1795991481077,1795991481077,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(3,'conformance','dump-95707f05408a',3536897633909814464,3536897633909814464,1,0,4294967297,'ecc4ab0b997c337a55b55a3156e0556b20ead4990a8aec5dda9349914b88d3cd',NULL,1795991541085,'parked',4,NULL,4,'[{"id":"open","child":{"key":"open"}},{"id":"mail","message":{"name":"mail","key":"k"}}]',NULL,0,'conformance','0','queue-209904523f29',NULL,NULL,NULL,NULL,NULL,3536897633909814464,NULL,NULL,NULL,0,NULL,609,1795991481082,1795991481140,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(4,'conformance','dump-95707f05408a~c5fluntd355bfw2awqv3rpceika',2285705287942231074,2285705287942231074,1,0,4294967297,NULL,NULL,NULL,'completed',2,NULL,NULL,NULL,NULL,0,'conformance','0','queue-209904523f29',NULL,NULL,3,3536897633909814464,'done',3536897633909814464,NULL,NULL,NULL,1,NULL,233,1795991481091,1795991481134,1795991481134,'completed','fa6e5718bd5d9417beaa3c279f83459c1c26d04df67ecbcdd5a0083389af72ab');
INSERT INTO "heads" VALUES(5,'conformance','dump-95707f05408a~ci6eq52nrd6bjiudanvabq3zz7s',2843828954880381648,2843828954880381648,1,0,0,NULL,NULL,NULL,'pending',1,NULL,NULL,NULL,NULL,0,'conformance','0','queue-209904523f29',NULL,NULL,3,3536897633909814464,'open',3536897633909814464,NULL,NULL,NULL,0,NULL,223,1795991481110,1795991481110,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(6,'conformance','dump-64416c701faa',2045760545402254515,2045760545402254515,1,0,4294967298,NULL,NULL,NULL,'running',4,NULL,NULL,NULL,NULL,0,'conformance','0','queue-209904523f29',NULL,NULL,NULL,NULL,NULL,2045760545402254515,NULL,NULL,NULL,0,NULL,337,1795991481160,1795991481183,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(7,'conformance','dump-7020e42f3676',4814542289798182165,4814542289798182165,1,0,4294967298,NULL,NULL,NULL,'running',4,NULL,NULL,NULL,NULL,0,'conformance','0','queue-209904523f29',NULL,NULL,NULL,NULL,NULL,4814542289798182165,1795991481222,3,1795992081222,0,NULL,274,1795991481199,1795991481222,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(8,'conformance','dump-f0ca77a10557',4944635229360663139,4944635229360663139,1,0,4294967297,NULL,NULL,NULL,'completed',2,NULL,NULL,NULL,NULL,0,'conformance','0','queue-209904523f29',NULL,NULL,NULL,NULL,NULL,4944635229360663139,NULL,NULL,NULL,1,NULL,120,1795991481228,1795991481244,1795991481244,'completed','74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b');
INSERT INTO "heads" VALUES(9,'conformance','dump-d3659458c026',7373960721868703846,7373960721868703846,1,0,4294967297,NULL,NULL,NULL,'failed',2,NULL,NULL,NULL,NULL,0,'conformance','0','queue-209904523f29',NULL,NULL,NULL,NULL,NULL,7373960721868703846,NULL,NULL,NULL,1,NULL,120,1795991481246,1795991481250,1795991481250,'failed','74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b');
INSERT INTO "heads" VALUES(10,'conformance','dump-2370f6b9d60e',951046368719775064,951046368719775064,1,0,4294967297,NULL,NULL,NULL,'cancelled',3,NULL,NULL,NULL,NULL,0,'conformance','0','queue-209904523f29',NULL,NULL,NULL,NULL,NULL,951046368719775064,1795991481253,2,NULL,1,NULL,190,1795991481251,1795991481254,1795991481254,'cancelled','a723364d1fcd892c771c8d912aed4007e60b5995ed3239220993916027c3b112');
INSERT INTO "heads" VALUES(11,'conformance','dump-d8254e807b90',5454319466151114111,5454319466151114111,1,0,4294967297,NULL,NULL,NULL,'completed',2,NULL,NULL,NULL,NULL,0,'conformance','0','queue-209904523f29',NULL,NULL,NULL,NULL,NULL,5454319466151114111,NULL,NULL,NULL,1,NULL,120,1795991481255,1795991481258,1795991481258,'completed','74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b');
INSERT INTO "heads" VALUES(12,'conformance','dump-3b2129b7df34',9058647699008714334,9058647699008714334,1,0,4294967297,NULL,NULL,NULL,'deleted',2,NULL,NULL,NULL,NULL,0,'conformance','0','queue-209904523f29',NULL,NULL,NULL,NULL,NULL,9058647699008714334,NULL,NULL,NULL,1,NULL,0,1795991481259,1795991481262,1795991481261,'completed','74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b');
INSERT INTO "heads" VALUES(13,'conformance','dump-26b40b6bc468~8258641597749337390',8258641597749337390,8258641597749337390,1,0,4294967297,NULL,NULL,NULL,'continued',3,NULL,NULL,NULL,NULL,0,'conformance','0','queue-209904523f29',NULL,NULL,NULL,NULL,NULL,8258641597749337390,NULL,NULL,NULL,1,NULL,414,1795991481263,1795991481267,1795991481267,'continued','acd07c307c173d03667746a1d8138e65c5166f5aa6d907a3dadf63f63c0212b2');
INSERT INTO "heads" VALUES(14,'conformance','dump-26b40b6bc468~c7bdrsildnsg46zfkiheqf4a23q',8959291031248183016,8959291031248183016,1,0,0,NULL,NULL,NULL,'pending',1,NULL,NULL,NULL,NULL,0,'conformance','0','queue-209904523f29',NULL,NULL,13,8258641597749337390,'kept',8258641597749337390,NULL,NULL,NULL,0,NULL,223,1795991481265,1795991481265,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(15,'conformance','dump-26b40b6bc468',9004405476990215164,8258641597749337390,2,0,4294967297,NULL,NULL,NULL,'pending',1,NULL,NULL,NULL,NULL,0,'conformance','0','queue-209904523f29',NULL,NULL,NULL,NULL,NULL,8258641597749337390,NULL,NULL,NULL,0,NULL,116,1795991481267,1795991481267,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(16,'conformance','dump-84dbfdbb8021',8365835024196523402,8365835024196523402,1,0,4294967298,'8f5b55b16b8b97bd31d105938068bf582f57f61362df87f11762a747e40b5089','owner-725f78870fda',1795991541271,'running',1,NULL,NULL,NULL,NULL,0,'conformance','0','queue-209904523f29',NULL,NULL,NULL,NULL,NULL,8365835024196523402,NULL,NULL,NULL,1,NULL,116,1795991481269,1795991481270,NULL,NULL,NULL);
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
    consumed_at_seq INTEGER, consumed_at INTEGER,
    PRIMARY KEY (head, message_id)
) STRICT, WITHOUT ROWID;
INSERT INTO "inbox" VALUES(3,'message-0d79989aa0bf',1,'mail','other','{"x":1}',NULL,1795991481147,0,NULL,NULL);
INSERT INTO "inbox" VALUES(6,'message-dc9bd7895d06',1,'mail',NULL,'{"text":"é\\u0000"}',NULL,1795991481183,1,3,1795991481183);
INSERT INTO "inbox" VALUES(15,'message-6ad93017e1f4',1,'mail',NULL,'null',NULL,1795991481267,0,NULL,NULL);
CREATE TABLE metas (
    head    INTEGER PRIMARY KEY,
    bytes   BLOB    NOT NULL,
    version INTEGER NOT NULL,
    name    TEXT,
    tags    TEXT
) STRICT;
INSERT INTO "metas" VALUES(10,X'31',1,'n',NULL);
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
INSERT INTO "outbox" VALUES(1,1,'loom.notify-resume.v1','conformance/dump-8764f84ff5ef','{"namespace":"conformance","execution":"dump-8764f84ff5ef","incarnation":"2673198257391987652","queue":"queue-209904523f29","workflow":"conformance","reason":"started","sequence":1}',NULL,1795991481071,0);
INSERT INTO "outbox" VALUES(2,3,'loom.notify-resume.v1','conformance/dump-95707f05408a','{"namespace":"conformance","execution":"dump-95707f05408a","incarnation":"3536897633909814464","queue":"queue-209904523f29","workflow":"conformance","reason":"started","sequence":1}',NULL,1795991481082,0);
INSERT INTO "outbox" VALUES(3,4,'loom.notify-resume.v1','conformance/dump-95707f05408a~c5fluntd355bfw2awqv3rpceika','{"namespace":"conformance","execution":"dump-95707f05408a~c5fluntd355bfw2awqv3rpceika","incarnation":"2285705287942231074","queue":"queue-209904523f29","workflow":"conformance","reason":"started","sequence":1}',NULL,1795991481091,0);
INSERT INTO "outbox" VALUES(4,5,'loom.notify-resume.v1','conformance/dump-95707f05408a~ci6eq52nrd6bjiudanvabq3zz7s','{"namespace":"conformance","execution":"dump-95707f05408a~ci6eq52nrd6bjiudanvabq3zz7s","incarnation":"2843828954880381648","queue":"queue-209904523f29","workflow":"conformance","reason":"started","sequence":1}',NULL,1795991481110,0);
INSERT INTO "outbox" VALUES(5,4,'loom.child-done.v1','conformance/dump-95707f05408a','{"namespace":"conformance","parent":"dump-95707f05408a","parent_incarnation":"3536897633909814464","child_key":"done","child":"dump-95707f05408a~c5fluntd355bfw2awqv3rpceika","child_incarnation":"2285705287942231074","status":"completed","sequence":2}',NULL,1795991481134,0);
INSERT INTO "outbox" VALUES(6,3,'loom.execution-parked.v1','conformance/dump-95707f05408a','{"namespace":"conformance","execution":"dump-95707f05408a","incarnation":"3536897633909814464","park_seq":4,"wait_kinds":["child","message"]}',NULL,1795991481140,0);
INSERT INTO "outbox" VALUES(7,6,'loom.notify-resume.v1','conformance/dump-64416c701faa','{"namespace":"conformance","execution":"dump-64416c701faa","incarnation":"2045760545402254515","queue":"queue-209904523f29","workflow":"conformance","reason":"started","sequence":1}',NULL,1795991481160,0);
INSERT INTO "outbox" VALUES(8,6,'loom.execution-parked.v1','conformance/dump-64416c701faa','{"namespace":"conformance","execution":"dump-64416c701faa","incarnation":"2045760545402254515","park_seq":2,"wait_kinds":["message"]}',NULL,1795991481177,0);
INSERT INTO "outbox" VALUES(9,6,'loom.notify-resume.v1','conformance/dump-64416c701faa','{"namespace":"conformance","execution":"dump-64416c701faa","incarnation":"2045760545402254515","queue":"queue-209904523f29","workflow":"conformance","reason":"send","sequence":4}',NULL,1795991481183,0);
INSERT INTO "outbox" VALUES(10,7,'loom.notify-resume.v1','conformance/dump-7020e42f3676','{"namespace":"conformance","execution":"dump-7020e42f3676","incarnation":"4814542289798182165","queue":"queue-209904523f29","workflow":"conformance","reason":"started","sequence":1}',NULL,1795991481199,0);
INSERT INTO "outbox" VALUES(11,7,'loom.execution-parked.v1','conformance/dump-7020e42f3676','{"namespace":"conformance","execution":"dump-7020e42f3676","incarnation":"4814542289798182165","park_seq":2,"wait_kinds":["timer"]}',NULL,1795991481209,0);
INSERT INTO "outbox" VALUES(12,7,'loom.notify-resume.v1','conformance/dump-7020e42f3676','{"namespace":"conformance","execution":"dump-7020e42f3676","incarnation":"4814542289798182165","queue":"queue-209904523f29","workflow":"conformance","reason":"cancel","sequence":4}',NULL,1795991481222,0);
INSERT INTO "outbox" VALUES(13,8,'loom.notify-resume.v1','conformance/dump-f0ca77a10557','{"namespace":"conformance","execution":"dump-f0ca77a10557","incarnation":"4944635229360663139","queue":"queue-209904523f29","workflow":"conformance","reason":"started","sequence":1}',NULL,1795991481228,0);
INSERT INTO "outbox" VALUES(14,9,'loom.notify-resume.v1','conformance/dump-d3659458c026','{"namespace":"conformance","execution":"dump-d3659458c026","incarnation":"7373960721868703846","queue":"queue-209904523f29","workflow":"conformance","reason":"started","sequence":1}',NULL,1795991481246,0);
INSERT INTO "outbox" VALUES(15,10,'loom.notify-resume.v1','conformance/dump-2370f6b9d60e','{"namespace":"conformance","execution":"dump-2370f6b9d60e","incarnation":"951046368719775064","queue":"queue-209904523f29","workflow":"conformance","reason":"started","sequence":1}',NULL,1795991481251,0);
INSERT INTO "outbox" VALUES(16,11,'loom.notify-resume.v1','conformance/dump-d8254e807b90','{"namespace":"conformance","execution":"dump-d8254e807b90","incarnation":"5454319466151114111","queue":"queue-209904523f29","workflow":"conformance","reason":"started","sequence":1}',NULL,1795991481255,0);
INSERT INTO "outbox" VALUES(17,12,'loom.notify-resume.v1','conformance/dump-3b2129b7df34','{"namespace":"conformance","execution":"dump-3b2129b7df34","incarnation":"9058647699008714334","queue":"queue-209904523f29","workflow":"conformance","reason":"started","sequence":1}',NULL,1795991481259,0);
INSERT INTO "outbox" VALUES(18,13,'loom.notify-resume.v1','conformance/dump-26b40b6bc468','{"namespace":"conformance","execution":"dump-26b40b6bc468","incarnation":"8258641597749337390","queue":"queue-209904523f29","workflow":"conformance","reason":"started","sequence":1}',NULL,1795991481263,0);
INSERT INTO "outbox" VALUES(19,14,'loom.notify-resume.v1','conformance/dump-26b40b6bc468~c7bdrsildnsg46zfkiheqf4a23q','{"namespace":"conformance","execution":"dump-26b40b6bc468~c7bdrsildnsg46zfkiheqf4a23q","incarnation":"8959291031248183016","queue":"queue-209904523f29","workflow":"conformance","reason":"started","sequence":1}',NULL,1795991481265,0);
INSERT INTO "outbox" VALUES(20,15,'loom.notify-resume.v1','conformance/dump-26b40b6bc468','{"namespace":"conformance","execution":"dump-26b40b6bc468","incarnation":"9004405476990215164","queue":"queue-209904523f29","workflow":"conformance","reason":"continued","sequence":1}',NULL,1795991481267,0);
INSERT INTO "outbox" VALUES(21,16,'loom.notify-resume.v1','conformance/dump-84dbfdbb8021','{"namespace":"conformance","execution":"dump-84dbfdbb8021","incarnation":"8365835024196523402","queue":"queue-209904523f29","workflow":"conformance","reason":"started","sequence":1}',NULL,1795991481269,0);
INSERT INTO "outbox" VALUES(22,16,'loom.notify-resume.v1','conformance/dump-84dbfdbb8021','{"namespace":"conformance","execution":"dump-84dbfdbb8021","incarnation":"8365835024196523402","queue":"queue-209904523f29","workflow":"conformance","reason":"released","sequence":1}',NULL,1795991481270,0);
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
INSERT INTO "polls" VALUES('dumped','q','conformance@0','worker',1795991481273);
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
INSERT INTO "refusals" VALUES(16,4294967297,'events','stale',4294967298,1,1795991481272,1795991481272);
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
CREATE INDEX edges_closing ON edges (parent_head, child_incarnation, status, close)
    WHERE status = 'open' AND close <> 'abandon';
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('outbox',22);
COMMIT;
PRAGMA user_version = 2;
