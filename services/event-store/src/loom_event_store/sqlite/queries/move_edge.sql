-- in place: the row keeps its surrogate, by which its child's end finds and locks it
UPDATE edges SET (parent_head, parent_incarnation) = (SELECT head, incarnation FROM heads WHERE incarnation = :to)
 WHERE child_key = :child_key AND parent_incarnation = :parent_incarnation
   AND parent_head = (SELECT head FROM heads WHERE incarnation = :parent_incarnation);
