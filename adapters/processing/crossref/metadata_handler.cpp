#include "adapters/processing/crossref/metadata_handler.hpp"

#include "adapters/processing/crossref/broken_head.hpp"
#include "adapters/processing/crossref/deposit_xml.hpp"
#include "adapters/processing/crossref/text.hpp"
#include "adapters/processing/crossref/xml_text.hpp"
#include "messages/values/doi_rules.hpp"
#include "messages/values/names.hpp"

#include <algorithm>
#include <utility>

namespace depositd::crossref {

namespace {

std::string forbidden_message(const std::string& doi) {
  return "User not allowed to add records for prefix: " + doi_prefix(doi);
}

/// Why the DOI may not be recorded for this user, or empty.
std::string objection(const doi_record& record, const submission_job& job) {
  if (auto problem = doi_problem(record.doi); !problem.empty())
    return problem;
  return is_own_prefix(job, doi_prefix(record.doi))
           ? std::string{}
           : forbidden_message(record.doi);
}

std::string outdated_message(const std::string& timestamp) {
  std::string out;
  out += "Record not processed because submitted version: ";
  out += timestamp;
  out += " is less or equal to previously submitted version (DOI match)";
  return out;
}

record_note note_for(const deposited_doi& x, doi_result result) {
  if (result == doi_result::outdated) {
    auto out = failure_note(x.record.doi, outdated_message(x.record.timestamp));
    out.message_id = "4";
    return out;
  }
  if (result == doi_result::forbidden) // it was transferred away
    return failure_note(x.record.doi, forbidden_message(x.record.doi));
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

/// Whether a DOI of another prefix was transferred to one of the user's.
caf::expected<bool> was_transferred(const doi_record& record,
                                    const submission_job& job,
                                    doi_registry& registry) {
  doi_query by_doi;
  by_doi.doi = record.doi;
  const auto found = registry.find(by_doi, 1);
  if (!found)
    return found.error();
  return !found->empty() && !held_by_others(found->front(), job.prefixes);
}

caf::expected<examined> examine(const deposit& content,
                                const submission_job& job,
                                doi_registry& registry) {
  examined out;
  out.registration.submission = job.submission;
  out.registration.user = job.user;
  out.registration.timestamp = content.timestamp;
  out.registration.prefixes = job.prefixes;
  for (const auto& x : content.dois) {
    auto problem = objection(x.record, job);
    if (!problem.empty() && doi_problem(x.record.doi).empty()) {
      const auto transferred = was_transferred(x.record, job, registry);
      if (!transferred)
        return transferred.error();
      if (*transferred)
        problem.clear();
    }
    out.objections.push_back(std::move(problem));
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
    out.push_back(
      failure_note(content.dois[i].record.doi, found.objections[i]));
  }
  return out;
}

/// Completes the deposit's own timestamps: a DOI's own one wins.
void stamp(deposit& content) {
  for (auto& x : content.dois)
    if (x.record.timestamp.empty())
      x.record.timestamp = content.timestamp;
}

} // namespace

bool is_own_prefix(const submission_job& job, std::string_view prefix) {
  const auto& own = job.prefixes;
  return own.empty() || std::find(own.begin(), own.end(), prefix) != own.end();
}

record_note failure_note(std::string doi, std::string reason) {
  record_note out;
  out.status = record_status::failure;
  out.doi = std::move(doi);
  out.message = std::move(reason);
  return out;
}

outcome conclude(const submission_job& job, const std::string& batch_id,
                 std::vector<record_note> notes) {
  diagnostic answer;
  answer.submission = job.submission;
  answer.processor = job.processor;
  answer.batch_id = batch_id;
  answer.records = std::move(notes);
  const auto counts = count(answer);
  outcome out;
  out.says = counts.failure == counts.records ? verdict::failed : verdict::done;
  out.batch_id = batch_id;
  out.document = write_completed(answer);
  for (const auto& note : answer.records)
    if (note.status == record_status::failure && out.reason.empty())
      out.reason = note.doi + ": " + note.message;
  return out;
}

outcome metadata_handler::handle(const submission_job& job,
                                 std::string_view bytes) const {
  const auto text = decode_xml_text(bytes, limits);
  deposit content;
  const auto problem = text ? parse_deposit(*text, limits, content)
                            : text.error();
  if (problem)
    find_head(text ? *text : bytes, content.batch_id, content.email);
  auto out = problem ? refuse_file(job, content.batch_id, render(problem))
                     : record(job, content, *text);
  out.tell = legal_mail_address(content.email);
  return out;
}

outcome metadata_handler::record(const submission_job& job, deposit& content,
                                 const std::string& text) const {
  if (schemas)
    if (const auto problem = schemas->check(content.version, text))
      return problem == ec::store_failed
               ? try_again(render(problem))
               : refuse_file(job, content.batch_id, render(problem));
  if (content.dois.empty())
    return refuse_file(job, content.batch_id,
                       "The deposit names no DOI to register");
  stamp(content);
  const auto found = examine(content, job, *registry);
  if (!found)
    return try_again(render(found.error()));
  std::vector<doi_result> results;
  if (!found->registration.records.empty()) {
    auto recorded = registry->record(found->registration);
    if (!recorded)
      return try_again(render(recorded.error()));
    // The user's prefixes may have changed between two attempts.
    if (recorded->size() != found->registration.records.size())
      return try_again("the registry remembers another set of DOIs for this "
                       "submission");
    results = std::move(*recorded);
  }
  return conclude(job, content.batch_id, write_notes(content, *found, results));
}

outcome record_examined(doi_registry& registry, const submission_job& job,
                        doi_registration what, std::vector<examined_doi> dois,
                        const std::string& batch_id, const note_writer& note) {
  what.submission = job.submission;
  what.user = job.user;
  what.prefixes = job.prefixes;
  for (const auto& x : dois)
    if (x.objection.empty())
      what.records.push_back(x.record);
  std::vector<doi_result> results;
  if (!what.records.empty()) {
    auto recorded = registry.record(what);
    if (!recorded)
      return try_again(render(recorded.error()));
    results = std::move(*recorded);
  }
  std::vector<record_note> notes;
  auto result = results.begin();
  for (std::size_t i = 0; i < dois.size(); ++i) {
    auto& x = dois[i];
    if (!x.objection.empty())
      notes.push_back(failure_note(x.record.doi, std::move(x.objection)));
    else if (result == results.end())
      return try_again("the registry answers for other DOIs");
    else
      notes.push_back(note(i, *result++));
  }
  return conclude(job, batch_id, std::move(notes));
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
