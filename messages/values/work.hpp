#pragma once

// What batches, jobs and collections are beside their states.

#include "messages/values/fields.hpp"
#include "messages/values/jobs.hpp"
#include "messages/values/types.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace depositd {

/// What never changes of a batch.
struct batch_info {
  std::string uuid; ///< "bid-...", what depositors see
  std::string collection;
  std::string pipeline;
  std::string source;    ///< http, shell, kafka
  std::string submitter; ///< as the form says; empty: the user
  std::string type;      ///< as the form says
  std::string file_name; ///< of the first payload
  std::string title;

  friend bool operator==(const batch_info&, const batch_info&) = default;
};
DEPOSITD_FIELDS(batch_info, uuid, collection, pipeline, source, submitter, type,
                file_name, title);

/// What never changes of a job.
struct job_info {
  std::string uuid; ///< "jid-..."
  std::string collection;
  std::string pipeline;
  job_type type = job_type::file;
  std::string file_name;

  friend bool operator==(const job_info&, const job_info&) = default;
};
DEPOSITD_FIELDS(job_info, uuid, collection, pipeline, type, file_name);

/// What the stages find out about a job and people search for: an extract of
/// its document.
struct job_facts {
  std::string identifier;
  std::string local_ids; ///< several are joined by ';'
  std::string title;
  std::string creator;
  std::string date;
  std::int64_t space_needed = -1; ///< bytes; -1: not known, 0: really nothing

  friend bool operator==(const job_facts&, const job_facts&) = default;
};
DEPOSITD_FIELDS(job_facts, identifier, local_ids, title, creator, date,
                space_needed);

/// Where the item of a job or a batch is after a move.
struct item_place {
  std::string queue; ///< empty: nowhere, it is no more
  std::uint8_t priority = 0;
  bool parked = false;         ///< held, failed, or a batch whose jobs run
  std::uint32_t attempt = 0;   ///< hand-outs in this stage
  micros available_us = never; ///< later: not before

  friend bool operator==(const item_place&, const item_place&) = default;
};
DEPOSITD_FIELDS(item_place, queue, priority, parked, attempt, available_us);

/// What depositors hear by mail while all goes well.
enum class notices : std::uint8_t {
  all,     ///< that a batch is queued, and its report
  reports, ///< the report only
  none,
};

template <>
inline constexpr word_list<notices, 3> words_of<notices> = {
  {{notices::all, "all"},
   {notices::reports, "reports"},
   {notices::none, "none"}}};

/// Whose objects belong together, who may add to them, and how: the profile.
struct collection_settings {
  std::string name; ///< a user name, though no user of queues
  std::string owner;
  std::vector<std::string> submitters; ///< users, besides the owner
  std::string pipeline = "merritt";
  std::vector<std::string> storage = {"local"}; ///< names of targets
  std::vector<std::string> notify;              ///< mail addresses
  std::string callback;                         ///< URL; empty: none
  std::string callback_key;                     ///< for its signature
  /// Whether a job is completed though nobody took its callback.
  bool callback_may_fail = false;
  bool has_priority = false; ///< false: by the number of jobs in the batch
  std::uint8_t priority = 0;
  notices mails = notices::all;
  bool held = false; ///< what is pending of it becomes held

  friend bool operator==(const collection_settings&,
                         const collection_settings&) = default;
};
DEPOSITD_FIELDS(collection_settings, name, owner, submitters, pipeline, storage,
                notify, callback, callback_key, callback_may_fail, has_priority,
                priority, mails, held);

/// Whether this user may submit to the collection.
inline bool may_submit(const collection_settings& to, const std::string& user) {
  if (to.owner == user)
    return true;
  for (const auto& x : to.submitters)
    if (x == user)
      return true;
  return false;
}

} // namespace depositd
