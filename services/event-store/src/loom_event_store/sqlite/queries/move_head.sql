-- where nothing that an index holds has changed, as by an append or a renewal: half the pages of `write_head`.
-- Every column is either set or compared, so that no change is left out.
UPDATE heads SET
    token = :token, owner = :owner, lease_until = :lease_until, last_seq = :last_seq, last_position = :last_position,
    not_before = :not_before, fruitless_claims = :fruitless_claims, archived_seq = :archived_seq, log_bytes = :log_bytes
 WHERE head = :head AND namespace IS :namespace AND execution_id IS :execution_id AND incarnation IS :incarnation
   AND chain IS :chain AND link IS :link AND single_writer IS :single_writer AND grant_hash IS :grant_hash
   AND status IS :status AND park_seq IS :park_seq AND waits IS :waits AND wake_at IS :wake_at
   AND unknown_tail IS :unknown_tail AND workflow IS :workflow AND code_version IS :code_version AND queue IS :queue
   AND deadline_at IS :deadline_at AND parent_head IS :parent_head AND parent_incarnation IS :parent_incarnation
   AND parent_key IS :parent_key AND root IS :root AND cancel_requested_at IS :cancel_requested_at
   AND cancel_seq IS :cancel_seq AND cancel_deadline IS :cancel_deadline AND created_at IS :created_at
   AND status_at IS :status_at AND ended_at IS :ended_at AND ending IS :ending AND result_digest IS :result_digest
   AND traceparent IS :traceparent;
