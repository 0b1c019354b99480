#pragma once

// The inventory port in memory: what handlers' tests work with.

#include "messages/ports/inventory.hpp"
#include "messages/ports/lock_book.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <utility>

namespace depositd {

class memory_inventory : public inventory, public lock_book {
public:
  caf::error record(const inventory_entry& x) override {
    const std::lock_guard guard{mutex_};
    for (const auto& id : x.local_ids)
      if (auto failure = bind(x.owner, id, x.identifier))
        return failure;
    auto& object = objects_[x.identifier];
    object.identifier = x.identifier;
    object.collection = x.collection;
    object.owner = x.owner;
    add(object.local_ids, x.local_ids);
    add(object.storage, x.storage);
    for (const auto& version : object.versions)
      if (version.job == x.version.job)
        return {};
    object.versions.push_back(x.version);
    object.versions.back().number =
      static_cast<std::uint32_t>(object.versions.size());
    files_[x.identifier].push_back(x.files);
    return {};
  }

  caf::expected<std::vector<inventory_object>>
  find(const inventory_search& x) override {
    const std::lock_guard guard{mutex_};
    std::vector<inventory_object> out;
    for (const auto& [identifier, object] : objects_) {
      const auto& ids = object.local_ids;
      const bool wanted =
        identifier > x.after
        && (x.identifier.empty() || x.identifier == identifier)
        && (x.local_id.empty()
            || std::find(ids.begin(), ids.end(), x.local_id) != ids.end())
        && (x.owner.empty() || x.owner == object.owner)
        && (x.collection.empty() || x.collection == object.collection)
        && is_among(x.owners, object.owner)
        && is_among(x.collections, object.collection);
      if (wanted && out.size() < x.count_max)
        out.push_back(object);
    }
    return out;
  }

  caf::expected<std::vector<stored_file>>
  files(const std::string& identifier, std::uint32_t version) override {
    const std::lock_guard guard{mutex_};
    const auto found = files_.find(identifier);
    if (found == files_.end() || version > found->second.size())
      return caf::make_error(ec::not_found, "no such version");
    return version == 0 ? found->second.back() : found->second[version - 1];
  }

  caf::expected<std::optional<std::string>>
  of_local_id(const std::string& owner, const std::string& local_id) override {
    const std::lock_guard guard{mutex_};
    const auto found = bound_.find({owner, local_id});
    return found == bound_.end() ? std::optional<std::string>{} : found->second;
  }

  caf::error bind_local_id(const std::string& owner,
                           const std::string& local_id,
                           const std::string& identifier) override {
    const std::lock_guard guard{mutex_};
    return bind(owner, local_id, identifier);
  }

  caf::expected<std::vector<collection_use>>
  use_of_collections(micros since_us) override {
    const std::lock_guard guard{mutex_};
    std::map<std::string, collection_use> out;
    for (const auto& [identifier, object] : objects_) {
      auto& use = out[object.collection];
      use.collection = object.collection;
      ++use.objects;
      for (const auto& version : object.versions) {
        ++use.versions;
        use.files += version.files;
        use.bytes += version.bytes;
        use.bytes_since += version.recorded_us >= since_us ? version.bytes : 0;
      }
    }
    std::vector<collection_use> all;
    for (auto& [name, use] : out)
      all.push_back(std::move(use));
    return all;
  }

  caf::expected<std::vector<recorded_use>>
  recorded_in(const recorded_query& what) override {
    const std::lock_guard guard{mutex_};
    std::map<std::pair<std::string, std::string>, recorded_use> out;
    for (const auto& [identifier, object] : objects_) {
      std::set<std::string> users;
      for (const auto& version : object.versions) {
        if (version.recorded_us < what.from_us
            || version.recorded_us >= what.until_us
            || (!what.user.empty() && version.user != what.user)
            || (!what.collection.empty()
                && object.collection != what.collection))
          continue;
        auto& use = out[{object.collection, version.user}];
        use.collection = object.collection;
        use.user = version.user;
        use.objects += users.insert(version.user).second;
        ++use.versions;
        use.files += version.files;
        use.bytes += version.bytes;
      }
    }
    std::vector<recorded_use> all;
    for (auto& [names, use] : out)
      if (all.size() < what.count_max)
        all.push_back(std::move(use));
    return all;
  }

  caf::error record_events(const std::vector<premis_event>& x) override {
    const std::lock_guard guard{mutex_};
    for (const auto& one : x)
      if (std::none_of(events_.begin(), events_.end(),
                       [&](const auto& y) { return y.id == one.id; }))
        events_.push_back(one);
    return {};
  }

  caf::expected<std::vector<premis_event>>
  events(const premis_query& x) override {
    const std::lock_guard guard{mutex_};
    std::vector<premis_event> out;
    bool begun = x.after.empty();
    for (const auto& one : events_) {
      const bool wanted = one.object == x.object && one.at_us >= x.since_us
                          && (x.file.empty() || x.file == one.file)
                          && (x.type.empty() || x.type == one.type)
                          && (!x.of_object || one.file.empty());
      if (begun && wanted && out.size() < x.count_max)
        out.push_back(one);
      begun = begun || one.id == x.after;
    }
    return out;
  }

  caf::expected<bool> lock(const object_lock& x, micros now) override {
    const std::lock_guard guard{mutex_};
    auto& at = locks_[x.name];
    const bool others = at.holder != x.holder && at.until_us > now;
    if (others || (at.holder == x.holder && at.token > x.token))
      return false;
    at = x;
    return true;
  }

  caf::expected<bool> holds(const object_lock& x, micros now) override {
    const std::lock_guard guard{mutex_};
    const auto at = locks_.find(x.name);
    return at != locks_.end() && at->second.holder == x.holder
           && at->second.token == x.token && at->second.until_us > now;
  }

  caf::error unlock_all(const std::string& holder,
                        std::uint64_t token) override {
    const std::lock_guard guard{mutex_};
    std::erase_if(locks_, [&](const auto& x) {
      return x.second.holder == holder && x.second.token <= token;
    });
    return {};
  }

  caf::expected<std::uint64_t>
  newest_token(const std::string& holder) override {
    const std::lock_guard guard{mutex_};
    std::uint64_t out = 0;
    for (const auto& [name, one] : locks_)
      if (one.holder == holder)
        out = std::max(out, one.token);
    return out;
  }

  /// How many locks there are, whoever has them.
  std::size_t locks() const {
    const std::lock_guard guard{mutex_};
    return locks_.size();
  }

private:
  static bool is_among(const std::vector<std::string>& any,
                       const std::string& x) {
    return any.empty() || std::find(any.begin(), any.end(), x) != any.end();
  }

  static void add(std::vector<std::string>& to,
                  const std::vector<std::string>& from) {
    for (const auto& x : from)
      if (std::find(to.begin(), to.end(), x) == to.end())
        to.push_back(x);
  }

  caf::error bind(const std::string& owner, const std::string& local_id,
                  const std::string& identifier) {
    const auto [at, added] = bound_.try_emplace({owner, local_id}, identifier);
    return added || at->second == identifier
             ? caf::error{}
             : caf::make_error(ec::already_exists, at->second);
  }

  mutable std::mutex mutex_;
  std::map<std::string, inventory_object> objects_;
  std::map<std::string, std::vector<std::vector<stored_file>>> files_;
  std::map<std::pair<std::string, std::string>, std::string> bound_;
  std::map<std::string, object_lock> locks_;
  std::vector<premis_event> events_; ///< as they came
};

} // namespace depositd
