#pragma once

// APTrust's work item: what one piece of work is about. It is a job here; its
// fields are one member of the job's document (and of the batch's before, which
// hands it to its job): `work_item_member` of job_documents.hpp.

#include "messages/values/job_documents.hpp"
#include "messages/values/types.hpp"
#include "messages/values/word_list.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace depositd::aptrust {

enum class item_action : std::uint8_t {
  ingest,
  restore_file,
  restore_object,
  glacier_restore,
  remove,
};

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

struct work_item {
  // -- the bag
  std::string name; ///< key in the receiving place, "photos.tar"
  std::string etag;
  std::string bucket; ///< name of the receiving place
  std::uint64_t size = 0;
  micros bag_date = never;
  // -- whose, and of what
  std::string institution; ///< the user of queues
  std::string object;      ///< identifier; empty: not yet known
  std::string file;        ///< path of a file; empty: the whole object
  // -- who asked, who agreed
  std::string user;
  std::string inst_approver;
  std::string aptrust_approver;
  std::string deletion_request;
  // -- where it is
  item_action action = item_action::ingest;
  item_stage stage = item_stage::receive;
  item_status status = item_status::pending;
  std::string outcome; ///< of the end, for people
  std::string note;
  bool retry = true; ///< false: no worker may take it
  bool needs_admin_review = false;
  // -- who has it
  std::string node; ///< empty: nobody
  std::int64_t pid = 0;
  // -- when
  micros queued_at = never;
  micros date_processed = never;
  micros stage_started_at = never;
  micros created_at = never;
  micros updated_at = never;

  friend bool operator==(const work_item&, const work_item&) = default;
};

nlohmann::json to_json(const work_item& x);

/// `ec::malformed` says which field is wrong.
caf::expected<work_item> work_item_of(const nlohmann::json& x);

/// Of a document's `more`: nothing if it has none, `ec::malformed` if what it
/// has is none.
caf::expected<std::optional<work_item>>
work_item_in(const nlohmann::json& more);

void put_work_item(nlohmann::json& more, const work_item& x);

/// What the item is while a job of this status waits in the stage, or `claimed`
/// by a worker of this node and process. The machine of jobs decides; words of
/// the document that say how it ended (cancelled, suspended) are kept for one
/// that has failed.
work_item seen_in(work_item x, const job_status& now, item_stage stage,
                  bool claimed);

/// The stage that a topic serves, "ingest01_prefetch" to "ingest09_cleanup", or
/// `requested` for those of restoring, deleting and checking.
std::optional<item_stage> stage_of_topic(std::string_view topic);

/// The topic of an ingest's stage; empty for all other stages.
std::string_view topic_of(item_stage x);

} // namespace depositd::aptrust

namespace depositd {

template <>
inline constexpr word_list<aptrust::item_action, 5>
  words_of<aptrust::item_action> = {
    {{aptrust::item_action::ingest, "Ingest"},
     {aptrust::item_action::restore_file, "Restore File"},
     {aptrust::item_action::restore_object, "Restore Object"},
     {aptrust::item_action::glacier_restore, "Glacier Restore"},
     {aptrust::item_action::remove, "Delete"}}};

template <>
inline constexpr word_list<aptrust::item_status, 6>
  words_of<aptrust::item_status> = {
    {{aptrust::item_status::pending, "Pending"},
     {aptrust::item_status::started, "Started"},
     {aptrust::item_status::success, "Success"},
     {aptrust::item_status::failed, "Failed"},
     {aptrust::item_status::cancelled, "Cancelled"},
     {aptrust::item_status::suspended, "Suspended"}}};

template <>
inline constexpr word_list<aptrust::item_stage, 11>
  words_of<aptrust::item_stage> = {
    {{aptrust::item_stage::receive, "Receive"},
     {aptrust::item_stage::validate, "Validate"},
     {aptrust::item_stage::reingest_check, "Reingest Check"},
     {aptrust::item_stage::copy_to_staging, "Copy To Staging"},
     {aptrust::item_stage::format_identification, "Format Identification"},
     {aptrust::item_stage::store, "Store"},
     {aptrust::item_stage::storage_validation, "Storage Validation"},
     {aptrust::item_stage::record, "Record"},
     {aptrust::item_stage::cleanup, "Cleanup"},
     {aptrust::item_stage::requested, "Requested"},
     {aptrust::item_stage::resolve, "Resolve"}}};

} // namespace depositd
