#include "adapters/node/gate/port_core.hpp"

#include "adapters/node/gate/connection.hpp"

#include <spdlog/spdlog.h>

#include <utility>

namespace depositd::gate {

namespace {

/// Of all connections together; four messages of the greatest size.
constexpr std::size_t held_bytes_max = 4 * std::size_t{payload_bytes_max};

} // namespace

bool line_budget::take(time_point now, std::uint64_t& missed) {
  if (lines_ == 0 || now - since_ >= period) {
    since_ = now;
    lines_ = 0;
  }
  if (lines_ >= lines_max) {
    ++missed_;
    return false;
  }
  ++lines_;
  missed = std::exchange(missed_, 0);
  return true;
}

port_core::port_core(caf::actor_system& system,
                     const kit::arrival_limits& limits, admission admit,
                     tls_context tls)
  : system_(system), limits_(limits), peers_(std::move(admit)),
    tls_(std::move(tls)) {
  // nop
}

tls_context port_core::tls() const {
  const std::lock_guard locked{guard_};
  return tls_;
}

void port_core::use(tls_context x) {
  const std::lock_guard locked{guard_};
  tls_.swap(x);
}

void port_core::joined(std::uint64_t id, connection& x) {
  connections_[id] = &x;
}

void port_core::left(std::uint64_t id) {
  connections_.erase(id);
  limits_.leave(id);
  peers_.release(id, std::chrono::steady_clock::now());
}

void port_core::close(std::uint64_t id, const std::string& why) {
  if (const auto at = connections_.find(id); at != connections_.end())
    at->second->cut(why);
}

void port_core::listen_later(std::weak_ptr<const again_function> again) {
  pausing_.push_back(std::move(again));
}

void port_core::look(time_point now) {
  for (const auto& x : std::exchange(pausing_, {}))
    if (const auto again = x.lock())
      (*again)();
  for (const auto id : limits_.overdue(now))
    close(id, "not done in time");
  std::vector<std::uint64_t> stuck, dismissed;
  for (const auto& [id, at] : connections_)
    if (at->is_stuck(now))
      stuck.push_back(id);
    else if (at->is_dismissed())
      dismissed.push_back(id);
  for (const auto id : stuck)
    close(id, "does not take what it is sent");
  for (const auto id : dismissed)
    close(id, "may not work here any more");
}

void port_core::say(const std::string& address, const std::string& why) {
  std::uint64_t missed = 0;
  if (!lines_.take(std::chrono::steady_clock::now(), missed))
    return;
  if (missed > 0)
    spdlog::warn("node_peers_refused more={}", missed);
  spdlog::warn("node_peer_refused peer={} reason=\"{}\"", address, why);
}

bool port_core::hold(std::size_t bytes) {
  if (held_ + bytes > held_bytes_max)
    return false;
  held_ += bytes;
  return true;
}

void port_core::let_go(std::size_t bytes) {
  held_ -= bytes;
}

} // namespace depositd::gate
