#include "adapters/stores/postgres/postgres_doi_registry.hpp"

#include "adapters/stores/files/row_checksum.hpp"
#include "adapters/stores/files/sha256.hpp"
#include "adapters/stores/postgres/channel.hpp"
#include "adapters/stores/postgres/effect_statements.hpp"
#include "adapters/stores/postgres/migrations.hpp"
#include "adapters/stores/postgres/projection_rows.hpp"
#include "messages/values/doi_rules.hpp"

#include <unordered_map>

namespace depositd {

namespace {

using namespace postgres;
using statements::doi_index;
using results = std::vector<doi_result>;

/// One letter per result, in the order of the records.
char letter_of(doi_result result) {
  switch (result) {
    case doi_result::added:
      return 'a';
    case doi_result::updated:
      return 'u';
    case doi_result::outdated:
      return 'o';
  }
  return '?';
}

doi_result result_of(char letter) {
  return letter == 'a'   ? doi_result::added
         : letter == 'u' ? doi_result::updated
                         : doi_result::outdated;
}

/// The index that narrows a query most, and what to look up there.
std::pair<doi_index, std::string> best_index(const doi_query& query) {
  if (!query.doi.empty())
    return {doi_index::doi, sha256_hex(query.doi)};
  if (!query.first_author.empty())
    return {doi_index::author, query.first_author};
  if (!query.issn.empty())
    return {doi_index::issn, query.issn};
  if (!query.journal_title.empty())
    return {doi_index::journal, query.journal_title};
  return {doi_index::none, {}};
}

std::uint64_t checksum_of(const doi_record& x, item_id submission) {
  return row_checksum{}
    .of("dois")
    .all(x.doi, x.resource, x.issn, x.isbn, x.journal_title, x.title,
         x.first_author, x.volume, x.issue, x.first_page, x.year, x.owner,
         x.timestamp, submission)
    .value();
}

std::uint64_t checksum_of(item_id submission, std::string_view letters) {
  return row_checksum{}
    .of("submissions_done")
    .all(submission, letters)
    .value();
}

caf::error read(const result& rows, int row, doi_record& x) {
  rows.read(row, 0, x.doi);
  rows.read(row, 1, x.resource);
  rows.read(row, 2, x.issn);
  rows.read(row, 3, x.isbn);
  rows.read(row, 4, x.journal_title);
  rows.read(row, 5, x.title);
  rows.read(row, 6, x.first_author);
  rows.read(row, 7, x.volume);
  rows.read(row, 8, x.issue);
  rows.read(row, 9, x.first_page);
  rows.read(row, 10, x.year);
  rows.read(row, 11, x.owner);
  rows.read(row, 12, x.timestamp);
  if (rows.number(row, 14) != checksum_of(x, rows.number(row, 13)))
    return damaged_table("the record of DOI " + x.doi
                         + " does not match its checksum");
  return {};
}

/// Results that an earlier call stored; `ec::not_found` if there was none.
caf::expected<results> stored_results(connection& from,
                                      const doi_registration& x) {
  const auto id = x.submission;
  const auto rows
    = from.run(statements::results_of_submission, parameters{}.add(id));
  if (!rows)
    return rows.error();
  if (rows->rows() == 0)
    return ec::not_found;
  const auto letters = rows->raw(0, 0);
  if (rows->number(0, 1) != checksum_of(id, letters))
    return damaged_table("the results of submission " + std::to_string(id)
                         + " do not match their checksum");
  if (letters.size() != x.records.size())
    return caf::make_error(ec::invalid_argument,
                           "submission " + std::to_string(id)
                             + " comes again with other records");
  results out;
  for (const char letter : letters)
    out.push_back(result_of(letter));
  return out;
}

caf::expected<doi_result> put(connection& to, const doi_record& record,
                              const std::string& folded_doi,
                              const doi_registration& registration) {
  auto now = record;
  now.timestamp = timestamp_of(record, registration);
  now.owner = registration.user;
  auto out = doi_result::added;
  const auto key = sha256_hex(folded_doi);
  const auto found
    = to.run(statements::dois(doi_index::doi), parameters{}.text(key));
  if (!found)
    return found.error();
  if (found->rows() > 0) {
    doi_record stored;
    if (auto error = read(*found, 0, stored))
      return error;
    if (outdated_timestamp(now.timestamp, stored.timestamp))
      return doi_result::outdated;
    now.owner = stored.owner;
    out = doi_result::updated;
  }
  parameters x;
  x.text(key).text(folded(now.issn)).text(folded(now.journal_title));
  x.text(folded(now.first_author)).text(now.doi).text(now.resource);
  x.text(now.issn).text(now.isbn).text(now.journal_title).text(now.title);
  x.text(now.first_author).text(now.volume).text(now.issue);
  x.text(now.first_page).text(now.year).text(now.owner).text(now.timestamp);
  x.add(registration.submission).add(checksum_of(now, registration.submission));
  const auto done = to.run(statements::put_doi, x);
  if (!done)
    return done.error();
  return out;
}

caf::error put_all(connection& to, const doi_registration& registration,
                   results& out) {
  std::unordered_map<std::string, doi_result> seen;
  std::string letters;
  for (const auto& x : registration.records) {
    const auto key = folded(x.doi);
    // Named twice: the first one counts.
    auto known = seen.find(key);
    if (known == seen.end()) {
      const auto done = put(to, x, key, registration);
      if (!done)
        return done.error();
      known = seen.emplace(key, *done).first;
    }
    out.push_back(known->second);
    letters += letter_of(known->second);
  }
  const auto id = registration.submission;
  const auto done = to.run(
    statements::put_results,
    parameters{}.add(id).text(letters).add(checksum_of(id, letters)));
  return done ? caf::error{} : done.error();
}

class postgres_doi_registry final : public doi_registry {
public:
  explicit postgres_doi_registry(const postgres_options& options)
    : writes_({.url = options.url, .name = "registry"}, options.patience_ms),
      reads_({.url = options.url, .name = "registry reader"},
             options.patience_ms) {
    // nop
  }

