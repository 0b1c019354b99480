#include "actors/records/tracer.hpp"

#include "messages/values/codec.hpp"
#include "messages/values/job_documents.hpp"
#include "messages/values/trace_book.hpp"
#include "messages/values/trace_context.hpp"

#include <spdlog/spdlog.h>

#include <map>
#include <utility>
#include <variant>

namespace depositd::records {

namespace {

using tracer_pointer = actor_with<tracer_state>*;

/// What a batch says of its trace is in its body.
std::string traceparent_at(const body_location& place, journal_store& store) {
  const auto body = store.read_body(place);
  if (!body)
    return {};
  const auto batch = decode_batch_document(*body);
  if (!batch)
    return {};
  const auto at = batch->more.find(traceparent_header);
  return at != batch->more.end() && at->is_string() ? at->get<std::string>()
                                                    : std::string{};
}

std::map<item_id, std::string> traceparents_in(const record& x,
                                               journal_store& store) {
  std::map<item_id, std::string> out;
  std::map<item_id, body_location> places;
  for (const auto& e : x.events)
    if (const auto* item = std::get_if<item_enqueued>(&e))
      places[item->id] = item->place;
    else if (const auto* batch = std::get_if<batch_received>(&e))
      if (const auto at = places.find(batch->id); at != places.end())
        out[batch->id] = traceparent_at(at->second, store);
  return out;
}

/// Only of a record with a batch the places are worth looking for.
bool has_batch(const record& x) {
  for (const auto& e : x.events)
    if (std::holds_alternative<batch_received>(e))
      return true;
  return false;
}

caf::error read_some(tracer_pointer self) {
  auto& state = self->state;
  auto& store = *state.options.store;
  const auto now_us = state.options.clock.at(self->clock().now());
  caf::error damage;
  std::size_t events = 0;
  record x;
  auto failed = store.read(state.cursor + 1, [&](const stored_group& group) {
    record_reader reader{group.bytes, group.group, bodies::skipped};
    while (!reader.at_end() && !damage) {
      damage = reader.next(x);
      if (damage)
        break;
      rules::seen_record seen{now_us};
      if (has_batch(x))
        seen.traceparents = traceparents_in(x, store);
      state.maker.take(x, seen);
    }
    state.cursor = group.last;
    events += group.last - group.first + 1;
    return !damage && events < state.options.events_max;
  });
  if (auto made = state.maker.spans(); !made.empty())
    state.options.sink->offer(std::move(made));
  return damage ? damage : failed;
}

/// What is gone is passed: nobody keeps the journal for spans.
bool pass_gone(tracer_state& state) {
  for (const auto& x : state.options.store->segments())
    if (x.last > state.cursor) {
      if (x.first <= state.cursor + 1)
        return false;
      spdlog::warn("spans_passed from={} to={}", state.cursor + 1, x.first - 1);
      state.cursor = x.first - 1;
      return true;
    }
  return false;
}

/// All that is durable as of now, unless something is wrong.
caf::error read_all(tracer_pointer self) {
  auto& state = self->state;
  const auto until = state.options.store->last();
  while (state.cursor < until) {
    const auto before = state.cursor;
    auto failed = read_some(self);
    if (failed == ec::not_found && pass_gone(state))
      continue;
    if (failed || state.cursor == before)
      return failed;
  }
  return {};
}

void look(tracer_pointer self) {
  auto& state = self->state;
  const auto failed = read_all(self);
  if (!failed)
    (void)state.reading.is_over();
  else if (auto reason = render(failed); state.reading.is_new(reason))
    spdlog::warn("tracer_waits reason=\"{}\"", reason);
  self->delayed_send(
    self, failed ? state.options.retry_pause : state.options.look_every,
    make_spans{});
}

} // namespace

tracer_actor::behavior_type tracer(actor_with<tracer_state>* self,
                                   tracer_options options) {
  self->state.options = std::move(options);
  self->state.maker = rules::span_maker{200'000, trace_noted};
  self->state.cursor = self->state.options.after;
  self->send(self, make_spans{});
  return {
    [=](make_spans) { look(self); },
    [=](make_last_spans) -> caf::result<done> {
      if (auto failed = read_all(self))
        return failed;
      return done{};
    },
  };
}

} // namespace depositd::records
