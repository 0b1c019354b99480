#include "tests/simulation/tables.hpp"

#include "tests/support/memory_tables.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace depositd::simulation {

namespace {

using file_pointer = std::shared_ptr<sqlite::database>;

/// A file that remembers the marks of an empty one.
caf::expected<file_pointer> make_file() {
  auto file = open_projection_file(sqlite::in_memory);
  if (!file)
    return file;
  auto failed =
    (*file)->run("CREATE TEMP TABLE first_meta AS SELECT * FROM meta");
  if (failed)
    return failed;
  return file;
}

caf::error empty(sqlite::database& file) {
  std::vector<std::string> tables;
  auto failed = file.each("SELECT name FROM sqlite_schema WHERE type = 'table'",
                          [&](const sqlite::statement& row) {
                            row.take(tables.emplace_back());
                            return caf::error{};
                          });
  if (failed)
    return failed;
  return file.transact([&] {
    for (const auto& table : tables)
      if (auto error = file.run("DELETE FROM " + table))
        return error;
    return file.run("INSERT INTO meta SELECT * FROM first_meta");
  });
}

caf::expected<file_pointer> empty_file() {
  static std::vector<file_pointer> all = [] {
    sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    return std::vector<file_pointer>{};
  }();
  const auto spare = std::find_if(
    all.begin(), all.end(), [](const auto& x) { return x.use_count() == 1; });
  if (spare != all.end()) {
    auto failed = empty(**spare);
    if (failed)
      return failed;
    return *spare;
  }
  auto made = make_file();
  if (made)
    all.push_back(*made);
  return made;
}

} // namespace

std::unique_ptr<projection_store> make_empty_tables() {
  return std::move(*open_sqlite_projection(std::move(*empty_file()),
                                           small_pages));
}

std::unique_ptr<projection_store>
open_tables(const std::filesystem::path& folder) {
  return std::move(*open_sqlite_projection(folder / "projection.db",
                                           {.pages = small_pages}));
}

} // namespace depositd::simulation
