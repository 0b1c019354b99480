#include "adapters/processing/crossref/transfer_handler.hpp"

#include "adapters/processing/crossref/text.hpp"
#include "adapters/processing/crossref/transfer_text.hpp"
#include "messages/values/names.hpp"

#include <utility>

namespace depositd::crossref {

namespace {

record_note note_of(const transferred_doi& x, const transfer& within,
                    doi_result result) {
  if (result == doi_result::unknown)
    return failure_note(x.doi, "This DOI is not registered here");
  if (result != doi_result::updated)
    return failure_note(x.doi,
                        "This DOI does not belong to prefix: " + within.from);
  record_note out;
  out.doi = x.doi;
  out.message = within.from == within.to
                  ? std::string{"Successfully updated"}
                  : "Successfully transferred to prefix: " + within.to;
  return out;
}

std::string objection(const transferred_doi& x, const transfer& within,
                      const submission_job& job) {
  for (const auto* prefix : {&within.from, &within.to})
    if (!is_own_prefix(job, *prefix))
      return "User not allowed to transfer records of prefix: " + *prefix;
  return x.problem;
}

} // namespace

outcome transfer_handler::handle(const submission_job& job,
                                 std::string_view bytes) const {
  transfer content;
  const auto problem = parse_transfer(bytes, limits, content);
  auto out =
    problem ? refuse_file(job, {}, render(problem)) : record(job, content);
  out.tell = legal_mail_address(content.email);
  return out;
}

outcome transfer_handler::record(const submission_job& job,
                                 const transfer& content) const {
  if (content.dois.empty())
    return refuse_file(job, {}, "The upload names no DOI");
  doi_registration what;
  what.action = doi_action::transfer;
  what.from = content.from;
  what.to = content.to;
  std::vector<examined_doi> dois;
  for (const auto& x : content.dois) {
    auto& to = dois.emplace_back();
    to.objection = objection(x, content, job);
    to.record.doi = x.doi;
    to.record.resource = x.resource;
  }
  return record_examined(*registry, job, std::move(what), std::move(dois), {},
                         [&](std::size_t i, doi_result result) {
                           return note_of(content.dois[i], content, result);
                         });
}

} // namespace depositd::crossref
