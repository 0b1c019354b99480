#pragma once

// What depositors read about a batch: mails and what is attached to them.

#include "messages/ports/notifiers.hpp"
#include "messages/values/job_documents.hpp"
#include "messages/values/work_rows.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace depositd::merritt {

/// More are in no list of a mail; its text says how many there are.
inline constexpr std::size_t listed_jobs_max = 10'000;

/// What a report has said, so that the next one can tell the difference. Jobs
/// that are in neither list were completed, or are not the depositor's concern
/// any more.
struct told {
  std::uint32_t number = 0;                ///< of the last report; 0: none yet
  std::uint32_t said_in = 0;               ///< of the one that told this, or 0
  bool ok = false;                         ///< how it said the batch ended
  std::map<item_id, std::uint32_t> failed; ///< with their retry counts
  std::vector<item_id> open;               ///< by number

  friend bool operator==(const told&, const told&) = default;
};

/// As a member of the batch's document. What cannot be read was never told.
nlohmann::json written(const told& x);
told read_told(const nlohmann::json& from);

/// A report that is to be made.
struct report {
  std::uint32_t number = 1;
  batch_row batch;
  std::vector<job_row> jobs; ///< all, in the order of their numbers
  told before;
  micros now = never;
};

/// Whether there is something new to say; always in the first one that comes
/// to somebody.
bool has_news(const report& x);

/// What has been told once it was made. One that was not sent, or had no news,
/// has told nothing.
told told_after(const report& x, bool sent);

/// Names one report for ever: "report-UUID-N".
std::string report_id(const std::string& batch_uuid, std::uint32_t number);

/// The mail, without recipients. The first report is about all jobs, a later
/// one about those that have changed since, and those that are still open.
mail report_mail(const report& x, const batch_document& batch);

/// That splitting failed, and why.
mail split_failure_mail(const batch_row& row, const batch_document& batch,
                        std::uint32_t number);

/// That the batch is queued.
mail queued_mail(const batch_document& batch, const batch_info& info);

/// Whom it goes to: the address of the submission, else the collection's.
std::vector<std::string> recipients(const batch_document& batch,
                                    const collection_settings* collection);

} // namespace depositd::merritt
