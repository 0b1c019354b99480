-- Whether an engine reaches the logs of records: one that does not leaves the
-- shards to those that do.

ALTER TABLE engines ADD COLUMN reaches_logs boolean NOT NULL DEFAULT true;
