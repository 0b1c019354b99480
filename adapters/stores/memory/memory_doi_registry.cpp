#include "adapters/stores/memory/memory_doi_registry.hpp"

#include "adapters/stores/rows/doi_recording.hpp"
#include "messages/values/doi_rules.hpp"

#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace depositd {

namespace {

class memory_doi_registry final : public doi_registry, rows::doi_tables {
public:
  caf::expected<std::vector<doi_result>>
  record(const doi_registration& registration) override {
    const std::lock_guard turn{mutex_};
    return rows::record(*this, registration);
  }

  caf::expected<std::vector<doi_record>>
  find(const doi_query& query, std::uint32_t count_max) override {
    const std::lock_guard turn{mutex_};
    return rows::find(*this, query, count_max);
  }

  caf::expected<item_id> submission_max(item_id last) override {
    const std::lock_guard turn{mutex_};
    const auto above = results_.upper_bound(last);
    return above == results_.begin() ? item_id{0} : std::prev(above)->first;
  }

  caf::error backup(const std::filesystem::path&) override {
    return caf::make_error(ec::store_failed,
                           "a registry in memory has no backup");
  }

private:
  caf::expected<std::optional<std::string>> results_of(item_id id) override {
    const auto known = results_.find(id);
    return known == results_.end() ? std::nullopt
                                   : std::optional{known->second};
  }

  caf::error put_results(item_id id, const std::string& letters) override {
    results_.emplace(id, letters);
    return {};
  }

  caf::expected<std::vector<doi_record>> find(rows::doi_index by,
                                              const std::string& key,
                                              const doi_query& wanted,
                                              std::uint32_t count_max) override;

  caf::error put(const std::string& key, const doi_record& record,
                 item_id) override {
    const auto [at, is_new] = index_of_.try_emplace(key, records_.size());
    if (is_new)
      records_.emplace_back();
    records_[at->second] = record;
    return {};
  }

  std::mutex mutex_;
  std::vector<doi_record> records_; ///< in the order of their first recording
  std::unordered_map<std::string, std::size_t> index_of_; ///< by folded DOI
  std::map<item_id, std::string> results_;
};

caf::expected<std::vector<doi_record>>
memory_doi_registry::find(rows::doi_index by, const std::string& key,
                          const doi_query& wanted, std::uint32_t count_max) {
  std::vector<doi_record> out;
  const auto take = [&](const doi_record& x) {
    if (out.size() < count_max && matches(wanted, x))
      out.push_back(x);
  };
  if (by != rows::doi_index::doi)
    for (const auto& x : records_)
      take(x);
  else if (const auto at = index_of_.find(key); at != index_of_.end())
    take(records_[at->second]);
  return out;
}

} // namespace

std::unique_ptr<doi_registry> make_memory_registry() {
  return std::make_unique<memory_doi_registry>();
}

} // namespace depositd
