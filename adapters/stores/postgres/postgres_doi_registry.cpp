#include "adapters/stores/postgres/postgres_doi_registry.hpp"

#include "adapters/stores/files/sha256.hpp"
#include "adapters/stores/postgres/channel.hpp"
#include "adapters/stores/postgres/effect_statements.hpp"
#include "adapters/stores/postgres/migrations.hpp"
#include "adapters/stores/rows/checked_rows.hpp"
#include "adapters/stores/rows/doi_recording.hpp"
#include "adapters/stores/rows/grouped_recording.hpp"
#include "messages/values/doi_rules.hpp"

namespace depositd {

namespace {

using namespace postgres;
using rows::doi_index;

/// The tables on a connection.
class doi_tables final : public rows::doi_tables {
public:
  explicit doi_tables(connection& on) : on_(on) {
    // nop
  }

  caf::expected<std::optional<std::string>> results_of(item_id id) override {
    std::optional<std::string> out;
    auto failed =
      on_.each(statements::results_of_submission, parameters{id},
               [&](const auto& from) -> caf::error {
                 from.read(0, out.emplace());
                 return rows::check_results(from, id, *out, from.number(1));
               });
    if (failed)
      return failed;
    return out;
  }

  caf::error put_results(item_id id, const std::string& letters) override {
    return on_.execute(statements::put_results,
                       parameters{id, letters, rows::checksum_of(id, letters)});
  }

  caf::expected<std::vector<doi_record>> find(doi_index by,
                                              const std::string& key,
                                              const doi_query& wanted,
                                              std::uint32_t count_max) override;

  caf::error put(const std::string& key, const doi_record& record,
                 item_id submission) override;

private:
  connection& on_;
  rows::checked_rows<doi_record> checked_;
};

caf::expected<std::vector<doi_record>>
doi_tables::find(doi_index by, const std::string& key, const doi_query& wanted,
                 std::uint32_t count_max) {
  std::vector<doi_record> out;
  const auto take = [&](const row_view& from) -> caf::error {
    if (out.size() >= count_max)
      return {};
    doi_record x;
    item_id submission = 0;
    if (const auto read = checked_.read(from, x, submission); !read)
      return read.error();
    if (matches(wanted, x))
      out.push_back(std::move(x));
    return {};
  };
  const auto sql = statements::dois(by);
  auto failed = by == doi_index::doi
                  ? on_.each(sql, parameters{sha256_hex(key)}, take)
                  : on_.stream(sql, parameters{key}, take);
  if (failed)
    return failed;
  return out;
}

caf::error doi_tables::put(const std::string& key, const doi_record& x,
                           item_id submission) {
  const auto checksum = checked_.checksum_of(x, submission);
  return rows::with_values(x, [&](const auto&... values) {
    return on_.execute(
      statements::put_doi,
      parameters{sha256_hex(key), folded(x.issn), folded(x.journal_title),
                 folded(x.first_author), values..., submission, checksum});
  });
}

class postgres_doi_registry final : public doi_registry {
public:
  explicit postgres_doi_registry(const postgres_options& options)
    : writes_({.url = options.url, .name = "registry"}, options.patience_ms),
      reads_({.url = options.url, .name = "registry reader"},
             options.patience_ms),
      together_([this](const auto& all) { return write(all); }) {
    // nop
  }

  caf::error open() {
    return writes_.once([](connection& to) { return migrate(to); });
  }

  caf::expected<std::vector<doi_result>>
  record(const doi_registration& registration) override {
    return together_.record(registration);
  }

  /// The journal is on the same server: its commit flushes what was committed
  /// before it.
  caf::error flush() override {
    return {};
  }

  caf::expected<std::vector<doi_record>> find(const doi_query& query,
                                              std::uint32_t count_max) override;

  caf::expected<item_id> submission_max(item_id last) override;

  caf::error backup(const std::filesystem::path&) override {
    return caf::make_error(ec::store_failed,
                           "the registry is in PostgreSQL: back it up with "
                           "its own tools");
  }

private:
  using together = rows::grouped_recording;

  together::outcomes write(const together::group& all);

  channel writes_;
  channel reads_;
  together together_;
};

rows::grouped_recording::outcomes
postgres_doi_registry::write(const together::group& all) {
  using results = caf::expected<std::vector<together::results>>;
  return rows::write_together(all, [&](const auto& some) {
    // Repeatable: what was committed is found by its submission.
    return writes_.repeatable([&](connection& to) {
      return to.transact([&]() -> results {
        if (auto error = to.script(statements::begin_recording))
          return error;
        doi_tables tables{to};
        return rows::record_all(tables, some);
      });
    });
  });
}

caf::expected<std::vector<doi_record>>
postgres_doi_registry::find(const doi_query& query, std::uint32_t count_max) {
  return reads_.repeatable([&](connection& from) {
    doi_tables tables{from};
    return rows::find(tables, query, count_max);
  });
}

caf::expected<item_id> postgres_doi_registry::submission_max(item_id last) {
  return reads_.repeatable([&](connection& from) -> caf::expected<item_id> {
    const auto rows = from.run(statements::submission_max, parameters{last});
    if (!rows)
      return rows.error();
    return rows->number(0, 0);
  });
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
