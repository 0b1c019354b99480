#include "actors/sources/source.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace depositd::sources {

// -- what others see of it ----------------------------------------------------

std::shared_ptr<void> running_count::one() {
  {
    const std::lock_guard guard{mutex_};
    ++count_;
  }
  return {this, [self = shared_from_this()](void*) { self->leave(); }};
}

void running_count::leave() {
  const std::lock_guard guard{mutex_};
  if (--count_ == 0)
    changed_.notify_all();
}

bool running_count::wait_for_none(std::chrono::milliseconds most) {
  std::unique_lock guard{mutex_};
  return changed_.wait_for(guard, most, [this] { return count_ == 0; });
}

void reader_handle::cancel() noexcept {
  const std::lock_guard guard{mutex_};
  if (reader_)
    reader_->cancel();
}

void reader_handle::set(source_reader* reader) noexcept {
  const std::lock_guard guard{mutex_};
  reader_ = reader;
}

// -- the actor ----------------------------------------------------------------

namespace {

using source_pointer = actor_with<source_actor_state>*;

/// Nothing if there is a reader.
caf::error open_reader(source_actor_state& state) {
  if (state.reader)
    return {};
  auto made = state.options.make_reader();
  if (!made)
    return std::move(made.error());
  state.reader = std::move(*made);
  state.options.reader->set(state.reader.get());
  return {};
}

caf::result<records_pulled> pull(source_pointer self, const pull_records& x) {
  auto& state = self->state;
  if (auto failed = open_reader(state))
    return failed;
  auto batch = state.reader->next_batch(
    {x.limit, x.cursor, std::chrono::milliseconds{x.timeout_ms}});
  if (!batch)
    return std::move(batch.error());
  return records_pulled{x.number, std::move(*batch)};
}

void tell_now(source_pointer self) {
  auto& state = self->state;
  // A reader that is new knows none of them.
  if (!state.reader || state.untold.empty())
    return state.untold.clear();
  const auto failed = state.reader->applied(state.untold);
  if (!failed)
    return state.untold.clear();
  if (std::exchange(state.again_due, true))
    return;
  spdlog::warn("source_not_told records={} reason=\"{}\"", state.untold.size(),
               render(failed));
  self->delayed_send(self, state.options.retry_pause, tell_again{});
}

void tell(source_pointer self, const tell_applied& x) {
  auto& state = self->state;
  const auto room = state.options.keys_max
                    - std::min(state.options.keys_max, state.untold.size());
  const auto count = std::min(room, x.keys.size());
  state.untold.insert(state.untold.end(), x.keys.begin(),
                      x.keys.begin() + static_cast<std::ptrdiff_t>(count));
  // While the other side refuses, it is not asked with every message.
  if (!state.again_due)
    tell_now(self);
}

} // namespace

source_actor_state::~source_actor_state() {
  // Nobody may touch the reader while it goes.
  if (options.reader)
    options.reader->set(nullptr);
}

source_self::behavior_type source(source_pointer self, source_options options) {
  self->state.options = std::move(options);
  return {
    [=](const pull_records& x) { return pull(self, x); },
    [=](const tell_applied& x) { tell(self, x); },
    [=](tell_again) {
      self->state.again_due = false;
      tell_now(self);
    },
  };
}

} // namespace depositd::sources
