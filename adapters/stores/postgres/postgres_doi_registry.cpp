#include "adapters/stores/postgres/postgres_doi_registry.hpp"

#include "adapters/stores/files/sha256.hpp"
#include "adapters/stores/postgres/channel.hpp"
#include "adapters/stores/postgres/effect_statements.hpp"
#include "adapters/stores/postgres/migrations.hpp"
#include "adapters/stores/rows/checked_rows.hpp"
#include "adapters/stores/rows/doi_recording.hpp"
#include "adapters/stores/rows/grouped_recording.hpp"
#include "messages/values/doi_rules.hpp"

#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace depositd {

namespace {

using namespace postgres;
using rows::doi_index;

/// The tables on a connection. What a group of registrations needs is read at
/// once, and what it changes is written at once: each statement is a round
/// trip, and there is one writer.
class doi_tables final : public rows::doi_tables {
public:
  explicit doi_tables(connection& on) : on_(on) {
    // nop
  }

  /// Before any of the group is recorded.
  caf::error load(const rows::grouped_recording::group& all) {
    std::vector<std::uint64_t> ids;
    std::set<std::string> keys;
    for (const auto* x : all) {
      ids.push_back(x->submission);
      for (const auto& record : x->records)
        keys.insert(sha256_hex(folded(record.doi)));
    }
    auto failed = load_results(ids);
    return failed ? failed : load_dois({keys.begin(), keys.end()});
  }

  /// After all of it.
  caf::error store() {
    bulk results{statements::results_fields()};
    for (const auto id : new_results_) {
      const auto& letters = results_[id];
      results.add(id, letters, rows::checksum_of(id, letters));
    }
    bulk dois{rows::doi_fields()};
    for (const auto& key : new_dois_)
      add(dois, key, dois_[key]);
    if (!new_dois_.empty())
      if (auto error = on_.execute(statements::put_dois, parameters{dois}))
        return error;
    return new_results_.empty()
             ? caf::error{}
             : on_.execute(statements::put_results, parameters{results});
  }

  caf::expected<std::optional<std::string>> results_of(item_id id) override {
    const auto known = results_.find(id);
    if (known == results_.end())
      return std::optional<std::string>{};
    return std::optional{known->second};
  }

  caf::error put_results(item_id id, const std::string& letters) override {
    results_[id] = letters;
    new_results_.push_back(id);
    return {};
  }

  caf::expected<std::vector<doi_record>> find(doi_index by,
                                              const std::string& key,
                                              const doi_query& wanted,
                                              std::uint32_t count_max) override;

  caf::error put(const std::string& key, const doi_record& record,
                 item_id submission) override {
    auto& known = dois_[key];
    if (!std::exchange(known.is_new, true))
      new_dois_.push_back(key);
    known.record = record;
    known.submission = submission;
    return {};
  }

private:
  struct recorded_doi {
    doi_record record;
    item_id submission = 0;
    bool is_new = false;
  };

  caf::error load_results(const std::vector<std::uint64_t>& ids);
  caf::error load_dois(const std::vector<std::string>& keys);
  void add(bulk& to, const std::string& key, const recorded_doi& x);

  connection& on_;
  rows::checked_rows<doi_record> checked_;
  bool is_loaded_ = false;
  std::unordered_map<item_id, std::string> results_;
  std::unordered_map<std::string, recorded_doi> dois_; ///< by their keys
  std::vector<item_id> new_results_;
  std::vector<std::string> new_dois_; ///< in order
};

caf::error doi_tables::load_results(const std::vector<std::uint64_t>& ids) {
  return on_.each(
    statements::results_of_submissions, parameters{column_of(ids)},
    [&](const auto& from) -> caf::error {
      const auto id = from.number(0);
      auto& letters = results_[id];
      from.read(1, letters);
      return rows::check_results(from, id, letters, from.number(2));
    });
}

caf::error doi_tables::load_dois(const std::vector<std::string>& keys) {
  is_loaded_ = true;
  return on_.each(statements::dois_of_keys(), parameters{column_of(keys)},
                  [&](const auto& from) -> caf::error {
                    recorded_doi x;
                    const auto read =
                      checked_.read(from, x.record, x.submission);
                    if (!read)
                      return read.error();
                    auto key = folded(x.record.doi);
                    dois_.emplace(std::move(key), std::move(x));
                    return {};
                  });
}

void doi_tables::add(bulk& to, const std::string& key, const recorded_doi& x) {
  const auto& record = x.record;
  const auto checksum = checked_.checksum_of(record, x.submission);
  rows::with_values(record, [&](const auto&... values) {
    to.add(sha256_hex(key), folded(record.issn), folded(record.journal_title),
           folded(record.first_author), values..., x.submission, checksum);
  });
}

caf::expected<std::vector<doi_record>>
doi_tables::find(doi_index by, const std::string& key, const doi_query& wanted,
                 std::uint32_t count_max) {
  std::vector<doi_record> out;
  if (is_loaded_ && by == doi_index::doi) {
    if (const auto known = dois_.find(key); known != dois_.end())
      out.push_back(known->second.record);
    return out;
  }
  bool has_enough = false;
  const auto take = [&](const row_view& from) -> caf::error {
    has_enough = out.size() >= count_max;
    if (has_enough)
      return caf::make_error(ec::too_large, std::string{"these are enough"});
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
  if (failed && !has_enough)
    return failed;
  return out;
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
        if (auto error = tables.load(some))
          return error;
        auto out = rows::record_all(tables, some);
        if (out)
          if (auto error = tables.store())
            return error;
        return out;
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
