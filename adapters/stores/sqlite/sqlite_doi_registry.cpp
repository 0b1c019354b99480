#include "adapters/stores/sqlite/sqlite_doi_registry.hpp"

#include "adapters/stores/files/row_checksum.hpp"
#include "adapters/stores/sqlite/database.hpp"
#include "adapters/stores/sqlite/statements.hpp"
#include "messages/values/doi_rules.hpp"

#include <mutex>
#include <unordered_map>

namespace depositd {

namespace {

namespace statements = sqlite::statements;
using statements::doi_index;

constexpr std::int32_t application = 0x64706472; // "dpdr"
constexpr std::int32_t schema_version = 1;
constexpr std::uint64_t wal_bytes_max = 8 * 1024 * 1024;

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

/// The index that narrows a query most, and what to look up there.
std::pair<doi_index, std::string> best_index(const doi_query& query) {
  if (!query.doi.empty())
    return {doi_index::doi, query.doi};
  if (!query.first_author.empty())
    return {doi_index::author, query.first_author};
  if (!query.issn.empty())
    return {doi_index::issn, query.issn};
  if (!query.journal_title.empty())
    return {doi_index::journal, query.journal_title};
  return {doi_index::none, {}};
}

class sqlite_doi_registry final : public doi_registry {
public:
  explicit sqlite_doi_registry(std::unique_ptr<sqlite::database> file)
    : file_(std::move(file)) {
    // nop
  }

  caf::expected<std::vector<doi_result>>
  record(const doi_registration& registration) override;

  caf::expected<std::vector<doi_record>> find(const doi_query& query,
                                              std::uint32_t count_max) override;

  caf::expected<item_id> submission_max(item_id last) override;

  caf::error backup(const std::filesystem::path& folder) override {
    const std::lock_guard turn{mutex_};
    return file_->copy_to(folder / "registry.db");
  }

private:
  using results = std::vector<doi_result>;

  /// Results that an earlier call stored; `ec::not_found` if there was none.
  caf::expected<results> stored_results(const doi_registration& registration);
  caf::error store_results(item_id submission, const results& what);
  caf::expected<results> put_all(const doi_registration& registration);
  caf::expected<doi_result> put(const doi_record& record,
                                const std::string& key,
                                const doi_registration& registration);
  caf::error write(const doi_record& record, const std::string& key,
                   item_id submission);

  /// Takes the row that the statement stands on.
  caf::error read(const sqlite::statement& from, doi_record& out);
  std::uint64_t checksum_of(const doi_record& x, item_id submission);

