BEGIN TRANSACTION;
CREATE TABLE blobs (
    head  INTEGER NOT NULL,
    ref   TEXT    NOT NULL,
    bytes BLOB    NOT NULL,
    PRIMARY KEY (head, ref)
) STRICT;
INSERT INTO "blobs" VALUES(11,'r',X'32');
CREATE TABLE clock (only INTEGER PRIMARY KEY CHECK (only = 1), seen_at INTEGER NOT NULL);
INSERT INTO "clock" VALUES(1,1795998213456);
CREATE TABLE duties (
    name     TEXT PRIMARY KEY,
    owner    TEXT,
    term     INTEGER NOT NULL,
    until    INTEGER,
    last_run INTEGER
) STRICT, WITHOUT ROWID;
INSERT INTO "duties" VALUES('dumped','somebody',1,1795998214455,NULL);
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
INSERT INTO "edges" VALUES(1,3,7093987040499047178,'done','conformance','dump-a8e13ce622fc~cgu7vpijmvag5kkt4zkc63gk7cs',5355715145953876983,'completed','{"paid":3}','cancel','chain',0,NULL);
INSERT INTO "edges" VALUES(2,3,7093987040499047178,'open','conformance','dump-a8e13ce622fc~ciyycuehn3ft3fxron2ukdugkap',2971695773336875129,'open',NULL,'cancel','chain',0,NULL);
INSERT INTO "edges" VALUES(3,15,1915511693448713602,'kept','conformance','dump-0f3ff7855908~cdktka4dpn4tof55f53oqknv5zz',7937411550191927473,'open',NULL,'cancel','chain',0,NULL);
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
INSERT INTO "events" VALUES(1,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-605093fbff9c","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-d4542622ca83','9fbe182be93a572ab50a4d76b4c4b8cd770872b8988eae0619b0c330d7b1145e',NULL,1795998213181);
INSERT INTO "events" VALUES(2,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":null,"input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-12468fe0b23f','00da343f88c04dceaa02dfcffc06b9bd207b5ef68ce59572533364e8bc177731',NULL,1795998213188);
INSERT INTO "events" VALUES(3,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-605093fbff9c","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-39330027f643','0b3ab0f4905e8a6602e2684174cad9afe9aa18e407a71715b4c477ce6f22ecb7',NULL,1795998213192);
INSERT INTO "events" VALUES(3,2,'CHILD_STARTED','{"key":"done","child":{"namespace":"conformance","execution_id":"dump-a8e13ce622fc~cgu7vpijmvag5kkt4zkc63gk7cs","incarnation":"5355715145953876983"},"workflow":"conformance","attached":false}',NULL,4294967297,1,NULL,NULL,'key-0d357320b6ac','3b12455a923ab9a001656cb4edf455ad54d3118bc98a00ba7df55302f72a29e1',NULL,1795998213201);
INSERT INTO "events" VALUES(3,3,'CHILD_STARTED','{"key":"open","child":{"namespace":"conformance","execution_id":"dump-a8e13ce622fc~ciyycuehn3ft3fxron2ukdugkap","incarnation":"2971695773336875129"},"workflow":"conformance","attached":false}',NULL,4294967297,1,NULL,NULL,'key-bdcbf1bfe2c4','eb801f4828af79d6f2a06a1371f63b643b982f482e2739eba1139968a59b34ea',NULL,1795998213205);
INSERT INTO "events" VALUES(3,4,'EXECUTION_SUSPENDED','{"waits":[{"id":"open","child":{"key":"open"}},{"id":"mail","message":{"name":"mail","key":"k"}}],"heard":null}',NULL,4294967297,1,NULL,NULL,'key-683e5fbda37c','4888416a1a6228bc2f17ace2b69ccf2c485053d3c5db9f1eecfc5086c13a66f2',NULL,1795998213222);
INSERT INTO "events" VALUES(4,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-605093fbff9c","input":null,"parent":{"namespace":"conformance","execution_id":"dump-a8e13ce622fc","incarnation":"7093987040499047178","key":"done"},"cancel":false}',NULL,0,1,NULL,NULL,NULL,NULL,NULL,1795998213201);
INSERT INTO "events" VALUES(4,2,'EXECUTION_COMPLETED','{"paid":3}',NULL,4294967297,1,NULL,NULL,'key-8e5d5614b012','799600b3109928e44a7929c4c29f5b61928bb835119aad71d900dd0cc174a201',NULL,1795998213218);
INSERT INTO "events" VALUES(5,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-605093fbff9c","input":null,"parent":{"namespace":"conformance","execution_id":"dump-a8e13ce622fc","incarnation":"7093987040499047178","key":"open"},"cancel":false}',NULL,0,1,NULL,NULL,NULL,NULL,NULL,1795998213205);
INSERT INTO "events" VALUES(6,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-605093fbff9c","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-934414a05581','096811b01121c1ff204520d1c90a24ee59861e177342167d5d0fcae2e1cf1cf8',NULL,1795998213231);
INSERT INTO "events" VALUES(6,2,'EXECUTION_SUSPENDED','{"waits":[{"id":"mail","message":{"name":"mail","key":null}}],"heard":null}',NULL,4294967297,1,NULL,NULL,'key-3d0af39740cd','949bdf012ea0058188bc6181f76919ee25a81dd5f5aaeef7f1df1d7b50a53c2a',NULL,1795998213247);
INSERT INTO "events" VALUES(6,3,'MESSAGE_CONSUMED','{"message_id":"message-e91217c59499","name":"mail","key":null,"payload":{"text":"é\\u0000"},"wait":"mail"}',NULL,4294967298,1,NULL,NULL,NULL,NULL,NULL,1795998213253);
INSERT INTO "events" VALUES(6,4,'EXECUTION_RESUMED','{"wait":"mail","keys":null,"by":"send"}',NULL,4294967298,1,NULL,2,NULL,NULL,NULL,1795998213253);
INSERT INTO "events" VALUES(7,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-605093fbff9c","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-f73c160930e5','8ccedc051d18dff8ca72b096d23f80c51f52852d47d9167d468be4c257525ab4',NULL,1795998213257);
INSERT INTO "events" VALUES(7,2,'EXECUTION_SUSPENDED','{"waits":[{"id":"timer","timer":{"wake_at":1796001813265,"delay_ms":null}}],"heard":null}',NULL,4294967297,1,NULL,NULL,'key-5db94eada5f5','7b0dc6ef8839723d5caf69d6a7e1f4af8348987b8cc9e37634a7ccda13988b24',NULL,1795998213265);
INSERT INTO "events" VALUES(7,3,'EXECUTION_CANCEL_REQUESTED','{"by":"request","reason":null}',NULL,4294967297,1,NULL,NULL,NULL,NULL,NULL,1795998213269);
INSERT INTO "events" VALUES(7,4,'EXECUTION_RESUMED','{"wait":null,"keys":null,"by":"cancel"}',NULL,4294967298,1,NULL,2,NULL,NULL,NULL,1795998213269);
INSERT INTO "events" VALUES(8,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-605093fbff9c","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-283b18fc263e','cde748c2337fbb334ddb3bd6699d1e9a719d04c0d04cea8296e73f674f858f89',NULL,1795998213272);
INSERT INTO "events" VALUES(8,2,'EXECUTION_COMPLETED','null',NULL,4294967297,1,NULL,NULL,'key-c396e44974bd','5a136cd29d12515cd038ca77d501ada262cb80ca670fcf99c997267ae83d9521',NULL,1795998213308);
INSERT INTO "events" VALUES(9,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-605093fbff9c","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-c95ee28f9b88','2c4d6e09ae3e23bed6df9dde22702c7d0dc80dd48714da580c3d6211bbe89f15',NULL,1795998213375);
INSERT INTO "events" VALUES(9,2,'EXECUTION_FAILED','null',NULL,4294967297,1,NULL,NULL,'key-a5e77a14c6d7','af50f8023e3b3fc3a0c6789a6e2a72aad9d11344bd1418faca3c81168625df24',NULL,1795998213380);
INSERT INTO "events" VALUES(10,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-605093fbff9c","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-4a99bf2a4754','1551a7dfa086ca8b878742aef40226010ca705bc0fbfddfa21ab1f391222b865',NULL,1795998213382);
INSERT INTO "events" VALUES(10,2,'EXECUTION_CANCEL_REQUESTED','{"by":"request","reason":null}',NULL,4294967297,1,NULL,NULL,NULL,NULL,NULL,1795998213385);
INSERT INTO "events" VALUES(10,3,'EXECUTION_CANCELLED','{"by":"request","reason":null,"detail":null}',NULL,4294967297,1,NULL,NULL,'key-5f7f52925666','bd86baec2dd83b4557e9e8cabde8b814d86351b72509c205073c848c0bd3e9d1',NULL,1795998213386);
INSERT INTO "events" VALUES(11,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-605093fbff9c","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-74be859bbdd2','b710ce2c6ccb4e7033a4b624e66be4ec29dd4aad46c8b1b5ab76cc3d3c2b3d94',NULL,1795998213387);
INSERT INTO "events" VALUES(11,2,'EXECUTION_COMPLETED','null',NULL,4294967297,1,NULL,NULL,'key-f3f1bfba69a1','762120a60470dd63374832d0707917ef93183cac709d746d0abb713d99a77810',NULL,1795998213390);
INSERT INTO "events" VALUES(13,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-605093fbff9c","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-baff744d3360','83debbd61e3eaddefe80cf7013d8b0180742ba408fb42508b0f4d53d121bae11',NULL,1795998213411);
INSERT INTO "events" VALUES(13,2,'CHILD_STARTED','{"key":"kept","child":{"namespace":"conformance","execution_id":"dump-0f3ff7855908~cdktka4dpn4tof55f53oqknv5zz","incarnation":"7937411550191927473"},"workflow":"conformance","attached":false}',NULL,4294967297,1,NULL,NULL,'key-61d6615f2bb7','247342c50aeafb684906862dce1f6c4a1e74c08826e649876236b34b5c9739b1',NULL,1795998213423);
INSERT INTO "events" VALUES(13,3,'EXECUTION_CONTINUED','{"next":{"namespace":"conformance","execution_id":"dump-0f3ff7855908","incarnation":"1915511693448713602"}}',NULL,4294967297,1,NULL,NULL,'key-e7925481d706','667407917568de069a5ab6cd35868886d751f6dd04ebd5b4c92f131da46cb00e',NULL,1795998213425);
INSERT INTO "events" VALUES(14,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-605093fbff9c","input":null,"parent":{"namespace":"conformance","execution_id":"dump-0f3ff7855908","incarnation":"2428671804146328646","key":"kept"},"cancel":false}',NULL,0,1,NULL,NULL,NULL,NULL,NULL,1795998213423);
INSERT INTO "events" VALUES(15,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-605093fbff9c","input":null,"parent":null,"cancel":false}',NULL,4294967297,1,NULL,NULL,NULL,NULL,NULL,1795998213425);
INSERT INTO "events" VALUES(16,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-605093fbff9c","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-f7da5ee7d64e','2ff5df841a8eba05076b15694e57c7fbaa226a636eb3a74bd5310156d28b32bc',NULL,1795998213427);
CREATE TABLE grants (
    head  INTEGER NOT NULL,
    token INTEGER NOT NULL,
    rule  TEXT    NOT NULL,
    owner TEXT,
    at    INTEGER NOT NULL,
    PRIMARY KEY (head, token)
) STRICT, WITHOUT ROWID;
INSERT INTO "grants" VALUES(3,4294967297,'claim','owner-d2623b345272',1795998213196);
INSERT INTO "grants" VALUES(4,4294967297,'claim','owner-cd6f204503e9',1795998213214);
INSERT INTO "grants" VALUES(6,4294967297,'claim','owner-221dc95f4f8b',1795998213240);
INSERT INTO "grants" VALUES(7,4294967297,'claim','owner-a55c4f21dfdd',1795998213261);
INSERT INTO "grants" VALUES(8,4294967297,'claim','owner-99aafa25b5a7',1795998213274);
INSERT INTO "grants" VALUES(9,4294967297,'claim','owner-9885d6d05d3f',1795998213379);
INSERT INTO "grants" VALUES(10,4294967297,'claim','owner-c0eaf411fad6',1795998213383);
INSERT INTO "grants" VALUES(11,4294967297,'claim','owner-a97eb3d44118',1795998213388);
INSERT INTO "grants" VALUES(13,4294967297,'claim','owner-31e39a201fe5',1795998213421);
INSERT INTO "grants" VALUES(16,4294967297,'claim','owner-c1a96d75cbaf',1795998213437);
INSERT INTO "grants" VALUES(16,4294967298,'claim','owner-7da4a864dafb',1795998213447);
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
    result_digest       TEXT, traceparent TEXT,
    UNIQUE (namespace, execution_id)
) STRICT;
INSERT INTO "heads" VALUES(1,'conformance','dump-a990812980f2',5457666199075368561,5457666199075368561,1,0,0,NULL,NULL,NULL,'pending',1,NULL,NULL,NULL,NULL,0,'conformance','0','queue-605093fbff9c',NULL,NULL,NULL,NULL,NULL,5457666199075368561,NULL,NULL,NULL,0,NULL,116,1795998213181,1795998213181,NULL,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(2,'conformance','dump-e5df7bb4b73d',4485434412370331146,4485434412370331146,1,1,0,NULL,NULL,NULL,'pending',1,NULL,NULL,NULL,NULL,0,'conformance','0',NULL,NULL,1796001813188,NULL,NULL,NULL,4485434412370331146,NULL,NULL,NULL,0,NULL,100,1795998213188,1795998213188,NULL,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(3,'conformance','dump-a8e13ce622fc',7093987040499047178,7093987040499047178,1,0,4294967297,'98bfe262087f4fd771bd337c383dfc5bb762dcd0aaab39a40243bcaa6439da3f',NULL,1795998273196,'parked',4,NULL,4,'[{"id":"open","child":{"key":"open"}},{"id":"mail","message":{"name":"mail","key":"k"}}]',NULL,0,'conformance','0','queue-605093fbff9c',NULL,NULL,NULL,NULL,NULL,7093987040499047178,NULL,NULL,NULL,0,NULL,609,1795998213192,1795998213222,NULL,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(4,'conformance','dump-a8e13ce622fc~cgu7vpijmvag5kkt4zkc63gk7cs',5355715145953876983,5355715145953876983,1,0,4294967297,NULL,NULL,NULL,'completed',2,NULL,NULL,NULL,NULL,0,'conformance','0','queue-605093fbff9c',NULL,NULL,3,7093987040499047178,'done',7093987040499047178,NULL,NULL,NULL,1,NULL,233,1795998213201,1795998213218,1795998213218,'completed','fa6e5718bd5d9417beaa3c279f83459c1c26d04df67ecbcdd5a0083389af72ab',NULL);
INSERT INTO "heads" VALUES(5,'conformance','dump-a8e13ce622fc~ciyycuehn3ft3fxron2ukdugkap',2971695773336875129,2971695773336875129,1,0,0,NULL,NULL,NULL,'pending',1,NULL,NULL,NULL,NULL,0,'conformance','0','queue-605093fbff9c',NULL,NULL,3,7093987040499047178,'open',7093987040499047178,NULL,NULL,NULL,0,NULL,223,1795998213205,1795998213205,NULL,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(6,'conformance','dump-b1e01bff2675',7264836721647749630,7264836721647749630,1,0,4294967298,NULL,NULL,NULL,'running',4,NULL,NULL,NULL,NULL,0,'conformance','0','queue-605093fbff9c',NULL,NULL,NULL,NULL,NULL,7264836721647749630,NULL,NULL,NULL,0,NULL,337,1795998213231,1795998213253,NULL,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(7,'conformance','dump-7bd32b47596b',5335145803160840593,5335145803160840593,1,0,4294967298,NULL,NULL,NULL,'running',4,NULL,NULL,NULL,NULL,0,'conformance','0','queue-605093fbff9c',NULL,NULL,NULL,NULL,NULL,5335145803160840593,1795998213269,3,1795998813269,0,NULL,274,1795998213257,1795998213269,NULL,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(8,'conformance','dump-c8a8dd14c3fc',2290553957084193306,2290553957084193306,1,0,4294967297,NULL,NULL,NULL,'completed',2,NULL,NULL,NULL,NULL,0,'conformance','0','queue-605093fbff9c',NULL,NULL,NULL,NULL,NULL,2290553957084193306,NULL,NULL,NULL,1,NULL,120,1795998213272,1795998213308,1795998213308,'completed','74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b',NULL);
INSERT INTO "heads" VALUES(9,'conformance','dump-305da034a645',3401249572951211227,3401249572951211227,1,0,4294967297,NULL,NULL,NULL,'failed',2,NULL,NULL,NULL,NULL,0,'conformance','0','queue-605093fbff9c',NULL,NULL,NULL,NULL,NULL,3401249572951211227,NULL,NULL,NULL,1,NULL,120,1795998213375,1795998213380,1795998213380,'failed','74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b',NULL);
INSERT INTO "heads" VALUES(10,'conformance','dump-91a9c97f37c5',3962242460721134185,3962242460721134185,1,0,4294967297,NULL,NULL,NULL,'cancelled',3,NULL,NULL,NULL,NULL,0,'conformance','0','queue-605093fbff9c',NULL,NULL,NULL,NULL,NULL,3962242460721134185,1795998213385,2,NULL,1,NULL,190,1795998213382,1795998213386,1795998213386,'cancelled','a723364d1fcd892c771c8d912aed4007e60b5995ed3239220993916027c3b112',NULL);
INSERT INTO "heads" VALUES(11,'conformance','dump-3d35ca21161d',82246461301962111,82246461301962111,1,0,4294967297,NULL,NULL,NULL,'completed',2,NULL,NULL,NULL,NULL,0,'conformance','0','queue-605093fbff9c',NULL,NULL,NULL,NULL,NULL,82246461301962111,NULL,NULL,NULL,1,NULL,120,1795998213387,1795998213390,1795998213390,'completed','74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b',NULL);
INSERT INTO "heads" VALUES(12,'conformance','dump-913fece95408',4221295041621965511,4221295041621965511,1,0,4294967297,NULL,NULL,NULL,'deleted',2,NULL,NULL,NULL,NULL,0,'conformance','0','queue-605093fbff9c',NULL,NULL,NULL,NULL,NULL,4221295041621965511,NULL,NULL,NULL,1,NULL,0,1795998213391,1795998213408,1795998213398,'completed','74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b',NULL);
INSERT INTO "heads" VALUES(13,'conformance','dump-0f3ff7855908~2428671804146328646',2428671804146328646,2428671804146328646,1,0,4294967297,NULL,NULL,NULL,'continued',3,NULL,NULL,NULL,NULL,0,'conformance','0','queue-605093fbff9c',NULL,NULL,NULL,NULL,NULL,2428671804146328646,NULL,NULL,NULL,1,NULL,414,1795998213411,1795998213425,1795998213425,'continued','ef0812eddb0cccd0b98305905188037f28da96d3e6afafe12ecdc5fe6dc629d6',NULL);
INSERT INTO "heads" VALUES(14,'conformance','dump-0f3ff7855908~cdktka4dpn4tof55f53oqknv5zz',7937411550191927473,7937411550191927473,1,0,0,NULL,NULL,NULL,'pending',1,NULL,NULL,NULL,NULL,0,'conformance','0','queue-605093fbff9c',NULL,NULL,13,2428671804146328646,'kept',2428671804146328646,NULL,NULL,NULL,0,NULL,223,1795998213423,1795998213423,NULL,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(15,'conformance','dump-0f3ff7855908',1915511693448713602,2428671804146328646,2,0,4294967297,NULL,NULL,NULL,'pending',1,NULL,NULL,NULL,NULL,0,'conformance','0','queue-605093fbff9c',NULL,NULL,NULL,NULL,NULL,2428671804146328646,NULL,NULL,NULL,0,NULL,116,1795998213425,1795998213425,NULL,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(16,'conformance','dump-9d98d7f366b3',8348271427833035927,8348271427833035927,1,0,4294967298,'b16995e622d5cf2fc8add79ad740c809c8455946ef0f8162c64b7193f46d2bbf','owner-7da4a864dafb',1795998273447,'running',1,NULL,NULL,NULL,NULL,0,'conformance','0','queue-605093fbff9c',NULL,NULL,NULL,NULL,NULL,8348271427833035927,NULL,NULL,NULL,1,NULL,116,1795998213427,1795998213437,NULL,NULL,NULL,NULL);
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
INSERT INTO "inbox" VALUES(3,'message-7d748dcfe0d1',1,'mail','other','{"x":1}',NULL,1795998213226,0,NULL,NULL);
INSERT INTO "inbox" VALUES(6,'message-e91217c59499',1,'mail',NULL,'{"text":"é\\u0000"}',NULL,1795998213253,1,3,1795998213253);
INSERT INTO "inbox" VALUES(15,'message-9ae3a653dec3',1,'mail',NULL,'null',NULL,1795998213424,0,NULL,NULL);
CREATE TABLE metas (
    head    INTEGER PRIMARY KEY,
    bytes   BLOB    NOT NULL,
    version INTEGER NOT NULL,
    name    TEXT,
    tags    TEXT
) STRICT;
INSERT INTO "metas" VALUES(11,X'31',1,'n',NULL);
CREATE TABLE namespaces (
    name   TEXT PRIMARY KEY,
    limits TEXT,
    paused INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
INSERT INTO "namespaces" VALUES('dumped',NULL,0);
CREATE TABLE nodes (
    instance TEXT PRIMARY KEY,
    role     TEXT    NOT NULL,
    version  TEXT    NOT NULL,
    features TEXT    NOT NULL, -- a JSON array of those it knows
    seen_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO "nodes" VALUES('timers.old','timers','0.1.0','["redrives"]',1795998213456);
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
INSERT INTO "outbox" VALUES(1,1,'loom.notify-resume.v1','conformance/dump-a990812980f2','{"namespace":"conformance","execution":"dump-a990812980f2","incarnation":"5457666199075368561","queue":"queue-605093fbff9c","workflow":"conformance","reason":"started","sequence":1}',NULL,1795998213181,0,NULL);
INSERT INTO "outbox" VALUES(2,3,'loom.notify-resume.v1','conformance/dump-a8e13ce622fc','{"namespace":"conformance","execution":"dump-a8e13ce622fc","incarnation":"7093987040499047178","queue":"queue-605093fbff9c","workflow":"conformance","reason":"started","sequence":1}',NULL,1795998213192,0,NULL);
INSERT INTO "outbox" VALUES(3,4,'loom.notify-resume.v1','conformance/dump-a8e13ce622fc~cgu7vpijmvag5kkt4zkc63gk7cs','{"namespace":"conformance","execution":"dump-a8e13ce622fc~cgu7vpijmvag5kkt4zkc63gk7cs","incarnation":"5355715145953876983","queue":"queue-605093fbff9c","workflow":"conformance","reason":"started","sequence":1}',NULL,1795998213201,0,NULL);
INSERT INTO "outbox" VALUES(4,5,'loom.notify-resume.v1','conformance/dump-a8e13ce622fc~ciyycuehn3ft3fxron2ukdugkap','{"namespace":"conformance","execution":"dump-a8e13ce622fc~ciyycuehn3ft3fxron2ukdugkap","incarnation":"2971695773336875129","queue":"queue-605093fbff9c","workflow":"conformance","reason":"started","sequence":1}',NULL,1795998213205,0,NULL);
INSERT INTO "outbox" VALUES(5,4,'loom.child-done.v1','conformance/dump-a8e13ce622fc','{"namespace":"conformance","parent":"dump-a8e13ce622fc","parent_incarnation":"7093987040499047178","child_key":"done","child":"dump-a8e13ce622fc~cgu7vpijmvag5kkt4zkc63gk7cs","child_incarnation":"5355715145953876983","status":"completed","sequence":2}',NULL,1795998213218,0,NULL);
INSERT INTO "outbox" VALUES(6,3,'loom.execution-parked.v1','conformance/dump-a8e13ce622fc','{"namespace":"conformance","execution":"dump-a8e13ce622fc","incarnation":"7093987040499047178","park_seq":4,"wait_kinds":["child","message"]}',NULL,1795998213222,0,NULL);
INSERT INTO "outbox" VALUES(7,6,'loom.notify-resume.v1','conformance/dump-b1e01bff2675','{"namespace":"conformance","execution":"dump-b1e01bff2675","incarnation":"7264836721647749630","queue":"queue-605093fbff9c","workflow":"conformance","reason":"started","sequence":1}',NULL,1795998213231,0,NULL);
INSERT INTO "outbox" VALUES(8,6,'loom.execution-parked.v1','conformance/dump-b1e01bff2675','{"namespace":"conformance","execution":"dump-b1e01bff2675","incarnation":"7264836721647749630","park_seq":2,"wait_kinds":["message"]}',NULL,1795998213247,0,NULL);
INSERT INTO "outbox" VALUES(9,6,'loom.notify-resume.v1','conformance/dump-b1e01bff2675','{"namespace":"conformance","execution":"dump-b1e01bff2675","incarnation":"7264836721647749630","queue":"queue-605093fbff9c","workflow":"conformance","reason":"send","sequence":4}',NULL,1795998213253,0,NULL);
INSERT INTO "outbox" VALUES(10,7,'loom.notify-resume.v1','conformance/dump-7bd32b47596b','{"namespace":"conformance","execution":"dump-7bd32b47596b","incarnation":"5335145803160840593","queue":"queue-605093fbff9c","workflow":"conformance","reason":"started","sequence":1}',NULL,1795998213257,0,NULL);
INSERT INTO "outbox" VALUES(11,7,'loom.execution-parked.v1','conformance/dump-7bd32b47596b','{"namespace":"conformance","execution":"dump-7bd32b47596b","incarnation":"5335145803160840593","park_seq":2,"wait_kinds":["timer"]}',NULL,1795998213265,0,NULL);
INSERT INTO "outbox" VALUES(12,7,'loom.notify-resume.v1','conformance/dump-7bd32b47596b','{"namespace":"conformance","execution":"dump-7bd32b47596b","incarnation":"5335145803160840593","queue":"queue-605093fbff9c","workflow":"conformance","reason":"cancel","sequence":4}',NULL,1795998213269,0,NULL);
INSERT INTO "outbox" VALUES(13,8,'loom.notify-resume.v1','conformance/dump-c8a8dd14c3fc','{"namespace":"conformance","execution":"dump-c8a8dd14c3fc","incarnation":"2290553957084193306","queue":"queue-605093fbff9c","workflow":"conformance","reason":"started","sequence":1}',NULL,1795998213272,0,NULL);
INSERT INTO "outbox" VALUES(14,9,'loom.notify-resume.v1','conformance/dump-305da034a645','{"namespace":"conformance","execution":"dump-305da034a645","incarnation":"3401249572951211227","queue":"queue-605093fbff9c","workflow":"conformance","reason":"started","sequence":1}',NULL,1795998213375,0,NULL);
INSERT INTO "outbox" VALUES(15,10,'loom.notify-resume.v1','conformance/dump-91a9c97f37c5','{"namespace":"conformance","execution":"dump-91a9c97f37c5","incarnation":"3962242460721134185","queue":"queue-605093fbff9c","workflow":"conformance","reason":"started","sequence":1}',NULL,1795998213382,0,NULL);
INSERT INTO "outbox" VALUES(16,11,'loom.notify-resume.v1','conformance/dump-3d35ca21161d','{"namespace":"conformance","execution":"dump-3d35ca21161d","incarnation":"82246461301962111","queue":"queue-605093fbff9c","workflow":"conformance","reason":"started","sequence":1}',NULL,1795998213387,0,NULL);
INSERT INTO "outbox" VALUES(17,12,'loom.notify-resume.v1','conformance/dump-913fece95408','{"namespace":"conformance","execution":"dump-913fece95408","incarnation":"4221295041621965511","queue":"queue-605093fbff9c","workflow":"conformance","reason":"started","sequence":1}',NULL,1795998213391,0,NULL);
INSERT INTO "outbox" VALUES(18,13,'loom.notify-resume.v1','conformance/dump-0f3ff7855908','{"namespace":"conformance","execution":"dump-0f3ff7855908","incarnation":"2428671804146328646","queue":"queue-605093fbff9c","workflow":"conformance","reason":"started","sequence":1}',NULL,1795998213411,0,NULL);
INSERT INTO "outbox" VALUES(19,14,'loom.notify-resume.v1','conformance/dump-0f3ff7855908~cdktka4dpn4tof55f53oqknv5zz','{"namespace":"conformance","execution":"dump-0f3ff7855908~cdktka4dpn4tof55f53oqknv5zz","incarnation":"7937411550191927473","queue":"queue-605093fbff9c","workflow":"conformance","reason":"started","sequence":1}',NULL,1795998213423,0,NULL);
INSERT INTO "outbox" VALUES(20,15,'loom.notify-resume.v1','conformance/dump-0f3ff7855908','{"namespace":"conformance","execution":"dump-0f3ff7855908","incarnation":"1915511693448713602","queue":"queue-605093fbff9c","workflow":"conformance","reason":"continued","sequence":1}',NULL,1795998213425,0,NULL);
INSERT INTO "outbox" VALUES(21,16,'loom.notify-resume.v1','conformance/dump-9d98d7f366b3','{"namespace":"conformance","execution":"dump-9d98d7f366b3","incarnation":"8348271427833035927","queue":"queue-605093fbff9c","workflow":"conformance","reason":"started","sequence":1}',NULL,1795998213427,0,NULL);
INSERT INTO "outbox" VALUES(22,16,'loom.notify-resume.v1','conformance/dump-9d98d7f366b3','{"namespace":"conformance","execution":"dump-9d98d7f366b3","incarnation":"8348271427833035927","queue":"queue-605093fbff9c","workflow":"conformance","reason":"released","sequence":1}',NULL,1795998213438,0,NULL);
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
INSERT INTO "polls" VALUES('dumped','q','conformance@0','worker',1795998213454);
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
INSERT INTO "refusals" VALUES(16,4294967297,'events','stale',4294967298,1,1795998213448,1795998213448);
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
PRAGMA user_version = 5;
