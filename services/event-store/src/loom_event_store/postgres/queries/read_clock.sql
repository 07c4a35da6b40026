-- the store's clock and its epoch
SELECT event_store.instant() AS now, event_store.epoch() AS epoch;
