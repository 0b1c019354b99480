#pragma once

// Histories of one batch made by hand, good ones to begin with.

#include "tests/simulation/tale.hpp"

#include <functional>
#include <map>
#include <string>

namespace depositd::simulation {

/// A batch of two jobs in a pipeline of two stages; every call adds what would
/// happen.
class work_tale : public tale {
public:
  static constexpr item_id batch = 1;

  work_tale() {
    pipeline_changed set;
    set.what.name = "p";
    for (const auto* name : {"first", "last"}) {
      stage_settings stage;
      stage.name = name;
      stage.state = *name == 'f' ? job_state::pending : job_state::notify;
      stage.attempts_max = 3;
      set.what.stages.push_back(std::move(stage));
    }
    write("", set);
    enqueue_in("p.batch", batch, "bid");
    batch_received come;
    come.id = batch;
    come.queue = "p.batch";
    come.info.collection = "books";
    come.info.pipeline = "p";
    write("u", come);
    flush();
  }

  void enqueue_in(const std::string& queue, item_id id,
                  const std::string& body) {
    add(attempted{body, queue, "u"});
    item_enqueued x;
    x.id = id;
    x.queue = queue;
    x.body = body;
    write("u", x);
  }

  void claim(item_id id, const std::string& queue, std::uint32_t attempt = 1) {
    auto x = a_claim(id, ++tokens[id], attempt);
    x.queue = queue;
    write("u", x);
  }

  void say(item_id id, verdict what = verdict::done,
           const std::string& document = {}) {
    add(reported{1, id, tokens[id], what, document});
  }

  void want(item_id id, work_action what, const std::string& stage = {}) {
    add(work_wanted{++orders, id, what, stage});
  }

  batch_moved a_batch_move(const std::string& from, batch_state to,
                           const std::string& queue, bool parked) const {
    batch_moved x;
    x.id = batch;
    x.queue = from;
    x.place.queue = queue;
    x.place.parked = parked;
    x.status.state = to;
    x.jobs = counts;
    x.reports = reports;
    return x;
  }

  job_moved a_job_move(item_id id, const std::string& from, job_state to,
                       const std::string& queue, bool parked = false) const {
    job_moved x;
    x.id = id;
    x.queue = from;
    x.batch = batch;
    x.place.queue = queue;
    x.place.parked = parked;
    x.status.state = to;
    return x;
  }

  void create(item_id id, job_state state = job_state::pending) {
    enqueue_in("p.first", id, "jid-" + std::to_string(id));
    if (state == job_state::held)
      write("u", item_parked{id, "p.first", true});
    job_created x;
    x.id = id;
    x.queue = "p.first";
    x.batch = batch;
    x.info.collection = "books";
    x.info.pipeline = "p";
    x.status.state = state;
    write("u", x);
    ++counts.open;
    counts.held += state == job_state::held ? 1 : 0;
  }

  /// Jobs 2 and 3, unless the test makes them otherwise.
  void split(std::uint64_t expected = 2, bool twice = false) {
    claim(batch, "p.batch");
    say(batch, verdict::done, "bid/2");
    write("u", body_compacted{batch, "p.batch", "bid/2", {}});
    create(2);
    create(3);
    if (twice)
      create(4);
    counts.expected = expected;
    counts.split = true;
    write("u",
          a_batch_move("p.batch", batch_state::processing, "p.report", true));
    flush();
  }

  /// A move with the counts that follow from it.
  void move(const job_moved& x, const std::function<void(job_counts&)>& how) {
    write("u", x);
    how(counts);
    write("u", batch_counted{batch, counts});
    flush();
  }

  void do_first(item_id id) {
    claim(id, "p.first");
    say(id);
    write("u", a_job_move(id, "p.first", job_state::notify, "p.last"));
    flush();
  }

  void do_last(item_id id) {
    claim(id, "p.last");
    say(id);
    move(a_job_move(id, "p.last", job_state::completed, ""), [](job_counts& x) {
      --x.open;
      ++x.completed;
    });
  }

  void fail_first(item_id id) {
    claim(id, "p.first");
    say(id, verdict::failed);
    move(a_job_move(id, "p.first", job_state::failed, "p.first", true),
         [](job_counts& x) {
           --x.open;
           ++x.failed;
         });
  }

  void begin_report(batch_state to = batch_state::reporting) {
    ++reports;
    write("u", a_batch_move("p.report", to, "p.report", false));
    flush();
  }

  void end_report(batch_state to) {
    claim(batch, "p.report");
    say(batch);
    const auto over = to == batch_state::completed;
    write("u", a_batch_move("p.report", to, over ? "" : "p.report", !over));
    flush();
  }

  std::map<item_id, claim_token> tokens;
  job_counts counts;
  std::uint32_t reports = 0;
  std::uint32_t orders = 0;
};

inline work_tale split_tale() {
  work_tale out;
  out.split();
  return out;
}

/// Both jobs are through, and the batch is not yet.
inline work_tale done_tale() {
  auto out = split_tale();
  for (const item_id job : {2, 3}) {
    out.do_first(job);
    out.do_last(job);
  }
  return out;
}

} // namespace depositd::simulation
