#pragma once

// N workers behind one handle, for whatever blocks. What every such pool needs
// is here once: who is idle, how many requests may wait, and what becomes of a
// request whose worker dies or comes to no end.

#include "messages/ask.hpp"
#include "messages/values/errors.hpp"

#include <caf/actor.hpp>
#include <caf/actor_clock.hpp>
#include <caf/actor_system.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/timespan.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace caf {
class scheduled_actor;
} // namespace caf

namespace depositd {

struct workers_options {
  std::size_t count = 1;
  /// Requests that wait for a worker; beyond it `ec::overloaded`.
  std::size_t waiting_max = 512;
  /// After it the request is answered with CAF's time-out, and another worker
  /// takes the place of the stuck one, which ends when it can. While four times
  /// `count` are stuck, places stay empty until one of them ends.
  std::chrono::milliseconds job_timeout{600'000};
};

/// Who of the workers has which request; knows nothing of what is asked. The
/// state of the pool's actor: with it the workers end, once they have done what
/// they are at, and who waits is told `ec::draining`.
class worker_pool {
public:
  struct request {
    std::function<void(const caf::actor& worker)> ask;
    std::function<void(caf::error why)> refuse;
  };

  ~worker_pool();

  using time_point = caf::actor_clock::time_point;

  /// What the pool needs of the actor whose state it is.
  struct host {
    std::function<time_point()> now;
    std::function<void(caf::timespan, std::function<void()>)> do_after;
  };

  /// `spawn` makes a worker whose end `ended` is told of; it is called when
  /// there is something to do that nobody idle can take. A thread that was
  /// never needed reserves no memory.
  void open(const workers_options& options, host at,
            std::function<caf::actor()> spawn);

  /// Gives it to a worker, now or when one is idle.
  void take(request what);

  /// The worker goes on. False: its request has been answered for it.
  bool answered(const caf::actor& worker);

  /// The worker's answer is an error, or none came.
  void failed(const caf::actor& worker, caf::error why);

  /// The worker is gone. CAF tells nobody that an answer will not come.
  void ended(const caf::actor_addr& worker, caf::error why);

  static inline const char* name = "workers";

private:
  using refusal = std::function<void(caf::error)>;

  struct job {
    refusal refuse;
    time_point until; ///< from then on its worker is stuck
  };

  void start(const caf::actor& worker, request what);
  void go_on(const caf::actor& worker);
  void replace();
  /// Null if there are as many as may be, or no more can be had.
  caf::actor make();
  void open_place();
  /// Some that will be idle, or whose place will be filled.
  bool has_workers() const {
    return !busy_.empty() || !stuck_.empty();
  }
  refusal request_of(const caf::actor& worker);
  void await_overdue();
  void end_overdue();

  workers_options options_;
  host host_;
  std::function<caf::actor()> spawn_;
  std::size_t unopened_ = 0; ///< workers that may still be made
  std::vector<caf::actor> idle_;
  std::unordered_map<caf::actor, job> busy_;
  std::set<caf::actor_addr> stuck_; ///< told to end, and not gone yet
  std::size_t places_empty_ = 0;    ///< to be filled as stuck ones end
  std::deque<request> waiting_;
  bool timed_ = false; ///< it will look for overdue ones
};

namespace workers_parts {

template <class Interface>
using pool_pointer = typename Interface::template stateful_pointer<worker_pool>;

/// How one of the workers' messages passes through the pool.
template <class Interface, class Signature>
struct passage;

template <class Interface, class Question, class Answer>
struct passage<Interface, caf::typed_mpi<caf::detail::type_list<Question>,
                                         caf::output_tuple<Answer>>> {
  static auto through(pool_pointer<Interface> self) {
    return [self](Question& what) -> caf::result<Answer> {
      auto promise = self->template make_response_promise<Answer>();
      auto ask = [self, promise,
                  what = std::move(what)](const caf::actor& worker) mutable {
        depositd::ask(self, caf::actor_cast<Interface>(worker), caf::infinite,
                      std::move(what),
                      [self, promise, worker](caf::expected<Answer> x) mutable {
                        if (!x)
                          self->state.failed(worker, std::move(x.error()));
                        else if (self->state.answered(worker))
                          promise.deliver(std::move(*x));
                      });
      };
      self->state.take({std::move(ask), [promise](caf::error why) mutable {
                          promise.deliver(std::move(why));
                        }});
      return promise;
    };
  }
};

worker_pool::host host_of(caf::scheduled_actor* self);

template <class... Signatures>
caf::typed_behavior<Signatures...>
behavior(pool_pointer<caf::typed_actor<Signatures...>> self,
         caf::typed_actor<Signatures...>*) {
  return {
    passage<caf::typed_actor<Signatures...>, Signatures>::through(self)...};
}

} // namespace workers_parts

/// Spawns workers and what stands for them: whoever asks it is answered by the
/// first that is idle. Every message of the interface must have an answer.
/// `spawn_worker` is called from the pool's actor; it spawns detached what
/// blocks.
template <class Interface>
Interface workers(caf::actor_system& system, const workers_options& options,
                  std::function<Interface()> spawn_worker) {
  using namespace workers_parts;
  return system.spawn([=](pool_pointer<Interface> self) ->
                      typename Interface::behavior_type {
                        self->set_down_handler([self](const caf::down_msg& x) {
                          self->state.ended(x.source, x.reason);
                        });
                        self->state.open(options, host_of(self), [=] {
                          auto worker = spawn_worker();
                          self->monitor(worker);
                          return caf::actor_cast<caf::actor>(worker);
                        });
                        return behavior(self, static_cast<Interface*>(nullptr));
                      });
}

} // namespace depositd
