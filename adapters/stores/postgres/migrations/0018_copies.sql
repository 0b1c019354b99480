-- Which targets were given each version; none of a version: nobody wrote it down.

CREATE TABLE inventory_copies (
  identifier text COLLATE "C" NOT NULL, version bigint NOT NULL,
  target text COLLATE "C" NOT NULL,
  PRIMARY KEY (identifier, version, target));
