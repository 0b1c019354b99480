#pragma once

// Rows of the inventory: their checksums, and the text of its search.

#include "adapters/stores/rows/row_checksum.hpp"
#include "messages/ports/inventory.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::rows {

/// Of identifiers and local identifiers: they are keys of indexes.
inline constexpr std::size_t inventory_name_bytes_max = 1'024;
/// More objects are in no answer.
inline constexpr std::uint32_t inventory_answer_max = 10'000;

/// The row of an object; targets are joined by line breaks.
struct stored_object {
  std::string identifier;
  std::string collection;
  std::string owner;
  std::string storage;
};

inventory_object object_of(const stored_object& x);

/// The targets that are there, and those that come.
std::string with_targets(const std::string& storage,
                         const std::vector<std::string>& more);

/// Why it cannot be recorded; no error if it can.
caf::error fault_of(const inventory_entry& x);

/// A version that an object has, by its number.
struct known_version {
  std::uint32_t number = 0;
  std::vector<stored_file> files;
};

/// Whether the same paths have the same bytes, in whatever order.
bool are_same(std::vector<stored_file> a, std::vector<stored_file> b);

/// The number of a version, and whether the object has it already.
struct version_number {
  std::uint32_t number = 0;
  bool is_known = false;

  friend bool operator==(const version_number&,
                         const version_number&) = default;
};

/// The number that a version of these files gets. One that is taken by other
/// files is no reason to lose these: storage may have begun anew, or the
/// inventory may have been restored.
/// `known`: the version of that number, if there is one, and the last.
version_number number_for(const std::vector<known_version>& known,
                          std::uint32_t wanted,
                          const std::vector<stored_file>& files);

/// What a title or a path is looked for by: case does not count.
std::string search_key(std::string_view text);

/// For LIKE with '!' as its escape; empty if nothing is looked for.
std::string pattern_of(const std::string& part);

/// Why it cannot be recorded; no error if it can.
caf::error fault_of(const premis_event& x);

/// The statement that looks for events: its parameters are object, file, type,
/// the time, the event to go on behind and the number of rows.
std::string search_text(const premis_query& x);

/// The statement of a search: its parameters are identifier, owner, collection,
/// after, local id, the patterns of title and file name, owners, collections,
/// and the number of rows. What does not restrict is compared with itself, so
/// that the planner sees what does. `owners` and `collections` are the
/// conditions on $8 and $9.
std::string search_text(const inventory_search& x, const std::string& owners,
                        const std::string& collections);

/// The condition that a column has one of the values, which are the parameter
/// of this sign; any, if there are none.
template <class Database>
std::string one_of(const std::string& column, const std::string& sign,
                   const std::vector<std::string>& values) {
  return values.empty() ? sign + " IS NOT NULL" : Database::among(column, sign);
}

std::uint64_t checksum_of(const stored_object& x);
std::uint64_t checksum_of(const std::string& identifier,
                          const inventory_version& x);
std::uint64_t checksum_of(const std::string& identifier, std::uint32_t version,
                          const stored_file& x);
std::uint64_t checksum_of(const premis_event& x);

/// The row that `from` stands on, which ends with its checksum.
/// `ec::store_damaged` if it does not match.
template <class Source>
caf::error take_row(const Source& from, stored_object& x) {
  std::uint64_t checksum = 0;
  from.take(x.identifier, x.collection, x.owner, x.storage, checksum);
  return checksum == checksum_of(x)
           ? caf::error{}
           : from.damaged("object " + x.identifier
                          + " does not match its checksum");
}

template <class Source>
caf::error take_row(const Source& from, premis_event& x) {
  std::uint64_t checksum = 0;
  from.take(x.id, x.type, x.at_us, x.detail, x.outcome, x.outcome_detail,
            x.object, x.file, x.agent, x.owner, x.job, checksum);
  return checksum == checksum_of(x)
           ? caf::error{}
           : from.damaged("event " + x.id + " does not match its checksum");
}

template <class Source>
caf::error take_row(const Source& from, const std::string& identifier,
                    inventory_version& x) {
  std::uint64_t checksum = 0;
  from.take(x.number, x.job, x.batch, x.user, x.title, x.creator, x.date,
            x.bytes, x.files, x.recorded_us, checksum);
  return checksum == checksum_of(identifier, x)
           ? caf::error{}
           : from.damaged("version " + std::to_string(x.number) + " of "
                          + identifier + " does not match its checksum");
}

template <class Source>
caf::error take_row(const Source& from, const std::string& identifier,
                    std::uint32_t version, stored_file& x) {
  std::uint64_t checksum = 0;
  from.take(x.path, x.bytes, x.sha512, checksum);
  return checksum == checksum_of(identifier, version, x)
           ? caf::error{}
           : from.damaged(x.path + " of " + identifier
                          + " does not match its checksum");
}

} // namespace depositd::rows
