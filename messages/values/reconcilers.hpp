#pragma once

// Reconcilers: what is looked for now and then and queued if it is due.

#include "messages/values/types.hpp"
#include "messages/values/word_list.hpp"

#include <cstdint>
#include <string>

namespace depositd {

enum class due_query : std::uint8_t {
  fixity_due,       ///< files that were not compared for some time
  deletions_missed, ///< requests that are approved and not queued
  spot_restore,     ///< one object of each owner, to see that it can be had
};

template <>
inline constexpr word_list<due_query, 3> words_of<due_query> = {
  {{due_query::fixity_due, "fixity_due"},
   {due_query::deletions_missed, "deletions_missed"},
   {due_query::spot_restore, "spot_restore"}}};

/// APTrust's topic that gets what is due: the query decides.
constexpr const char* topic_of(due_query x) {
  switch (x) {
    case due_query::fixity_due:
      return "fixity_check";
    case due_query::deletions_missed:
      return "delete_item";
    case due_query::spot_restore:
      break;
  }
  return "restore_object";
}

struct reconciler_settings {
  std::string name;
  std::uint32_t every_s = 3'600;
  due_query query = due_query::fixity_due;
  std::uint32_t count_max = 2'500; ///< files or objects in one run
  std::uint32_t age_days = 90;     ///< what is younger is not due
  std::string queue;               ///< `topic_of(query)`, or empty

  friend bool operator==(const reconciler_settings&,
                         const reconciler_settings&) = default;
};

/// Runs are counted from 1970: engines that share their users and those that
/// are started again in its time mean the same run.
constexpr std::int64_t slot_of(const reconciler_settings& x, micros now) {
  return now / (micros{x.every_s} * 1'000'000);
}

/// When the run behind this one begins.
constexpr micros begin_of_next(const reconciler_settings& x, micros now) {
  return (slot_of(x, now) + 1) * micros{x.every_s} * 1'000'000;
}

} // namespace depositd
