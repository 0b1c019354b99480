#pragma once

// The smallest stores that keep the ports' promises, with switches to fail.

#include "messages/ports/blob_store.hpp"
#include "messages/ports/doi_registry.hpp"
#include "messages/values/doi_rules.hpp"

#include <map>
#include <string>
#include <vector>

namespace depositd::testing {

class fake_registry : public doi_registry {
public:
  caf::expected<std::vector<doi_result>>
  record(const doi_registration& x) override {
    ++calls;
    if (failing)
      return caf::make_error(ec::store_failed, "the disk is full");
    if (const auto known = results_.find(x.submission); known != results_.end())
      return known->second;
    std::vector<doi_result> out;
    for (const auto& record : x.records)
      out.push_back(put(record));
    results_.emplace(x.submission, out);
    return out;
  }

  caf::error flush() override {
    ++flushes;
    return failing ? caf::make_error(ec::store_failed, "the disk is full")
                   : caf::error{};
  }

  caf::expected<std::vector<doi_record>>
  find(const doi_query& query, std::uint32_t count_max) override {
    if (failing)
      return caf::make_error(ec::store_failed, "the disk is full");
    const auto wanted = folded(query);
    std::vector<doi_record> out;
    for (const auto& [doi, x] : records)
      if (out.size() < count_max && matches(wanted, x))
        out.push_back(x);
    return out;
  }

  caf::expected<item_id> submission_max(item_id) override {
    return results_.empty() ? item_id{0} : results_.rbegin()->first;
  }

  caf::error backup(const std::filesystem::path&) override {
    return {};
  }

  std::map<std::string, doi_record> records; ///< by DOI in lower case
  bool failing = false;
  int calls = 0;
  int flushes = 0;

private:
  doi_result put(const doi_record& x) {
    auto& stored = records[folded(x.doi)];
    if (stored.doi.empty()) {
      stored = x;
      return doi_result::added;
    }
    if (outdated_timestamp(x.timestamp, stored.timestamp))
      return doi_result::outdated;
    stored = x;
    return doi_result::updated;
  }

  std::map<item_id, std::vector<doi_result>> results_;
};

class fake_blobs : public blob_store {
public:
  caf::expected<std::string> put(std::string_view bytes) override {
    auto key = "blob-" + std::to_string(blobs.size());
    blobs[key] = bytes;
    return key;
  }

  caf::expected<std::string> get(const std::string& key) override {
    if (fails_with != 0)
      return caf::make_error(static_cast<ec>(fails_with),
                             "blob " + key + " is unwell");
    const auto found = blobs.find(key);
    if (found == blobs.end())
      return caf::make_error(ec::not_found, "no blob " + key);
    return found->second;
  }

  caf::error backup(const std::filesystem::path&) override {
    return {};
  }

  std::map<std::string, std::string> blobs;
  int fails_with = 0; ///< an `ec`, or 0
};

} // namespace depositd::testing
