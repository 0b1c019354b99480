#pragma once

// What handlers of stages work with, and what a handler is.

#include "adapters/processing/stages/item_waits.hpp"
#include "messages/ports/blob_store.hpp"
#include "messages/ports/downloader.hpp"
#include "messages/ports/inventory.hpp"
#include "messages/ports/minter.hpp"
#include "messages/ports/notifiers.hpp"
#include "messages/ports/receiving_place.hpp"
#include "messages/ports/restoration_target.hpp"
#include "messages/ports/storage_target.hpp"
#include "messages/ports/work_reader.hpp"
#include "messages/processors.hpp"
#include "messages/values/estimates.hpp"
#include "messages/values/pipelines.hpp"
#include "messages/work.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace depositd::stages {

/// What applies to orders.
struct restore_rules {
  /// A file that was compared later than so long ago is not due.
  micros fixity_age_us = micros{90} * 86'400 * 1'000'000;
  std::uint32_t recalled_days = 10; ///< what was brought back can be read
};

class bucket_room;
class minting_record;

/// Shared by all threads that do stages' work in a process.
struct stage_tools {
  std::shared_ptr<blob_store> blobs;
  std::shared_ptr<depositd::downloader> downloader;
  std::shared_ptr<depositd::minter> minter;
  std::shared_ptr<minting_record> minting; ///< of it; null: none is kept
  std::map<std::string, std::shared_ptr<storage_target>> storage; ///< by name
  /// Where bags come to, by name.
  std::map<std::string, std::shared_ptr<receiving_place>> receiving;
  /// Of those of storage, restoration and so on that are buckets, by the names
  /// of their settings ("storage.local").
  std::map<std::string, std::shared_ptr<bucket_room>> rooms;
  std::shared_ptr<depositd::inventory> inventory;
  std::shared_ptr<depositd::mailer> mailer; ///< null: none is set up
  /// Administrators who get a copy of each report to a depositor.
  std::vector<std::string> reports_bcc;
  std::shared_ptr<callback_sender> callbacks;
  std::shared_ptr<work_reader> work;
  /// Has items handed out that wait to be woken; never blocks. Null: they have
  /// to ask again by themselves.
  std::function<void(wake_items)> wake;
  /// Who waits for locks of objects; null if nobody can be woken.
  std::shared_ptr<item_waits> lock_waits;
  /// Submits a batch and waits until it is durable, within a bound. Null where
  /// no engine is.
  std::function<caf::expected<item_id>(submit_batch)> submit;
  /// Where depositors get objects and files back; null: nowhere.
  std::shared_ptr<restoration_target> restoration;
  /// Targets that have to be asked for what they keep before it can be read.
  std::vector<std::string> cold_storage;

  /// Whether a target is one of those.
  bool is_cold(const std::string& target) const {
    return std::find(cold_storage.begin(), cold_storage.end(), target)
           != cold_storage.end();
  }

  restore_rules restoring;
  /// Of all that run stages which need it: work/BATCH/JOB/...
  std::filesystem::path work_folder;
  estimate_rules estimates;
  provision_rules provision;
};

/// An item of a stage and what applies to it.
struct stage_task {
  const handle_item& item;
  const stage_settings& stage;
  /// Null: the collection is no more.
  const collection_settings* collection = nullptr;
};

/// Does the work of a stage on one item; called from several threads at once.
/// The outcome says with `says` how it ended, with `document` what the item's
/// body is from now on (empty: as it was; messages/values/job_documents.hpp)
/// and with `reason` what people should know. Its id, token and member are set
/// by whoever calls.
using stage_handler = std::function<outcome(const stage_task&)>;

inline outcome ended(verdict says, std::string reason = {}) {
  outcome out;
  out.says = says;
  out.reason = std::move(reason);
  return out;
}

/// By their names in pipelines ("merritt.download").
using stage_handlers = std::map<std::string, stage_handler>;

} // namespace depositd::stages
