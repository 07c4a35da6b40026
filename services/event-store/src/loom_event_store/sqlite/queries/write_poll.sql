INSERT INTO polls (namespace, queue, workflow, worker, seen_at)
VALUES (:namespace, :queue, :workflow, :worker, :seen_at)
ON CONFLICT (namespace, queue, workflow, worker) DO UPDATE SET seen_at = excluded.seen_at;
