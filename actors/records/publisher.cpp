#include "actors/records/publisher.hpp"

#include "messages/journal.hpp"
#include "messages/projection.hpp"
#include "messages/shard.hpp"
#include "messages/values/codec.hpp"
#include "messages/values/test_points.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>

namespace depositd::records {

namespace {

using self_pointer = publisher_self::stateful_pointer<publisher_state>;

void set_trouble(publisher_state& state, std::string text) {
  if (state.options.waits)
    state.options.waits->store(!text.empty());
  state.report.trouble = std::move(text);
}

void wait_after(self_pointer self, const caf::error& why) {
  auto& state = self->state;
  auto text = render(why);
  if (state.report.trouble != text)
    spdlog::warn("publisher_waits shard={} reason=\"{}\"", state.options.shard,
                 text);
  set_trouble(state, std::move(text));
  self->delayed_send(self, state.options.retry_pause, publish_more{});
}

// -- gathering ----------------------------------------------------------------

/// Takes what is to be published out of the journal.
class gatherer {
public:
  explicit gatherer(publisher_state& state) : state_(state) {
    // nop
  }

  void take(const record& x, sequence first) {
    user_ = &x.user;
    next_ = first;
    for (const auto& e : x.events) {
      std::visit([this](const auto& fields) { see(fields); }, e);
      ++next_;
    }
  }

  publication result;
  std::size_t lookups = 0;

private:
  std::string event_id() const {
    return std::to_string(state_.options.shard) + ':' + std::to_string(next_);
  }

  template <class Other>
  void see(const Other&) {
    // nobody outside is told
  }

  void see(const queue_changed& x) {
    if (x.settings.kind == queue_kind::deposit)
      state_.deposit_queues.insert(x.queue);
  }

  void see(const submission_received& x) {
    if (state_.known.size() < state_.options.known_max)
      state_.known[x.id] = {x.submission, x.received_us};
  }

  outcome_event& add(item_id id, const std::string& queue) {
    auto& entry = result.entries.emplace_back();
    entry.outcome.event_id = event_id();
    entry.outcome.id = id;
    entry.outcome.user = *user_;
    entry.outcome.queue = queue;
    return entry.outcome;
  }

  void see(const item_finished& x) {
    see_end(x);
  }

  void see(const submission_ended& x) {
    see_end(x);
  }

  template <class Event>
  void see_end(const Event& x) {
    if (state_.deposit_queues.count(x.queue) == 0)
      return;
    auto& out = add(x.id, x.queue);
    out.how = x.how;
    out.reason = x.reason;
    out.batch_id = x.batch_id;
    out.document = x.document;
    out.finished_us = x.finished_us;
    const auto known = state_.known.find(x.id);
    result.entries.back().known = known != state_.known.end();
    if (known == state_.known.end()) {
      ++lookups;
      return;
    }
    // Kept until the batch is out: it may have to be made again.
    out.submission = known->second.submission;
    out.received_us = known->second.received_us;
  }

  void see(const submission_recorded& x) {
    auto& out = add(x.id, x.queue);
    out.submission = x.submission;
    out.how = x.failed ? ending::failed : ending::done;
    out.batch_id = x.batch_id;
    out.document = x.document;
    out.received_us = x.received_us;
    out.finished_us = x.finished_us;
  }

  void see(const record_rejected& x) {
    auto& entry = result.entries.emplace_back();
    entry.is_outcome = false;
    entry.letter = {event_id(), x};
  }

