#include "adapters/crossref/login_throttle.hpp"

namespace depositd::crossref {

namespace {

std::string key_of(const std::string& user, const std::string& peer) {
  return user + '\n' + peer;
}

} // namespace

bool login_throttle::admits(const std::string& user, const std::string& peer,
                            micros now) {
  const auto at = entries_.find(key_of(user, peer));
  return at == entries_.end() || at->second.failures < failures_max
         || now - at->second.since_us >= window_us;
}

void login_throttle::failed(const std::string& user, const std::string& peer,
                            micros now) {
  if (entries_.size() >= entries_max)
    forget_old(now);
  auto& x = entries_[key_of(user, peer)];
  if (x.failures == 0 || now - x.since_us >= window_us)
    x = {0, now};
  ++x.failures;
}

void login_throttle::succeeded(const std::string& user,
                               const std::string& peer) {
  entries_.erase(key_of(user, peer));
}

void login_throttle::forget_old(micros now) {
  std::erase_if(entries_, [=](const auto& x) {
    return now - x.second.since_us >= window_us;
  });
  if (entries_.size() >= entries_max)
    entries_.clear(); // a flood of made-up names: memory is worth more
}

} // namespace depositd::crossref
