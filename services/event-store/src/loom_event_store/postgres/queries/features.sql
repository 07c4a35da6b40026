SELECT features FROM event_store.store;
