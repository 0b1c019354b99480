#include "actors/rules/spans/spans.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace depositd::rules {

namespace {

constexpr const char* received_name = "received";

const char* outcome_word(ending x) {
  switch (x) {
    case ending::done:
      return "done";
    case ending::failed:
      return "failed";
    case ending::purged:
      return "purged";
    case ending::collapsed:
      return "collapsed";
  }
  return "";
}

/// The name of a span of work: what was done in the stage of this queue.
std::string stage_span(const std::string& queue) {
  return "stage:" + queue.substr(queue.rfind('.') + 1);
}

bool is_end(job_state x) {
  return x == job_state::completed || x == job_state::failed
         || x == job_state::deleted;
}

bool is_end(batch_state x) {
  return x == batch_state::completed || x == batch_state::failed
         || x == batch_state::deleted;
}

} // namespace

void span_maker::take(const record& x, const seen_record& seen) {
  user_ = &x.user;
  seen_ = &seen;
  for (const auto& e : x.events)
    std::visit([this](const auto& fields) { see(fields); }, e);
}

std::vector<span> span_maker::spans() {
  return std::exchange(spans_, {});
}

span& span_maker::add(item_id id, const work& x, std::string name,
                      std::uint32_t number) {
  auto& out = spans_.emplace_back();
  out.trace = x.at.trace;
  out.id = span_id(x.at.trace, id, name, number);
  out.parent = x.root;
  out.name = std::move(name);
  out.attributes = {{"messaging.system", "depositd"},
                    {"messaging.destination.name", x.queue},
                    {"messaging.message.id", std::to_string(id)},
                    {"depositd.user", x.user}};
  return out;
}

span_maker::work* span_maker::begin(item_id id, trace_place at,
                                    const std::string& queue, micros at_us,
                                    bool staged) {
  if (!at.sampled || at.trace.empty())
    return nullptr;
  if (works_.size() >= under_way_max_) {
    ++passed_;
    return nullptr;
  }
  auto& out = works_[id];
  out = {};
  out.at = std::move(at);
  out.user = *user_;
  out.queue = queue;
  out.staged = staged;
  out.since_us = at_us;
  auto& root = add(id, out, received_name, 0);
  root.parent = out.at.parent;
  root.kind = span_kind::server;
  root.start_us = root.end_us = at_us;
  out.root = root.id;
  return &out;
}

void span_maker::end_claim(item_id id, work& x, const ended& how) {
  if (x.claimed_us == never)
    return;
  auto& out =
    add(id, x, x.staged ? stage_span(x.queue) : "handed_out", x.hand_outs++);
  out.start_us = x.claimed_us;
  out.end_us = std::max(x.claimed_us, how.at_us);
  out.failed = how.failed;
  out.reason = how.reason;
  out.attributes.emplace_back("depositd.processor", x.processor);
  out.attributes.emplace_back("depositd.attempt", std::to_string(x.attempt));
  x.claimed_us = never;
  x.since_us = out.end_us;
}

void span_maker::publish(item_id id, work& x, const ended& how,
                         const std::string& outcome) {
  auto& out = add(id, x, "published", x.ends++);
  out.kind = span_kind::producer;
  out.start_us = out.end_us = how.at_us;
  out.failed = how.failed;
  out.reason = how.reason;
  out.attributes.emplace_back("depositd.outcome", outcome);
}

// -- deposits -----------------------------------------------------------------

void span_maker::see(const submission_received& x) {
  begin(x.id, trace_of(x.submission.trace, x.id, x.received_us), x.queue,
        x.received_us, false);
}

void span_maker::see(const submission_recorded& x) {
  auto* found = begin(x.id, trace_of(x.submission.trace, x.id, x.received_us),
                      x.queue, x.received_us, false);
  if (found == nullptr)
    return;
  const ended how{x.finished_us, x.failed, {}};
  found->claimed_us = x.received_us;
  found->attempt = 1;
  found->processor = x.submission.source;
  end_claim(x.id, *found, how);
  publish(x.id, *found, how, x.failed ? "failed" : "done");
  works_.erase(x.id);
}

