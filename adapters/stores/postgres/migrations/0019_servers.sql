-- Which server each shard was last taken on, and which history of it: another
-- one may not know all epochs and numbers that were given. `copied`: it was ever
-- another.
ALTER TABLE shard_owners
  ADD COLUMN server text COLLATE "C" NOT NULL DEFAULT '',
  ADD COLUMN copied boolean NOT NULL DEFAULT false;
