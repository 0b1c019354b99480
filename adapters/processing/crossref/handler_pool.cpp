#include "adapters/processing/crossref/handler_pool.hpp"

#include "messages/follow_control.hpp"
#include "messages/type_ids.hpp"

#include <caf/all.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace depositd::crossref {

handler_pool_state::~handler_pool_state() {
  for (const auto& worker : workers)
    caf::anon_send_exit(worker, caf::exit_reason::user_shutdown);
}

namespace {

using pool_pointer = handler_pool_actor::stateful_pointer<handler_pool_state>;

outcome outcome_for(const handle_item& what, verdict says, std::string reason) {
  outcome out;
  out.id = what.item.id;
  out.token = what.item.token;
  out.member = what.item.member;
  out.says = says;
  out.reason = std::move(reason);
  return out;
}

void dispatch(pool_pointer self);

void add_worker(pool_pointer self) {
  auto& state = self->state;
  auto worker = state.options.spawn_worker();
  self->monitor(worker);
  state.workers.push_back(worker);
  state.idle.push_back(std::move(worker));
}

/// Answers for the item that the worker has, if it still has one.
void answer(pool_pointer self, const handler_worker_actor& worker,
            const std::function<outcome(const handle_item&)>& say) {
  auto& busy = self->state.busy;
  const auto found = busy.find(worker);
  if (found == busy.end())
    return;
  auto item = std::move(found->second);
  busy.erase(found);
  item.promise.deliver(say(item.what));
}

void answer_retry(pool_pointer self, const handler_worker_actor& worker,
                  const std::string& reason) {
  answer(self, worker, [&](const handle_item& what) {
    return outcome_for(what, verdict::retry, "the handler failed: " + reason);
  });
}

/// CAF tells nobody that an answer will not come: the item's is given here.
void replace_worker(pool_pointer self, const caf::down_msg& down) {
  auto& workers = self->state.workers;
  const auto gone = std::find_if(
    workers.begin(), workers.end(),
    [&](const handler_worker_actor& x) { return x.address() == down.source; });
  if (gone == workers.end())
    return;
  const auto worker = *gone;
  workers.erase(gone);
  std::erase(self->state.idle, worker);
  answer_retry(self, worker, render(down.reason));
  add_worker(self);
  dispatch(self);
}

void finish(pool_pointer self, const handler_worker_actor& worker,
            const outcome& result) {
  answer(self, worker, [&](const handle_item&) { return result; });
  self->state.idle.push_back(worker);
  dispatch(self);
}

/// Stuck: it gets no other item; its death brings another one.
void give_up(pool_pointer self, const handler_worker_actor& worker,
             const caf::error& problem) {
  answer_retry(self, worker, render(problem));
  caf::anon_send_exit(worker, caf::exit_reason::kill);
}

void run(pool_pointer self, const handler_worker_actor& worker,
         waiting_item item) {
  auto& state = self->state;
  handler_job job{item.what, state.control};
  state.busy.emplace(worker, std::move(item));
  self->request(worker, state.options.job_timeout, std::move(job))
    .then(
      [self, worker](const outcome& result) { finish(self, worker, result); },
      [self, worker](const caf::error& problem) {
        give_up(self, worker, problem);
      });
}

void dispatch(pool_pointer self) {
  auto& state = self->state;
  while (state.control && !state.waiting.empty() && !state.idle.empty()) {
    auto worker = std::move(state.idle.back());
    state.idle.pop_back();
    auto item = std::move(state.waiting.front());
    state.waiting.pop_front();
    run(self, worker, std::move(item));
  }
}

void take_control(pool_pointer self, const control_snapshot& control) {
  self->state.control = control;
  dispatch(self);
}

void watch(pool_pointer self) {
  auto& state = self->state;
  const auto& options = state.options;
  self->send_exit(state.following, caf::exit_reason::user_shutdown);
  if (options.shard) // else one is met later
    state.following = follow_control(self, options.shard,
                                     {.patience = options.ask_timeout});
}

caf::result<outcome> delay(pool_pointer self, const handle_item& what) {
  auto& state = self->state;
  const auto ticket = ++state.ticket_last;
  auto promise = self->make_response_promise<outcome>();
  state.delayed.emplace(ticket, waiting_item{what, promise});
  self->delayed_send(self,
                     std::chrono::milliseconds{state.options.inject_delay_ms},
                     delay_over{ticket});
  return promise;
}

void end_delay(pool_pointer self, std::uint64_t ticket) {
  const auto found = self->state.delayed.find(ticket);
  if (found == self->state.delayed.end())
    return;
  auto item = std::move(found->second);
  self->state.delayed.erase(found);
  item.promise.deliver(outcome_for(item.what, verdict::done, {}));
}

caf::result<outcome> take(pool_pointer self, const handle_item& what) {
  auto& state = self->state;
  if (state.options.inject_delay_ms > 0)
    return delay(self, what);
  if (state.waiting.size() >= state.options.waiting_max)
    return caf::make_error(ec::overloaded,
                           std::string{"too many items wait for a handler"});
  auto promise = self->make_response_promise<outcome>();
  state.waiting.push_back({what, promise});
  dispatch(self);
  return promise;
}

void begin(pool_pointer self) {
  auto& state = self->state;
  if (state.options.inject_delay_ms > 0)
    return;
  self->set_down_handler(
    [self](const caf::down_msg& x) { replace_worker(self, x); });
  for (std::size_t i = 0; i < state.options.workers; ++i)
    add_worker(self);
  if (state.options.shard || state.options.awaits_shard)
    watch(self);
  else if (state.options.control)
    state.control = state.options.control;
  else
    state.control = std::make_shared<const control_state>();
}

} // namespace

handler_worker_actor::behavior_type
handler_worker(handler_worker_actor::pointer,
               std::shared_ptr<const submission_handler> handler) {
  return {
    [handler](const handler_job& job) {
      return handler->handle(job.what, *job.control);
    },
  };
}

handler_pool_actor::behavior_type
handler_pool(handler_pool_actor::stateful_pointer<handler_pool_state> self,
             handler_pool_options options) {
  self->state.options = std::move(options);
  begin(self);
  return {
    [self](const handle_item& x) { return take(self, x); },
    [self](const control_changed& x) { take_control(self, x.state); },
    [self](const meet_shard& x) {
      self->state.options.shard = caf::actor_cast<shard_doors_actor>(x.shard);
      watch(self);
    },
    [self](const delay_over& x) { end_delay(self, x.ticket); },
  };
}

} // namespace depositd::crossref
