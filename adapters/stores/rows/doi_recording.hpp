#pragma once

// How a submission's DOIs are recorded: the same in every registry, whatever
// keeps its tables.

#include "adapters/stores/rows/row_columns.hpp"
#include "adapters/stores/rows/sql_text.hpp"
#include "messages/ports/doi_registry.hpp"

#include <optional>
#include <string>
#include <vector>

namespace depositd::rows {

/// Which index serves a query; what else it asks is compared row by row.
enum class doi_index { doi, author, issn, journal, none };

/// The tables of a registry.
class doi_tables {
public:
  virtual ~doi_tables() = default;

  /// The results that a submission got, a letter each; nothing: none yet.
  virtual caf::expected<std::optional<std::string>> results_of(item_id id) = 0;
  virtual caf::error put_results(item_id id, const std::string& letters) = 0;

  /// Records under the key of an index that the query matches, which has been
  /// through `folded`; the first `count_max` of them.
  virtual caf::expected<std::vector<doi_record>>
  find(doi_index by, const std::string& key, const doi_query& wanted,
       std::uint32_t count_max) = 0;

  /// Puts or replaces what is recorded under the key, the folded DOI.
  virtual caf::error put(const std::string& key, const doi_record& record,
                         item_id submission) = 0;
};

/// What a submission got that was recorded before; nothing: it was not.
/// `ec::invalid_argument` if it comes with another number of records.
caf::expected<std::optional<std::vector<doi_result>>>
recorded(doi_tables& in, const doi_registration& what);

/// Records the DOIs that are newer than what is there, or does what else is
/// asked with each, inside a transaction, and gives the results; what was
/// `recorded` before stays.
caf::expected<std::vector<doi_result>> record(doi_tables& to,
                                              const doi_registration& what);

/// The same for a group of them, one behind the other.
caf::expected<std::vector<std::vector<doi_result>>>
record_all(doi_tables& to, const std::vector<const doi_registration*>& all);

/// What the query matches, by the index that narrows it most.
caf::expected<std::vector<doi_record>>
find(doi_tables& from, const doi_query& query, std::uint32_t count_max);

/// Checksum of the results of a submission.
std::uint64_t checksum_of(item_id id, std::string_view letters);

/// `ec::store_damaged` if results that were stored are not what they were.
template <class Source>
caf::error check_results(const Source& from, item_id id,
                         std::string_view letters, std::uint64_t stored) {
  return stored == checksum_of(id, letters)
           ? caf::error{}
           : from.damaged("the results of submission " + std::to_string(id)
                          + " do not match their checksum");
}

/// What registries keep of a DOI: keys to look it up by, the columns, the
/// submission and the checksum.
constexpr fields doi_fields() {
  constexpr auto text = kind::text;
  return fields{{"doi_key", text},
                {"issn_key", text},
                {"journal_key", text},
                {"author_key", text}}
         + fields_of<doi_record>() + fields{{"submission"}, {"checksum"}};
}

/// Behind an INSERT of DOIs: replaces what was recorded of them.
constexpr std::string or_replace_dois() {
  auto replaced = doi_fields();
  replaced.erase(replaced.begin()); // but for its key
  return joined({" ON CONFLICT (doi_key) DO UPDATE SET ",
                 listed(replaced, "{} = excluded.{}")});
}

/// The DOIs under a key of the index, or all. `parameter` is the key, `pattern`
/// how columns are compared with it.
std::string dois(doi_index by, std::string_view parameter,
                 std::string_view pattern);

} // namespace depositd::rows
