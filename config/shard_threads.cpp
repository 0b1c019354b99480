#include "config/shard_threads.hpp"

#include <caf/policy/unprofiled.hpp>
#include <caf/scheduled_actor.hpp>
#include <caf/scheduler/coordinator.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace depositd {

namespace {

thread_local std::optional<shard_number> placing;
thread_local const void* working = nullptr; ///< whose thread this is

/// Actors of one thread that have something to do.
class ready_actors {
public:
  /// From any thread.
  void add(caf::resumable* x) {
    if (working == this) {
      own_.push_back(x);
      return;
    }
    const std::lock_guard lock{guard_};
    foreign_.push_back(x);
    if (sleeping_)
      called_.notify_one();
  }

  /// Waits for one; always from the same thread.
  caf::resumable* next() {
    working = this;
    // What comes from elsewhere has its turn after so many of ours.
    if (own_.empty() || ++since_look_ >= own_in_a_row)
      take_foreign(own_.empty());
    auto* out = own_.front();
    own_.pop_front();
    return out;
  }

  /// For the end: takes out one, or null.
  caf::resumable* remove() {
    const std::lock_guard lock{guard_};
    own_.insert(own_.end(), foreign_.begin(), foreign_.end());
    foreign_.clear();
    if (own_.empty())
      return nullptr;
    auto* out = own_.front();
    own_.pop_front();
    return out;
  }

private:
  static constexpr unsigned own_in_a_row = 32;

  void take_foreign(bool wait) {
    since_look_ = 0;
    std::unique_lock lock{guard_};
    if (wait) {
      sleeping_ = true;
      called_.wait(lock, [this] { return !foreign_.empty(); });
      sleeping_ = false;
    }
    own_.insert(own_.end(), foreign_.begin(), foreign_.end());
    foreign_.clear();
  }

  std::deque<caf::resumable*> own_; ///< of the thread
  unsigned since_look_ = 0;
  std::mutex guard_; ///< of what follows
  std::condition_variable called_;
  bool sleeping_ = false;
  std::vector<caf::resumable*> foreign_;
};

/// How CAF's coordinator and its workers find work.
class home_policy : public caf::policy::unprofiled {
public:
  using abstract = caf::scheduler::abstract_coordinator;

  struct coordinator_data {
    explicit coordinator_data(abstract*) {
      // nop
    }

    std::atomic<std::size_t> next{0};
  };

  struct worker_data {
    explicit worker_data(abstract*)
      : ready(std::make_shared<ready_actors>()) {
      // nop
    }

    // Each worker begins with a copy of one that none of them uses.
    worker_data(const worker_data&)
      : ready(std::make_shared<ready_actors>()) {
      // nop
    }

    const std::shared_ptr<ready_actors> ready;
  };

  template <class Coordinator>
  void central_enqueue(Coordinator* self, caf::resumable* job) {
    if (auto* home = home_of(*self, job)) {
      d(home).ready->add(job);
      return;
    }
    const auto at = placing ? std::size_t{*placing} : d(self).next++;
    d(self->worker_by_id(at % self->num_workers())).ready->add(job);
  }

  /// Of the coordinator, to end the worker.
  template <class Worker>
  void external_enqueue(Worker* self, caf::resumable* job) {
    d(self).ready->add(job);
  }

  template <class Worker>
  void internal_enqueue(Worker* self, caf::resumable* job) {
    auto* home = home_of(*self->parent(), job);
    d(home != nullptr ? home : self).ready->add(job);
  }

  template <class Worker>
  void resume_job_later(Worker* self, caf::resumable* job) {
    d(self).ready->add(job);
  }

  template <class Worker>
  caf::resumable* dequeue(Worker* self) {
    return d(self).ready->next();
  }

  template <class Worker, class F>
  void foreach_resumable(Worker* self, F f) {
    while (auto* job = d(self).ready->remove())
      f(job);
  }

  template <class Coordinator, class F>
  void foreach_central_resumable(Coordinator*, F) {
    // nop: they are the workers'
  }

private:
  /// The worker that it ran in last, or who spawned it; null if it is new and
  /// comes from none of them. Only who has made an idle actor ready asks, so
  /// the actor does not run meanwhile.
  template <class Coordinator>
  static auto home_of(Coordinator& all, caf::resumable* job)
    -> decltype(all.worker_by_id(0)) {
    if (job->subtype() != caf::resumable::scheduled_actor)
      return nullptr;
    const auto* last =
      static_cast<caf::scheduled_actor*>(job)->context();
    for (std::size_t i = 0; i < all.num_workers(); ++i)
      if (all.worker_by_id(i) == last)
        return all.worker_by_id(i);
    return nullptr;
  }
};

using home_coordinator = caf::scheduler::coordinator<home_policy>;

} // namespace

void run_shards_in_threads(caf::actor_system_config& config,
                           std::size_t threads) {
  config.load<home_coordinator>();
  config.set("scheduler.max-threads", std::max<std::size_t>(threads, 1));
}

std::size_t shard_threads(shard_number shards) {
  const std::size_t processors =
    std::max(1U, std::thread::hardware_concurrency());
  return std::min<std::size_t>(shards, processors);
}

in_thread_of::in_thread_of(shard_number shard) {
  placing = shard;
}

in_thread_of::~in_thread_of() {
  placing.reset();
}

} // namespace depositd
