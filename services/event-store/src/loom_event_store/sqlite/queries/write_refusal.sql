-- adds :count to the row of this (head, token, surface), and makes it the newest
INSERT OR REPLACE INTO refusals (head, token, surface, code, current_token, count, first_at, last_at)
SELECT :head, :token, :surface, :code, :current_token, :count + coalesce(max(count), 0), coalesce(min(first_at), :first_at),
       :last_at
  FROM refusals WHERE head = :head AND token = :token AND surface = :surface;
