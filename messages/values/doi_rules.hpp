#pragma once

// How the DOI registry compares: pure, so that every adapter of the port
// answers alike.

#include "messages/ports/doi_registry.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace depositd {

/// ASCII letters in lower case, runs of white space as one blank, none at the
/// ends. DOIs and bibliographic fields are compared in this form.
inline std::string folded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool gap = false;
  for (const char c : text) {
    if (c == ' ' || (c >= '\t' && c <= '\r')) {
      gap = !out.empty();
      continue;
    }
    if (gap)
      out.push_back(' ');
    gap = false;
    out.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
  }
  return out;
}

/// Whether digits `x` are a lower number than digits `y`, of any length.
/// Nothing at all is lower than any number.
inline bool lower_timestamp(std::string_view x, std::string_view y) {
  if (x.empty() || y.empty())
    return x.empty() && !y.empty();
  const auto significant = [](std::string_view digits) {
    const auto first = digits.find_first_not_of('0');
    return first == std::string_view::npos ? std::string_view{}
                                           : digits.substr(first);
  };
  const auto a = significant(x);
  const auto b = significant(y);
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

/// Whether a deposit with timestamp `offered` may not replace a record with
/// timestamp `stored`: it is lower or equal. Deposits that never carry a
/// timestamp still replace each other.
inline bool outdated_timestamp(std::string_view offered,
                               std::string_view stored) {
  if (offered.empty() && stored.empty())
    return false;
  return !lower_timestamp(stored, offered);
}

/// Stands before the prefix that holds a DOI which was transferred; no name of
/// a user has a colon.
inline constexpr std::string_view owner_prefix = "prefix:";

/// The prefix whose holders a recorded DOI belongs to: its own, until it was
/// transferred.
inline std::string_view holder_of(const doi_record& stored) {
  std::string_view owner = stored.owner;
  if (owner.starts_with(owner_prefix))
    return owner.substr(owner_prefix.size());
  return std::string_view{stored.doi}.substr(0, stored.doi.find('/'));
}

/// Whether it was transferred away from all of these prefixes (none: any).
inline bool held_by_others(const doi_record& stored,
                           const std::vector<std::string>& prefixes) {
  return !prefixes.empty()
         && std::find(prefixes.begin(), prefixes.end(), holder_of(stored))
              == prefixes.end();
}

/// The timestamp that counts for a record: its own, or the deposit's.
inline const std::string& timestamp_of(const doi_record& record,
                                       const doi_registration& registration) {
  return record.timestamp.empty() ? registration.timestamp : record.timestamp;
}

/// Whether every field that the query gives is that of the record. `query` has
/// been through `folded`.
inline bool matches(const doi_query& query, const doi_record& record) {
  const auto same = [](const std::string& wanted, const std::string& have) {
    return wanted.empty() || wanted == folded(have);
  };
  return same(query.doi, record.doi) && same(query.issn, record.issn)
         && same(query.journal_title, record.journal_title)
         && same(query.first_author, record.first_author)
         && same(query.volume, record.volume) && same(query.issue, record.issue)
         && same(query.first_page, record.first_page)
         && same(query.year, record.year);
}

/// The query in the form that `matches` wants.
inline doi_query folded(const doi_query& query) {
  return {.doi = folded(query.doi),
          .issn = folded(query.issn),
          .journal_title = folded(query.journal_title),
          .first_author = folded(query.first_author),
          .volume = folded(query.volume),
          .issue = folded(query.issue),
          .first_page = folded(query.first_page),
          .year = folded(query.year)};
}

} // namespace depositd