  publisher_state& state_;
  const std::string* user_ = nullptr;
  sequence next_ = 0;
};

caf::expected<publication> gather(publisher_state& state) {
  gatherer out{state};
  caf::error damage;
  std::size_t events = 0;
  record x;
  auto failed = state.options.store->read(
    state.cursor + 1, [&](const stored_group& group) {
      record_reader reader{group.bytes, group.group, bodies::skipped};
      auto next = group.first;
      while (!reader.at_end() && !damage) {
        damage = reader.next(x);
        if (!damage)
          out.take(x, next);
        next += x.events.size();
      }
      out.result.last = group.last;
      events += group.last - group.first + 1;
      return !damage && events < state.options.events_max
             && out.lookups < state.options.lookups_max;
    });
  if (damage)
    return damage;
  // Up to a part that was dropped.
  if (failed && (failed != ec::not_found || out.result.last == 0))
    return failed;
  return std::move(out.result);
}

// -- publishing ---------------------------------------------------------------

void published(self_pointer self, const publication& x) {
  auto& state = self->state;
  for (const auto& entry : x.entries) {
    ++(entry.is_outcome ? state.report.events : state.report.dead_letters);
    if (entry.is_outcome)
      state.known.erase(entry.outcome.id);
  }
  state.cursor = std::max(state.cursor, x.last);
  state.report.published = state.cursor;
  set_trouble(state, {});
  // Also if there was nothing to publish: segments are kept until this is
  // durable. It goes with the next group.
  self->send(state.options.journal,
             keep_watermark{
               {egress_watermark, static_cast<std::int64_t>(state.cursor)}});
  crash_point("publisher_marked");
  self->send(self, publish_more{});
}

void send_out(self_pointer self, const publication& x) {
  auto& state = self->state;
  std::vector<outgoing_record> batch;
  batch.reserve(x.entries.size());
  for (const auto& entry : x.entries)
    batch.push_back(entry.is_outcome
                      ? state.options.format.write_outcome(entry.outcome)
                      : state.options.format.write_dead_letter(entry.letter));
  crash_point("publisher_read");
  if (seeded_bug("egress_cursor_first"))
    self->send(
      state.options.journal,
      keep_watermark{{egress_watermark, static_cast<std::int64_t>(x.last)}});
  if (!batch.empty())
    if (auto failed
        = state.options.sink->publish(batch, state.options.publish_wait))
      return wait_after(self, failed);
  crash_point("publisher_produced");
  published(self, x);
}

void fill_in(publication& x, const std::vector<submission_row>& rows) {
  std::unordered_map<item_id, const submission_row*> by_id;
  for (const auto& row : rows)
    by_id.emplace(row.id, &row);
  for (auto& entry : x.entries) {
    if (entry.known)
      continue;
    if (const auto at = by_id.find(entry.outcome.id); at != by_id.end()) {
      entry.outcome.submission = at->second->submission;
      entry.outcome.received_us = at->second->received_us;
    }
  }
}

/// Deposits of before its start are in the read model.
void look_up(self_pointer self, std::shared_ptr<publication> x) {
  submission_query query;
  query.with_documents = false;
  for (const auto& entry : x->entries)
    if (!entry.known)
      query.ids.push_back(entry.outcome.id);
  if (query.ids.empty())
    return send_out(self, *x);
  query.count_max = static_cast<std::uint32_t>(query.ids.size());
  self
    ->request(self->state.options.reads, self->state.options.request_timeout,
              query)
    .then(
      [=](const submissions_found& found) {
        fill_in(*x, found.rows);
        send_out(self, *x);
      },
      [=](const caf::error& why) { wait_after(self, why); });
}

/// Only what was published is dropped; an engine that does not know that there
/// is somebody to publish may have dropped more. What is gone is gone, but it
/// is never passed in silence. Returns whether the cursor stood before such a
/// part.
bool pass_dropped(publisher_state& state) {
  const auto segments = state.options.store->segments();
  const auto next =
    std::find_if(segments.begin(), segments.end(),
                 [&](const segment& x) { return x.last > state.cursor; });
  if (next == segments.end() || next->first <= state.cursor + 1)
    return false;
  spdlog::error("publisher_passes shard={} from={} to={} "
                "reason=\"dropped before it was published\"",
                state.options.shard, state.cursor + 1, next->first - 1);
  state.report.passed += next->first - 1 - state.cursor;
  state.cursor = next->first - 1;
  return true;
}

void publish(self_pointer self) {
  auto& state = self->state;
  if (state.options.store->last() <= state.cursor) {
    self->delayed_send(self, state.options.look_every, publish_more{});
    return;
  }
  auto found = gather(state);
  if (!found && found.error() == ec::not_found && pass_dropped(state))
    return self->send(self, publish_more{});
  if (!found)
    return wait_after(self, found.error());
  look_up(self, std::make_shared<publication>(std::move(*found)));
}

// -- beginning ----------------------------------------------------------------

void begin_again(self_pointer self, const caf::error& why) {
  set_trouble(self->state, render(why));
  self->delayed_send(self, self->state.options.retry_pause,
                     begin_publishing{});
}

void begin_at(publisher_state& state) {
  pass_dropped(state);
  state.report.published = state.cursor;
}

/// Which queues hold deposits: their outcomes are published.
void learn_queues(self_pointer self) {
  auto& options = self->state.options;
  self->request(options.own, options.request_timeout, watch_control{})
    .then(
      [=](const control_changed& x) {
        for (const auto& [name, settings] : x.state->queues)
          if (settings.kind == queue_kind::deposit)
            self->state.deposit_queues.insert(name);
        begin_at(self->state);
        publish(self);
      },
      [=](const caf::error& why) { begin_again(self, why); });
}

/// First the cursor: a shard that answers this has recovered, and with it what
/// it knows of queues.
void resume_publishing(self_pointer self) {
  auto& options = self->state.options;
  self->request(options.own, options.request_timeout, read_watermarks{})
    .then(
      [=](const watermarks_read& x) {
        for (const auto& one : x.watermarks)
          if (one.partition == egress_watermark)
            self->state.cursor = static_cast<sequence>(one.offset);
        learn_queues(self);
      },
      [=](const caf::error& why) { begin_again(self, why); });
}

} // namespace

publisher_self::behavior_type
publisher(publisher_self::stateful_pointer<publisher_state> self,
          publisher_options options) {
  self->state.options = std::move(options);
  self->send(self, begin_publishing{});
  return {
    [=](report_publisher) -> caf::result<publisher_report> {
      return self->state.report;
    },
    [=](begin_publishing) { resume_publishing(self); },
    [=](publish_more) { publish(self); },
  };
}

} // namespace depositd::records
