#include "adapters/stores/memory/memory_doi_registry.hpp"

#include "messages/values/doi_rules.hpp"

#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace depositd {

namespace {

class memory_doi_registry final : public doi_registry {
public:
  caf::expected<std::vector<doi_result>>
  record(const doi_registration& registration) override;

  caf::expected<std::vector<doi_record>> find(const doi_query& query,
                                              std::uint32_t count_max) override;

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
  doi_result put(const doi_record& record, const std::string& key,
                 const doi_registration& registration);

  std::mutex mutex_;
  std::vector<doi_record> records_; ///< in the order of their first recording
  std::unordered_map<std::string, std::size_t> index_of_; ///< by folded DOI
  std::map<item_id, std::vector<doi_result>> results_;
};

doi_result memory_doi_registry::put(const doi_record& record,
                                    const std::string& key,
                                    const doi_registration& registration) {
  doi_record now = record;
  now.timestamp = timestamp_of(record, registration);
  now.owner = registration.user;
  const auto [found, is_new] = index_of_.try_emplace(key, records_.size());
  if (is_new) {
    records_.push_back(std::move(now));
    return doi_result::added;
  }
  auto& stored = records_[found->second];
  if (outdated_timestamp(now.timestamp, stored.timestamp))
    return doi_result::outdated;
  now.owner = stored.owner;
  stored = std::move(now);
  return doi_result::updated;
}

caf::expected<std::vector<doi_result>>
memory_doi_registry::record(const doi_registration& registration) {
  const std::lock_guard turn{mutex_};
  const auto id = registration.submission;
  if (const auto known = results_.find(id); known != results_.end()) {
    if (known->second.size() == registration.records.size())
      return known->second;
    return caf::make_error(ec::invalid_argument,
                           "submission " + std::to_string(id)
                             + " comes again with other records");
  }
  std::vector<doi_result> out;
  std::unordered_map<std::string, doi_result> seen;
  for (const auto& x : registration.records) {
    const auto key = folded(x.doi);
    const auto known = seen.find(key);
    // Named twice: the first one counts.
    out.push_back(known != seen.end() ? known->second
                                      : put(x, key, registration));
    seen.emplace(key, out.back());
  }
  results_.emplace(id, out);
  return out;
}

caf::expected<std::vector<doi_record>>
memory_doi_registry::find(const doi_query& query, std::uint32_t count_max) {
  const std::lock_guard turn{mutex_};
  const auto wanted = folded(query);
  std::vector<doi_record> out;
  for (const auto& x : records_)
    if (out.size() < count_max && matches(wanted, x))
      out.push_back(x);
  return out;
}

} // namespace

std::unique_ptr<doi_registry> make_memory_registry() {
  return std::make_unique<memory_doi_registry>();
}

} // namespace depositd
