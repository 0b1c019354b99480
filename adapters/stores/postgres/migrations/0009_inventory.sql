-- The inventory of objects, and the locks of those that are worked on.

CREATE TABLE inventory_objects (
  identifier text COLLATE "C" PRIMARY KEY,
  collection text COLLATE "C" NOT NULL, owner text COLLATE "C" NOT NULL,
  storage text COLLATE "C" NOT NULL, checksum bigint NOT NULL);
CREATE INDEX inventory_objects_by_owner ON inventory_objects (owner);
CREATE INDEX inventory_objects_by_collection ON inventory_objects (collection);

-- `..._key` columns are what is looked for; the rest is as it was given.
CREATE TABLE inventory_versions (
  identifier text COLLATE "C" NOT NULL, number bigint NOT NULL,
  job text COLLATE "C" NOT NULL UNIQUE, batch text COLLATE "C" NOT NULL,
  "user" text COLLATE "C" NOT NULL, title text COLLATE "C" NOT NULL,
  creator text COLLATE "C" NOT NULL, "date" text COLLATE "C" NOT NULL,
  bytes bigint NOT NULL, files bigint NOT NULL, recorded_us bigint NOT NULL,
  checksum bigint NOT NULL, title_key text COLLATE "C" NOT NULL,
  PRIMARY KEY (identifier, number));

CREATE TABLE inventory_files (
  identifier text COLLATE "C" NOT NULL, version bigint NOT NULL,
  place bigint NOT NULL, path text COLLATE "C" NOT NULL,
  bytes bigint NOT NULL, sha512 text COLLATE "C" NOT NULL,
  checksum bigint NOT NULL, path_key text COLLATE "C" NOT NULL,
  PRIMARY KEY (identifier, version, place));

-- Also of objects that are yet to be recorded.
CREATE TABLE inventory_local_ids (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  owner text COLLATE "C" NOT NULL, local_id text COLLATE "C" NOT NULL,
  identifier text COLLATE "C" NOT NULL, UNIQUE (owner, local_id));
CREATE INDEX inventory_local_ids_by_id ON inventory_local_ids (local_id);
CREATE INDEX inventory_local_ids_by_object ON inventory_local_ids (identifier);

CREATE TABLE inventory_locks (
  name text COLLATE "C" PRIMARY KEY, holder text COLLATE "C" NOT NULL,
  token bigint NOT NULL, until_us bigint NOT NULL);
CREATE INDEX inventory_locks_by_holder ON inventory_locks (holder);
