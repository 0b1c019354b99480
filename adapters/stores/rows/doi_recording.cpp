#include "adapters/stores/rows/doi_recording.hpp"

#include "messages/values/doi_rules.hpp"

#include <unordered_map>

namespace depositd::rows {

namespace {

using results = std::vector<doi_result>;

char letter_of(doi_result result) {
  switch (result) {
    case doi_result::added:
      return 'a';
    case doi_result::updated:
      return 'u';
    case doi_result::outdated:
      return 'o';
    case doi_result::unknown:
      return 'm';
    case doi_result::forbidden:
      return 'f';
  }
  return '?';
}

doi_result result_of(char letter) {
  return letter == 'a'   ? doi_result::added
         : letter == 'u' ? doi_result::updated
         : letter == 'm' ? doi_result::unknown
         : letter == 'f' ? doi_result::forbidden
                         : doi_result::outdated;
}

/// What a submission that comes again is told.
caf::expected<results> repeated(const std::string& letters,
                                const doi_registration& what) {
  if (letters.size() != what.records.size())
    return caf::make_error(ec::invalid_argument,
                           "submission " + std::to_string(what.submission)
                             + " comes again with other records");
  results out;
  for (const char letter : letters)
    out.push_back(result_of(letter));
  return out;
}

using rows_found = std::vector<doi_record>; ///< of one DOI: none, or one

/// What becomes of the row; `now` is it afterwards, if it is added or updated.
doi_result replaced(const rows_found& stored, doi_record& now,
                    const doi_registration& what) {
  now.timestamp = timestamp_of(now, what);
  now.owner = what.user;
  now.citations.clear();
  if (stored.empty())
    return doi_result::added;
  const auto& before = stored.front();
  if (held_by_others(before, what.prefixes))
    return doi_result::forbidden;
  if (outdated_timestamp(now.timestamp, before.timestamp))
    return doi_result::outdated;
  now.owner = before.owner;
  now.citations = before.citations;
  return doi_result::updated;
}

doi_result cited(const rows_found& stored, doi_record& now,
                 const doi_registration& what) {
  if (stored.empty())
    return doi_result::unknown;
  if (held_by_others(stored.front(), what.prefixes))
    return doi_result::forbidden;
  auto citations = std::move(now.citations);
  now = stored.front();
  now.citations = std::move(citations);
  return doi_result::updated;
}

doi_result transferred(const rows_found& stored, doi_record& now,
                       const doi_registration& what) {
  if (stored.empty())
    return doi_result::unknown;
  if (holder_of(stored.front()) != what.from)
    return doi_result::forbidden;
  auto resource = std::move(now.resource);
  now = stored.front();
  if (what.to != what.from)
    now.owner = std::string{owner_prefix} + what.to;
  if (!resource.empty())
    now.resource = std::move(resource);
  return doi_result::updated;
}

doi_result changed(const rows_found& stored, doi_record& now,
                   const doi_registration& what) {
  switch (what.action) {
    case doi_action::record:
      return replaced(stored, now, what);
    case doi_action::cite:
      return cited(stored, now, what);
    case doi_action::transfer:
      return transferred(stored, now, what);
  }
  return doi_result::forbidden; // what a node of another version asks
}

caf::expected<doi_result> record_one(doi_tables& to, const std::string& key,
                                     doi_record now,
                                     const doi_registration& what) {
  const auto stored = to.find(doi_index::doi, key, {}, 1);
  if (!stored)
    return stored.error();
  const auto result = changed(*stored, now, what);
  if (result == doi_result::added || result == doi_result::updated)
    if (auto error = to.put(key, now, what.submission))
      return error;
  return result;
}

} // namespace

std::uint64_t checksum_of(item_id id, std::string_view letters) {
  return row_checksum{}.of("submissions_done").all(id, letters).value();
}

caf::expected<std::optional<results>> recorded(doi_tables& in,
                                               const doi_registration& what) {
  const auto letters = in.results_of(what.submission);
  if (!letters)
    return letters.error();
  if (!*letters)
    return std::optional<results>{};
  auto out = repeated(**letters, what);
  if (!out)
    return std::move(out.error());
  return std::optional{std::move(*out)};
}

caf::expected<results> record(doi_tables& to, const doi_registration& what) {
  auto before = recorded(to, what);
  if (!before)
    return std::move(before.error());
  if (*before)
    return std::move(**before);
  results out;
  std::string letters;
  std::unordered_map<std::string, doi_result> seen;
  for (const auto& x : what.records) {
    const auto key = folded(x.doi);
    auto done = seen.find(key);
    // Named twice: the first one counts.
    if (done == seen.end()) {
      const auto result = record_one(to, key, x, what);
      if (!result)
        return result.error();
      done = seen.emplace(key, *result).first;
    }
    out.push_back(done->second);
    letters += letter_of(done->second);
  }
  if (auto error = to.put_results(what.submission, letters))
    return error;
  return out;
}

caf::expected<std::vector<results>>
record_all(doi_tables& to, const std::vector<const doi_registration*>& all) {
  std::vector<results> out;
  for (const auto* what : all) {
    auto one = record(to, *what);
    if (!one)
      return std::move(one.error());
    out.push_back(std::move(*one));
  }
  return out;
}

std::string dois(doi_index by, std::string_view parameter,
                 std::string_view pattern) {
  auto out = joined(
    {"SELECT ",
     listed(fields_of<doi_record>() + fields{{"submission"}, {"checksum"}}),
     " FROM dois WHERE "});
  if (by == doi_index::doi)
    return out + joined({"doi_key = ", parameter});
  if (by == doi_index::none)
    return out + joined({parameter, " = ", parameter, " ORDER BY id"});
  const std::string_view key = by == doi_index::author ? "author_key"
                               : by == doi_index::issn ? "issn_key"
                                                       : "journal_key";
  return out
         + joined(
           {key, " <> '' AND ", listed({{key}}, pattern), " ORDER BY id"});
}

caf::expected<std::vector<doi_record>>
find(doi_tables& from, const doi_query& query, std::uint32_t count_max) {
  const auto x = folded(query);
  const auto by = [&](doi_index index, const std::string& key) {
    return from.find(index, key, x, count_max);
  };
  return !x.doi.empty()             ? by(doi_index::doi, x.doi)
         : !x.first_author.empty()  ? by(doi_index::author, x.first_author)
         : !x.issn.empty()          ? by(doi_index::issn, x.issn)
         : !x.journal_title.empty() ? by(doi_index::journal, x.journal_title)
                                    : by(doi_index::none, {});
}

} // namespace depositd::rows
