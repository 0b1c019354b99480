-- What DOIs cite, as JSON; empty: nothing was said of it.

ALTER TABLE dois ADD COLUMN citations text COLLATE "C" NOT NULL DEFAULT '';
