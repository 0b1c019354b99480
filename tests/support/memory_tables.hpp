#pragma once

// Tables in memory: those of SQLite without a file, and with pages of items so
// small that a short life fills and empties many.

#include "adapters/stores/sqlite/database.hpp"
#include "adapters/stores/sqlite/sqlite_doi_registry.hpp"
#include "adapters/stores/sqlite/sqlite_projection_store.hpp"

#include <memory>
#include <utility>

namespace depositd {

inline constexpr page_sizes small_pages{
  .items_min = 3, .items_max = 8, .lanes_max = 2};

inline std::unique_ptr<projection_store> make_memory_projection() {
  return std::move(
    *open_sqlite_projection(sqlite::in_memory, {.pages = small_pages}));
}

inline std::unique_ptr<doi_registry> make_memory_registry() {
  return std::move(*open_sqlite_registry(":memory:"));
}

} // namespace depositd
