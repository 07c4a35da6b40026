-- The trace context of the segment that runs now, as its STARTED or RESUMED has it.
ALTER TABLE heads ADD COLUMN traceparent TEXT;
