-- Where the park stands in a trace, and when its row was made: a fire goes on there while that is not long ago. Of the
-- rows that are there already it is.
ALTER TABLE timers ADD COLUMN traceparent text;
ALTER TABLE timers ADD COLUMN made_at bigint NOT NULL DEFAULT 0;
