#pragma once

// How APTrust's work items stand, in its own words: what jobs of its pipelines
// are called by people who come from there.

#include "messages/values/word_list.hpp"
#include "messages/values/work_rows.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace depositd {

enum class item_status : std::uint8_t {
  pending,
  started,
  success,
  failed,
  cancelled,
  suspended,
};

/// In the order in which an ingest goes through them; then those of all else.
enum class item_stage : std::uint8_t {
  receive,
  validate,
  reingest_check,
  copy_to_staging,
  format_identification,
  store,
  storage_validation,
  record,
  cleanup,
  requested,
  resolve,
};

inline constexpr std::size_t ingest_stage_count = 9;

/// Nothing more is to be done with it.
constexpr bool is_finished(item_status x) {
  return x != item_status::pending && x != item_status::started;
}

/// From here on a newer bag changes nothing any more.
constexpr bool is_late(item_stage x) {
  return x >= item_stage::store && x <= item_stage::cleanup;
}

/// The stage that a topic serves, "ingest01_prefetch" to "ingest09_cleanup", or
/// `requested` for those of restoring, deleting and checking.
std::optional<item_stage> stage_of_topic(std::string_view topic);

/// How notes of items begin that a rule has ended so.
inline constexpr std::string_view cancelled_note = "cancelled: ";
inline constexpr std::string_view suspended_note = "suspended: ";

struct item_standing {
  item_stage stage = item_stage::receive;
  item_status status = item_status::pending;
  bool retry = true; ///< false: no worker may take it
  bool needs_review = false;

  friend bool operator==(const item_standing&, const item_standing&) = default;
};

/// `claimed`: a worker has begun. Nothing for jobs whose queue is no topic of
/// APTrust's, or that have none any more and are no ingest.
std::optional<item_standing> standing_of(const job_row& x, bool claimed);

template <>
inline constexpr word_list<item_status, 6> words_of<item_status> = {
  {{item_status::pending, "Pending"},
   {item_status::started, "Started"},
   {item_status::success, "Success"},
   {item_status::failed, "Failed"},
   {item_status::cancelled, "Cancelled"},
   {item_status::suspended, "Suspended"}}};

template <>
inline constexpr word_list<item_stage, 11> words_of<item_stage> = {
  {{item_stage::receive, "Receive"},
   {item_stage::validate, "Validate"},
   {item_stage::reingest_check, "Reingest Check"},
   {item_stage::copy_to_staging, "Copy To Staging"},
   {item_stage::format_identification, "Format Identification"},
   {item_stage::store, "Store"},
   {item_stage::storage_validation, "Storage Validation"},
   {item_stage::record, "Record"},
   {item_stage::cleanup, "Cleanup"},
   {item_stage::requested, "Requested"},
   {item_stage::resolve, "Resolve"}}};

} // namespace depositd
