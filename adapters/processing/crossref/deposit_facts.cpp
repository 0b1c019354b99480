#include "adapters/processing/crossref/deposit_facts.hpp"

#include "adapters/processing/crossref/text.hpp"
#include "messages/values/utf8.hpp"

#include <algorithm>
#include <array>

namespace depositd::crossref {

namespace {

using namespace std::string_view_literals;

constexpr std::array things = {
  "journal_metadata"sv,
  "journal_issue"sv,
  "journal_volume"sv,
  "journal_article"sv,
  "book_metadata"sv,
  "book_series_metadata"sv,
  "book_set_metadata"sv,
  "series_metadata"sv,
  "set_metadata"sv,
  "content_item"sv,
  "proceedings_metadata"sv,
  "proceedings_series_metadata"sv,
  "conference_paper"sv,
  "report-paper_metadata"sv,
  "standard_metadata"sv,
  "report-paper_series_metadata"sv,
  "database_metadata"sv,
  "dataset"sv,
  "component"sv,
};

constexpr std::array facts_anywhere = {
  "full_title"sv, "abbrev_title"sv, "issn"sv,       "isbn"sv,
  "volume"sv,     "issue"sv,        "first_page"sv, "proceedings_title"sv,
};

template <class Names>
bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Facts are copied into the record of every DOI they hold for, so a long one
/// would be multiplied by thousands.
std::size_t bytes_max(std::string_view element) {
  return element == "title" || element == "proceedings_title" ? 1000 : 300;
}

/// The text up to that size, without a character cut in half.
void clip(std::string& text, std::size_t size) {
  if (text.size() <= size)
    return;
  text.resize(size);
  if (const auto cut = find_invalid_utf8(text); cut != text.npos)
    text.resize(cut);
}

void set_if_empty(std::string& field, const std::string& value) {
  if (field.empty())
    field = value;
}

/// What holds for a whole holds for its parts, unless they say otherwise.
void inherit(const doi_record& from, doi_record& to) {
  set_if_empty(to.issn, from.issn);
  set_if_empty(to.isbn, from.isbn);
  set_if_empty(to.journal_title, from.journal_title);
  set_if_empty(to.volume, from.volume);
  set_if_empty(to.issue, from.issue);
  set_if_empty(to.year, from.year);
}

} // namespace

bool is_thing(std::string_view element) {
  return contains(things, element);
}

bool is_fact(std::string_view element, std::string_view parent) {
  if (element == "title")
    return parent == "titles";
  if (element == "surname")
    return parent == "person_name";
  if (element == "organization")
    return parent == "contributors";
  if (element == "year")
    return parent.ends_with("_date");
  return contains(facts_anywhere, element);
}

void add_fact(std::string_view element, std::string value, doi_record& facts) {
  clip(value, bytes_max(element));
  if (element == "full_title")
    facts.journal_title = std::move(value); // rather than the abbreviation
  else if (element == "abbrev_title")
    set_if_empty(facts.journal_title, value);
  else if (element == "issn")
    set_if_empty(facts.issn, normal_serial_number(value));
  else if (element == "isbn")
    set_if_empty(facts.isbn, normal_serial_number(value));
  else if (element == "title" || element == "proceedings_title")
    set_if_empty(facts.title, value);
  else if (element == "surname" || element == "organization")
    set_if_empty(facts.first_author, value);
  else if (element == "volume")
    set_if_empty(facts.volume, value);
  else if (element == "issue")
    set_if_empty(facts.issue, value);
  else if (element == "first_page")
    set_if_empty(facts.first_page, value);
  else if (element == "year")
    set_if_empty(facts.year, value);
}

void describe(const deposited_thing& own,
              const std::vector<deposited_thing>& outer, doi_record& record) {
  record.title = own.facts.title;
  record.first_author = own.facts.first_author;
  record.first_page = own.facts.first_page;
  inherit(own.facts, record);
  for (auto whole = outer.rbegin(); whole != outer.rend(); ++whole)
    inherit(whole->facts, record);
}

void hand_up(const deposited_thing& part, deposited_thing& whole) {
  const bool is_issue = part.name == "journal_issue";
  if (!is_issue && part.name != "journal_volume"
      && !part.name.ends_with("_metadata"))
    return;
  inherit(part.facts, whole.facts);
  // A book or proceedings is to its chapters what a journal is to articles; the
  // title of a special issue is not.
  if (!is_issue)
    set_if_empty(whole.facts.journal_title, part.facts.title);
}

} // namespace depositd::crossref
