-- $1 head, $2 token, $3 surface, $4 code, $5 current token, $6 count, $7 first_at, $8 last_at: adds to the row of this
-- (head, token, surface), and makes it the newest
INSERT INTO event_store.refusals AS there (head, token, surface, code, current_token, count, first_at, last_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (head, token, surface) DO UPDATE SET
    refusal = excluded.refusal, code = excluded.code, current_token = excluded.current_token,
    count = there.count + excluded.count, last_at = excluded.last_at;
