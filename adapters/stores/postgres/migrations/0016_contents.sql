-- What was sent with a submission, where it is in no blob; goes with it.

CREATE TABLE content_rows (
  shard bigint NOT NULL, id bigint NOT NULL, contents bytea NOT NULL,
  checksum bigint NOT NULL, PRIMARY KEY (shard, id));
