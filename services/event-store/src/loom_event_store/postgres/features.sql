-- Every feature of this version: an empty database has no older node that would destroy what a feature writes.
UPDATE event_store.store SET features = ARRAY['redrives'];
