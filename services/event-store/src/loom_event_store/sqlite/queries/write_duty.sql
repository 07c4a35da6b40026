INSERT INTO duties (
    name, owner, term, until, last_run
) VALUES (
    :name, :owner, :term, :until, :last_run
)
ON CONFLICT (name) DO UPDATE SET
    owner = excluded.owner, term = excluded.term, until = excluded.until, last_run = excluded.last_run;
