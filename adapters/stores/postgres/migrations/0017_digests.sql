-- By what deposits from logs of records that come again are known; 0: nothing.

ALTER TABLE submission_rows ADD COLUMN digest bigint NOT NULL DEFAULT 0;
