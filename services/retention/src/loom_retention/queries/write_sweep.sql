-- $1 started_at, $2 dry_run, $3 report
INSERT INTO own.sweeps (started_at, dry_run, report) VALUES ($1, $2, $3)