void span_maker::meet_message(const item_claimed& x) {
  if (!messages_ || works_.contains(x.id))
    return;
  const auto found = messages_(x.id);
  if (found && !found->traceparent.empty())
    begin(x.id, trace_of(found->traceparent, x.id, found->at_us), x.queue,
          found->at_us, false);
}

void span_maker::see(const item_claimed& x) {
  meet_message(x);
  const auto at = works_.find(x.id);
  if (at == works_.end())
    return;
  auto& item = at->second;
  // Nobody said that the last claim has ended: its processor was lost.
  end_claim(x.id, item, {x.claimed_us, true, "the claim was lost"});
  auto& out = add(x.id, item, "queued", item.waits++);
  out.start_us = item.since_us;
  out.end_us = std::max(item.since_us, x.claimed_us);
  item.claimed_us = x.claimed_us;
  item.attempt = x.attempt;
  item.processor = x.processor;
}

void span_maker::see(const item_released& x) {
  if (const auto at = works_.find(x.id); at != works_.end())
    end_claim(x.id, at->second, {seen_->at_us, !x.reason.empty(), x.reason});
}

void span_maker::see(const item_moved& x) {
  if (const auto at = works_.find(x.id); at != works_.end())
    at->second.queue = x.to;
}

template <class End>
void span_maker::finish(const End& x) {
  const auto at = works_.find(x.id);
  if (at == works_.end())
    return;
  const ended how{x.finished_us, x.how == ending::failed, x.reason};
  at->second.queue = x.queue;
  end_claim(x.id, at->second, how);
  publish(x.id, at->second, how, outcome_word(x.how));
  works_.erase(at);
}

void span_maker::see(const item_finished& x) {
  finish(x);
}

void span_maker::see(const submission_ended& x) {
  finish(x);
}

// -- batches and jobs ---------------------------------------------------------

void span_maker::see(const batch_received& x) {
  const auto given = seen_->traceparents.find(x.id);
  begin(x.id,
        trace_of_batch(given == seen_->traceparents.end() ? "" : given->second,
                       x.info.uuid),
        x.queue, x.received_us, true);
}

void span_maker::see(const job_created& x) {
  const auto batch = works_.find(x.batch);
  if (batch == works_.end())
    return;
  auto at = batch->second.at;
  at.parent = batch->second.root;
  begin(x.id, std::move(at), x.queue, x.created_us, true);
}

void span_maker::move(item_id id, work& x, const item_place& place,
                      const ended& how) {
  end_claim(id, x, how);
  if (!place.queue.empty())
    x.queue = place.queue;
  x.since_us = std::max(how.at_us, place.available_us);
}

void span_maker::see(const batch_moved& x) {
  const auto at = works_.find(x.id);
  if (at == works_.end())
    return;
  const auto state = x.status.state;
  const ended how{x.status.changed_us, state == batch_state::failed,
                  x.status.note};
  move(x.id, at->second, x.place, how);
  if (!is_end(state))
    return;
  publish(x.id, at->second, how, word(state));
  works_.erase(at);
}

void span_maker::see(const job_moved& x) {
  const auto at = works_.find(x.id);
  if (at == works_.end())
    return;
  const auto state = x.status.state;
  // A note is what a stage has to say when it did not succeed.
  const ended how{x.status.changed_us, !x.status.note.empty(), x.status.note};
  move(x.id, at->second, x.place, how);
  if (!is_end(state))
    return;
  // Stages may follow on completion, and end as it did.
  if (at->second.ends == 0)
    publish(x.id, at->second,
            {how.at_us, state == job_state::failed, how.reason}, word(state));
  if (state != job_state::completed || x.place.queue.empty())
    works_.erase(at);
}

} // namespace depositd::rules
