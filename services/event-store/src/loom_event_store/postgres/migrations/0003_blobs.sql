CREATE TABLE event_store.metas (
    head    bigint  PRIMARY KEY,
    bytes   bytea   NOT NULL,
    version integer NOT NULL,
    name    text,
    tags    text
);

CREATE TABLE event_store.blobs (
    head  bigint NOT NULL,
    ref   text COLLATE "C" NOT NULL,
    bytes bytea  NOT NULL,
    PRIMARY KEY (head, ref)
);

CREATE TABLE event_store.pins (
    head   bigint NOT NULL,
    owner  text COLLATE "C" NOT NULL,
    reason text   NOT NULL,
    expiry bigint,
    PRIMARY KEY (head, owner)
);
