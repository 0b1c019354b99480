#include "adapters/stores/sqlite/sqlite_doi_registry.hpp"

#include "adapters/stores/rows/checked_rows.hpp"
#include "adapters/stores/rows/doi_recording.hpp"
#include "adapters/stores/rows/grouped_recording.hpp"
#include "adapters/stores/sqlite/database.hpp"
#include "adapters/stores/sqlite/registry_transactions.hpp"
#include "adapters/stores/sqlite/statements.hpp"
#include "messages/values/doi_rules.hpp"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <string>

namespace depositd {

namespace {

namespace statements = sqlite::statements;
using rows::doi_index;

constexpr std::int32_t application = 0x64706472; // "dpdr"
constexpr std::int32_t schema_version = 2;

class sqlite_doi_registry final : public doi_registry, rows::doi_tables {
public:
  explicit sqlite_doi_registry(std::unique_ptr<sqlite::database> file)
    : file_(std::move(file)), transactions_(*file_, *this, mutex_),
      together_([this](const auto& all) { return write(all); }) {
    // nop
  }

  caf::expected<std::vector<doi_result>>
  record(const doi_registration& registration) override {
    return together_.record(registration);
  }

  caf::error flush() override {
    return transactions_.flush();
  }

  /// What is told must not be taken back by a crash.
  caf::expected<std::vector<doi_record>>
  find(const doi_query& query, std::uint32_t count_max) override {
    const std::lock_guard turn{mutex_};
    if (auto error = transactions_.commit())
      return error;
    return rows::find(*this, query, count_max);
  }

  caf::expected<item_id> submission_max(item_id last) override;

  caf::error backup(const std::filesystem::path& folder) override {
    const std::lock_guard turn{mutex_};
    if (auto error = transactions_.commit())
      return error;
    return file_->copy_to(folder / "registry.db");
  }

private:
  using together = rows::grouped_recording;

  together::outcomes write(const together::group& all);
  caf::expected<std::optional<std::string>> results_of(item_id id) override;
  caf::error put_results(item_id id, const std::string& letters) override;
  caf::expected<std::vector<doi_record>> find(doi_index by,
                                              const std::string& key,
                                              const doi_query& wanted,
                                              std::uint32_t count_max) override;
  caf::error put(const std::string& key, const doi_record& record,
                 item_id submission) override;

  std::mutex mutex_;
  std::unique_ptr<sqlite::database> file_;
  rows::checked_rows<doi_record> checked_;
  sqlite::registry_transactions transactions_;
  together together_;
};

caf::expected<std::optional<std::string>>
sqlite_doi_registry::results_of(item_id id) {
  std::optional<std::string> out;
  auto failed = file_->each(
    statements::results_of_submission,
    [&](const auto& from) {
      out.emplace(from.text(0));
      return rows::check_results(from, id, *out, from.number(1));
    },
    id);
  if (failed)
    return failed;
  return out;
}

caf::error sqlite_doi_registry::put_results(item_id id,
                                            const std::string& letters) {
  return file_->run(statements::put_results, id, letters,
                    rows::checksum_of(id, letters));
}

caf::expected<std::vector<doi_record>>
sqlite_doi_registry::find(doi_index by, const std::string& key,
                          const doi_query& wanted, std::uint32_t count_max) {
  auto select = file_->prepare(statements::dois(by));
  if (!select)
    return std::move(select.error());
  select->bind(key);
  std::vector<doi_record> out;
  while (out.size() < count_max) {
    const auto row = select->next();
    if (!row)
      return row.error();
    if (!*row)
      break;
    doi_record x;
    item_id submission = 0;
    if (const auto read = checked_.read(*select, x, submission); !read)
      return read.error();
    if (matches(wanted, x))
      out.push_back(std::move(x));
  }
  return out;
}

caf::error sqlite_doi_registry::put(const std::string& key, const doi_record& x,
                                    item_id submission) {
  const auto checksum = checked_.checksum_of(x, submission);
  return rows::with_values(x, [&](const auto&... values) {
    return file_->run(statements::put_doi, key, folded(x.issn),
                      folded(x.journal_title), folded(x.first_author),
                      values..., submission, checksum);
  });
}

rows::grouped_recording::outcomes
sqlite_doi_registry::write(const together::group& all) {
  const std::lock_guard turn{mutex_};
  together::outcomes out;
  together::group fresh;
  std::vector<std::size_t> places; // of those
  for (const auto* x : all) {
    // A repetition only reads: it has its answer also while the disk is full.
    auto before = rows::recorded(*this, *x);
    if (before && !*before) {
      places.push_back(out.size());
      fresh.push_back(x);
      out.emplace_back(together::results{});
    } else if (before) {
      out.emplace_back(std::move(**before));
    } else {
      out.emplace_back(std::move(before.error()));
    }
  }
  if (fresh.empty())
    return out;
  auto written = rows::write_together(
    fresh, [&](const auto& some) { return transactions_.record(some); });
  for (std::size_t i = 0; i < places.size(); ++i)
    out[places[i]] = std::move(written[i]);
  return out;
}

caf::expected<item_id> sqlite_doi_registry::submission_max(item_id last) {
  const std::lock_guard turn{mutex_};
  item_id out = 0;
  auto failed = file_->each(
    statements::submission_max,
    [&](const auto& from) {
      from.take(out);
      return caf::error{};
    },
    last);
  if (failed)
    return failed;
  return std::max(out, transactions_.submission_max(last));
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
           .upgrades = statements::registry_upgrades,
           .page_bytes = 4096,
           .cache_kib = 8 * 1024,
           .pages_max = options.pages_max,
           .flushes = false,
           .log_bytes = options.log_bytes,
           .checked_bytes_max = options.checked_bytes_max});
  if (!file)
    return std::move(file.error());
  return std::unique_ptr<doi_registry>{
    std::make_unique<sqlite_doi_registry>(std::move(*file))};
}

} // namespace depositd
