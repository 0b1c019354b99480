#include "adapters/processing/stages/receiver_turns.hpp"

#include <algorithm>
#include <map>
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
receiver_turns::enter(const std::string& receiver, const turn_limits& limits) {
  return enter(receiver, limits, options_.wait);
}

std::optional<receiver_turns::turn>
receiver_turns::enter_in_turn(const std::string& receiver) {
  return enter(receiver, {.most = 1},
               is_slow(receiver) ? std::chrono::milliseconds{0}
                                 : options_.slow_from);
}

std::optional<receiver_turns::turn>
receiver_turns::enter(const std::string& receiver, const turn_limits& limits,
                      std::chrono::milliseconds wait) {
  std::unique_lock lock{mutex_};
  if (!ended_.wait_for(lock, wait,
                       [&] { return may_enter(receiver, limits); }))
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
    const auto from =
      which->failed ? std::min(options_.slow_failure_from, options_.slow_from)
                    : options_.slow_from;
    const bool slow = now() - which->begun >= from;
    if (!slow)
      slow_.erase(which->receiver);
    else if (slow_.size() < slow_known_max)
      slow_.insert(which->receiver);
    under_way_.erase(which);
  }
  ended_.notify_all();
}

void receiver_turns::note_failure(calls::iterator which) {
  const std::lock_guard lock{mutex_};
  which->failed = true;
}

bool receiver_turns::is_fast(const call& x) const {
  const std::chrono::duration<double> taken = now() - x.begun;
  return static_cast<double>(x.bytes)
         >= static_cast<double>(options_.fast_from) * taken.count();
}

bool receiver_turns::is_to_end(calls::iterator which, std::size_t workers,
                               std::uint64_t more) {
  const std::lock_guard lock{mutex_};
  which->bytes += more;
  if (which->ends)
    return true;
  const auto late = now() - options_.slow_from;
  if (under_way_.size() < workers
      || std::any_of(under_way_.begin(), under_way_.end(), [&](const call& x) {
           return x.ends || x.begun > late;
         }))
    return false;
  std::map<std::string_view, std::size_t> had;
  for (const auto& x : under_way_)
    ++had[x.receiver];
  auto last = under_way_.end(); // they stand in the order in which they began
  for (auto at = under_way_.begin(); at != under_way_.end(); ++at)
    if (!is_fast(*at)
        && (last == under_way_.end()
            || had[at->receiver] >= had[last->receiver]))
      last = at;
  return which->ends = last == which;
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
                               const turn_limits& limits) const {
  std::size_t same = 0;
  std::size_t slow = 0;
  for (const auto& x : under_way_) {
    same += x.receiver == receiver ? 1 : 0;
    slow += is_slow_now(x.receiver) ? 1 : 0;
  }
  const bool is_first = limits.slow_most && same == 0;
  return same < limits.most
         && (is_first || slow < limits.slow_most.value_or(options_.slow_most)
             || !is_slow_now(receiver));
}

std::chrono::steady_clock::time_point receiver_turns::now() const {
  return options_.now ? options_.now() : std::chrono::steady_clock::now();
}

} // namespace depositd::stages
