#include "actors/records/publisher.hpp"
#include "actors/records/gather.hpp"
#include "messages/journal.hpp"
#include "messages/projection.hpp"
#include "messages/shard.hpp"
#include "messages/values/test_points.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>

namespace depositd::records {

namespace {

using self_pointer = actor_with<publisher_state>*;

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
  state.batch_max = 1;
  self->delayed_send(self, state.options.retry_pause, publish_more{});
}

// -- publishing ---------------------------------------------------------------

/// Counts what is out, and knows it.
struct account {
  publisher_state& of;

  void operator()(const outcome_event& x) const {
    ++of.report.events;
    of.known.erase(x.id);
  }

  void operator()(const dead_letter&) const {
    ++of.report.dead_letters;
  }

  void operator()(const ended_batch& x) const {
    note(x, x.row.status.state == batch_state::failed);
  }

  void operator()(const ended_job& x) const {
    note(x, x.row.status.state == job_state::failed || !x.row.queue.empty());
  }

private:
  /// Who forgets one writes it again, at the worst.
  void note(const auto& x, bool may_move) const {
    ++of.report.work;
    if (!may_move) {
      of.ended.erase(x.row.id);
      return;
    }
    if (of.ended.size() >= of.options.known_max)
      of.ended.clear();
    of.ended[x.row.id] = x.event_id;
  }
};

void published(self_pointer self, const publication& x) {
  auto& state = self->state;
  for (const auto& entry : x.entries)
    std::visit(account{state}, entry.what);
  if (x.entries.size() == state.batch_max)
    state.batch_max *= 2;
  state.cursor = std::max(state.cursor, x.last);
  state.report.published = state.cursor;
  self->send(state.options.reads, note_published{state.cursor});
  set_trouble(state, {});
  // Also if there was nothing to publish: segments are kept until this is
  // durable. It goes with the next group.
  self->send(state.options.journal,
             keep_watermark{
               {egress_watermark, static_cast<std::int64_t>(state.cursor)}});
  crash_point("publisher_marked");
  self->send(self, publish_more{});
}

struct writer {
  const record_format& by;

  outgoing_record operator()(const outcome_event& x) const {
    return by.write_outcome(x);
  }

  outgoing_record operator()(const dead_letter& x) const {
    return by.write_dead_letter(x);
  }

  outgoing_record operator()(const ended_batch& x) const {
    return by.write_batch(x);
  }

  outgoing_record operator()(const ended_job& x) const {
    return by.write_job(x);
  }
};

void send_out(self_pointer self, const publication& x) {
  auto& state = self->state;
  std::vector<outgoing_record> batch;
  batch.reserve(x.entries.size());
  for (const auto& entry : x.entries)
    if (!entry.forgotten)
      batch.push_back(std::visit(writer{state.options.format}, entry.what));
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
    auto* outcome = std::get_if<outcome_event>(&entry.what);
    if (entry.known || outcome == nullptr)
      continue;
    const auto at = by_id.find(outcome->id);
    entry.forgotten = at == by_id.end();
    if (entry.forgotten)
      continue;
    outcome->submission = at->second->submission;
    outcome->received_us = at->second->received_us;
  }
}

using shared_publication = std::shared_ptr<publication>;

/// Asks the read model for rows and goes on with them; without ids at once,
/// without rows.
template <class Found, class Query, class Use>
void find_rows(self_pointer self, Query query, Use use) {
  if (query.ids.empty())
    return use(Found{});
  query.count_max = static_cast<std::uint32_t>(query.ids.size());
  self
    ->request(self->state.options.reads, self->state.options.request_timeout,
              std::move(query))
    .then([=](const Found& found) { use(found); },
          [=](const caf::error& why) { wait_after(self, why); });
}

/// What never changes of jobs and batches is in the read model; how they ended
/// is in the journal, and the read model may know better by now.
void look_up_batches(self_pointer self, const shared_publication& x) {
  batch_query query;
  query.ids = batches_of(*x);
  find_rows<batches_found>(self, std::move(query),
                           [=](const batches_found& found) {
                             fill_in(*x, found.rows);
                             send_out(self, *x);
                           });
}

void look_up_jobs(self_pointer self, const shared_publication& x) {
  job_query query;
  query.ids = jobs_of(*x);
  find_rows<jobs_found>(self, std::move(query), [=](const jobs_found& found) {
    fill_in(*x, found.rows);
    look_up_batches(self, x);
  });
}

/// Deposits of before its start are in the read model, too.
void look_up(self_pointer self, const shared_publication& x) {
  submission_query query;
  query.with_documents = false;
  for (const auto& entry : x->entries)
    if (const auto* outcome = std::get_if<outcome_event>(&entry.what);
        outcome != nullptr && !entry.known)
      query.ids.push_back(outcome->id);
  find_rows<submissions_found>(self, std::move(query),
                               [=](const submissions_found& found) {
                                 fill_in(*x, found.rows);
                                 look_up_jobs(self, x);
                               });
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
        self->send(options.reads, note_published{self->state.cursor});
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

publisher_self::behavior_type publisher(actor_with<publisher_state>* self,
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
