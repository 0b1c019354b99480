#include "adapters/doors/kit/actor_loop.hpp"

#include "adapters/doors/kit/epoll_loop.hpp"

#include <caf/policy/unprofiled.hpp>
#include <caf/scheduler/coordinator.hpp>

#include <chrono>
#include <deque>
#include <mutex>
#include <vector>

namespace depositd::kit {

namespace {

/// However much the actors have to do, sockets are looked at so often; however
/// much comes through sockets, actors have so long in between.
constexpr std::chrono::microseconds look_interval{200};

/// Actors that have something to do, and the turns of their thread.
class ready_actors {
public:
  const std::shared_ptr<epoll_turns>& turns() const noexcept {
    return turns_;
  }

  /// From any thread.
  void add(caf::resumable* x) {
    if (turns_->turned_here()) {
      own_.push_back(x);
      return;
    }
    {
      const std::lock_guard lock{guard_};
      foreign_.push_back(x);
    }
    turns_->wake();
  }

  /// Waits for one.
  caf::resumable* next() {
    while (own_.empty() || epoll_turns::now() >= look_at_) {
      if (take_foreign() && epoll_turns::now() < look_at_)
        break;
      turns_->turn([this] { return !take_foreign() && own_.empty(); });
      look_at_ = epoll_turns::now() + look_interval;
    }
    auto* out = own_.front();
    own_.pop_front();
    return out;
  }

  /// For the end: takes out one, or null.
  caf::resumable* remove() {
    take_foreign();
    if (own_.empty())
      return nullptr;
    auto* out = own_.front();
    own_.pop_front();
    return out;
  }

private:
  bool take_foreign() {
    const std::lock_guard lock{guard_};
    const bool some = !foreign_.empty();
    own_.insert(own_.end(), foreign_.begin(), foreign_.end());
    foreign_.clear();
    return some;
  }

  const std::shared_ptr<epoll_turns> turns_ = std::make_shared<epoll_turns>();
  std::deque<caf::resumable*> own_; ///< of the thread
  epoll_turns::time look_at_;
  std::mutex guard_; ///< of `foreign_`
  std::vector<caf::resumable*> foreign_;
};

/// How CAF's coordinator and its one worker find work.
class loop_policy : public caf::policy::unprofiled {
public:
  using abstract = caf::scheduler::abstract_coordinator;

  struct coordinator_data {
    explicit coordinator_data(abstract*) {
      // nop
    }

    ready_actors ready;
  };

  struct worker_data {
    explicit worker_data(abstract*) {
      // nop
    }
  };

  template <class Coordinator>
  void central_enqueue(Coordinator* self, caf::resumable* job) {
    d(self).ready.add(job);
  }

  template <class Worker>
  void external_enqueue(Worker* self, caf::resumable* job) {
    d(self->parent()).ready.add(job);
  }

  template <class Worker>
  void internal_enqueue(Worker* self, caf::resumable* job) {
    d(self->parent()).ready.add(job);
  }

  template <class Worker>
  void resume_job_later(Worker* self, caf::resumable* job) {
    d(self->parent()).ready.add(job);
  }

  template <class Worker>
  caf::resumable* dequeue(Worker* self) {
    return d(self->parent()).ready.next();
  }

  template <class Worker, class F>
  void foreach_resumable(Worker*, F) {
    // nop: they are the coordinator's
  }

  template <class Coordinator, class F>
  void foreach_central_resumable(Coordinator* self, F f) {
    while (auto* job = d(self).ready.remove())
      f(job);
  }
};

using loop_coordinator = caf::scheduler::coordinator<loop_policy>;

} // namespace

void run_actors_in_loop(caf::actor_system_config& config) {
  config.load<loop_coordinator>();
  config.set("scheduler.max-threads", std::size_t{1});
}

loop_source loops_of(caf::actor_system& system) {
  auto* here = dynamic_cast<loop_coordinator*>(&system.scheduler());
  if (here == nullptr)
    return {};
  return {[turns = here->data().ready.turns()] {
    return std::make_unique<epoll_loop>(turns);
  }};
}

} // namespace depositd::kit
