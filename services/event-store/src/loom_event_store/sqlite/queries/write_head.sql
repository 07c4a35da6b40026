INSERT INTO heads (
    head, namespace, execution_id, incarnation, chain, link, single_writer, token, grant_hash, owner, lease_until,
    status, last_seq, last_position, park_seq, waits, wake_at, unknown_tail, workflow, code_version, queue,
    not_before, deadline_at, parent_head, parent_incarnation, parent_key, root, cancel_requested_at, cancel_seq,
    cancel_deadline, fruitless_claims, archived_seq, log_bytes, created_at, status_at, ended_at, ending,
    result_digest, traceparent
) VALUES (
    :head, :namespace, :execution_id, :incarnation, :chain, :link, :single_writer, :token, :grant_hash, :owner,
    :lease_until, :status, :last_seq, :last_position, :park_seq, :waits, :wake_at, :unknown_tail, :workflow,
    :code_version, :queue, :not_before, :deadline_at, :parent_head, :parent_incarnation, :parent_key, :root,
    :cancel_requested_at, :cancel_seq, :cancel_deadline, :fruitless_claims, :archived_seq, :log_bytes, :created_at,
    :status_at, :ended_at, :ending, :result_digest, :traceparent
)
ON CONFLICT (head) DO UPDATE SET
    namespace = excluded.namespace, execution_id = excluded.execution_id, incarnation = excluded.incarnation,
    chain = excluded.chain, link = excluded.link, single_writer = excluded.single_writer, token = excluded.token,
    grant_hash = excluded.grant_hash, owner = excluded.owner, lease_until = excluded.lease_until,
    status = excluded.status, last_seq = excluded.last_seq, last_position = excluded.last_position,
    park_seq = excluded.park_seq, waits = excluded.waits, wake_at = excluded.wake_at,
    unknown_tail = excluded.unknown_tail, workflow = excluded.workflow, code_version = excluded.code_version,
    queue = excluded.queue, not_before = excluded.not_before, deadline_at = excluded.deadline_at,
    parent_head = excluded.parent_head, parent_incarnation = excluded.parent_incarnation,
    parent_key = excluded.parent_key, root = excluded.root, cancel_requested_at = excluded.cancel_requested_at,
    cancel_seq = excluded.cancel_seq, cancel_deadline = excluded.cancel_deadline,
    fruitless_claims = excluded.fruitless_claims, archived_seq = excluded.archived_seq,
    log_bytes = excluded.log_bytes, created_at = excluded.created_at, status_at = excluded.status_at,
    ended_at = excluded.ended_at, ending = excluded.ending, result_digest = excluded.result_digest,
    traceparent = excluded.traceparent;
