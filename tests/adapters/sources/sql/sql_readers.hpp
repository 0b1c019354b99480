#pragma once

// Readers of databases, as tests want them.

#include "adapters/sources/sql/sql_reader.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace depositd::sources {

/// Keys are in the column "id".
inline source_settings sql_source(std::string url, std::string query) {
  source_settings out;
  out.kind = source_kind::sql;
  out.key = "id";
  out.from.url = std::move(url);
  out.from.query = std::move(query);
  return out;
}

/// The same for a query with `:cursor`.
inline source_settings with_cursor(source_settings x, std::string column,
                                   std::string start) {
  x.from.cursor = std::move(column);
  x.from.cursor_start = std::move(start);
  x.from.has_cursor_start = true;
  return x;
}

inline caf::expected<std::unique_ptr<source_reader>>
try_reader(const source_settings& x) {
  reader_context in;
  in.body_bytes_max = 1'000'000;
  return make_sql_reader("src", x, in);
}

inline std::unique_ptr<source_reader> open_reader(const source_settings& x) {
  auto out = try_reader(x);
  EXPECT_TRUE(out) << render(out.error());
  return out ? std::move(*out) : nullptr;
}

inline caf::expected<pulled_batch>
read_batch(source_reader& from, std::uint64_t limit, std::string cursor = {}) {
  return from.next_batch({limit, std::move(cursor), std::chrono::minutes{2}});
}

/// One that must not fail.
inline pulled_batch next(source_reader& from, std::uint64_t limit,
                         std::string cursor = {}) {
  auto out = read_batch(from, limit, std::move(cursor));
  EXPECT_TRUE(out) << render(out.error());
  return out ? std::move(*out) : pulled_batch{};
}

/// Why a batch fails; `none` if it does not.
inline caf::error fault(source_reader& from, std::string cursor = {}) {
  auto out = read_batch(from, 10, std::move(cursor));
  return out ? caf::error{} : std::move(out.error());
}

inline std::vector<std::string> keys_of(const pulled_batch& x) {
  std::vector<std::string> out;
  for (const auto& record : x.records)
    out.push_back(record.key);
  return out;
}

inline std::vector<std::string> bodies_of(const pulled_batch& x) {
  std::vector<std::string> out;
  for (const auto& record : x.records)
    out.push_back(record.body);
  return out;
}

using texts = std::vector<std::string>;

} // namespace depositd::sources
