-- keep the newest :kept of this head
DELETE FROM grants
 WHERE head = :head
   AND token <= (SELECT token FROM grants WHERE head = :head ORDER BY token DESC LIMIT 1 OFFSET :kept);
