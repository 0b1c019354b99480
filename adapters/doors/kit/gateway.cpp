#include "adapters/doors/kit/gateway.hpp"

#include <caf/actor_companion.hpp>

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <mutex>
#include <new>
#include <unordered_map>
#include <vector>

namespace depositd::kit {

namespace {

using steady = std::chrono::steady_clock;
using held_memory_of = std::shared_ptr<const void>;

/// Requests are spread by number, so that threads seldom meet.
constexpr std::size_t parts = 16;

} // namespace

/// Who waits for an answer. The companion holds on to it as long as it lives.
struct gateway::waiting {
  struct question {
    std::unique_ptr<answer_taker> taker;
    held_memory_of held; ///< null: nothing
  };

  using late_list = std::vector<question>;

  struct part {
    std::mutex guard;
    std::unordered_map<std::uint64_t, question> takers;
    /// Of those of one patience: when they are given up.
    std::deque<std::pair<std::uint64_t, steady::time_point>> order[2];
    /// What the messages of late ones still take, and when it is forgotten.
    std::unordered_map<std::uint64_t, held_memory_of> held;
    std::deque<std::pair<std::uint64_t, steady::time_point>> forgotten;

    /// Those who have waited for too long; to be dropped without the guard.
    late_list remove_late(steady::time_point now,
                          std::chrono::milliseconds held_for) {
      late_list out;
      for (auto& each : order)
        for (; !each.empty() && each.front().second <= now; each.pop_front())
          if (auto late = takers.extract(each.front().first)) {
            if (late.mapped().held) {
              held.emplace(late.key(), std::move(late.mapped().held));
              forgotten.emplace_back(late.key(), now + held_for);
            }
            out.push_back(std::move(late.mapped()));
          }
      // Whoever has died with it answers no more.
      for (; !forgotten.empty() && forgotten.front().second <= now;
           forgotten.pop_front())
        if (auto over = held.extract(forgotten.front().first))
          out.push_back({nullptr, std::move(over.mapped())});
      return out;
    }
  };

  explicit waiting(options x) : how(std::move(x)) {
    // nop
  }

  std::uint64_t add(question x, bool takes_long) {
    const auto id = ++last_id;
    auto& at = all[id % parts];
    const auto now = steady::now();
    late_list late;
    const std::lock_guard lock{at.guard};
    // Asked with the guard, so that `forget` finds all that were let in.
    if (closed)
      return 0;
    late = at.remove_late(now, how.long_patience);
    count -= takers_in(late);
    // Counted once it is there: there may be no memory for it.
    at.order[takes_long].emplace_back(
      id, now + (takes_long ? how.long_patience : how.patience));
    at.takers.emplace(id, std::move(x));
    ++count;
    return id;
  }

  static std::size_t takers_in(const late_list& x) {
    return static_cast<std::size_t>(
      std::count_if(x.begin(), x.end(),
                    [](const auto& y) { return y.taker != nullptr; }));
  }

  void drop_late(part& at, steady::time_point now) {
    late_list late;
    const std::lock_guard lock{at.guard};
    late = at.remove_late(now, how.long_patience);
    count -= takers_in(late);
  }

  // Where nobody may ask any more, nobody else notices who is late.
  bool full() {
    const auto now = steady::now();
    for (std::size_t i = 0; i < parts && count >= how.outstanding_max; ++i)
      drop_late(all[i], now);
    return count >= how.outstanding_max;
  }

  /// Empty: it was late.
  question remove(std::uint64_t id) {
    auto& at = all[id % parts];
    held_memory_of over; // goes without the guard
    const std::lock_guard lock{at.guard};
    auto found = at.takers.extract(id);
    if (!found) {
      if (auto late = at.held.extract(id))
        over = std::move(late.mapped());
      return {};
    }
    --count;
    return std::move(found.mapped());
  }

  // Takers may hold on to the owner of the gateway.
  void forget() {
    for (auto& at : all) {
      decltype(at.takers) dropped;
      decltype(at.held) held;
      const std::lock_guard lock{at.guard};
      dropped.swap(at.takers);
      held.swap(at.held);
    }
  }

  void take(caf::mailbox_element& x) {
    core_answer what{x.content()};
    if (!x.mid.is_response()) {
      how.news(what);
    } else if (const auto asked = remove(x.mid.request_id().integer_value());
               asked.taker) {
      // Whoever gives the answer can do nothing about it; who waits for it is
      // told by the taker's end.
      try {
        asked.taker->take(what);
      } catch (const std::bad_alloc&) {
        spdlog::error("answer_dropped reason=\"out of memory\"");
      }
    }
  }

  const options how;
  std::atomic<std::uint64_t> last_id{0};
  std::atomic<std::size_t> count{0};
  std::atomic<bool> closed{false};
  std::array<part, parts> all;
};

gateway::gateway(caf::actor_system& system, options how)
  : waiting_(std::make_shared<waiting>(std::move(how))) {
  auto companion = system.spawn<caf::actor_companion>();
  self_ = caf::actor_cast<caf::strong_actor_ptr>(companion);
  caf::actor_cast<caf::actor_companion*>(self_)->on_enqueue(
    [waiting = waiting_](caf::mailbox_element_ptr x) { waiting->take(*x); });
}

gateway::~gateway() {
  close();
}

void gateway::close() {
  if (waiting_->closed.exchange(true))
    return;
  // What `disconnect` would do; the library declares it only.
  auto* companion = caf::actor_cast<caf::actor_companion*>(self_);
  companion->on_enqueue(nullptr);
  companion->cleanup(caf::make_error(caf::exit_reason::normal), nullptr);
  waiting_->forget();
}

bool gateway::full() const {
  return waiting_->full();
}

void gateway::drop_late() {
  const auto now = steady::now();
  for (auto& at : waiting_->all)
    waiting_->drop_late(at, now);
}

std::uint64_t gateway::remember(std::unique_ptr<answer_taker> then,
                                bool takes_long,
                                std::shared_ptr<const void> held) {
  return waiting_->add({std::move(then), std::move(held)}, takes_long);
}

void gateway::send(const caf::strong_actor_ptr& whom,
                   caf::mailbox_element_ptr what) {
  whom->enqueue(std::move(what), nullptr);
}

} // namespace depositd::kit
