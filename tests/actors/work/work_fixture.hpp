#pragma once

// A shard with one pipeline, and workers that say how its stages end.

#include "actors/rules/control/pipelines.hpp"
#include "messages/projection.hpp"
#include "messages/values/job_documents.hpp"
#include "messages/work.hpp"
#include "tests/support/engine_fixture.hpp"

#include <limits>
#include <map>
#include <string>
#include <vector>

namespace depositd::testing {

class work_fixture : public engine_fixture {
protected:
  void SetUp() override {
    begin();
    auto events = rules::with_queues({}, {stages, false});
    events.emplace_back(collection_changed{collection, false});
    ASSERT_TRUE(change(std::move(events)));
  }

  void begin() {
    published = true; // so that the journal keeps what tests read in it
    start();
    // Nobody does publish, and nothing has to wait for it.
    caf::anon_send(read_model,
                   note_published{std::numeric_limits<sequence>::max()});
    workers.clear();
    taken_by.clear();
  }

  void crash_and_begin() {
    crash();
    begin();
  }

  static stage_settings stage(const std::string& name, job_state state) {
    stage_settings out;
    out.name = name;
    out.state = state;
    out.handler = "noop";
    out.attempts_max = 3;
    return out;
  }

  /// A batch of so many jobs, as `split` makes them.
  item_id submit(std::uint64_t jobs, const std::string& user = "ann",
                 const std::string& uuid = "bid-1",
                 const std::string& to = {}) {
    batch_document document;
    document.uuid = uuid;
    document.user = user;
    document.collection = to.empty() ? collection.name : to;
    document.more["jobs"] = jobs;
    submit_batch what;
    what.user = user;
    what.info.uuid = document.uuid;
    what.info.collection = document.collection;
    what.document = encode(document);
    auto reply = ask<batch_accepted>(core, std::move(what));
    EXPECT_TRUE(reply) << (reply ? "" : render(reply.error()));
    return reply ? reply->id : 0;
  }

  /// What a splitter answers: at most `slice` jobs more.
  outcome split(const claimed_item& item, std::uint64_t slice = 1000) {
    auto batch = decode_batch_document(item.body);
    EXPECT_TRUE(batch);
    split_slice out;
    out.expected = batch->more.at("jobs").get<std::uint64_t>();
    for (std::uint64_t i = 0; i < slice && batch->split < out.expected; ++i) {
      job_document job;
      job.uuid = "jid-" + std::to_string(++batch->split);
      job.batch_uuid = batch->uuid;
      job.user = item.user;
      job.collection = batch->collection;
      job.first_priority = job.priority = 5;
      out.jobs.push_back(std::move(job));
    }
    out.last = batch->split == out.expected;
    out.batch = std::move(*batch);
    auto said = outcome_of(item);
    said.document = encode(out);
    return said;
  }

  /// The next item of a stage, handed to a worker of its own.
  claimed_item take(const std::string& name, std::uint32_t lease_ms = 0) {
    return take_from("p." + name, lease_ms);
  }

  /// Of a stage of any pipeline.
  claimed_item take_from(const std::string& queue, std::uint32_t lease_ms = 0) {
    workers.push_back(attach_to(queue, {}, lease_ms));
    want(workers.back(), 1);
    const auto got = workers.back().got->items;
    if (got.empty()) { // nor is it to get what comes later
      const auto& who = workers.back();
      EXPECT_TRUE(ask<done>(who.door, detach{who.number}));
      return {};
    }
    taken_by[got.front().id] = workers.size() - 1;
    return got.front();
  }

  bool says(const outcome& what) {
    const auto& who = workers[taken_by.at(what.id)];
    caf::anon_send(who.door, settle_and_request{who.number, 0, {what}});
    settle();
    const auto& all = who.got->settled;
    return !all.empty() && all.back().id == what.id && all.back().accepted;
  }

  bool says(const claimed_item& item, verdict how = verdict::done,
            const std::string& reason = {}) {
    auto what = outcome_of(item, how);
    what.reason = reason;
    return says(what);
  }

  /// Takes and ends what there is of a stage.
  std::size_t run(const std::string& name, verdict how = verdict::done) {
    std::size_t out = 0;
    for (auto item = take(name); item.id != 0; item = take(name), ++out)
      EXPECT_TRUE(says(item, how, "as the test says"));
    return out;
  }

