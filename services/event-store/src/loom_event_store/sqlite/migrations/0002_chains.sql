-- What a chain takes along: messages that were consumed lately; and what is still to be ended if its parent has.
-- `consumed_at_seq` is in the log of the link that consumed it, which an earlier one may be.
ALTER TABLE inbox ADD COLUMN consumed_at INTEGER;
UPDATE inbox SET consumed_at = (
    SELECT recorded_at FROM events WHERE events.head = inbox.head AND events.seq = inbox.consumed_at_seq
) WHERE consumed_at_seq IS NOT NULL;

-- list_due of close policies
CREATE INDEX edges_closing ON edges (parent_head, child_incarnation, status, close)
    WHERE status = 'open' AND close <> 'abandon';
