-- Who may write a shard. Every append locks this row FOR SHARE and names both
-- numbers: a later epoch fences another engine, a later session fences what an
-- earlier connection of the same engine may still have on the way.
CREATE TABLE shard_owners (
  shard bigint PRIMARY KEY,
  epoch bigint NOT NULL CHECK (epoch > 0),
  session bigint NOT NULL,
  owned_since timestamptz NOT NULL DEFAULT now());

-- Parts of the log, each in a table of its own (journal_SHARD_NUMBER), so that
-- the past goes by DROP TABLE and leaves nothing to vacuum. The last one is
-- open: its last_seq and bytes are known when the next one is begun.
CREATE TABLE journal_extents (
  shard bigint NOT NULL,
  number bigint NOT NULL,
  first_seq bigint NOT NULL,
  last_seq bigint,
  bytes bigint,
  PRIMARY KEY (shard, number),
  CHECK ((last_seq IS NULL) = (bytes IS NULL)),
  CHECK (last_seq >= first_seq));
CREATE UNIQUE INDEX journal_extents_open ON journal_extents (shard)
  WHERE last_seq IS NULL;

CREATE TABLE journal_watermarks (
  shard bigint NOT NULL,
  partition text COLLATE "C" NOT NULL,
  position bigint NOT NULL,
  PRIMARY KEY (shard, partition));

-- The pattern of the tables of extents; holds nothing itself. EXTERNAL: out of
-- line and not compressed, so that a body is read without the rest.
CREATE TABLE journal_groups (
  first_seq bigint PRIMARY KEY,
  last_seq bigint NOT NULL,
  epoch bigint NOT NULL,
  length bigint NOT NULL,
  checksum bigint NOT NULL,
  watermarks bytea NOT NULL,
  bytes bytea NOT NULL,
  CHECK (last_seq >= first_seq));
ALTER TABLE journal_groups ALTER COLUMN bytes SET STORAGE EXTERNAL;
