-- What was done with objects and their files. An event never changes.

CREATE TABLE premis_events (
  id text COLLATE "C" PRIMARY KEY, type text COLLATE "C" NOT NULL,
  at_us bigint NOT NULL, detail text COLLATE "C" NOT NULL,
  outcome text COLLATE "C" NOT NULL, outcome_detail text COLLATE "C" NOT NULL,
  object text COLLATE "C" NOT NULL, file text COLLATE "C" NOT NULL,
  agent text COLLATE "C" NOT NULL, owner text COLLATE "C" NOT NULL,
  job text COLLATE "C" NOT NULL, checksum bigint NOT NULL);
CREATE INDEX premis_events_by_object ON premis_events (object, at_us, id);
CREATE INDEX premis_events_by_file ON premis_events (object, file, at_us, id);
