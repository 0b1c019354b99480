#include "adapters/processing/crossref/metadata_handler.hpp"

#include "adapters/processing/crossref/deposit_xml.hpp"
#include "adapters/processing/crossref/diagnostic.hpp"
#include "adapters/processing/crossref/text.hpp"
#include "adapters/processing/crossref/xml_text.hpp"

#include <algorithm>
#include <utility>

namespace depositd::crossref {

namespace {

/// Why the DOI may not be recorded for this user, or empty.
std::string objection(const doi_record& record, const submission_job& job) {
  if (auto problem = doi_problem(record.doi); !problem.empty())
    return problem;
  const auto prefix = doi_prefix(record.doi);
  const auto& own = job.prefixes;
  if (own.empty() || std::find(own.begin(), own.end(), prefix) != own.end())
    return {};
  return "User not allowed to add records for prefix: " + prefix;
}

std::string outdated_message(const std::string& timestamp) {
  std::string out;
  out += "Record not processed because submitted version: ";
  out += timestamp;
  out += " is less or equal to previously submitted version (DOI match)";
  return out;
}

record_note refusal(const doi_record& record, std::string reason) {
  record_note out;
  out.status = record_status::failure;
  out.doi = record.doi;
  out.message = std::move(reason);
  return out;
}

record_note note_for(const deposited_doi& x, doi_result result) {
  if (result == doi_result::outdated) {
    auto out = refusal(x.record, outdated_message(x.record.timestamp));
    out.message_id = "4";
    return out;
  }
  record_note out;
  out.doi = x.record.doi;
  out.message =
    std::string{result == doi_result::added ? "Successfully added"
                                            : "Successfully updated"};
  out.citations = x.citations;
  return out;
}

/// What may be recorded, and for each DOI of the deposit why not (or empty).
struct examined {
  doi_registration registration;
  std::vector<std::string> objections;
};

examined examine(const deposit& content, const submission_job& job) {
  examined out;
  out.registration.submission = job.submission;
  out.registration.user = job.user;
  out.registration.timestamp = content.timestamp;
  for (const auto& x : content.dois) {
    out.objections.push_back(objection(x.record, job));
    if (!out.objections.back().empty())
      continue;
    auto record = x.record;
    record.owner = job.user;
    out.registration.records.push_back(std::move(record));
  }
  return out;
}

std::vector<record_note> write_notes(const deposit& content,
                                     const examined& found,
                                     const std::vector<doi_result>& results) {
  std::vector<record_note> out;
  auto result = results.begin();
  for (std::size_t i = 0; i < content.dois.size(); ++i) {
    if (found.objections[i].empty()) {
      out.push_back(note_for(content.dois[i], *result++));
      continue;
    }
    out.push_back(refusal(content.dois[i].record, found.objections[i]));
  }
  return out;
}

/// Completes the deposit's own timestamps: a DOI's own one wins.
void stamp(deposit& content) {
  for (auto& x : content.dois)
    if (x.record.timestamp.empty())
      x.record.timestamp = content.timestamp;
}

outcome conclude(const submission_job& job, const deposit& content,
                 std::vector<record_note> notes) {
  diagnostic answer;
  answer.submission = job.submission;
  answer.processor = job.processor;
  answer.batch_id = content.batch_id;
  answer.records = std::move(notes);
  const auto counts = count(answer);
  outcome out;
  out.says = counts.failure == counts.records ? verdict::failed : verdict::done;
  out.batch_id = content.batch_id;
  out.document = write_completed(answer);
  for (const auto& note : answer.records)
    if (note.status == record_status::failure && out.reason.empty())
      out.reason = note.doi + ": " + note.message;
  return out;
}

} // namespace

outcome metadata_handler::handle(const submission_job& job,
                                 std::string_view bytes) const {
  auto text = decode_xml_text(bytes, limits);
  if (!text)
    return refuse_file(job, {}, render(text.error()));
  deposit content;
  if (const auto problem = parse_deposit(*text, limits, content))
    return refuse_file(job, content.batch_id, render(problem));
  if (schemas)
    if (const auto problem = schemas->check(content.version, *text))
      return problem == ec::store_failed
               ? try_again(render(problem))
               : refuse_file(job, content.batch_id, render(problem));
  if (content.dois.empty())
    return refuse_file(job, content.batch_id,
                       "The deposit names no DOI to register");
  stamp(content);
  const auto found = examine(content, job);
  std::vector<doi_result> results;
  if (!found.registration.records.empty()) {
    auto recorded = registry->record(found.registration);
    if (!recorded)
      return try_again(render(recorded.error()));
    // The user's prefixes may have changed between two attempts.
    if (recorded->size() != found.registration.records.size())
      return try_again("the registry remembers another set of DOIs for this "
                       "submission");
    results = std::move(*recorded);
  }
  return conclude(job, content, write_notes(content, found, results));
}

outcome refuse_file(const submission_job& job, std::string batch_id,
                    std::string reason) {
  outcome out;
  out.says = verdict::failed;
  out.reason = reason;
  out.batch_id = batch_id;
  out.document = write_completed(whole_file_failed(
    job.submission, job.processor, std::move(batch_id), std::move(reason)));
  return out;
}

outcome try_again(std::string reason) {
  outcome out;
  out.says = verdict::retry;
  out.reason = std::move(reason);
  return out;
}

} // namespace depositd::crossref
