#include "adapters/doors/kit/login_throttle.hpp"

namespace depositd::kit {

namespace {

std::string key_of(const std::string& user, const std::string& peer) {
  return user + '\n' + peer;
}

} // namespace

bool login_throttle::begin(const std::string& user, const std::string& peer,
                           micros now) {
  if (entries_.size() >= entries_max)
    forget_old(now);
  auto& x = entries_[key_of(user, peer)];
  const bool fresh = x.failures == 0 && x.running == 0;
  if (fresh || now - x.since_us >= window_us) {
    x.failures = 0;
    x.since_us = now;
  }
  if (x.failures + x.running >= failures_max)
    return false;
  ++x.running;
  return true;
}

void login_throttle::failed(const std::string& user, const std::string& peer) {
  const auto at = entries_.find(key_of(user, peer));
  if (at == entries_.end())
    return; // forgotten meanwhile
  ++at->second.failures;
  if (at->second.running > 0)
    --at->second.running;
}

void login_throttle::succeeded(const std::string& user,
                               const std::string& peer) {
  entries_.erase(key_of(user, peer));
}

void login_throttle::gave_up(const std::string& user, const std::string& peer) {
  const auto at = entries_.find(key_of(user, peer));
  if (at != entries_.end() && at->second.running > 0)
    --at->second.running;
}

void login_throttle::forget_old(micros now) {
  std::erase_if(entries_, [=](const auto& x) {
    return now - x.second.since_us >= window_us;
  });
  if (entries_.size() >= entries_max)
    entries_.clear(); // a flood of made-up names: memory is worth more
}

} // namespace depositd::kit
