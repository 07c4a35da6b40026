BEGIN TRANSACTION;
CREATE TABLE blobs (
    head  INTEGER NOT NULL,
    ref   TEXT    NOT NULL,
    bytes BLOB    NOT NULL,
    PRIMARY KEY (head, ref)
) STRICT;
INSERT INTO "blobs" VALUES(7,'r',X'32');
CREATE TABLE clock (only INTEGER PRIMARY KEY CHECK (only = 1), seen_at INTEGER NOT NULL);
INSERT INTO "clock" VALUES(1,1795997755176);
CREATE TABLE duties (
    name     TEXT PRIMARY KEY,
    owner    TEXT,
    term     INTEGER NOT NULL,
    until    INTEGER,
    last_run INTEGER
) STRICT, WITHOUT ROWID;
INSERT INTO "duties" VALUES('dumped','somebody',1,1795997756176,NULL);
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
INSERT INTO "edges" VALUES(1,3,6293437736293373217,'done','conformance','dump-88311b79923b~cbdjgyvmf544vyet43lfzbnluwd',674052706728350350,'completed','{"paid":3}','cancel','chain',0,NULL);
INSERT INTO "edges" VALUES(2,3,6293437736293373217,'open','conformance','dump-88311b79923b~cnphddusmh4vxwtchx4qel65tjk',8344904595699715872,'open',NULL,'cancel','chain',0,NULL);
INSERT INTO "edges" VALUES(3,15,3499517806743159525,'kept','conformance','dump-7709a614771b~cutg62qinakxd4qyefakhnswi6n',4511982368442303506,'open',NULL,'cancel','chain',0,NULL);
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
INSERT INTO "events" VALUES(1,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-d6d9f74d0dab","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-f6dd416d48a8','3d3b45606b48486ddbe48965d8698162927350814c03d97f5fc47a1bdf024f8b',NULL,1795997754874);
INSERT INTO "events" VALUES(2,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":null,"input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-d462a064c0aa','5cf3efcbe87296c4c31c231162ae6c452317fa06d1afb1d6de81182855fdd62e',NULL,1795997754877);
INSERT INTO "events" VALUES(3,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-d6d9f74d0dab","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-3b713f843ed3','ef3d7e8d7d00d24e4292e10acbfc74803ebf78dc2673a108fc0c60190488cb5b',NULL,1795997754885);
INSERT INTO "events" VALUES(3,2,'CHILD_STARTED','{"key":"done","child":{"namespace":"conformance","execution_id":"dump-88311b79923b~cbdjgyvmf544vyet43lfzbnluwd","incarnation":"674052706728350350"},"workflow":"conformance","attached":false}',NULL,4294967297,1,NULL,NULL,'key-b778311db1ce','439a70ff4bf8f363ec12bbc99dd761a262413e08f1926d01bfab7716cd04ed93',NULL,1795997754901);
INSERT INTO "events" VALUES(3,3,'CHILD_STARTED','{"key":"open","child":{"namespace":"conformance","execution_id":"dump-88311b79923b~cnphddusmh4vxwtchx4qel65tjk","incarnation":"8344904595699715872"},"workflow":"conformance","attached":false}',NULL,4294967297,1,NULL,NULL,'key-78044cc0e940','86f81376c294c252159184f7d40667a9f8cd931fbfd4d1ef65a24b9470d4de45',NULL,1795997754905);
INSERT INTO "events" VALUES(3,4,'EXECUTION_SUSPENDED','{"waits":[{"id":"open","child":{"key":"open"}},{"id":"mail","message":{"name":"mail","key":"k"}}],"heard":null}',NULL,4294967297,1,NULL,NULL,'key-72ae77da984a','80dc68b799723c3d9d9bee38fc57439524a58d6658645ea9fb0022f0b922a8e7',NULL,1795997754922);
INSERT INTO "events" VALUES(4,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-d6d9f74d0dab","input":null,"parent":{"namespace":"conformance","execution_id":"dump-88311b79923b","incarnation":"6293437736293373217","key":"done"},"cancel":false}',NULL,0,1,NULL,NULL,NULL,NULL,NULL,1795997754901);
INSERT INTO "events" VALUES(4,2,'EXECUTION_COMPLETED','{"paid":3}',NULL,4294967297,1,NULL,NULL,'key-c32909735166','07443e7e4e59e2ca06edc5622c8ae4d7ca9418eaf35446005b51b1e25d5e03f4',NULL,1795997754917);
INSERT INTO "events" VALUES(5,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-d6d9f74d0dab","input":null,"parent":{"namespace":"conformance","execution_id":"dump-88311b79923b","incarnation":"6293437736293373217","key":"open"},"cancel":false}',NULL,0,1,NULL,NULL,NULL,NULL,NULL,1795997754905);
INSERT INTO "events" VALUES(6,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-d6d9f74d0dab","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-8873324ca072','8b6d6c4b3bcb76cd94d9b2342334c7c83542bf5d2d5d0df6ebb9c7ca545e1197',NULL,1795997754936);
INSERT INTO "events" VALUES(6,2,'EXECUTION_SUSPENDED','{"waits":[{"id":"mail","message":{"name":"mail","key":null}}],"heard":null}',NULL,4294967297,1,NULL,NULL,'key-b1fc07f25056','b50ad344e8bc89c98592d137ef2dfdb9a005a96b7ff5aa9e6e51dd624219ba3d',NULL,1795997754946);
INSERT INTO "events" VALUES(6,3,'MESSAGE_CONSUMED','{"message_id":"message-a67ef06f4a9f","name":"mail","key":null,"payload":{"text":"é\\u0000"},"wait":"mail"}',NULL,4294967298,1,NULL,NULL,NULL,NULL,NULL,1795997754953);
INSERT INTO "events" VALUES(6,4,'EXECUTION_RESUMED','{"wait":"mail","keys":null,"by":"send"}',NULL,4294967298,1,NULL,2,NULL,NULL,NULL,1795997754953);
INSERT INTO "events" VALUES(7,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-d6d9f74d0dab","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-6ea57ef30210','2fce4a506cfdbfd7f2ee9735e17da17e31f5ae3c11f03a0a5a1eb4793bfe99ce',NULL,1795997754957);
INSERT INTO "events" VALUES(7,2,'EXECUTION_SUSPENDED','{"waits":[{"id":"timer","timer":{"wake_at":1796001354973,"delay_ms":null}}],"heard":null}',NULL,4294967297,1,NULL,NULL,'key-9d14dd9c7f67','7d0169e45025a4e63aa6ea21d3bdcea2c4b7c67b187315b5edd653c1a5e806b8',NULL,1795997754973);
INSERT INTO "events" VALUES(7,3,'EXECUTION_CANCEL_REQUESTED','{"by":"request","reason":null}',NULL,4294967297,1,NULL,NULL,NULL,NULL,NULL,1795997754979);
INSERT INTO "events" VALUES(7,4,'EXECUTION_RESUMED','{"wait":null,"keys":null,"by":"cancel"}',NULL,4294967298,1,NULL,2,NULL,NULL,NULL,1795997754979);
INSERT INTO "events" VALUES(8,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-d6d9f74d0dab","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-3c30e93ff1d3','e46d05137d95035fb401e0b021af643ff78fb42bc92ac199b7c8b7d5286bb1cb',NULL,1795997754985);
INSERT INTO "events" VALUES(8,2,'EXECUTION_COMPLETED','null',NULL,4294967297,1,NULL,NULL,'key-306a5e55aedb','60dc13baa175bd52a3f00eee02f7337d5a4c20f64ba99923f542cce664c54e00',NULL,1795997755008);
INSERT INTO "events" VALUES(9,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-d6d9f74d0dab","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-c021b9cf45e0','b45da98ce0069ac27bdfe9475735426594fb9577fc3a20f58e1cda5309536b3e',NULL,1795997755017);
INSERT INTO "events" VALUES(9,2,'EXECUTION_FAILED','null',NULL,4294967297,1,NULL,NULL,'key-35d56bececd4','648d160b50185e802f9aae02b5b5d0e19e541d5fc74aa0f5ea680f91e64a583f',NULL,1795997755036);
INSERT INTO "events" VALUES(10,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-d6d9f74d0dab","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-ca456b288016','b6654fe81682309be7a383461d693cbb2db781c97bde437bc85b2773c908a268',NULL,1795997755044);
INSERT INTO "events" VALUES(10,2,'EXECUTION_CANCEL_REQUESTED','{"by":"request","reason":null}',NULL,4294967297,1,NULL,NULL,NULL,NULL,NULL,1795997755069);
INSERT INTO "events" VALUES(10,3,'EXECUTION_CANCELLED','{"by":"request","reason":null,"detail":null}',NULL,4294967297,1,NULL,NULL,'key-4596968edae3','b719b576a4b1793e4b0de03c1d1f05d271fd8d81a1966f29367b8eb0323a6a6d',NULL,1795997755076);
INSERT INTO "events" VALUES(11,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-d6d9f74d0dab","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-fc88f57d3f17','c04e6ca7c3e9b9ea56d4f2cb303bb8a8c8383730ee3100905cef01bab0aff8b7',NULL,1795997755085);
INSERT INTO "events" VALUES(11,2,'EXECUTION_COMPLETED','null',NULL,4294967297,1,NULL,NULL,'key-32e471eb97d9','0e14f22f07067c34b0de7568889a256489bb128d60375f464fa62ea020b60632',NULL,1795997755113);
INSERT INTO "events" VALUES(13,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-d6d9f74d0dab","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-2797bbcdf69b','f0de4c2f14915a602bb9c0174d89d675a2118ec07a5150392ccd6042b5819c95',NULL,1795997755134);
INSERT INTO "events" VALUES(13,2,'CHILD_STARTED','{"key":"kept","child":{"namespace":"conformance","execution_id":"dump-7709a614771b~cutg62qinakxd4qyefakhnswi6n","incarnation":"4511982368442303506"},"workflow":"conformance","attached":false}',NULL,4294967297,1,NULL,NULL,'key-57927de77a9d','06cd2b2715d67cc4e5b6bccfb914c0df43b1c0e4a0ef0ede8fae478b7e08299f',NULL,1795997755138);
INSERT INTO "events" VALUES(13,3,'EXECUTION_CONTINUED','{"next":{"namespace":"conformance","execution_id":"dump-7709a614771b","incarnation":"3499517806743159525"}}',NULL,4294967297,1,NULL,NULL,'key-24a06c40f235','59ce07187f0cb3090ec4f17cbf72fc426b4bc49f6a954c7e0606196522c8b102',NULL,1795997755144);
INSERT INTO "events" VALUES(14,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-d6d9f74d0dab","input":null,"parent":{"namespace":"conformance","execution_id":"dump-7709a614771b","incarnation":"6124304257019155792","key":"kept"},"cancel":false}',NULL,0,1,NULL,NULL,NULL,NULL,NULL,1795997755138);
INSERT INTO "events" VALUES(15,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-d6d9f74d0dab","input":null,"parent":null,"cancel":false}',NULL,4294967297,1,NULL,NULL,NULL,NULL,NULL,1795997755144);
INSERT INTO "events" VALUES(16,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-d6d9f74d0dab","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-5d4a268fb016','40d48347baf67a2a8e386301ff940f64ccb1678d0867bef8ef419d01db4e851c',NULL,1795997755152);
CREATE TABLE grants (
    head  INTEGER NOT NULL,
    token INTEGER NOT NULL,
    rule  TEXT    NOT NULL,
    owner TEXT,
    at    INTEGER NOT NULL,
    PRIMARY KEY (head, token)
) STRICT, WITHOUT ROWID;
INSERT INTO "grants" VALUES(3,4294967297,'claim','owner-5e3816d2e6f0',1795997754889);
INSERT INTO "grants" VALUES(4,4294967297,'claim','owner-2ebd3de46230',1795997754914);
INSERT INTO "grants" VALUES(6,4294967297,'claim','owner-88f1d7e70285',1795997754942);
INSERT INTO "grants" VALUES(7,4294967297,'claim','owner-cd2512e191c3',1795997754968);
INSERT INTO "grants" VALUES(8,4294967297,'claim','owner-9a3bde56a211',1795997754988);
INSERT INTO "grants" VALUES(9,4294967297,'claim','owner-86708907a6d5',1795997755025);
INSERT INTO "grants" VALUES(10,4294967297,'claim','owner-c204c6969825',1795997755053);
INSERT INTO "grants" VALUES(11,4294967297,'claim','owner-f950f6186fec',1795997755091);
INSERT INTO "grants" VALUES(13,4294967297,'claim','owner-4b882e4e4cca',1795997755136);
INSERT INTO "grants" VALUES(16,4294967297,'claim','owner-90450307e478',1795997755156);
INSERT INTO "grants" VALUES(16,4294967298,'claim','owner-74d364e7371b',1795997755165);
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
INSERT INTO "heads" VALUES(1,'conformance','dump-f9e1bbbc7495',2677250404459749064,2677250404459749064,1,0,0,NULL,NULL,NULL,'pending',1,NULL,NULL,NULL,NULL,0,'conformance','0','queue-d6d9f74d0dab',NULL,NULL,NULL,NULL,NULL,2677250404459749064,NULL,NULL,NULL,0,NULL,116,1795997754874,1795997754874,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(2,'conformance','dump-e5a62de2d88d',884386006559877331,884386006559877331,1,1,0,NULL,NULL,NULL,'pending',1,NULL,NULL,NULL,NULL,0,'conformance','0',NULL,NULL,1796001354877,NULL,NULL,NULL,884386006559877331,NULL,NULL,NULL,0,NULL,100,1795997754877,1795997754877,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(3,'conformance','dump-88311b79923b',6293437736293373217,6293437736293373217,1,0,4294967297,'06a069cacf9dc4d4d6da97b6aa744aca21ec120428337f00955859e7b17d8304',NULL,1795997814889,'parked',4,NULL,4,'[{"id":"open","child":{"key":"open"}},{"id":"mail","message":{"name":"mail","key":"k"}}]',NULL,0,'conformance','0','queue-d6d9f74d0dab',NULL,NULL,NULL,NULL,NULL,6293437736293373217,NULL,NULL,NULL,0,NULL,608,1795997754885,1795997754922,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(4,'conformance','dump-88311b79923b~cbdjgyvmf544vyet43lfzbnluwd',674052706728350350,674052706728350350,1,0,4294967297,NULL,NULL,NULL,'completed',2,NULL,NULL,NULL,NULL,0,'conformance','0','queue-d6d9f74d0dab',NULL,NULL,3,6293437736293373217,'done',6293437736293373217,NULL,NULL,NULL,1,NULL,233,1795997754901,1795997754917,1795997754917,'completed','fa6e5718bd5d9417beaa3c279f83459c1c26d04df67ecbcdd5a0083389af72ab');
INSERT INTO "heads" VALUES(5,'conformance','dump-88311b79923b~cnphddusmh4vxwtchx4qel65tjk',8344904595699715872,8344904595699715872,1,0,0,NULL,NULL,NULL,'pending',1,NULL,NULL,NULL,NULL,0,'conformance','0','queue-d6d9f74d0dab',NULL,NULL,3,6293437736293373217,'open',6293437736293373217,NULL,NULL,NULL,0,NULL,223,1795997754905,1795997754905,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(6,'conformance','dump-e8f259ad9366',3310289776280565667,3310289776280565667,1,0,4294967298,NULL,NULL,NULL,'running',4,NULL,NULL,NULL,NULL,0,'conformance','0','queue-d6d9f74d0dab',NULL,NULL,NULL,NULL,NULL,3310289776280565667,NULL,NULL,NULL,0,NULL,337,1795997754936,1795997754953,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(7,'conformance','dump-41fe4e7bad3d',363872243083306368,363872243083306368,1,0,4294967298,NULL,NULL,NULL,'running',4,NULL,NULL,NULL,NULL,0,'conformance','0','queue-d6d9f74d0dab',NULL,NULL,NULL,NULL,NULL,363872243083306368,1795997754979,3,1795998354979,0,NULL,274,1795997754957,1795997754979,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(8,'conformance','dump-c0de33634e7c',6608518969427635300,6608518969427635300,1,0,4294967297,NULL,NULL,NULL,'completed',2,NULL,NULL,NULL,NULL,0,'conformance','0','queue-d6d9f74d0dab',NULL,NULL,NULL,NULL,NULL,6608518969427635300,NULL,NULL,NULL,1,NULL,120,1795997754985,1795997755008,1795997755008,'completed','74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b');
INSERT INTO "heads" VALUES(9,'conformance','dump-00c81b848676',5049740881367696725,5049740881367696725,1,0,4294967297,NULL,NULL,NULL,'failed',2,NULL,NULL,NULL,NULL,0,'conformance','0','queue-d6d9f74d0dab',NULL,NULL,NULL,NULL,NULL,5049740881367696725,NULL,NULL,NULL,1,NULL,120,1795997755017,1795997755036,1795997755036,'failed','74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b');
INSERT INTO "heads" VALUES(10,'conformance','dump-2bb2547fb5f9',1964250519323421192,1964250519323421192,1,0,4294967297,NULL,NULL,NULL,'cancelled',3,NULL,NULL,NULL,NULL,0,'conformance','0','queue-d6d9f74d0dab',NULL,NULL,NULL,NULL,NULL,1964250519323421192,1795997755069,2,NULL,1,NULL,190,1795997755044,1795997755076,1795997755076,'cancelled','a723364d1fcd892c771c8d912aed4007e60b5995ed3239220993916027c3b112');
INSERT INTO "heads" VALUES(11,'conformance','dump-179d89f92985',7594071463431302549,7594071463431302549,1,0,4294967297,NULL,NULL,NULL,'completed',2,NULL,NULL,NULL,NULL,0,'conformance','0','queue-d6d9f74d0dab',NULL,NULL,NULL,NULL,NULL,7594071463431302549,NULL,NULL,NULL,1,NULL,120,1795997755085,1795997755113,1795997755113,'completed','74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b');
INSERT INTO "heads" VALUES(12,'conformance','dump-53c3e7d51bab',887670345842994972,887670345842994972,1,0,4294967297,NULL,NULL,NULL,'deleted',2,NULL,NULL,NULL,NULL,0,'conformance','0','queue-d6d9f74d0dab',NULL,NULL,NULL,NULL,NULL,887670345842994972,NULL,NULL,NULL,1,NULL,0,1795997755123,1795997755131,1795997755129,'completed','74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b');
INSERT INTO "heads" VALUES(13,'conformance','dump-7709a614771b~6124304257019155792',6124304257019155792,6124304257019155792,1,0,4294967297,NULL,NULL,NULL,'continued',3,NULL,NULL,NULL,NULL,0,'conformance','0','queue-d6d9f74d0dab',NULL,NULL,NULL,NULL,NULL,6124304257019155792,NULL,NULL,NULL,1,NULL,414,1795997755134,1795997755144,1795997755144,'continued','e46c01d7ffbef6c8c0d1fcba79e1d03d6e28da8185a56d22fbfab4b9e5e8d439');
INSERT INTO "heads" VALUES(14,'conformance','dump-7709a614771b~cutg62qinakxd4qyefakhnswi6n',4511982368442303506,4511982368442303506,1,0,0,NULL,NULL,NULL,'pending',1,NULL,NULL,NULL,NULL,0,'conformance','0','queue-d6d9f74d0dab',NULL,NULL,13,6124304257019155792,'kept',6124304257019155792,NULL,NULL,NULL,0,NULL,223,1795997755138,1795997755138,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(15,'conformance','dump-7709a614771b',3499517806743159525,6124304257019155792,2,0,4294967297,NULL,NULL,NULL,'pending',1,NULL,NULL,NULL,NULL,0,'conformance','0','queue-d6d9f74d0dab',NULL,NULL,NULL,NULL,NULL,6124304257019155792,NULL,NULL,NULL,0,NULL,116,1795997755144,1795997755144,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(16,'conformance','dump-59cfa260486e',6915861323679509077,6915861323679509077,1,0,4294967298,'ec5a5ced990ec1e8cddc7802363769490d4ea30c44094f19959dfb0c408123e3','owner-74d364e7371b',1795997815165,'running',1,NULL,NULL,NULL,NULL,0,'conformance','0','queue-d6d9f74d0dab',NULL,NULL,NULL,NULL,NULL,6915861323679509077,NULL,NULL,NULL,1,NULL,116,1795997755152,1795997755156,NULL,NULL,NULL);
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
INSERT INTO "inbox" VALUES(3,'message-795ee40cb66a',1,'mail','other','{"x":1}',NULL,1795997754927,0,NULL,NULL);
INSERT INTO "inbox" VALUES(6,'message-a67ef06f4a9f',1,'mail',NULL,'{"text":"é\\u0000"}',NULL,1795997754953,1,3,1795997754953);
INSERT INTO "inbox" VALUES(15,'message-4cb7a253d547',1,'mail',NULL,'null',NULL,1795997755141,0,NULL,NULL);
CREATE TABLE metas (
    head    INTEGER PRIMARY KEY,
    bytes   BLOB    NOT NULL,
    version INTEGER NOT NULL,
    name    TEXT,
    tags    TEXT
) STRICT;
INSERT INTO "metas" VALUES(7,X'31',1,'n',NULL);
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
, dead_at INTEGER) STRICT;
INSERT INTO "outbox" VALUES(1,1,'loom.notify-resume.v1','conformance/dump-f9e1bbbc7495','{"namespace":"conformance","execution":"dump-f9e1bbbc7495","incarnation":"2677250404459749064","queue":"queue-d6d9f74d0dab","workflow":"conformance","reason":"started","sequence":1}',NULL,1795997754874,0,NULL);
INSERT INTO "outbox" VALUES(2,3,'loom.notify-resume.v1','conformance/dump-88311b79923b','{"namespace":"conformance","execution":"dump-88311b79923b","incarnation":"6293437736293373217","queue":"queue-d6d9f74d0dab","workflow":"conformance","reason":"started","sequence":1}',NULL,1795997754885,0,NULL);
INSERT INTO "outbox" VALUES(3,4,'loom.notify-resume.v1','conformance/dump-88311b79923b~cbdjgyvmf544vyet43lfzbnluwd','{"namespace":"conformance","execution":"dump-88311b79923b~cbdjgyvmf544vyet43lfzbnluwd","incarnation":"674052706728350350","queue":"queue-d6d9f74d0dab","workflow":"conformance","reason":"started","sequence":1}',NULL,1795997754901,0,NULL);
INSERT INTO "outbox" VALUES(4,5,'loom.notify-resume.v1','conformance/dump-88311b79923b~cnphddusmh4vxwtchx4qel65tjk','{"namespace":"conformance","execution":"dump-88311b79923b~cnphddusmh4vxwtchx4qel65tjk","incarnation":"8344904595699715872","queue":"queue-d6d9f74d0dab","workflow":"conformance","reason":"started","sequence":1}',NULL,1795997754905,0,NULL);
INSERT INTO "outbox" VALUES(5,4,'loom.child-done.v1','conformance/dump-88311b79923b','{"namespace":"conformance","parent":"dump-88311b79923b","parent_incarnation":"6293437736293373217","child_key":"done","child":"dump-88311b79923b~cbdjgyvmf544vyet43lfzbnluwd","child_incarnation":"674052706728350350","status":"completed","sequence":2}',NULL,1795997754917,0,NULL);
INSERT INTO "outbox" VALUES(6,3,'loom.execution-parked.v1','conformance/dump-88311b79923b','{"namespace":"conformance","execution":"dump-88311b79923b","incarnation":"6293437736293373217","park_seq":4,"wait_kinds":["child","message"]}',NULL,1795997754922,0,NULL);
INSERT INTO "outbox" VALUES(7,6,'loom.notify-resume.v1','conformance/dump-e8f259ad9366','{"namespace":"conformance","execution":"dump-e8f259ad9366","incarnation":"3310289776280565667","queue":"queue-d6d9f74d0dab","workflow":"conformance","reason":"started","sequence":1}',NULL,1795997754936,0,NULL);
INSERT INTO "outbox" VALUES(8,6,'loom.execution-parked.v1','conformance/dump-e8f259ad9366','{"namespace":"conformance","execution":"dump-e8f259ad9366","incarnation":"3310289776280565667","park_seq":2,"wait_kinds":["message"]}',NULL,1795997754946,0,NULL);
INSERT INTO "outbox" VALUES(9,6,'loom.notify-resume.v1','conformance/dump-e8f259ad9366','{"namespace":"conformance","execution":"dump-e8f259ad9366","incarnation":"3310289776280565667","queue":"queue-d6d9f74d0dab","workflow":"conformance","reason":"send","sequence":4}',NULL,1795997754953,0,NULL);
INSERT INTO "outbox" VALUES(10,7,'loom.notify-resume.v1','conformance/dump-41fe4e7bad3d','{"namespace":"conformance","execution":"dump-41fe4e7bad3d","incarnation":"363872243083306368","queue":"queue-d6d9f74d0dab","workflow":"conformance","reason":"started","sequence":1}',NULL,1795997754957,0,NULL);
INSERT INTO "outbox" VALUES(11,7,'loom.execution-parked.v1','conformance/dump-41fe4e7bad3d','{"namespace":"conformance","execution":"dump-41fe4e7bad3d","incarnation":"363872243083306368","park_seq":2,"wait_kinds":["timer"]}',NULL,1795997754973,0,NULL);
INSERT INTO "outbox" VALUES(12,7,'loom.notify-resume.v1','conformance/dump-41fe4e7bad3d','{"namespace":"conformance","execution":"dump-41fe4e7bad3d","incarnation":"363872243083306368","queue":"queue-d6d9f74d0dab","workflow":"conformance","reason":"cancel","sequence":4}',NULL,1795997754979,0,NULL);
INSERT INTO "outbox" VALUES(13,8,'loom.notify-resume.v1','conformance/dump-c0de33634e7c','{"namespace":"conformance","execution":"dump-c0de33634e7c","incarnation":"6608518969427635300","queue":"queue-d6d9f74d0dab","workflow":"conformance","reason":"started","sequence":1}',NULL,1795997754985,0,NULL);
INSERT INTO "outbox" VALUES(14,9,'loom.notify-resume.v1','conformance/dump-00c81b848676','{"namespace":"conformance","execution":"dump-00c81b848676","incarnation":"5049740881367696725","queue":"queue-d6d9f74d0dab","workflow":"conformance","reason":"started","sequence":1}',NULL,1795997755017,0,NULL);
INSERT INTO "outbox" VALUES(15,10,'loom.notify-resume.v1','conformance/dump-2bb2547fb5f9','{"namespace":"conformance","execution":"dump-2bb2547fb5f9","incarnation":"1964250519323421192","queue":"queue-d6d9f74d0dab","workflow":"conformance","reason":"started","sequence":1}',NULL,1795997755044,0,NULL);
INSERT INTO "outbox" VALUES(16,11,'loom.notify-resume.v1','conformance/dump-179d89f92985','{"namespace":"conformance","execution":"dump-179d89f92985","incarnation":"7594071463431302549","queue":"queue-d6d9f74d0dab","workflow":"conformance","reason":"started","sequence":1}',NULL,1795997755085,0,NULL);
INSERT INTO "outbox" VALUES(17,12,'loom.notify-resume.v1','conformance/dump-53c3e7d51bab','{"namespace":"conformance","execution":"dump-53c3e7d51bab","incarnation":"887670345842994972","queue":"queue-d6d9f74d0dab","workflow":"conformance","reason":"started","sequence":1}',NULL,1795997755123,0,NULL);
INSERT INTO "outbox" VALUES(18,13,'loom.notify-resume.v1','conformance/dump-7709a614771b','{"namespace":"conformance","execution":"dump-7709a614771b","incarnation":"6124304257019155792","queue":"queue-d6d9f74d0dab","workflow":"conformance","reason":"started","sequence":1}',NULL,1795997755134,0,NULL);
INSERT INTO "outbox" VALUES(19,14,'loom.notify-resume.v1','conformance/dump-7709a614771b~cutg62qinakxd4qyefakhnswi6n','{"namespace":"conformance","execution":"dump-7709a614771b~cutg62qinakxd4qyefakhnswi6n","incarnation":"4511982368442303506","queue":"queue-d6d9f74d0dab","workflow":"conformance","reason":"started","sequence":1}',NULL,1795997755138,0,NULL);
INSERT INTO "outbox" VALUES(20,15,'loom.notify-resume.v1','conformance/dump-7709a614771b','{"namespace":"conformance","execution":"dump-7709a614771b","incarnation":"3499517806743159525","queue":"queue-d6d9f74d0dab","workflow":"conformance","reason":"continued","sequence":1}',NULL,1795997755144,0,NULL);
INSERT INTO "outbox" VALUES(21,16,'loom.notify-resume.v1','conformance/dump-59cfa260486e','{"namespace":"conformance","execution":"dump-59cfa260486e","incarnation":"6915861323679509077","queue":"queue-d6d9f74d0dab","workflow":"conformance","reason":"started","sequence":1}',NULL,1795997755152,0,NULL);
INSERT INTO "outbox" VALUES(22,16,'loom.notify-resume.v1','conformance/dump-59cfa260486e','{"namespace":"conformance","execution":"dump-59cfa260486e","incarnation":"6915861323679509077","queue":"queue-d6d9f74d0dab","workflow":"conformance","reason":"released","sequence":1}',NULL,1795997755162,0,NULL);
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
INSERT INTO "polls" VALUES('dumped','q','conformance@0','worker',1795997755172);
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
INSERT INTO "refusals" VALUES(16,4294967297,'events','stale',4294967298,1,1795997755168,1795997755168);
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
PRAGMA user_version = 3;
