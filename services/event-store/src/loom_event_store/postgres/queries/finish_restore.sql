-- $1 reason. Every grant of before is dead from here on (hazards 4.1); the record of who said so is in the same statement.
WITH raised AS (
    UPDATE event_store.store SET epoch = event_store.epoch() + 1 RETURNING epoch
)
INSERT INTO event_store.restores (epoch, reason, actor, at)
SELECT epoch, $1, session_user, event_store.instant() FROM raised
RETURNING epoch
