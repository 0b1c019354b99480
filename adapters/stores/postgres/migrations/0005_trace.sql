-- The W3C trace context that a submission came with, or nothing.

ALTER TABLE submission_rows
  ADD COLUMN trace text COLLATE "C" NOT NULL DEFAULT '';

CREATE OR REPLACE VIEW submissions AS SELECT
  shard, id, "user", queue, file_name, operation, login, source, size,
  CASE WHEN parked = 1 THEN 'parked' ELSE
    (ARRAY['queued', 'in_process', 'completed'])[status + 1] END AS status,
  CASE WHEN status = 2 THEN failed = 1 END AS failed,
  batch_id, attempt, processor, reason,
  time_of(received_us) AS received, time_of(started_us) AS started,
  time_of(finished_us) AS finished, document, trace
  FROM submission_rows;
