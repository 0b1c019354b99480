-- When each file of an object's last version was compared with its digest.

CREATE TABLE fixity_files (
  identifier text COLLATE "C" NOT NULL, path text COLLATE "C" NOT NULL,
  sha512 text COLLATE "C" NOT NULL, checked_us bigint NOT NULL,
  PRIMARY KEY (identifier, path));
CREATE INDEX fixity_files_by_time
  ON fixity_files (checked_us, identifier, path);

-- Up to which version an object's files are there.
CREATE TABLE fixity_objects (
  identifier text COLLATE "C" PRIMARY KEY, version bigint NOT NULL);
