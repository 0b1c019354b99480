-- What handlers and doors keep outside the journal, for all shards.

-- Large bodies by content. EXTERNAL: most are packed already.
CREATE TABLE blobs (
  sha256 text COLLATE "C" PRIMARY KEY,
  put_at timestamptz NOT NULL,
  bytes bytea NOT NULL);
ALTER TABLE blobs ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- `..._key` columns hold what is compared, that of the DOI its SHA-256 (an index
-- takes no long texts); the rest is as it was written.
CREATE TABLE dois (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  doi_key text COLLATE "C" NOT NULL UNIQUE,
  issn_key text COLLATE "C" NOT NULL, journal_key text COLLATE "C" NOT NULL,
  author_key text COLLATE "C" NOT NULL,
  doi text COLLATE "C" NOT NULL, resource text COLLATE "C" NOT NULL,
  issn text COLLATE "C" NOT NULL, isbn text COLLATE "C" NOT NULL,
  journal_title text COLLATE "C" NOT NULL, title text COLLATE "C" NOT NULL,
  first_author text COLLATE "C" NOT NULL, volume text COLLATE "C" NOT NULL,
  issue text COLLATE "C" NOT NULL, first_page text COLLATE "C" NOT NULL,
  year text COLLATE "C" NOT NULL, owner text COLLATE "C" NOT NULL,
  "timestamp" text COLLATE "C" NOT NULL, submission bigint NOT NULL,
  checksum bigint NOT NULL);
CREATE INDEX dois_by_issn ON dois (md5(issn_key)) WHERE issn_key <> '';
CREATE INDEX dois_by_journal ON dois (md5(journal_key))
  WHERE journal_key <> '';
CREATE INDEX dois_by_author ON dois (md5(author_key)) WHERE author_key <> '';

-- The results that a submission got, so that a repeat gets them again.
CREATE TABLE submissions_done (
  id bigint PRIMARY KEY, results text NOT NULL, checksum bigint NOT NULL);
