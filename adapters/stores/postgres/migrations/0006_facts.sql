-- What all engines must agree on, as the first of them said it.

CREATE TABLE store_facts (
  name text COLLATE "C" PRIMARY KEY,
  value text COLLATE "C" NOT NULL);
