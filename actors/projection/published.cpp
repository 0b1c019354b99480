// What must not be forgotten before it has been published.

#include "actors/projection/parts.hpp"
#include "messages/values/test_points.hpp"

#include <limits>
#include <string>
#include <utility>

namespace depositd::projection {

namespace {

/// An end may come into the journal so long after the time that it bears.
constexpr micros written_within_us = 60'000'000;

bool is_published(const projector_state& state, sequence upto) {
  return !state.options.published || state.publishing.upto >= upto;
}

caf::error too_early(const projector_state& state) {
  return caf::make_error(
    ec::overloaded, "what has ended in shard "
                      + std::to_string(state.options.shard)
                      + " is not published yet, and is not forgotten before: "
                        "try again when the brokers take records");
}

} // namespace

void go_on_published(self_pointer self, sequence upto) {
  auto& waiting = self->state.publishing.waiting;
  self->state.publishing.upto = upto;
  while (!waiting.empty() && waiting.begin()->first <= upto) {
    // Whoever goes on may wait for more.
    const auto next = waiting.extract(waiting.begin());
    next.mapped().go_on({});
  }
}

void when_published(self_pointer self, std::function<void(caf::error)> go_on) {
  auto& state = self->state;
  const auto until = state.options.journal->last();
  if (is_published(state, until) || seeded_bug("forgotten_too_early"))
    return go_on({});
  if (state.publishing.waiting.size() >= state.options.waiting_max)
    return go_on(too_early(state));
  const auto now = self->clock().now();
  state.publishing.waiting.emplace(
    until, unpublished{now + state.options.publish_patience, std::move(go_on)});
}

void end_patience(self_pointer self) {
  auto& waiting = self->state.publishing.waiting;
  const auto now = self->clock().now();
  for (auto at = waiting.begin(); at != waiting.end();) {
    if (at->second.until > now) {
      ++at;
      continue;
    }
    at->second.go_on(too_early(self->state));
    at = waiting.erase(at);
  }
}

micros published_before_us(projector_state& state, micros now_us) {
  if (!state.options.published)
    return std::numeric_limits<micros>::max();
  auto& known = state.publishing;
  if (known.upto >= known.mark) {
    known.before_us = known.mark_us - written_within_us;
    known.mark = state.options.journal->last();
    known.mark_us = now_us;
  }
  return known.before_us;
}

} // namespace depositd::projection
