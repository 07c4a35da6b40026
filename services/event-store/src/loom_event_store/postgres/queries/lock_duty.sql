-- $1 name: one row a name from the first look on; waits for whoever takes the duty
INSERT INTO event_store.duties (name, term) VALUES ($1, 0)
ON CONFLICT (name) DO UPDATE SET term = duties.term;
