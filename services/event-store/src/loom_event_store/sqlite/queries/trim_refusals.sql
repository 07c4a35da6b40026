-- keep the newest :kept of this head
DELETE FROM refusals
 WHERE head = :head
   AND rowid <= (SELECT rowid FROM refusals WHERE head = :head ORDER BY rowid DESC LIMIT 1 OFFSET :kept);
