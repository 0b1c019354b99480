-- Batches and jobs of pipelines. They stay after their item has left, which is
-- when `queue` becomes empty; recovery loads those whose item lives.

ALTER TABLE projection_marks
  ADD COLUMN batches bigint NOT NULL DEFAULT 0,
  ADD COLUMN batches_sum bigint NOT NULL DEFAULT 0,
  ADD COLUMN jobs bigint NOT NULL DEFAULT 0,
  ADD COLUMN jobs_sum bigint NOT NULL DEFAULT 0;

CREATE TABLE batch_rows (
  shard bigint NOT NULL, id bigint NOT NULL,
  "user" text COLLATE "C" NOT NULL, uuid text COLLATE "C" NOT NULL,
  collection text COLLATE "C" NOT NULL, pipeline text COLLATE "C" NOT NULL,
  source text COLLATE "C" NOT NULL, submitter text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL, file_name text COLLATE "C" NOT NULL,
  title text COLLATE "C" NOT NULL, received_us bigint NOT NULL,
  queue text COLLATE "C" NOT NULL,
  state smallint NOT NULL CHECK (state BETWEEN 0 AND 8),
  changed_us bigint NOT NULL, note text COLLATE "C" NOT NULL,
  expected bigint NOT NULL, split smallint NOT NULL, open bigint NOT NULL,
  held bigint NOT NULL, completed bigint NOT NULL, failed bigint NOT NULL,
  deleted bigint NOT NULL, reports bigint NOT NULL,
  checksum bigint NOT NULL,
  PRIMARY KEY (shard, id)) WITH (fillfactor = 80);
CREATE INDEX batch_rows_by_user ON batch_rows (shard, "user", id);
CREATE INDEX batch_rows_by_uuid ON batch_rows USING hash (uuid);
CREATE INDEX batch_rows_by_state ON batch_rows (shard, state, id);
CREATE INDEX batch_rows_by_collection
  ON batch_rows (shard, collection, state, id);
CREATE INDEX batch_rows_live ON batch_rows (shard, id) WHERE queue <> '';

CREATE TABLE job_rows (
  shard bigint NOT NULL, id bigint NOT NULL, batch bigint NOT NULL,
  "user" text COLLATE "C" NOT NULL, uuid text COLLATE "C" NOT NULL,
  collection text COLLATE "C" NOT NULL, pipeline text COLLATE "C" NOT NULL,
  type smallint NOT NULL CHECK (type BETWEEN 0 AND 2),
  file_name text COLLATE "C" NOT NULL, created_us bigint NOT NULL,
  queue text COLLATE "C" NOT NULL, priority smallint NOT NULL,
  attempt bigint NOT NULL,
  state smallint NOT NULL CHECK (state BETWEEN 0 AND 12),
  last_successful smallint NOT NULL
    CHECK (last_successful BETWEEN 0 AND 12),
  retry_count bigint NOT NULL, needs_review smallint NOT NULL,
  submit_again smallint NOT NULL, changed_us bigint NOT NULL,
  note text COLLATE "C" NOT NULL, deaths bigint NOT NULL,
  identifier text COLLATE "C" NOT NULL, local_ids text COLLATE "C" NOT NULL,
  title text COLLATE "C" NOT NULL, creator text COLLATE "C" NOT NULL,
  date text COLLATE "C" NOT NULL, space_needed bigint NOT NULL,
  checksum bigint NOT NULL,
  PRIMARY KEY (shard, id)) WITH (fillfactor = 80);
CREATE INDEX job_rows_by_batch ON job_rows (shard, batch, id);
CREATE INDEX job_rows_by_uuid ON job_rows USING hash (uuid);
CREATE INDEX job_rows_by_identifier ON job_rows USING hash (identifier)
  WHERE identifier <> '';
CREATE INDEX job_rows_by_state ON job_rows (shard, state, id);
CREATE INDEX job_rows_by_collection
  ON job_rows (shard, collection, state, id);
CREATE INDEX job_rows_to_review ON job_rows (shard, id)
  WHERE needs_review = 1;
CREATE INDEX job_rows_live ON job_rows (shard, id) WHERE queue <> '';

-- -- for people

CREATE VIEW batches AS SELECT
  shard, id, uuid, "user", collection, pipeline, source, submitter, type,
  file_name, title,
  (ARRAY['none', 'pending', 'held', 'processing', 'reporting', 'completed',
    'failed', 'update-reporting', 'deleted'])[state + 1] AS state,
  nullif(queue, '') AS queue, expected, split = 1 AS split, open, held,
  completed, failed, deleted, reports, note,
  time_of(received_us) AS received, time_of(changed_us) AS changed
  FROM batch_rows;

CREATE VIEW jobs AS SELECT
  shard, id, batch, uuid, "user", collection, pipeline,
  (ARRAY['file', 'container', 'manifest'])[type + 1] AS type, file_name,
  (ARRAY['none', 'pending', 'held', 'estimating', 'provisioning',
    'downloading', 'processing', 'storing', 'recording', 'notify',
    'completed', 'failed', 'deleted'])[state + 1] AS state,
  nullif(queue, '') AS queue, priority, attempt, retry_count,
  needs_review = 1 AS needs_review, submit_again = 1 AS submit_again,
  identifier, local_ids, title, creator, date,
  nullif(space_needed, -1) AS space_needed, note,
  time_of(created_us) AS created, time_of(changed_us) AS changed
  FROM job_rows;
