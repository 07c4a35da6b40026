UPDATE event_store.store SET epoch = event_store.epoch() + 1 RETURNING epoch;
