#include "adapters/processing/crossref/query_handler.hpp"

#include "adapters/processing/crossref/diagnostic.hpp"
#include "adapters/processing/crossref/text.hpp"
#include "messages/values/lower_case.hpp"
#include "messages/values/names.hpp"

#include <algorithm>

namespace depositd::crossref {

namespace {

constexpr std::uint32_t candidates_max = 100;
constexpr std::size_t matches_reported_max = 10;
/// A few lines may match what takes very much to write.
constexpr std::size_t answers_bytes_max = 16 * 1024 * 1024;

constexpr const char* not_looked_up =
  "Not looked up: the queries before it took as long as an upload may. Ask "
  "less at once, or more precisely";

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out(1);
  for (const auto c : lower_case(text)) {
    const bool is_word = static_cast<unsigned char>(c) >= 0x80
                         || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (is_word)
      out.back() += c;
    else if (!out.back().empty())
      out.emplace_back();
  }
  if (out.back().empty())
    out.pop_back();
  return out;
}

template <class Predicate>
void keep(std::vector<doi_record>& records, Predicate wanted) {
  std::erase_if(records, [&](const doi_record& x) { return !wanted(x); });
}

/// Whether a registry finds it without looking at everything.
bool is_narrow(const doi_query& x) {
  return !x.first_author.empty() || !x.issn.empty();
}

caf::expected<std::vector<doi_record>>
search(doi_registry& registry, const lookup& x, const doi_query& wanted) {
  auto found = registry.find(wanted, candidates_max);
  if (found && !x.article_title.empty())
    keep(*found, [title = words(x.article_title)](const doi_record& record) {
      return words(record.title) == title;
    });
  return found;
}

void write_field(std::string_view name, const std::string& value,
                 std::string& out) {
  if (!value.empty())
    out += "    " + write_element(name, value) + "\n";
}

void write_record(const doi_record& x, std::string& out) {
  write_field("doi", x.doi, out);
  write_field("issn", x.issn, out);
  write_field("isbn", x.isbn, out);
  write_field("journal_title", x.journal_title, out);
  write_field("article_title", x.title, out);
  write_field("author", x.first_author, out);
  write_field("volume", x.volume, out);
  write_field("issue", x.issue, out);
  write_field("first_page", x.first_page, out);
  write_field("year", x.year, out);
  write_field("resource", x.resource, out);
}

void write_result(const lookup& x, const char* status, const std::string& inner,
                  std::string& out) {
  out += "  <query_result";
  if (!x.key.empty())
    out += " key=\"" + escape_xml(x.key) + "\"";
  out += " status=\"";
  out += status;
  out += "\">\n" + inner + "  </query_result>\n";
}

/// Of a query that was not looked up.
void write_failure(const lookup& x, const char* status,
                   const std::string& reason, diagnostic_counts& counts,
                   outcome& out) {
  ++counts.failure;
  if (out.reason.empty())
    out.reason = reason;
  std::string inner;
  write_field("msg", reason, inner);
  write_result(x, status, inner, out.document);
}

void write_answer(const lookup& x, const std::vector<doi_record>& found,
                  diagnostic_counts& counts, std::string& out) {
  std::string inner;
  if (found.empty()) {
    ++counts.warning;
    write_field("doi", x.wanted.doi, inner);
    write_field("msg", "Nothing recorded here matches", inner);
    return write_result(x, "unresolved", inner, out);
  }
  ++counts.success;
  if (found.size() == 1) {
    write_record(found.front(), inner);
    return write_result(x, "resolved", inner, out);
  }
  for (std::size_t i = 0; i < std::min(found.size(), matches_reported_max); ++i)
    write_field("doi", found[i].doi, inner);
  write_result(x, "multiresolved", inner, out);
}

} // namespace

bool abbreviates(std::string_view brief, std::string_view full) {
  const auto short_words = words(brief);
  const auto long_words = words(full);
  if (short_words.empty() || long_words.empty()
      || !long_words.front().starts_with(short_words.front()))
    return false;
  auto at = long_words.begin();
  for (const auto& word : short_words) {
    at = std::find_if(at, long_words.end(), [&](const std::string& candidate) {
      return candidate.starts_with(word);
    });
    if (at == long_words.end())
      return false;
    ++at;
  }
  return true;
}

caf::expected<std::vector<doi_record>> resolve(doi_registry& registry,
                                               const lookup& x) {
  if (!x.wanted.doi.empty()) {
    doi_query by_doi;
    by_doi.doi = x.wanted.doi;
    return registry.find(by_doi, 1);
  }
  auto found = search(registry, x, x.wanted);
  if (!found || !found->empty() || x.wanted.journal_title.empty())
    return found;
  auto relaxed = x.wanted;
  relaxed.journal_title.clear();
  if (!is_narrow(relaxed))
    return found;
  found = search(registry, x, relaxed);
  if (found && found->empty() && !relaxed.issn.empty()) {
    relaxed.issn.clear();
    if (is_narrow(relaxed))
      found = search(registry, x, relaxed);
  }
  if (found)
    keep(*found, [&](const doi_record& record) {
      return abbreviates(x.wanted.journal_title, record.journal_title);
    });
  return found;
}

outcome query_handler::handle(const submission_job& job, std::string_view bytes,
                              bool as_dois) const {
  query_batch batch;
  const auto problem = parse_queries(bytes, as_dois, limits, batch);
  auto out = problem ? refuse_file(job, batch.batch_id, render(problem))
                     : answer(job, batch);
  out.tell = legal_mail_address(batch.email);
  return out;
}

outcome query_handler::answer(const submission_job& job,
                              const query_batch& batch) const {
  if (batch.lookups.empty())
    return refuse_file(job, batch.batch_id, "The upload contains no query");
  diagnostic head;
  head.submission = job.submission;
  head.processor = job.processor;
  head.batch_id = batch.batch_id;
  outcome out;
  out.batch_id = batch.batch_id;
  out.document = write_head(head);
  diagnostic_counts counts;
  counts.records = batch.lookups.size();
  const auto until = now() + looking_max;
  for (const auto& x : batch.lookups) {
    if (!x.problem.empty()) {
      write_failure(x, "malformed", x.problem, counts, out);
      continue;
    }
    if (now() >= until) {
      write_failure(x, "not_looked_up", not_looked_up, counts, out);
      continue;
    }
    auto found = resolve(*registry, x);
    if (!found)
      return try_again(render(found.error()));
    write_answer(x, *found, counts, out.document);
    if (out.document.size() > answers_bytes_max)
      return refuse_file(job, batch.batch_id,
                         "The answers are more than 16 MB: ask less at once");
  }
  out.document += write_tail(counts);
  out.says = counts.failure == counts.records ? verdict::failed : verdict::done;
  return out;
}

} // namespace depositd::crossref
