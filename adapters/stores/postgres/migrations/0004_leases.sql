-- How many shards there are, the same for ever: a user's shard follows from it.
-- A database from before shards has one.
CREATE TABLE shard_counts (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  count bigint NOT NULL CHECK (count > 0));
INSERT INTO shard_counts (count)
  SELECT 1 WHERE EXISTS (SELECT FROM shard_owners);

-- Engines that take part. `instance` rises whenever one of this name starts.
CREATE TABLE engines (
  name text COLLATE "C" PRIMARY KEY,
  instance bigint NOT NULL,
  address text COLLATE "C" NOT NULL,
  alive_until timestamptz NOT NULL);

-- Who may write a shard until when. Apart from shard_owners, whose rows every
-- append and every slice of the projection holds: a renewal waits for neither.
CREATE TABLE shard_leases (
  shard bigint PRIMARY KEY,
  epoch bigint NOT NULL,
  engine text COLLATE "C" NOT NULL,
  instance bigint NOT NULL,
  ends_at timestamptz NOT NULL);

-- -- for people

CREATE VIEW shards AS SELECT
  l.shard, nullif(l.engine, '') AS engine, e.address, l.epoch, l.ends_at,
  l.ends_at > now() AS in_force, m.reached, m.items
  FROM shard_leases l LEFT JOIN engines e ON e.name = l.engine
  LEFT JOIN projection_marks m USING (shard);
