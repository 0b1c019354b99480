#pragma once

// What version 4 of the projection brought: records of sources.

#include <string_view>

namespace depositd::sqlite::statements {

/// Bodies stand behind everything that recovery reads, so that their pages are
/// left alone.
inline constexpr std::string_view record_schema = R"(
ALTER TABLE meta ADD COLUMN records INTEGER NOT NULL DEFAULT 0;
ALTER TABLE meta ADD COLUMN records_sum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE meta ADD COLUMN record_totals INTEGER NOT NULL DEFAULT 0;
ALTER TABLE meta ADD COLUMN record_totals_sum INTEGER NOT NULL DEFAULT 0;
CREATE TABLE records (
  source TEXT NOT NULL, made_us INTEGER NOT NULL, key TEXT NOT NULL,
  refused INTEGER NOT NULL, queue TEXT NOT NULL, user TEXT NOT NULL,
  id INTEGER NOT NULL, state INTEGER NOT NULL, place INTEGER NOT NULL,
  ended_us INTEGER NOT NULL, reason TEXT NOT NULL,
  body_sum INTEGER NOT NULL, checksum INTEGER NOT NULL, body TEXT NOT NULL,
  PRIMARY KEY (source, made_us, key, refused)) STRICT, WITHOUT ROWID;
CREATE INDEX records_failed ON records (source, made_us, place)
  WHERE state = 5;
CREATE INDEX records_refused ON records (source, made_us, refused)
  WHERE refused <> 0;
CREATE TABLE record_totals (
  source TEXT NOT NULL, made_us INTEGER NOT NULL, finished INTEGER NOT NULL,
  failed INTEGER NOT NULL, checksum INTEGER NOT NULL,
  PRIMARY KEY (source, made_us)) STRICT, WITHOUT ROWID)";

} // namespace depositd::sqlite::statements
