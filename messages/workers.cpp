#include "messages/workers.hpp"

#include "messages/thread_probe.hpp"

#include <caf/behavior.hpp>
#include <caf/detail/behavior_impl.hpp>
#include <caf/duration.hpp>
#include <caf/scheduled_actor.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

namespace depositd {

namespace {

constexpr std::size_t stuck_per_place = 4;

constexpr caf::timespan timer_max = std::chrono::minutes{1};

caf::error no_worker() {
  return caf::make_error(ec::overloaded,
                         std::string{"no worker can be started"});
}

/// CAF says it, not the worker: it took too long, threw, or is gone.
bool is_no_answer(const caf::error& why) {
  return why.category() == caf::atom("system");
}

/// Takes what CAF gives for an answer that has not come.
class due final : public caf::detail::behavior_impl {
public:
  explicit due(std::function<void()> what) : what_(std::move(what)) {
  }

  caf::match_case::result invoke(caf::detail::invoke_result_visitor& say,
                                 caf::type_erased_tuple&) override {
    what_();
    say(caf::unit); // else CAF says that nobody understood it
    return caf::match_case::match;
  }

private:
  std::function<void()> what_;
};

/// A question that nobody is asked: a pool's actor has no messages but its
/// workers'.
void do_after(caf::scheduled_actor* self, caf::timespan pause,
              std::function<void()> what) {
  const auto id = self->new_request_id(caf::message_priority::normal);
  self->request_response_timeout(caf::duration{pause}, id);
  self->add_multiplexed_response_handler(
    id.response_id(), caf::behavior{caf::behavior::impl_ptr{
                        caf::make_counted<due>(std::move(what))}});
}

} // namespace

worker_pool::~worker_pool() {
  const auto ends =
    caf::make_error(ec::draining, std::string{"nobody does this any more"});
  for (const auto& x : waiting_)
    x.refuse(ends);
  for (const auto& [worker, job] : busy_) {
    job.refuse(ends);
    caf::anon_send_exit(worker, caf::exit_reason::user_shutdown);
  }
  for (const auto& worker : idle_)
    caf::anon_send_exit(worker, caf::exit_reason::user_shutdown);
}

void worker_pool::open(const workers_options& options, host at,
                       std::function<caf::actor()> spawn) {
  options_ = options;
  host_ = std::move(at);
  spawn_ = std::move(spawn);
  unopened_ = options_.count;
}

void worker_pool::take(request what) {
  if (!idle_.empty()) {
    const auto worker = std::move(idle_.back());
    idle_.pop_back();
    start(worker, std::move(what));
  } else if (const auto worker = make()) {
    start(worker, std::move(what));
  } else if (!has_workers()) {
    what.refuse(no_worker());
  } else if (waiting_.size() < options_.waiting_max) {
    waiting_.push_back(std::move(what));
  } else {
    what.refuse(caf::make_error(ec::overloaded,
                                std::string{"too much waits for a worker"}));
  }
}

bool worker_pool::answered(const caf::actor& worker) {
  const auto is_owed = request_of(worker) != nullptr;
  if (is_owed)
    go_on(worker);
  return is_owed;
}

void worker_pool::failed(const caf::actor& worker, caf::error why) {
  const auto refuse = request_of(worker);
  if (!refuse)
    return;
  if (is_no_answer(why)) {
    stuck_.insert(worker.address());
    caf::anon_send_exit(worker, caf::exit_reason::kill);
    ++places_empty_;
    replace();
  } else {
    go_on(worker);
  }
  refuse(std::move(why));
}

void worker_pool::ended(const caf::actor_addr& worker, caf::error why) {
  if (stuck_.erase(worker) > 0) {
    replace();
    return;
  }
  const auto is_it = [&](const caf::actor& x) { return x.address() == worker; };
  if (std::erase_if(idle_, is_it) > 0) {
    open_place();
    return;
  }
  const auto busy = std::find_if(busy_.begin(), busy_.end(),
                                 [&](const auto& x) { return is_it(x.first); });
  if (busy == busy_.end())
    return; // another has its place already
  request_of(busy->first)(why ? std::move(why)
                              : caf::sec::request_receiver_down);
  open_place();
}

/// A thread that hangs cannot be ended, so what hangs for good must not cost a
/// thread at every time-out.
void worker_pool::replace() {
  while (places_empty_ > 0
         && stuck_.size() < stuck_per_place * options_.count) {
    --places_empty_;
    open_place();
  }
}

caf::actor worker_pool::make() {
  if (unopened_ == 0)
    return {};
  try {
    look_for_thread();
    auto out = spawn_();
    --unopened_;
    return out;
  } catch (const std::exception&) {
    return {}; // the machine has no thread for us now
  }
}

void worker_pool::open_place() {
  ++unopened_;
  if (waiting_.empty())
    return;
  if (const auto worker = make())
    return go_on(worker);
  if (has_workers())
    return; // what waits will have its turn
  for (const auto& x : std::exchange(waiting_, {}))
    x.refuse(no_worker());
}

void worker_pool::start(const caf::actor& worker, request what) {
  busy_.emplace(worker, job{std::move(what.refuse),
                            host_.now() + options_.job_timeout});
  what.ask(worker);
  await_overdue();
}

/// One timer for all requests: each setting and taking back of one wakes CAF's
/// clock, which costs more than to hand the request over.
void worker_pool::await_overdue() {
  if (timed_ || busy_.empty())
    return;
  auto first = time_point::max();
  for (const auto& [worker, job] : busy_)
    first = std::min(first, job.until);
  timed_ = true;
  // A timer keeps even a pool that has ended, so it is never a long one.
  host_.do_after(std::clamp<caf::timespan>(first - host_.now(),
                                           caf::timespan{0}, timer_max),
                 [this] { end_overdue(); });
}

void worker_pool::end_overdue() {
  timed_ = false;
  const auto now = host_.now();
  std::vector<caf::actor> late;
  for (const auto& [worker, job] : busy_)
    if (job.until <= now)
      late.push_back(worker);
  for (const auto& worker : late)
    failed(worker, caf::sec::request_timeout);
  await_overdue();
}

void worker_pool::go_on(const caf::actor& worker) {
  if (waiting_.empty()) {
    idle_.push_back(worker);
    return;
  }
  auto next = std::move(waiting_.front());
  waiting_.pop_front();
  start(worker, std::move(next));
}

worker_pool::refusal worker_pool::request_of(const caf::actor& worker) {
  auto found = busy_.extract(worker);
  return found ? std::move(found.mapped().refuse) : nullptr;
}

namespace workers_parts {

worker_pool::host host_of(caf::scheduled_actor* self) {
  return {[self] { return self->clock().now(); },
          [self](caf::timespan pause, std::function<void()> what) {
            do_after(self, pause, std::move(what));
          }};
}

} // namespace workers_parts

} // namespace depositd
