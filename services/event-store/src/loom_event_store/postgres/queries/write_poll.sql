-- $1 namespace, $2 queue, $3 workflow, $4 worker
INSERT INTO event_store.polls (namespace, queue, workflow, worker, seen_at)
VALUES ($1, $2, $3, $4, event_store.instant())
ON CONFLICT (namespace, queue, workflow, worker) DO UPDATE SET seen_at = excluded.seen_at;
