-- The projection: what recovery loads and what people read. Texts are UTF-8; a
-- backslash is doubled, a byte that is no UTF-8 is \xHH. Times ending in _us
-- are microseconds since 1970, 0 is never; the views show them as times.

CREATE TABLE projection_marks (
  shard bigint PRIMARY KEY,
  reached bigint NOT NULL, id_max bigint NOT NULL,
  items bigint NOT NULL, items_sum bigint NOT NULL,
  rings bigint NOT NULL, rings_sum bigint NOT NULL,
  controls bigint NOT NULL, controls_sum bigint NOT NULL,
  checksum bigint NOT NULL);

-- Changing an item touches no index, so that the row stays on its page.
CREATE TABLE item_rows (
  shard bigint NOT NULL, id bigint NOT NULL,
  queue text COLLATE "C" NOT NULL, "user" text COLLATE "C" NOT NULL,
  priority smallint NOT NULL, size bigint NOT NULL,
  received_us bigint NOT NULL, digest bigint NOT NULL,
  kind smallint NOT NULL CHECK (kind BETWEEN 0 AND 1),
  body_group bigint NOT NULL, body_offset bigint NOT NULL,
  body_length bigint NOT NULL,
  state smallint NOT NULL CHECK (state BETWEEN 0 AND 3),
  attempt bigint NOT NULL, available_us bigint NOT NULL,
  token bigint NOT NULL, deadline_us bigint NOT NULL,
  local smallint NOT NULL, processor text COLLATE "C" NOT NULL,
  checksum bigint NOT NULL,
  PRIMARY KEY (shard, id)) WITH (fillfactor = 80);
CREATE INDEX item_rows_in_order ON item_rows (shard, queue, priority, id);

CREATE TABLE ring_rows (
  shard bigint NOT NULL, queue text COLLATE "C" NOT NULL,
  "user" text COLLATE "C" NOT NULL, stamp bigint NOT NULL,
  credit bigint NOT NULL, checksum bigint NOT NULL,
  PRIMARY KEY (shard, queue, "user")) WITH (fillfactor = 80);

-- `value` is the newest control event in the encoding of the journal.
CREATE TABLE control_rows (
  shard bigint NOT NULL, kind smallint NOT NULL,
  key text COLLATE "C" NOT NULL, value bytea NOT NULL,
  checksum bigint NOT NULL,
  PRIMARY KEY (shard, kind, key));

CREATE TABLE submission_rows (
  shard bigint NOT NULL, id bigint NOT NULL,
  "user" text COLLATE "C" NOT NULL, queue text COLLATE "C" NOT NULL,
  file_name text COLLATE "C" NOT NULL, operation text COLLATE "C" NOT NULL,
  login text COLLATE "C" NOT NULL, source text COLLATE "C" NOT NULL,
  blob text COLLATE "C" NOT NULL, size bigint NOT NULL,
  status smallint NOT NULL CHECK (status BETWEEN 0 AND 2),
  failed smallint NOT NULL, parked smallint NOT NULL,
  batch_id text COLLATE "C" NOT NULL, processor text COLLATE "C" NOT NULL,
  reason text COLLATE "C" NOT NULL,
  received_us bigint NOT NULL, started_us bigint NOT NULL,
  finished_us bigint NOT NULL, attempt bigint NOT NULL,
  document_sum bigint NOT NULL, checksum bigint NOT NULL,
  document text COLLATE "C" NOT NULL,
  PRIMARY KEY (shard, id)) WITH (fillfactor = 80);
CREATE INDEX submission_rows_by_file
  ON submission_rows (shard, "user", md5(file_name));
CREATE INDEX submission_rows_by_batch
  ON submission_rows (shard, "user", md5(batch_id)) WHERE batch_id <> '';
CREATE INDEX submission_rows_by_status
  ON submission_rows (shard, queue, status);
CREATE INDEX submission_rows_finished
  ON submission_rows (shard, finished_us) WHERE finished_us > 0;
CREATE INDEX submission_rows_by_blob
  ON submission_rows (blob) WHERE blob <> '';

-- -- for people

CREATE FUNCTION time_of(us bigint) RETURNS timestamptz LANGUAGE sql IMMUTABLE
  RETURN CASE WHEN us = 0 THEN NULL
  ELSE '1970-01-01 00:00:00+00'::timestamptz + us * interval '1 microsecond'
  END;

CREATE VIEW submissions AS SELECT
  shard, id, "user", queue, file_name, operation, login, source, size,
  CASE WHEN parked = 1 THEN 'parked' ELSE
    (ARRAY['queued', 'in_process', 'completed'])[status + 1] END AS status,
  CASE WHEN status = 2 THEN failed = 1 END AS failed,
  batch_id, attempt, processor, reason,
  time_of(received_us) AS received, time_of(started_us) AS started,
  time_of(finished_us) AS finished, document
  FROM submission_rows;

CREATE VIEW items AS SELECT
  shard, id, queue, "user", priority, size,
  (ARRAY['pending', 'claimed', 'delayed', 'parked'])[state + 1] AS state,
  attempt, time_of(received_us) AS received,
  time_of(available_us) AS available
  FROM item_rows;

CREATE VIEW claims AS SELECT
  shard, id, queue, "user", attempt, processor, local = 1 AS in_engine,
  time_of(deadline_us) AS deadline, time_of(received_us) AS received
  FROM item_rows WHERE state = 1;

CREATE VIEW rings AS SELECT shard, queue, "user", stamp, credit FROM ring_rows;

CREATE VIEW controls AS SELECT shard, kind, key, value FROM control_rows;

CREATE VIEW users AS SELECT
  shard, queue, "user",
  count(*) FILTER (WHERE state IN (0, 2)) AS pending,
  count(*) FILTER (WHERE state = 1) AS claimed,
  count(*) FILTER (WHERE state = 3) AS parked,
  time_of(min(received_us)) AS oldest
  FROM item_rows GROUP BY shard, queue, "user";

CREATE VIEW reached AS SELECT
  m.shard, m.reached, m.id_max, m.items, o.epoch, o.owned_since
  FROM projection_marks m LEFT JOIN shard_owners o USING (shard);
