-- a plain insert: the primary key and the unique indexes are the second line behind the decision
INSERT INTO events (
    head, seq, kind, payload, position, fence, kernel, actor, answers_park, batch_id, batch_digest, traceparent,
    recorded_at
) VALUES (
    :head, :seq, :kind, :payload, :position, :fence, :kernel, :actor, :answers_park, :batch_id, :batch_digest,
    :traceparent, :recorded_at
);
