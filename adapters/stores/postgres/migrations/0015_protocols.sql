-- What each engine speaks at its node port: those that do not understand each
-- other cannot share shards.

ALTER TABLE engines
  ADD COLUMN protocol text COLLATE "C" NOT NULL DEFAULT '';
