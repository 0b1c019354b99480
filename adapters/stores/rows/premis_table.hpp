#pragma once

// The table of PREMIS events, beside those of catalogue.hpp and as they are.

#include "adapters/stores/rows/catalogue_rows.hpp"

#include <algorithm>
#include <vector>

namespace depositd::rows {

/// On one connection; `Database` as for `catalogue`.
template <class Database>
class premis_table {
public:
  explicit premis_table(Database& in) : in_(in) {
    // nop
  }

  /// Inside a transaction. Those that are known are passed over.
  caf::error record(const std::vector<premis_event>& x);
  caf::expected<std::vector<premis_event>> find(const premis_query& x);

private:
  Database& in_;
};

template <class Database>
caf::error premis_table<Database>::record(const std::vector<premis_event>& x) {
  for (const auto& one : x) {
    if (auto fault = fault_of(one))
      return fault;
    if (auto failed = in_.run(
          "INSERT INTO premis_events (id, type, at_us, detail, outcome, "
          "outcome_detail, object, file, agent, owner, job, checksum) "
          "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) "
          "ON CONFLICT (id) DO NOTHING",
          one.id, one.type, one.at_us, one.detail, one.outcome,
          one.outcome_detail, one.object, one.file, one.agent, one.owner,
          one.job, checksum_of(one)))
      return failed;
  }
  return {};
}

template <class Database>
caf::expected<std::vector<premis_event>>
premis_table<Database>::find(const premis_query& x) {
  std::vector<premis_event> out;
  auto failed = in_.each(
    search_text(x),
    [&](const auto& from) { return take_row(from, out.emplace_back()); },
    x.object, x.file, x.type, x.since_us, x.after,
    std::min(x.count_max, inventory_answer_max));
  if (failed)
    return failed;
  return out;
}

} // namespace depositd::rows
