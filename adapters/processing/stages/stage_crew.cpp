#include "adapters/processing/stages/stage_crew.hpp"

#include "messages/thread_probe.hpp"

#include <caf/send.hpp>

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <utility>

namespace depositd::stages {

namespace {

using self_pointer = actor_with<stage_crew_state>*;

/// Blocks: is detached.
handler_actor::behavior_type
stage_thread(handler_actor::pointer, std::shared_ptr<const stage_work> work) {
  return {
    [=](handle_item& x) { return work->handle(x); },
  };
}

void end_thread(self_pointer self, const handler_actor& thread) {
  self->state.threads.erase(thread);
  self->demonitor(thread.address());
  self->send_exit(thread, caf::exit_reason::user_shutdown);
}

void go_on(self_pointer self);

/// The thread is through with its item.
void ended(self_pointer self, const handler_actor& thread,
           caf::expected<outcome> how) {
  auto& state = self->state;
  auto found = state.busy.extract(thread.address());
  if (!found)
    return; // it died meanwhile
  if (how)
    found.mapped().deliver(std::move(*how));
  else
    found.mapped().deliver(how.error());
  if (state.threads.size() > state.slots.size())
    end_thread(self, thread);
  else
    state.idle.push_back(thread);
  go_on(self);
}

void start(self_pointer self, const handler_actor& thread,
           stage_crew_state::waiting_item next) {
  self->state.busy.emplace(thread.address(), next.to);
  // The slot that asks has a time limit, and we hear of a thread's death.
  self->request(thread, caf::infinite, std::move(next.item))
    .then([=](outcome& how) { ended(self, thread, std::move(how)); },
          [=](caf::error& why) { ended(self, thread, std::move(why)); });
}

handler_actor new_thread(self_pointer self) {
  const auto& options = self->state.options;
  try {
    look_for_thread();
    handler_actor out =
      options.spawn_thread
        ? options.spawn_thread()
        : handler_actor{self->spawn<caf::detached>(stage_thread, options.work)};
    self->monitor(out);
    self->state.threads.insert(out);
    return out;
  } catch (const std::exception& x) {
    spdlog::warn("stage_thread_not_started threads={} reason=\"{}\"",
                 self->state.threads.size(), x.what());
    return {};
  }
}

/// A thread that is free, if there may be one and it can be had.
handler_actor free_thread(self_pointer self) {
  auto& state = self->state;
  if (!state.idle.empty()) {
    auto out = std::move(state.idle.back());
    state.idle.pop_back();
    return out;
  }
  if (state.threads.size() >= std::max<std::size_t>(state.slots.size(), 1))
    return {};
  return new_thread(self);
}

/// Nobody is there, and nobody can be had: others may have threads.
void give_back(self_pointer self) {
  auto& state = self->state;
  outcome later;
  later.says = verdict::not_yet;
  later.delay_ms =
    static_cast<std::uint32_t>(state.options.thread_retry.count());
  later.reason = "no thread can be started";
  for (auto& x : std::exchange(state.waiting, {}))
    x.to.deliver(later);
}

void go_on(self_pointer self) {
  auto& state = self->state;
  while (!state.waiting.empty()) {
    const auto thread = free_thread(self);
    if (!thread) {
      if (state.threads.empty())
        give_back(self);
      return;
    }
    auto next = std::move(state.waiting.front());
    state.waiting.pop_front();
    start(self, thread, std::move(next));
  }
}

/// So often before a thread has been idle for long enough: a look that is due
/// keeps the crew, and a process that ends waits for it.
constexpr std::uint32_t looks_max = 10;

void look_later(self_pointer self) {
  using std::chrono::milliseconds;
  if (!std::exchange(self->state.look_due, true))
    self->delayed_send(
      self,
      std::max(self->state.options.idle_max / looks_max, milliseconds{1}),
      look_idle{});
}

void end_idle(self_pointer self) {
  for (const auto& thread : std::exchange(self->state.idle, {}))
    end_thread(self, thread);
}

void look(self_pointer self) {
  auto& state = self->state;
  state.look_due = false;
  if (++state.looks > looks_max) // the first came soon after it was used
    end_idle(self);
  if (!state.threads.empty())
    look_later(self);
}

caf::result<outcome> take(self_pointer self, handle_item& x) {
  auto& state = self->state;
  auto promise = self->make_response_promise<outcome>();
  state.looks = 0;
  state.waiting.push_back({std::move(x), promise});
  look_later(self);
  go_on(self);
  return promise;
}

void gone(self_pointer self, const caf::down_msg& x) {
  auto& state = self->state;
  if (state.slots.erase(x.source) > 0) {
    if (state.slots.empty())
      end_idle(self); // nobody brings them anything
    return;
  }
  const auto is_it = [&](const handler_actor& y) {
    return y.address() == x.source;
  };
  std::erase_if(state.threads, is_it);
  std::erase_if(state.idle, is_it);
  if (auto found = state.busy.extract(x.source))
    found.mapped().deliver(x.reason ? x.reason
                                    : caf::sec::request_receiver_down);
  go_on(self);
}

} // namespace

stage_crew_state::~stage_crew_state() {
  for (const auto& thread : threads)
    caf::anon_send_exit(thread, caf::exit_reason::user_shutdown);
}

stage_crew_self::behavior_type stage_crew(actor_with<stage_crew_state>* self,
                                          stage_crew_options options) {
  self->state.options = std::move(options);
  self->set_down_handler([=](const caf::down_msg& x) { gone(self, x); });
  return {
    [=](handle_item& x) { return take(self, x); },
    [=](join_crew) {
      const auto& slot = self->current_sender();
      self->monitor(slot->address());
      self->state.slots.insert(slot->address());
      go_on(self);
    },
    [=](look_idle) { look(self); },
  };
}

handler_actor::behavior_type stage_slot(handler_actor::pointer self,
                                        std::shared_ptr<const stage_work> work,
                                        stage_crew_actor crew) {
  self->send(crew, join_crew{});
  return {
    [=](handle_item& x) -> caf::result<outcome> {
      if (auto ended = work->at_once(x))
        return std::move(*ended);
      return self->delegate(crew, std::move(x));
    },
  };
}

} // namespace depositd::stages
