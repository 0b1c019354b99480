#include "messages/workers.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

namespace depositd {

namespace {

constexpr std::size_t stuck_per_place = 4;

caf::error no_worker() {
  return caf::make_error(ec::overloaded,
                         std::string{"no worker can be started"});
}

/// CAF says it, not the worker: it took too long, threw, or is gone.
bool is_no_answer(const caf::error& why) {
  return why.category() == caf::atom("system");
}

} // namespace

worker_pool::~worker_pool() {
  const auto ends =
    caf::make_error(ec::draining, std::string{"nobody does this any more"});
  for (const auto& x : waiting_)
    x.refuse(ends);
  for (const auto& [worker, refuse] : busy_) {
    refuse(ends);
    caf::anon_send_exit(worker, caf::exit_reason::user_shutdown);
  }
  for (const auto& worker : idle_)
    caf::anon_send_exit(worker, caf::exit_reason::user_shutdown);
}

void worker_pool::open(const workers_options& options,
                       std::function<caf::actor()> spawn) {
  options_ = options;
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
  busy_.emplace(worker, std::move(what.refuse));
  what.ask(worker);
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
  return found ? std::move(found.mapped()) : nullptr;
}

} // namespace depositd