  caf::error open() {
    return writes_.once([](connection& to) { return migrate(to); });
  }

  caf::expected<std::vector<doi_result>>
  record(const doi_registration& registration) override;

  caf::expected<std::vector<doi_record>> find(const doi_query& query,
                                              std::uint32_t count_max) override;

  caf::expected<item_id> submission_max(item_id last) override;

  caf::error backup(const std::filesystem::path&) override {
    return caf::make_error(ec::store_failed,
                           "the registry is in PostgreSQL: back it up with "
                           "its own tools");
  }

private:
  channel writes_;
  channel reads_;
};

caf::expected<std::vector<doi_result>>
postgres_doi_registry::record(const doi_registration& registration) {
  results out;
  // Repeatable: what was committed is found by its submission.
  auto failed = writes_.repeatable([&](connection& to) {
    return to.transact([&]() -> caf::error {
      if (auto error = to.script(statements::lock_dois))
        return error;
      out.clear();
      auto known = stored_results(to, registration);
      if (known) {
        out = std::move(*known);
        return {};
      }
      if (known.error() != ec::not_found)
        return std::move(known.error());
      return put_all(to, registration, out);
    });
  });
  if (failed)
    return failed;
  return out;
}

caf::expected<std::vector<doi_record>>
postgres_doi_registry::find(const doi_query& query, std::uint32_t count_max) {
  const auto wanted = folded(query);
  const auto [index, key] = best_index(wanted);
  const auto sql = statements::dois(index);
  std::vector<doi_record> out;
  auto failed = reads_.repeatable([&](connection& from) {
    out.clear();
    return from.stream(sql, parameters{}.text(key),
                       [&](const result& one) -> caf::error {
                         if (out.size() >= count_max)
                           return {};
                         doi_record x;
                         if (auto error = read(one, 0, x))
                           return error;
                         if (matches(wanted, x))
                           out.push_back(std::move(x));
                         return {};
                       });
  });
  if (failed)
    return failed;
  return out;
}

caf::expected<item_id> postgres_doi_registry::submission_max(item_id last) {
  item_id out = 0;
  auto failed = reads_.repeatable([&](connection& from) -> caf::error {
    const auto rows =
      from.run(statements::submission_max, parameters{}.add(last));
    if (!rows)
      return rows.error();
    out = rows->number(0, 0);
    return {};
  });
  if (failed)
    return failed;
  return out;
}

} // namespace

caf::expected<std::unique_ptr<doi_registry>>
open_postgres_registry(const postgres_options& options) {
  auto out = std::make_unique<postgres_doi_registry>(options);
  if (auto error = out->open())
    return error;
  return std::unique_ptr<doi_registry>{std::move(out)};
}

} // namespace depositd
