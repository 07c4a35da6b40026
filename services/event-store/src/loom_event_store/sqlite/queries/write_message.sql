INSERT INTO inbox (
    head, message_id, inbox_seq, name, key, payload, sender, sent_at, resumed, consumed_at_seq, consumed_at
) VALUES (
    :head, :message_id, :inbox_seq, :name, :key, :payload, :sender, :sent_at, :resumed, :consumed_at_seq, :consumed_at
)
ON CONFLICT (head, message_id) DO UPDATE SET
    inbox_seq = excluded.inbox_seq, name = excluded.name, key = excluded.key, payload = excluded.payload,
    sender = excluded.sender, sent_at = excluded.sent_at, resumed = excluded.resumed,
    consumed_at_seq = excluded.consumed_at_seq, consumed_at = excluded.consumed_at;
