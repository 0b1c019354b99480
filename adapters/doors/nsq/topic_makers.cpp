#include "adapters/doors/nsq/topic_makers.hpp"

#include "messages/values/topic_names.hpp"

namespace depositd::nsq {

namespace {

/// Of all users: far more than shards have, for who invents users as well.
constexpr std::size_t all_max = 200'000;

bool is_there(const control_state& known, const std::string& queue) {
  return known.queues.find(queue) != known.queues.end();
}

} // namespace

bool topic_makers::may_make(const control_state& known, const std::string& user,
                            const std::string& topic,
                            const std::string& channel, time now) {
  return each_max_ == 0
         || (count(known, user, topic_queue(topic), now)
             && (channel.empty()
                 || count(known, user, channel_queue(topic, channel), now)));
}

bool topic_makers::count(const control_state& known, const std::string& user,
                         const std::string& queue, time now) {
  if (is_there(known, queue))
    return true;
  const std::lock_guard lock{guard_};
  if (all_ >= all_max) {
    for (auto& [name, of] : by_user_)
      forget_gone(known, now, of);
    std::erase_if(by_user_, [](const auto& x) { return x.second.empty(); });
  }
  if (const auto found = by_user_.find(user); found != by_user_.end()) {
    auto& mine = found->second;
    if (const auto at = mine.find(queue); at != mine.end()) {
      at->second = now;
      return true;
    }
    if (mine.size() >= each_max_)
      forget_gone(known, now, mine);
    if (mine.size() >= each_max_)
      return false;
  }
  if (all_ >= all_max)
    return false;
  by_user_[user].emplace(queue, now);
  ++all_;
  return true;
}

void topic_makers::forget_gone(const control_state& known, time now, made& of) {
  all_ -= std::erase_if(of, [&](const auto& x) {
    return now - x.second >= keep && !is_there(known, x.first);
  });
}

} // namespace depositd::nsq
