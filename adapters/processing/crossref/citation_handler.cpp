#include "adapters/processing/crossref/citation_handler.hpp"

#include "adapters/processing/crossref/broken_head.hpp"
#include "adapters/processing/crossref/citation_xml.hpp"
#include "adapters/processing/crossref/text.hpp"
#include "adapters/processing/crossref/xml_text.hpp"
#include "messages/values/names.hpp"

#include <utility>

namespace depositd::crossref {

namespace {

record_note note_of(const citing_doi& x, doi_result result) {
  if (result == doi_result::unknown)
    return failure_note(x.doi, "This DOI is not registered here");
  if (result != doi_result::updated)
    return failure_note(x.doi, "User not allowed to add records for prefix: "
                                 + doi_prefix(x.doi));
  record_note out;
  out.doi = x.doi;
  out.message = "Successfully updated";
  out.citations = x.citations;
  return out;
}

std::string objection(const citing_doi& x) {
  auto problem = doi_problem(x.doi);
  return problem.empty() ? x.problem : std::move(problem);
}

} // namespace

outcome citation_handler::handle(const submission_job& job,
                                 std::string_view bytes) const {
  const auto text = decode_xml_text(bytes, limits);
  citation_deposit content;
  const auto problem = text ? parse_citations(*text, limits, content)
                            : text.error();
  if (problem)
    find_head(text ? *text : bytes, content.batch_id, content.email);
  auto out = problem ? refuse_file(job, content.batch_id, render(problem))
                     : record(job, content);
  out.tell = legal_mail_address(content.email);
  return out;
}

outcome citation_handler::record(const submission_job& job,
                                 const citation_deposit& content) const {
  if (content.dois.empty())
    return refuse_file(job, content.batch_id,
                       "The deposit names no DOI with citations");
  std::vector<examined_doi> dois;
  for (const auto& x : content.dois) {
    auto& to = dois.emplace_back();
    to.objection = objection(x);
    to.record.doi = x.doi;
    to.record.citations = x.kept;
  }
  return record_examined(*registry, job, {.action = doi_action::cite},
                         std::move(dois), content.batch_id,
                         [&](std::size_t i, doi_result result) {
                           return note_of(content.dois[i], result);
                         });
}

} // namespace depositd::crossref