  std::mutex mutex_;
  std::unique_ptr<sqlite::database> file_;
  row_checksum checksum_;
};

std::uint64_t sqlite_doi_registry::checksum_of(const doi_record& x,
                                               item_id submission) {
  return checksum_.of("dois")
    .all(x.doi, x.resource, x.issn, x.isbn, x.journal_title, x.title,
         x.first_author, x.volume, x.issue, x.first_page, x.year, x.owner,
         x.timestamp, submission)
    .value();
}

caf::error sqlite_doi_registry::read(const sqlite::statement& from,
                                     doi_record& x) {
  from.read(0, x.doi);
  from.read(1, x.resource);
  from.read(2, x.issn);
  from.read(3, x.isbn);
  from.read(4, x.journal_title);
  from.read(5, x.title);
  from.read(6, x.first_author);
  from.read(7, x.volume);
  from.read(8, x.issue);
  from.read(9, x.first_page);
  from.read(10, x.year);
  from.read(11, x.owner);
  from.read(12, x.timestamp);
  if (from.number(14) != checksum_of(x, from.number(13)))
    return file_->damaged("the record of DOI " + x.doi
                          + " does not match its checksum");
  return {};
}

caf::expected<sqlite_doi_registry::results>
sqlite_doi_registry::stored_results(const doi_registration& registration) {
  const auto id = registration.submission;
  auto find = file_->prepare(statements::results_of_submission);
  if (!find)
    return std::move(find.error());
  const auto found = find->bind(id).next();
  if (!found)
    return found.error();
  if (!*found)
    return ec::not_found;
  const auto letters = find->text(0);
  const auto checksum = checksum_.of("submissions_done").all(id, letters);
  if (find->number(1) != checksum.value())
    return file_->damaged("the results of submission " + std::to_string(id)
                          + " do not match their checksum");
  if (letters.size() != registration.records.size())
    return caf::make_error(ec::invalid_argument,
                           "submission " + std::to_string(id)
                             + " comes again with other records");
  results out;
  for (const char letter : letters)
    out.push_back(letter == 'a'   ? doi_result::added
                  : letter == 'u' ? doi_result::updated
                                  : doi_result::outdated);
  return out;
}

caf::error sqlite_doi_registry::store_results(item_id submission,
                                              const results& what) {
  auto insert = file_->prepare(statements::put_results);
  if (!insert)
    return std::move(insert.error());
  std::string letters;
  for (const auto result : what)
    letters.push_back(letter_of(result));
  const auto checksum =
    checksum_.of("submissions_done").all(submission, letters).value();
  return insert->bind(submission, letters, checksum).run();
}

caf::error sqlite_doi_registry::write(const doi_record& x,
                                      const std::string& key,
                                      item_id submission) {
  auto insert = file_->prepare(statements::put_doi);
  if (!insert)
    return std::move(insert.error());
  const auto issn = folded(x.issn);
  const auto journal = folded(x.journal_title);
  const auto author = folded(x.first_author);
  return insert
    ->bind(key, issn, journal, author, x.doi, x.resource, x.issn, x.isbn,
           x.journal_title, x.title, x.first_author, x.volume, x.issue,
           x.first_page, x.year, x.owner, x.timestamp, submission,
           checksum_of(x, submission))
    .run();
}

caf::expected<doi_result>
sqlite_doi_registry::put(const doi_record& record, const std::string& key,
                         const doi_registration& registration) {
  doi_record now = record;
  now.timestamp = timestamp_of(record, registration);
  now.owner = registration.user;
  auto result = doi_result::added;
  {
    auto find = file_->prepare(statements::dois(doi_index::doi));
    if (!find)
      return std::move(find.error());
    const auto found = find->bind(key).next();
    if (!found)
      return found.error();
    if (*found) {
      doi_record stored;
      if (auto error = read(*find, stored))
        return error;
      if (outdated_timestamp(now.timestamp, stored.timestamp))
        return doi_result::outdated;
      now.owner = stored.owner;
      result = doi_result::updated;
    }
  }
  if (auto error = write(now, key, registration.submission))
    return error;
  return result;
}

caf::expected<sqlite_doi_registry::results>
sqlite_doi_registry::put_all(const doi_registration& registration) {
  results out;
  std::unordered_map<std::string, doi_result> seen;
  for (const auto& x : registration.records) {
    auto key = folded(x.doi);
    const auto known = seen.find(key);
    if (known != seen.end()) {
      // Named twice: the first one counts.
      out.push_back(known->second);
      continue;
    }
    const auto result = put(x, key, registration);
    if (!result)
      return result.error();
    out.push_back(*result);
    seen.emplace(std::move(key), *result);
  }
  return out;
}

caf::expected<std::vector<doi_result>>
sqlite_doi_registry::record(const doi_registration& registration) {
  const std::lock_guard turn{mutex_};
  auto known = stored_results(registration);
  if (known || known.error() != ec::not_found)
    return known;
  if (auto error = file_->checkpoint_if_due(wal_bytes_max))
    return error;
  results out;
  auto error = file_->transact([&]() -> caf::error {
    auto written = put_all(registration);
    if (!written)
      return std::move(written.error());
    out = std::move(*written);
    return store_results(registration.submission, out);
  });
  if (error)
    return error;
  return out;
}

caf::expected<item_id> sqlite_doi_registry::submission_max(item_id last) {
  const std::lock_guard turn{mutex_};
  auto select = file_->prepare(statements::submission_max);
  if (!select)
    return std::move(select.error());
  const auto found = select->bind(last).next();
  if (!found)
    return found.error();
  return select->number(0);
}

caf::expected<std::vector<doi_record>>
sqlite_doi_registry::find(const doi_query& query, std::uint32_t count_max) {
  const std::lock_guard turn{mutex_};
  const auto wanted = folded(query);
  const auto [index, key] = best_index(wanted);
  auto select = file_->prepare(statements::dois(index));
  if (!select)
    return std::move(select.error());
  if (index != doi_index::none)
    select->bind(key);
  std::vector<doi_record> out;
  while (out.size() < count_max) {
    const auto row = select->next();
    if (!row)
      return row.error();
    if (!*row)
      break;
    doi_record x;
    if (auto error = read(*select, x))
      return error;
    if (matches(wanted, x))
      out.push_back(std::move(x));
  }
  return out;
}

} // namespace

caf::expected<std::unique_ptr<doi_registry>>
open_sqlite_registry(const std::filesystem::path& path,
                     const sqlite_registry_options& options) {
  auto file = sqlite::database::open(
    path, {.name = "registry",
           .application = application,
           .version = schema_version,
           .schema = statements::registry_schema,
           .page_bytes = 4096,
           .cache_kib = 8 * 1024,
           .pages_max = options.pages_max,
           .checked_bytes_max = options.checked_bytes_max});
  if (!file)
    return std::move(file.error());
  return std::unique_ptr<doi_registry>{
    std::make_unique<sqlite_doi_registry>(std::move(*file))};
}

} // namespace depositd
