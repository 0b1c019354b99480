#include "adapters/sources/web/held_messages.hpp"

#include <algorithm>

namespace depositd::sources {

held_messages::held_messages(std::size_t count_max)
  : count_max_(std::max<std::size_t>(count_max, 1)) {
  // nop
}

void held_messages::hold(const std::string& key, const std::string& id,
                         std::string receipt) {
  const auto known = by_id_.find(id);
  if (known != by_id_.end())
    drop(known);
  else if (by_id_.size() >= count_max_)
    drop(by_id_.find(*by_age_.front()));
  const auto at =
    by_id_.try_emplace(id, entry{key, std::move(receipt), {}}).first;
  at->second.age = by_age_.insert(by_age_.end(), &at->first);
  by_key_.emplace(at->second.key, &at->first);
}

std::vector<held_messages::one>
held_messages::of(const std::vector<std::string>& keys) const {
  const std::set<std::string_view> wanted{keys.begin(), keys.end()};
  std::vector<one> out;
  for (const auto key : wanted)
    for (auto at = by_key_.lower_bound({key, nullptr});
         at != by_key_.end() && at->first == key; ++at)
      out.push_back({*at->second, by_id_.find(*at->second)->second.receipt});
  return out;
}

void held_messages::forget(const std::string& id) {
  const auto at = by_id_.find(id);
  if (at != by_id_.end())
    drop(at);
}

void held_messages::drop(id_map::iterator at) {
  by_key_.erase({at->second.key, &at->first});
  by_age_.erase(at->second.age);
  by_id_.erase(at);
}

} // namespace depositd::sources
