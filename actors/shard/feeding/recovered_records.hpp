#pragma once

// What recovery finds of records of sources: what is known of their keys, and
// which live items they are.

#include "actors/rules/sources/record_register.hpp"
#include "messages/users.hpp"
#include "messages/values/rows.hpp"
#include "messages/values/source_events.hpp"

#include <memory>
#include <string>
#include <unordered_map>

namespace depositd::shard {

struct recovered_records {
  rules::record_register known;

  /// By user, then item.
  std::unordered_map<
    std::string,
    std::unordered_map<item_id, std::shared_ptr<const record_origin>>>
    origins;

  void restore(const record_row& x);
  void restore(const record_totals& x);

  // What the journal has behind the tables. `user`: of the record in it.
  void apply(const std::string& user, const record_taken& x);
  void apply(const std::string& user, const record_ended& x);
  void apply(const std::string& user, const record_refused& x);
  void apply(const std::string& user, const records_forgotten& x);

  /// Null if the item is no record.
  std::shared_ptr<const record_origin> origin(const std::string& user,
                                              item_id id) const;

private:
  void keep_origin(const std::string& user, item_id id, record_origin x);
};

} // namespace depositd::shard
