#include "adapters/processing/stages/receiver_turns.hpp"

#include <algorithm>
#include <utility>

namespace depositd::stages {

std::string receiver_of(std::string_view url) {
  const auto scheme = url.find("://");
  if (scheme != url.npos)
    url.remove_prefix(scheme + 3);
  url = url.substr(0, url.find_first_of("/?#"));
  const auto login = url.rfind('@');
  if (login != url.npos)
    url.remove_prefix(login + 1);
  return std::string{url};
}

receiver_turns::receiver_turns(receiver_turns_options options)
  : options_(std::move(options)) {
  // nop
}

std::optional<receiver_turns::turn>
receiver_turns::enter(const std::string& receiver, std::size_t most) {
  return enter(receiver, most, options_.wait);
}

std::optional<receiver_turns::turn>
receiver_turns::enter_in_turn(const std::string& receiver) {
  return enter(receiver, 1,
               is_slow(receiver) ? std::chrono::milliseconds{0}
                                 : options_.slow_from);
}

std::optional<receiver_turns::turn>
receiver_turns::enter(const std::string& receiver, std::size_t most,
                      std::chrono::milliseconds wait) {
  std::unique_lock lock{mutex_};
  if (!ended_.wait_for(lock, wait,
                       [&] { return may_enter(receiver, most); }))
    return std::nullopt;
  under_way_.push_back({receiver, now()});
  return turn{*this, std::prev(under_way_.end())};
}

bool receiver_turns::is_slow(const std::string& receiver) {
  const std::lock_guard lock{mutex_};
  return is_slow_now(receiver);
}

void receiver_turns::end(calls::iterator which) {
  {
    const std::lock_guard lock{mutex_};
    const bool slow = now() - which->begun >= options_.slow_from;
    if (!slow)
      slow_.erase(which->receiver);
    else if (slow_.size() < slow_known_max)
      slow_.insert(which->receiver);
    under_way_.erase(which);
  }
  ended_.notify_all();
}

bool receiver_turns::is_slow_now(const std::string& receiver) const {
  const auto late = now() - options_.slow_from;
  return slow_.contains(receiver)
         || std::any_of(under_way_.begin(), under_way_.end(),
                        [&](const call& x) {
                          return x.receiver == receiver && x.begun <= late;
                        });
}

bool receiver_turns::may_enter(const std::string& receiver,
                               std::size_t most) const {
  std::size_t same = 0;
  std::size_t slow = 0;
  for (const auto& x : under_way_) {
    same += x.receiver == receiver ? 1 : 0;
    slow += is_slow_now(x.receiver) ? 1 : 0;
  }
  return same < most && (slow < options_.slow_most || !is_slow_now(receiver));
}

std::chrono::steady_clock::time_point receiver_turns::now() const {
  return options_.now ? options_.now() : std::chrono::steady_clock::now();
}

} // namespace depositd::stages
