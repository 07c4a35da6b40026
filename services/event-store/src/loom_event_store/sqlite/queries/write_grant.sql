INSERT INTO grants (
    head, token, rule, owner, at
) VALUES (
    :head, :token, :rule, :owner, :at
)
ON CONFLICT (head, token) DO UPDATE SET
    rule = excluded.rule, owner = excluded.owner, at = excluded.at;
