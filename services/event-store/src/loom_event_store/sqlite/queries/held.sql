-- what the nonce of a repeated poll still holds
SELECT * FROM heads WHERE grant_hash = :grant_hash AND lease_until > :now ORDER BY head;
