INSERT INTO edges (
    parent_head, parent_incarnation, child_key, child_namespace, child_id, child_incarnation, status, outcome, close,
    scope, released, consumed_at_seq
) SELECT
    head, :parent_incarnation, :child_key, :child_namespace, :child_id, :child_incarnation, :status, :outcome, :close,
    :scope, :released, :consumed_at_seq
  FROM heads WHERE incarnation = :parent_incarnation
ON CONFLICT (parent_head, parent_incarnation, child_key) DO UPDATE SET
    child_namespace = excluded.child_namespace, child_id = excluded.child_id,
    child_incarnation = excluded.child_incarnation, status = excluded.status, outcome = excluded.outcome,
    close = excluded.close, scope = excluded.scope, released = excluded.released,
    consumed_at_seq = excluded.consumed_at_seq;
