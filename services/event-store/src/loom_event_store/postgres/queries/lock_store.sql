-- waits for whoever switches a feature
SELECT one FROM event_store.store FOR UPDATE;