  /// The batch with so many jobs, each waiting for the first stage.
  item_id submit_and_split(std::uint64_t jobs) {
    const auto batch = submit(jobs);
    EXPECT_TRUE(says(split(take("batch"))));
    return batch;
  }

  /// The worker that has the item dies.
  void kill_worker_of(item_id id) {
    caf::anon_send_exit(workers[taken_by.at(id)].actor, caf::exit_reason::kill);
    settle();
  }

  /// Its worker says that it goes on.
  void renew(const claimed_item& item) {
    const auto& who = workers[taken_by.at(item.id)];
    caf::anon_send(
      who.door, renew_claims{who.number, {{item.id, item.token, item.member}}});
    settle();
  }

  // -- what the read model says

  std::vector<batch_row> batches_found(batch_query which = {}) {
    auto reply = ask<depositd::batches_found>(read_model, std::move(which));
    EXPECT_TRUE(reply) << (reply ? "" : render(reply.error()));
    return reply ? reply->rows : std::vector<batch_row>{};
  }

  std::vector<job_row> jobs_found(job_query which = {}) {
    auto reply = ask<depositd::jobs_found>(read_model, std::move(which));
    EXPECT_TRUE(reply) << (reply ? "" : render(reply.error()));
    return reply ? reply->rows : std::vector<job_row>{};
  }

  // -- what the journal says

  /// All events. What is in the journal stays as it is, so only what came
  /// since the last call is read: tests ask after each step.
  const std::vector<event>& journalled() {
    record x;
    const auto failed = store->read(
      journalled_to_ + 1, [&](const stored_group& group) {
        record_reader reader{group.bytes, group.group, bodies::copied};
        while (!reader.at_end() && !reader.next(x))
          journalled_.insert(journalled_.end(), x.events.begin(),
                             x.events.end());
        journalled_to_ = group.last;
        return true;
      });
    EXPECT_FALSE(failed) << render(failed);
    return journalled_;
  }

  template <class Event>
  std::vector<Event> all() {
    std::vector<Event> out;
    for (const auto& e : journalled())
      if (const auto* found = std::get_if<Event>(&e))
        out.push_back(*found);
    return out;
  }

  /// Of one thing; a made one if there is none.
  template <class Event>
  Event last_one_of(item_id id) {
    const Event* out = nullptr;
    for (const auto& e : journalled())
      if (const auto* found = std::get_if<Event>(&e);
          found != nullptr && found->id == id)
        out = found;
    return out == nullptr ? Event{} : *out;
  }

  std::vector<item_id> jobs() {
    std::vector<item_id> out;
    for (const auto& x : all<job_created>())
      out.push_back(x.id);
    return out;
  }

  job_moved last_of(item_id job) {
    return last_one_of<job_moved>(job);
  }

  std::string state_of(item_id job) {
    if (const auto moved = last_of(job); moved.id != 0)
      return word(moved.status.state);
    return word(last_one_of<job_created>(job).status.state);
  }

  batch_moved last_of_batch(item_id id) {
    return last_one_of<batch_moved>(id);
  }

  std::string state_of_batch(item_id id) {
    const auto last = last_of_batch(id);
    return last.id == 0 ? "pending" : word(last.status.state);
  }

  // -- what operators say

  caf::expected<job_ordered> order(item_id job, work_action action,
                                   const std::string& to = {}) {
    return ask<job_ordered>(core, order_job{job, "ann", action, to, "by test"});
  }

  caf::expected<batch_ordered> order_whole(item_id batch, work_action action) {
    return ask<batch_ordered>(core, order_batch{batch, "ann", action, ""});
  }

  void hold(bool held) {
    collection.held = held;
    ASSERT_TRUE(change({collection_changed{collection, false}}));
  }

  pipeline stages{"p",
                  {stage("first", job_state::pending),
                   stage("middle", job_state::processing),
                   stage("last", job_state::notify)}};
  collection_settings collection = [] {
    collection_settings out;
    out.name = "books";
    out.owner = "ann";
    out.pipeline = "p";
    return out;
  }();

private:
  std::vector<event> journalled_;
  sequence journalled_to_ = 0;
  std::vector<test_processor> workers;
  std::map<item_id, std::size_t> taken_by;
};

} // namespace depositd::testing
