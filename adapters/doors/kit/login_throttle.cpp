#include "adapters/doors/kit/login_throttle.hpp"

namespace depositd::kit {

namespace {

std::string key_of(const std::string& user, const std::string& peer) {
  return user + '\n' + peer;
}

} // namespace

login_throttle::standing login_throttle::of(const std::string& user,
                                            const std::string& peer,
                                            micros now) const {
  const auto at = entries_.find(key_of(user, peer));
  if (at == entries_.end() || now - at->second.since_us >= window_us)
    return standing::open;
  const auto count = at->second.failures + at->second.running;
  if (count < failures_max)
    return standing::open;
  return count < misses_max ? standing::limited : standing::closed;
}

bool login_throttle::begin(const std::string& user, const std::string& peer,
                           micros now) {
  if (of(user, peer, now) != standing::open)
    return false;
  auto key = key_of(user, peer);
  auto at = entries_.find(key);
  if (at == entries_.end()) {
    const auto bytes = bytes_of(key);
    make_room(bytes, now);
    at = entries_.try_emplace(std::move(key)).first;
    bytes_ += bytes;
  }
  auto& x = at->second;
  const bool fresh = x.failures == 0 && x.running == 0;
  if (fresh || now - x.since_us >= window_us) {
    x.failures = 0;
    x.since_us = now;
  }
  ++x.running;
  return true;
}

void login_throttle::failed(const std::string& user, const std::string& peer) {
  count(user, peer);
  gave_up(user, peer);
}

void login_throttle::succeeded(const std::string& user,
                               const std::string& peer) {
  const auto at = entries_.find(key_of(user, peer));
  if (at == entries_.end())
    return;
  bytes_ -= bytes_of(at->first);
  entries_.erase(at);
}

void login_throttle::gave_up(const std::string& user, const std::string& peer) {
  const auto at = entries_.find(key_of(user, peer));
  if (at != entries_.end() && at->second.running > 0)
    --at->second.running;
}

void login_throttle::missed(const std::string& user, const std::string& peer) {
  count(user, peer);
}

void login_throttle::count(const std::string& user, const std::string& peer) {
  const auto at = entries_.find(key_of(user, peer));
  if (at != entries_.end()) // else forgotten meanwhile
    ++at->second.failures;
}

// With what a node of the map takes.
std::size_t login_throttle::bytes_of(const std::string& key) {
  return key.size() + 128;
}

template <class F>
void login_throttle::forget(F which) {
  std::erase_if(entries_, [&](const auto& x) {
    const bool gone = which(x.second);
    bytes_ -= gone ? bytes_of(x.first) : 0;
    return gone;
  });
}

void login_throttle::make_room(std::size_t bytes, micros now) {
  if (bytes_ + bytes > bytes_max)
    forget([=](const entry& x) { return now - x.since_us >= window_us; });
  // A flood of made-up names: those who guess most are remembered longest.
  if (bytes_ + bytes > bytes_max)
    forget([](const entry& x) { return x.failures < failures_max; });
  if (bytes_ + bytes > bytes_max)
    forget([](const entry&) { return true; });
}

} // namespace depositd::kit
