BEGIN TRANSACTION;
CREATE TABLE blobs (
    head  INTEGER NOT NULL,
    ref   TEXT    NOT NULL,
    bytes BLOB    NOT NULL,
    PRIMARY KEY (head, ref)
) STRICT;
INSERT INTO "blobs" VALUES(11,'r',X'32');
CREATE TABLE clock (only INTEGER PRIMARY KEY CHECK (only = 1), seen_at INTEGER NOT NULL);
INSERT INTO "clock" VALUES(1,1795997942839);
CREATE TABLE duties (
    name     TEXT PRIMARY KEY,
    owner    TEXT,
    term     INTEGER NOT NULL,
    until    INTEGER,
    last_run INTEGER
) STRICT, WITHOUT ROWID;
INSERT INTO "duties" VALUES('dumped','somebody',1,1795997943839,NULL);
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
INSERT INTO "edges" VALUES(1,3,4701746258732059117,'done','conformance','dump-b0dec25e4d6f~cpu7lbpj52j5ljyypawy7fbvioa',4229544541975824750,'completed','{"paid":3}','cancel','chain',0,NULL);
INSERT INTO "edges" VALUES(2,3,4701746258732059117,'open','conformance','dump-b0dec25e4d6f~cj4kt5eqlykfkx6e2nub6ipnxqd',3693641610895307773,'open',NULL,'cancel','chain',0,NULL);
INSERT INTO "edges" VALUES(3,15,652125433899446296,'kept','conformance','dump-4f059cff98f0~cjdwmyyk3cojvldlmfrq4gwywgd',1706281449719739515,'open',NULL,'cancel','chain',0,NULL);
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
INSERT INTO "events" VALUES(1,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-d417073af79f","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-4148418f7a9b','ab525aa5b4604e02054eb6394192facfc285633cb22a4c8fc7db925ed4741ddb',NULL,1795997942443);
INSERT INTO "events" VALUES(2,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":null,"input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-fe3d23898d16','f358c994c850abf20bff712e43363773e9143c24b4242483648110af3e6078a2',NULL,1795997942444);
INSERT INTO "events" VALUES(3,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-d417073af79f","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-88cf656342aa','b68d3668b188ce329b260c03bee45563cbee717661663fcbf4c639eb34811028',NULL,1795997942449);
INSERT INTO "events" VALUES(3,2,'CHILD_STARTED','{"key":"done","child":{"namespace":"conformance","execution_id":"dump-b0dec25e4d6f~cpu7lbpj52j5ljyypawy7fbvioa","incarnation":"4229544541975824750"},"workflow":"conformance","attached":false}',NULL,4294967297,1,NULL,NULL,'key-8e7565dd0ae6','10945d692c24c5cb31322e62d8c5a913924ca42461d82f48e5fea1665f3610b2',NULL,1795997942455);
INSERT INTO "events" VALUES(3,3,'CHILD_STARTED','{"key":"open","child":{"namespace":"conformance","execution_id":"dump-b0dec25e4d6f~cj4kt5eqlykfkx6e2nub6ipnxqd","incarnation":"3693641610895307773"},"workflow":"conformance","attached":false}',NULL,4294967297,1,NULL,NULL,'key-4f592cad1576','47ed0b0c66c1ccc42550b788c79b2f1e3b095a123e77f26dfa6d929c333a9b61',NULL,1795997942460);
INSERT INTO "events" VALUES(3,4,'EXECUTION_SUSPENDED','{"waits":[{"id":"open","child":{"key":"open"}},{"id":"mail","message":{"name":"mail","key":"k"}}],"heard":null}',NULL,4294967297,1,NULL,NULL,'key-06d49aa3594b','9b98a3d4bd9a564e4c6abb432b51bf7d5a7695a17d9848adb401f5fa13ef6ac9',NULL,1795997942469);
INSERT INTO "events" VALUES(4,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-d417073af79f","input":null,"parent":{"namespace":"conformance","execution_id":"dump-b0dec25e4d6f","incarnation":"4701746258732059117","key":"done"},"cancel":false}',NULL,0,1,NULL,NULL,NULL,NULL,NULL,1795997942455);
INSERT INTO "events" VALUES(4,2,'EXECUTION_COMPLETED','{"paid":3}',NULL,4294967297,1,NULL,NULL,'key-fe12217ea18c','f55d58557d9dfbc413a947fdbaae6995a9ca5d510e456cc0e10356cdf458f95b',NULL,1795997942466);
INSERT INTO "events" VALUES(5,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-d417073af79f","input":null,"parent":{"namespace":"conformance","execution_id":"dump-b0dec25e4d6f","incarnation":"4701746258732059117","key":"open"},"cancel":false}',NULL,0,1,NULL,NULL,NULL,NULL,NULL,1795997942460);
INSERT INTO "events" VALUES(6,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-d417073af79f","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-effabeee5ace','58716625bac58b444c459518ad042424b9c8c9da95f4fcbd4b73ccda9e67005c',NULL,1795997942477);
INSERT INTO "events" VALUES(6,2,'EXECUTION_SUSPENDED','{"waits":[{"id":"mail","message":{"name":"mail","key":null}}],"heard":null}',NULL,4294967297,1,NULL,NULL,'key-b78e23664375','51b6a2d76ba3d9cbae7aa83f4ecbccdaea96918e374029592fad09dfe7891658',NULL,1795997942482);
INSERT INTO "events" VALUES(6,3,'MESSAGE_CONSUMED','{"message_id":"message-630c6f9d11cb","name":"mail","key":null,"payload":{"text":"é\\u0000"},"wait":"mail"}',NULL,4294967298,1,NULL,NULL,NULL,NULL,NULL,1795997942485);
INSERT INTO "events" VALUES(6,4,'EXECUTION_RESUMED','{"wait":"mail","keys":null,"by":"send"}',NULL,4294967298,1,NULL,2,NULL,NULL,NULL,1795997942485);
INSERT INTO "events" VALUES(7,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-d417073af79f","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-5df2f79fc23f','2bd484c2f34383a16e7ec002a6cedc8d28001063b3bdf52f7d9587f91d6ca901',NULL,1795997942488);
INSERT INTO "events" VALUES(7,2,'EXECUTION_SUSPENDED','{"waits":[{"id":"timer","timer":{"wake_at":1796001542492,"delay_ms":null}}],"heard":null}',NULL,4294967297,1,NULL,NULL,'key-f78a709fda39','e0dc79a0cde1be2fa679a9b3c00e403f4c46f4ef6ef7d26966b3b08632d8af39',NULL,1795997942492);
INSERT INTO "events" VALUES(7,3,'EXECUTION_CANCEL_REQUESTED','{"by":"request","reason":null}',NULL,4294967297,1,NULL,NULL,NULL,NULL,NULL,1795997942493);
INSERT INTO "events" VALUES(7,4,'EXECUTION_RESUMED','{"wait":null,"keys":null,"by":"cancel"}',NULL,4294967298,1,NULL,2,NULL,NULL,NULL,1795997942493);
INSERT INTO "events" VALUES(8,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-d417073af79f","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-8b4f99139797','a6521a77d4c49ba34b1e83e39d354f02a8d8cfff92b097fdc39fe71c54fa8c39',NULL,1795997942554);
INSERT INTO "events" VALUES(8,2,'EXECUTION_COMPLETED','null',NULL,4294967297,1,NULL,NULL,'key-4d8ffba29396','3b8203a821bd13cdc16485a7be2474491ca1a023b722490b128db6c659894f90',NULL,1795997942561);
INSERT INTO "events" VALUES(9,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-d417073af79f","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-ccaac2f89195','f50a4c83e2da555d217d106b9183768846e0fde79825e62237069e800faadf73',NULL,1795997942562);
INSERT INTO "events" VALUES(9,2,'EXECUTION_FAILED','null',NULL,4294967297,1,NULL,NULL,'key-ad8ae681fe05','0dfce8ace14167d45872e0b3e124be9de5ca70f348011ca9b5c8fd3a256106e4',NULL,1795997942567);
INSERT INTO "events" VALUES(10,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-d417073af79f","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-c0b1a5650cf1','598f448f151ab400be93f96e7568124b13b58938a850cc3d9295e94c3916a502',NULL,1795997942578);
INSERT INTO "events" VALUES(10,2,'EXECUTION_CANCEL_REQUESTED','{"by":"request","reason":null}',NULL,4294967297,1,NULL,NULL,NULL,NULL,NULL,1795997942590);
INSERT INTO "events" VALUES(10,3,'EXECUTION_CANCELLED','{"by":"request","reason":null,"detail":null}',NULL,4294967297,1,NULL,NULL,'key-c21ddff0df2c','79402d9d0f9a3db8cd14c6ef0f97c9cb0036fa5d4a81489a4420f6a97313d4ea',NULL,1795997942591);
INSERT INTO "events" VALUES(11,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-d417073af79f","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-b70d5eee651f','2edc9430e3d29f76fa3a6716e5110491f38698bb3e2f757855344ccd274d6c3b',NULL,1795997942592);
INSERT INTO "events" VALUES(11,2,'EXECUTION_COMPLETED','null',NULL,4294967297,1,NULL,NULL,'key-c8abb274e31c','8bfc14930d41bdb569609e5cb47bba56b3cb0a7516d649b589c4bd3c0c2113a6',NULL,1795997942597);
INSERT INTO "events" VALUES(13,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-d417073af79f","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-773fa5bb449f','d6441df93e35189f0d38e44318dcd74e90771ff0922c4ce03186706df6b19d7f',NULL,1795997942766);
INSERT INTO "events" VALUES(13,2,'CHILD_STARTED','{"key":"kept","child":{"namespace":"conformance","execution_id":"dump-4f059cff98f0~cjdwmyyk3cojvldlmfrq4gwywgd","incarnation":"1706281449719739515"},"workflow":"conformance","attached":false}',NULL,4294967297,1,NULL,NULL,'key-23979237d771','0c44125cf832ce2259a04a7987e94b7710c2307fde703a7a8048b6aa051f5851',NULL,1795997942788);
INSERT INTO "events" VALUES(13,3,'EXECUTION_CONTINUED','{"next":{"namespace":"conformance","execution_id":"dump-4f059cff98f0","incarnation":"652125433899446296"}}',NULL,4294967297,1,NULL,NULL,'key-2ff6e45481bc','d27775952bd1a8865a7549f930370a6497f8e04d95d5e1cc03305085e98dc347',NULL,1795997942802);
INSERT INTO "events" VALUES(14,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-d417073af79f","input":null,"parent":{"namespace":"conformance","execution_id":"dump-4f059cff98f0","incarnation":"4348717812753419156","key":"kept"},"cancel":false}',NULL,0,1,NULL,NULL,NULL,NULL,NULL,1795997942788);
INSERT INTO "events" VALUES(15,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-d417073af79f","input":null,"parent":null,"cancel":false}',NULL,4294967297,1,NULL,NULL,NULL,NULL,NULL,1795997942802);
INSERT INTO "events" VALUES(16,1,'EXECUTION_STARTED','{"workflow":"conformance","code_version":"0","queue":"queue-d417073af79f","input":null,"parent":null,"cancel":false}',NULL,0,1,NULL,NULL,'key-61615c0bf785','2798bc0cc8ace7bfb33b98d9c418f6de7f44aad5e44e0364b2d530d71a38dcc9',NULL,1795997942813);
CREATE TABLE grants (
    head  INTEGER NOT NULL,
    token INTEGER NOT NULL,
    rule  TEXT    NOT NULL,
    owner TEXT,
    at    INTEGER NOT NULL,
    PRIMARY KEY (head, token)
) STRICT, WITHOUT ROWID;
INSERT INTO "grants" VALUES(3,4294967297,'claim','owner-b81e5442d83f',1795997942454);
INSERT INTO "grants" VALUES(4,4294967297,'claim','owner-592c3cb15eb6',1795997942465);
INSERT INTO "grants" VALUES(6,4294967297,'claim','owner-c0290857f57c',1795997942480);
INSERT INTO "grants" VALUES(7,4294967297,'claim','owner-a5443fbff34a',1795997942491);
INSERT INTO "grants" VALUES(8,4294967297,'claim','owner-44ce3cd8a9ca',1795997942558);
INSERT INTO "grants" VALUES(9,4294967297,'claim','owner-a9bc21a4e6fd',1795997942565);
INSERT INTO "grants" VALUES(10,4294967297,'claim','owner-eebef27a1539',1795997942587);
INSERT INTO "grants" VALUES(11,4294967297,'claim','owner-2a0fb771e2b5',1795997942594);
INSERT INTO "grants" VALUES(13,4294967297,'claim','owner-806dd3931f67',1795997942783);
INSERT INTO "grants" VALUES(16,4294967297,'claim','owner-bf6ea602007c',1795997942818);
INSERT INTO "grants" VALUES(16,4294967298,'claim','owner-e1f88fdb34a5',1795997942822);
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
INSERT INTO "heads" VALUES(1,'conformance','dump-fd1a86ca5bce',6981270237107287563,6981270237107287563,1,0,0,NULL,NULL,NULL,'pending',1,NULL,NULL,NULL,NULL,0,'conformance','0','queue-d417073af79f',NULL,NULL,NULL,NULL,NULL,6981270237107287563,NULL,NULL,NULL,0,NULL,116,1795997942443,1795997942443,NULL,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(2,'conformance','dump-1177d2dc142f',3418714147120983533,3418714147120983533,1,1,0,NULL,NULL,NULL,'pending',1,NULL,NULL,NULL,NULL,0,'conformance','0',NULL,NULL,1796001542444,NULL,NULL,NULL,3418714147120983533,NULL,NULL,NULL,0,NULL,100,1795997942444,1795997942444,NULL,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(3,'conformance','dump-b0dec25e4d6f',4701746258732059117,4701746258732059117,1,0,4294967297,'353f2bdd9fb4b9867a72b8fc9529fa197ceb8e772f7ab4fb541d0a347815a04e',NULL,1795998002454,'parked',4,NULL,4,'[{"id":"open","child":{"key":"open"}},{"id":"mail","message":{"name":"mail","key":"k"}}]',NULL,0,'conformance','0','queue-d417073af79f',NULL,NULL,NULL,NULL,NULL,4701746258732059117,NULL,NULL,NULL,0,NULL,609,1795997942449,1795997942469,NULL,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(4,'conformance','dump-b0dec25e4d6f~cpu7lbpj52j5ljyypawy7fbvioa',4229544541975824750,4229544541975824750,1,0,4294967297,NULL,NULL,NULL,'completed',2,NULL,NULL,NULL,NULL,0,'conformance','0','queue-d417073af79f',NULL,NULL,3,4701746258732059117,'done',4701746258732059117,NULL,NULL,NULL,1,NULL,233,1795997942455,1795997942466,1795997942466,'completed','fa6e5718bd5d9417beaa3c279f83459c1c26d04df67ecbcdd5a0083389af72ab',NULL);
INSERT INTO "heads" VALUES(5,'conformance','dump-b0dec25e4d6f~cj4kt5eqlykfkx6e2nub6ipnxqd',3693641610895307773,3693641610895307773,1,0,0,NULL,NULL,NULL,'pending',1,NULL,NULL,NULL,NULL,0,'conformance','0','queue-d417073af79f',NULL,NULL,3,4701746258732059117,'open',4701746258732059117,NULL,NULL,NULL,0,NULL,223,1795997942460,1795997942460,NULL,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(6,'conformance','dump-fead09e68d89',2172864749783003220,2172864749783003220,1,0,4294967298,NULL,NULL,NULL,'running',4,NULL,NULL,NULL,NULL,0,'conformance','0','queue-d417073af79f',NULL,NULL,NULL,NULL,NULL,2172864749783003220,NULL,NULL,NULL,0,NULL,337,1795997942477,1795997942485,NULL,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(7,'conformance','dump-dcd384f76c62',6118989124491119190,6118989124491119190,1,0,4294967298,NULL,NULL,NULL,'running',4,NULL,NULL,NULL,NULL,0,'conformance','0','queue-d417073af79f',NULL,NULL,NULL,NULL,NULL,6118989124491119190,1795997942493,3,1795998542493,0,NULL,274,1795997942488,1795997942493,NULL,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(8,'conformance','dump-d3d38ec526e1',3032821951830760333,3032821951830760333,1,0,4294967297,NULL,NULL,NULL,'completed',2,NULL,NULL,NULL,NULL,0,'conformance','0','queue-d417073af79f',NULL,NULL,NULL,NULL,NULL,3032821951830760333,NULL,NULL,NULL,1,NULL,120,1795997942554,1795997942561,1795997942561,'completed','74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b',NULL);
INSERT INTO "heads" VALUES(9,'conformance','dump-74f69c34ec08',5213553763873124613,5213553763873124613,1,0,4294967297,NULL,NULL,NULL,'failed',2,NULL,NULL,NULL,NULL,0,'conformance','0','queue-d417073af79f',NULL,NULL,NULL,NULL,NULL,5213553763873124613,NULL,NULL,NULL,1,NULL,120,1795997942562,1795997942567,1795997942567,'failed','74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b',NULL);
INSERT INTO "heads" VALUES(10,'conformance','dump-1c3a92c0a679',4753486589791706354,4753486589791706354,1,0,4294967297,NULL,NULL,NULL,'cancelled',3,NULL,NULL,NULL,NULL,0,'conformance','0','queue-d417073af79f',NULL,NULL,NULL,NULL,NULL,4753486589791706354,1795997942590,2,NULL,1,NULL,190,1795997942578,1795997942591,1795997942591,'cancelled','a723364d1fcd892c771c8d912aed4007e60b5995ed3239220993916027c3b112',NULL);
INSERT INTO "heads" VALUES(11,'conformance','dump-64a2a7402885',481571747361344429,481571747361344429,1,0,4294967297,NULL,NULL,NULL,'completed',2,NULL,NULL,NULL,NULL,0,'conformance','0','queue-d417073af79f',NULL,NULL,NULL,NULL,NULL,481571747361344429,NULL,NULL,NULL,1,NULL,120,1795997942592,1795997942597,1795997942597,'completed','74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b',NULL);
INSERT INTO "heads" VALUES(12,'conformance','dump-2266ee7e57f9',1515884237209155353,1515884237209155353,1,0,4294967297,NULL,NULL,NULL,'deleted',2,NULL,NULL,NULL,NULL,0,'conformance','0','queue-d417073af79f',NULL,NULL,NULL,NULL,NULL,1515884237209155353,NULL,NULL,NULL,1,NULL,0,1795997942671,1795997942758,1795997942753,'completed','74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b',NULL);
INSERT INTO "heads" VALUES(13,'conformance','dump-4f059cff98f0~4348717812753419156',4348717812753419156,4348717812753419156,1,0,4294967297,NULL,NULL,NULL,'continued',3,NULL,NULL,NULL,NULL,0,'conformance','0','queue-d417073af79f',NULL,NULL,NULL,NULL,NULL,4348717812753419156,NULL,NULL,NULL,1,NULL,413,1795997942766,1795997942802,1795997942802,'continued','e4e03bd07a0d638a935939d610919960aeddb3bfdd00ba40ff6c7f288f3e1df5',NULL);
INSERT INTO "heads" VALUES(14,'conformance','dump-4f059cff98f0~cjdwmyyk3cojvldlmfrq4gwywgd',1706281449719739515,1706281449719739515,1,0,0,NULL,NULL,NULL,'pending',1,NULL,NULL,NULL,NULL,0,'conformance','0','queue-d417073af79f',NULL,NULL,13,4348717812753419156,'kept',4348717812753419156,NULL,NULL,NULL,0,NULL,223,1795997942788,1795997942788,NULL,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(15,'conformance','dump-4f059cff98f0',652125433899446296,4348717812753419156,2,0,4294967297,NULL,NULL,NULL,'pending',1,NULL,NULL,NULL,NULL,0,'conformance','0','queue-d417073af79f',NULL,NULL,NULL,NULL,NULL,4348717812753419156,NULL,NULL,NULL,0,NULL,116,1795997942802,1795997942802,NULL,NULL,NULL,NULL);
INSERT INTO "heads" VALUES(16,'conformance','dump-8af8d4eafa04',3565749515570144582,3565749515570144582,1,0,4294967298,'9751422743249d22d5d9a3eeb2e944895dc7c63c61ff81418ca87a91772726ec','owner-e1f88fdb34a5',1795998002822,'running',1,NULL,NULL,NULL,NULL,0,'conformance','0','queue-d417073af79f',NULL,NULL,NULL,NULL,NULL,3565749515570144582,NULL,NULL,NULL,1,NULL,116,1795997942813,1795997942818,NULL,NULL,NULL,NULL);
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
INSERT INTO "inbox" VALUES(3,'message-17335e105388',1,'mail','other','{"x":1}',NULL,1795997942476,0,NULL,NULL);
INSERT INTO "inbox" VALUES(6,'message-630c6f9d11cb',1,'mail',NULL,'{"text":"é\\u0000"}',NULL,1795997942485,1,3,1795997942485);
INSERT INTO "inbox" VALUES(15,'message-8e230a56955e',1,'mail',NULL,'null',NULL,1795997942795,0,NULL,NULL);
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
INSERT INTO "outbox" VALUES(1,1,'loom.notify-resume.v1','conformance/dump-fd1a86ca5bce','{"namespace":"conformance","execution":"dump-fd1a86ca5bce","incarnation":"6981270237107287563","queue":"queue-d417073af79f","workflow":"conformance","reason":"started","sequence":1}',NULL,1795997942443,0,NULL);
INSERT INTO "outbox" VALUES(2,3,'loom.notify-resume.v1','conformance/dump-b0dec25e4d6f','{"namespace":"conformance","execution":"dump-b0dec25e4d6f","incarnation":"4701746258732059117","queue":"queue-d417073af79f","workflow":"conformance","reason":"started","sequence":1}',NULL,1795997942449,0,NULL);
INSERT INTO "outbox" VALUES(3,4,'loom.notify-resume.v1','conformance/dump-b0dec25e4d6f~cpu7lbpj52j5ljyypawy7fbvioa','{"namespace":"conformance","execution":"dump-b0dec25e4d6f~cpu7lbpj52j5ljyypawy7fbvioa","incarnation":"4229544541975824750","queue":"queue-d417073af79f","workflow":"conformance","reason":"started","sequence":1}',NULL,1795997942455,0,NULL);
INSERT INTO "outbox" VALUES(4,5,'loom.notify-resume.v1','conformance/dump-b0dec25e4d6f~cj4kt5eqlykfkx6e2nub6ipnxqd','{"namespace":"conformance","execution":"dump-b0dec25e4d6f~cj4kt5eqlykfkx6e2nub6ipnxqd","incarnation":"3693641610895307773","queue":"queue-d417073af79f","workflow":"conformance","reason":"started","sequence":1}',NULL,1795997942460,0,NULL);
INSERT INTO "outbox" VALUES(5,4,'loom.child-done.v1','conformance/dump-b0dec25e4d6f','{"namespace":"conformance","parent":"dump-b0dec25e4d6f","parent_incarnation":"4701746258732059117","child_key":"done","child":"dump-b0dec25e4d6f~cpu7lbpj52j5ljyypawy7fbvioa","child_incarnation":"4229544541975824750","status":"completed","sequence":2}',NULL,1795997942466,0,NULL);
INSERT INTO "outbox" VALUES(6,3,'loom.execution-parked.v1','conformance/dump-b0dec25e4d6f','{"namespace":"conformance","execution":"dump-b0dec25e4d6f","incarnation":"4701746258732059117","park_seq":4,"wait_kinds":["child","message"]}',NULL,1795997942469,0,NULL);
INSERT INTO "outbox" VALUES(7,6,'loom.notify-resume.v1','conformance/dump-fead09e68d89','{"namespace":"conformance","execution":"dump-fead09e68d89","incarnation":"2172864749783003220","queue":"queue-d417073af79f","workflow":"conformance","reason":"started","sequence":1}',NULL,1795997942477,0,NULL);
INSERT INTO "outbox" VALUES(8,6,'loom.execution-parked.v1','conformance/dump-fead09e68d89','{"namespace":"conformance","execution":"dump-fead09e68d89","incarnation":"2172864749783003220","park_seq":2,"wait_kinds":["message"]}',NULL,1795997942482,0,NULL);
INSERT INTO "outbox" VALUES(9,6,'loom.notify-resume.v1','conformance/dump-fead09e68d89','{"namespace":"conformance","execution":"dump-fead09e68d89","incarnation":"2172864749783003220","queue":"queue-d417073af79f","workflow":"conformance","reason":"send","sequence":4}',NULL,1795997942485,0,NULL);
INSERT INTO "outbox" VALUES(10,7,'loom.notify-resume.v1','conformance/dump-dcd384f76c62','{"namespace":"conformance","execution":"dump-dcd384f76c62","incarnation":"6118989124491119190","queue":"queue-d417073af79f","workflow":"conformance","reason":"started","sequence":1}',NULL,1795997942488,0,NULL);
INSERT INTO "outbox" VALUES(11,7,'loom.execution-parked.v1','conformance/dump-dcd384f76c62','{"namespace":"conformance","execution":"dump-dcd384f76c62","incarnation":"6118989124491119190","park_seq":2,"wait_kinds":["timer"]}',NULL,1795997942492,0,NULL);
INSERT INTO "outbox" VALUES(12,7,'loom.notify-resume.v1','conformance/dump-dcd384f76c62','{"namespace":"conformance","execution":"dump-dcd384f76c62","incarnation":"6118989124491119190","queue":"queue-d417073af79f","workflow":"conformance","reason":"cancel","sequence":4}',NULL,1795997942493,0,NULL);
INSERT INTO "outbox" VALUES(13,8,'loom.notify-resume.v1','conformance/dump-d3d38ec526e1','{"namespace":"conformance","execution":"dump-d3d38ec526e1","incarnation":"3032821951830760333","queue":"queue-d417073af79f","workflow":"conformance","reason":"started","sequence":1}',NULL,1795997942554,0,NULL);
INSERT INTO "outbox" VALUES(14,9,'loom.notify-resume.v1','conformance/dump-74f69c34ec08','{"namespace":"conformance","execution":"dump-74f69c34ec08","incarnation":"5213553763873124613","queue":"queue-d417073af79f","workflow":"conformance","reason":"started","sequence":1}',NULL,1795997942562,0,NULL);
INSERT INTO "outbox" VALUES(15,10,'loom.notify-resume.v1','conformance/dump-1c3a92c0a679','{"namespace":"conformance","execution":"dump-1c3a92c0a679","incarnation":"4753486589791706354","queue":"queue-d417073af79f","workflow":"conformance","reason":"started","sequence":1}',NULL,1795997942578,0,NULL);
INSERT INTO "outbox" VALUES(16,11,'loom.notify-resume.v1','conformance/dump-64a2a7402885','{"namespace":"conformance","execution":"dump-64a2a7402885","incarnation":"481571747361344429","queue":"queue-d417073af79f","workflow":"conformance","reason":"started","sequence":1}',NULL,1795997942592,0,NULL);
INSERT INTO "outbox" VALUES(17,12,'loom.notify-resume.v1','conformance/dump-2266ee7e57f9','{"namespace":"conformance","execution":"dump-2266ee7e57f9","incarnation":"1515884237209155353","queue":"queue-d417073af79f","workflow":"conformance","reason":"started","sequence":1}',NULL,1795997942671,0,NULL);
INSERT INTO "outbox" VALUES(18,13,'loom.notify-resume.v1','conformance/dump-4f059cff98f0','{"namespace":"conformance","execution":"dump-4f059cff98f0","incarnation":"4348717812753419156","queue":"queue-d417073af79f","workflow":"conformance","reason":"started","sequence":1}',NULL,1795997942766,0,NULL);
INSERT INTO "outbox" VALUES(19,14,'loom.notify-resume.v1','conformance/dump-4f059cff98f0~cjdwmyyk3cojvldlmfrq4gwywgd','{"namespace":"conformance","execution":"dump-4f059cff98f0~cjdwmyyk3cojvldlmfrq4gwywgd","incarnation":"1706281449719739515","queue":"queue-d417073af79f","workflow":"conformance","reason":"started","sequence":1}',NULL,1795997942788,0,NULL);
INSERT INTO "outbox" VALUES(20,15,'loom.notify-resume.v1','conformance/dump-4f059cff98f0','{"namespace":"conformance","execution":"dump-4f059cff98f0","incarnation":"652125433899446296","queue":"queue-d417073af79f","workflow":"conformance","reason":"continued","sequence":1}',NULL,1795997942802,0,NULL);
INSERT INTO "outbox" VALUES(21,16,'loom.notify-resume.v1','conformance/dump-8af8d4eafa04','{"namespace":"conformance","execution":"dump-8af8d4eafa04","incarnation":"3565749515570144582","queue":"queue-d417073af79f","workflow":"conformance","reason":"started","sequence":1}',NULL,1795997942813,0,NULL);
INSERT INTO "outbox" VALUES(22,16,'loom.notify-resume.v1','conformance/dump-8af8d4eafa04','{"namespace":"conformance","execution":"dump-8af8d4eafa04","incarnation":"3565749515570144582","queue":"queue-d417073af79f","workflow":"conformance","reason":"released","sequence":1}',NULL,1795997942819,0,NULL);
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
INSERT INTO "polls" VALUES('dumped','q','conformance@0','worker',1795997942835);
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
INSERT INTO "refusals" VALUES(16,4294967297,'events','stale',4294967298,1,1795997942833,1795997942833);
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
PRAGMA user_version = 4;
