#include "adapters/processing/merritt/object_turns.hpp"

namespace depositd::merritt {

bool goes_first(const job_row& before, std::uint8_t priority, micros now) {
  if (before.priority > priority)
    return false;
  switch (before.status.state) {
    case job_state::processing:
      return true;
    case job_state::pending:
    case job_state::estimating:
    case job_state::provisioning:
    case job_state::downloading:
      return now - before.status.changed_us < on_its_way_us;
    case job_state::none:
    case job_state::held:
    case job_state::storing:
    case job_state::recording:
    case job_state::notify:
    case job_state::completed:
    case job_state::failed:
    case job_state::deleted:
      return false;
  }
  return false;
}

void object_turns::begin(const std::string& collection,
                         const std::function<void()>& load) {
  const std::lock_guard guard{beginning_};
  if (begun_.insert(collection).second)
    load();
}

void object_turns::enter(const std::string& user, item_id job,
                         const std::vector<std::string>& locks) {
  const std::lock_guard guard{mutex_};
  if (locks.empty())
    return;
  if (places_.size() >= count_max && !places_.contains(job)) {
    if (job < places_.begin()->first)
      return;
    forget(places_.begin());
  }
  auto& places = places_[job];
  for (const auto& lock : locks)
    if (const auto [at, is_new] = places.emplace(user, lock); is_new)
      jobs_[*at].insert(job);
}

void object_turns::leave(item_id job) {
  const std::lock_guard guard{mutex_};
  if (const auto known = places_.find(job); known != places_.end())
    forget(known);
}

void object_turns::forget(
  std::map<item_id, std::set<place>>::const_iterator known) {
  for (const auto& place : known->second) {
    const auto at = jobs_.find(place);
    at->second.erase(known->first);
    if (at->second.empty())
      jobs_.erase(at);
  }
  places_.erase(known);
}

std::vector<item_id> object_turns::before(const std::string& user, item_id job,
                                          const std::string& lock) const {
  std::vector<item_id> out;
  const std::lock_guard guard{mutex_};
  const auto at = jobs_.find({user, lock});
  if (at == jobs_.end())
    return out;
  for (auto x = at->second.lower_bound(job);
       x != at->second.begin() && out.size() < nearest_max;)
    out.push_back(*--x);
  return out;
}

} // namespace depositd::merritt
