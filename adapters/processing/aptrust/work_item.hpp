#pragma once

// APTrust's work item: what one piece of work is about. It is a job here; its
// fields are one member of the job's document (and of the batch's before, which
// hands it to its job): `work_item_member` of job_documents.hpp.

#include "messages/values/item_standing.hpp"
#include "messages/values/job_documents.hpp"
#include "messages/values/types.hpp"
#include "messages/values/word_list.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace depositd::aptrust {

using depositd::is_finished;
using depositd::is_late;
using depositd::item_stage;
using depositd::item_status;

enum class item_action : std::uint8_t {
  ingest,
  restore_file,
  restore_object,
  glacier_restore,
  remove,
};

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

} // namespace depositd
