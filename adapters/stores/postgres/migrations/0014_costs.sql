-- What users have spent in queues that are fair by bytes or seconds, and where
-- their ring stood then, in the ring's unit. Sums under earlier terms (`since`)
-- mean nothing.

ALTER TABLE projection_marks
  ADD COLUMN ring_costs bigint NOT NULL DEFAULT 0,
  ADD COLUMN ring_costs_sum bigint NOT NULL DEFAULT 0;

CREATE TABLE ring_cost_rows (
  shard bigint NOT NULL, queue text COLLATE "C" NOT NULL,
  "user" text COLLATE "C" NOT NULL, spent bigint NOT NULL,
  floor bigint NOT NULL, since bigint NOT NULL, checksum bigint NOT NULL,
  PRIMARY KEY (shard, queue, "user")) WITH (fillfactor = 80);

-- -- for people

CREATE VIEW ring_costs AS SELECT shard, queue, "user", spent, floor
  FROM ring_cost_rows;
