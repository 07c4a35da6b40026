-- $1 hash of a nonce: what the nonce of a repeated poll still holds
SELECT * FROM event_store.heads WHERE grant_hash = $1 AND lease_until > event_store.instant() ORDER BY head;
