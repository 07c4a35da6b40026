INSERT INTO pins (
    head, owner, reason, expiry
) VALUES (
    :head, :owner, :reason, :expiry
)
ON CONFLICT (head, owner) DO UPDATE SET
    reason = excluded.reason, expiry = excluded.expiry;
