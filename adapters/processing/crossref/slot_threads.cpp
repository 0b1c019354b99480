#include "adapters/processing/crossref/slot_threads.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace depositd::crossref {

namespace {

using steady = std::chrono::steady_clock;

/// The watch rests after so many looks at nothing that waits.
constexpr std::size_t quiet_looks = 20;

struct member {
  std::condition_variable call;
  bool busy = false;
  bool slow = false; ///< busy for longer than is waited for
  steady::time_point since{};
};

} // namespace

struct slot_threads::crew : std::enable_shared_from_this<crew> {
  crew(caf::actor_system& system, const slot_threads_options& options)
    : system(system), patience(options.patience),
      busy_max(options.busy_max > 0 ? options.busy_max
                                    : std::numeric_limits<std::size_t>::max()) {
    // nop
  }

  bool take(work what);
  void end();

private:
  member* summon();
  bool start(void (crew::*what)(member&), member& who);
  void serve(member& me);
  void work_on(std::unique_lock<std::mutex>& turn, member& me);
  bool is_slow_no_more(member& me);
  void rest(member& me);
  void watch(member& me);
  void look();
  void watch_later();

  caf::actor_system& system;
  const std::chrono::milliseconds patience;
  const std::size_t busy_max;

  std::mutex guard;
  std::deque<work> waiting;
  std::vector<std::unique_ptr<member>> members; ///< none ever goes
  std::vector<member*> idle;                    ///< the last one goes on first
  std::size_t busy = 0;                         ///< those called are
  std::size_t slow = 0;                         ///< of these
  bool ending = false;

  std::unique_ptr<member> watcher; ///< busy: looks now and then
  std::size_t quiet = 0;           ///< looks at nothing
};

/// On a thread that the actor system waits for, as for those of its own.
bool slot_threads::crew::start(void (crew::*what)(member&), member& who) {
  system.inc_detached_threads();
  try {
    std::thread{[self = shared_from_this(), what, &who]() mutable {
      auto& system = self->system;
      (*self.*what)(who);
      self.reset();
      system.dec_detached_threads();
    }}.detach();
    return true;
  } catch (const std::system_error& x) {
    system.dec_detached_threads();
    spdlog::warn("slot_thread_not_started threads={} reason=\"{}\"",
                 members.size(), x.what());
    return false;
  }
}

/// Somebody more for what waits, if there may be: is to be called once nobody
/// has the guard, or has been started.
member* slot_threads::crew::summon() {
  if (busy - slow >= busy_max)
    return nullptr;
  member* out = nullptr;
  if (!idle.empty()) {
    out = idle.back();
    idle.pop_back();
  } else {
    auto fresh = std::make_unique<member>();
    if (!start(&crew::serve, *fresh))
      return nullptr;
    out = members.emplace_back(std::move(fresh)).get();
  }
  out->busy = true;
  out->since = steady::now();
  ++busy;
  return out;
}

bool slot_threads::crew::take(work what) {
  member* called = nullptr;
  {
    const std::lock_guard turn{guard};
    waiting.push_back(std::move(what));
    called = summon();
    if (called == nullptr && members.empty()) {
      waiting.clear();
      return false;
    }
    if (called == nullptr)
      watch_later();
  }
  if (called != nullptr)
    called->call.notify_one();
  return true;
}

/// Until nothing waits, or others are there for it.
void slot_threads::crew::work_on(std::unique_lock<std::mutex>& turn,
                                 member& me) {
  while (!waiting.empty() && !ending) {
    auto what = std::move(waiting.front());
    waiting.pop_front();
    me.since = steady::now();
    turn.unlock();
    what();
    what = nullptr; // what it holds is let go of without the guard
    turn.lock();
    if (is_slow_no_more(me) && busy - slow > busy_max)
      return;
  }
}

bool slot_threads::crew::is_slow_no_more(member& me) {
  const auto was = std::exchange(me.slow, false);
  if (was)
    --slow;
  return was;
}

/// Who was called may have come too late to find anything, and be slow as well.
void slot_threads::crew::rest(member& me) {
  is_slow_no_more(me);
  me.busy = false;
  --busy;
  idle.push_back(&me);
}

void slot_threads::crew::serve(member& me) {
  std::unique_lock turn{guard};
  while (!ending) {
    work_on(turn, me);
    rest(me);
    me.call.wait(turn, [&] { return me.busy || ending; });
  }
}

/// Nobody who is busy need be through soon.
void slot_threads::crew::watch_later() {
  if (!watcher) {
    watcher = std::make_unique<member>();
    if (!start(&crew::watch, *watcher)) {
      watcher.reset();
      return;
    }
  }
  if (!std::exchange(watcher->busy, true))
    watcher->call.notify_one();
}

void slot_threads::crew::look() {
  const auto now = steady::now();
  for (const auto& x : members)
    if (x->busy && !x->slow && now - x->since >= patience) {
      x->slow = true;
      ++slow;
    }
  for (auto i = waiting.size(); i > 0; --i)
    if (auto* called = summon())
      called->call.notify_one();
  quiet = waiting.empty() ? quiet + 1 : 0;
}

void slot_threads::crew::watch(member& me) {
  std::unique_lock turn{guard};
  while (!ending) {
    me.call.wait(turn, [&] { return me.busy || ending; });
    me.call.wait_for(turn, patience, [&] { return ending; });
    look();
    if (quiet >= quiet_looks) {
      quiet = 0;
      me.busy = false;
    }
  }
}

void slot_threads::crew::end() {
  std::deque<work> dropped;
  const std::lock_guard turn{guard};
  ending = true;
  dropped.swap(waiting);
  for (const auto& x : members)
    x->call.notify_one();
  if (watcher)
    watcher->call.notify_one();
}

slot_threads::slot_threads(caf::actor_system& system,
                           const slot_threads_options& options)
  : crew_(std::make_shared<crew>(system, options)) {
  // nop
}

slot_threads::~slot_threads() {
  crew_->end();
}

bool slot_threads::take(work what) {
  return crew_->take(std::move(what));
}

} // namespace depositd::crossref
