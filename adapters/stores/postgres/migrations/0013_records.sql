-- Records of sources: those whose items live, and as many of those that are
-- over as are remembered; bad ones (`refused`, the digest of what they were).

ALTER TABLE projection_marks
  ADD COLUMN records bigint NOT NULL DEFAULT 0,
  ADD COLUMN records_sum bigint NOT NULL DEFAULT 0,
  ADD COLUMN record_totals bigint NOT NULL DEFAULT 0,
  ADD COLUMN record_totals_sum bigint NOT NULL DEFAULT 0;

CREATE TABLE record_rows (
  shard bigint NOT NULL, source text COLLATE "C" NOT NULL,
  made_us bigint NOT NULL, key text COLLATE "C" NOT NULL,
  refused bigint NOT NULL, queue text COLLATE "C" NOT NULL,
  "user" text COLLATE "C" NOT NULL, id bigint NOT NULL,
  state smallint NOT NULL CHECK (state BETWEEN 0 AND 5),
  place bigint NOT NULL, ended_us bigint NOT NULL,
  reason text COLLATE "C" NOT NULL, body_sum bigint NOT NULL,
  checksum bigint NOT NULL, body bytea NOT NULL) WITH (fillfactor = 80);
-- Keys may be longer than an entry of an index.
CREATE UNIQUE INDEX record_rows_by_key
  ON record_rows (shard, source, made_us, (md5(key)), refused);
CREATE INDEX record_rows_failed
  ON record_rows (shard, source, made_us, place) WHERE state = 5;
CREATE INDEX record_rows_refused
  ON record_rows (shard, source, made_us, refused) WHERE refused <> 0;

CREATE TABLE record_total_rows (
  shard bigint NOT NULL, source text COLLATE "C" NOT NULL,
  made_us bigint NOT NULL, finished bigint NOT NULL, failed bigint NOT NULL,
  checksum bigint NOT NULL,
  PRIMARY KEY (shard, source, made_us)) WITH (fillfactor = 80);

-- -- for people

CREATE VIEW records AS SELECT
  shard, source, key, "user", queue, nullif(id, 0) AS item,
  CASE WHEN refused <> 0 THEN 'bad' ELSE
    (ARRAY['unknown', 'buffered', 'queued', 'claimed', 'finished',
      'failed'])[state + 1] END AS state,
  reason, time_of(ended_us) AS ended
  FROM record_rows;
