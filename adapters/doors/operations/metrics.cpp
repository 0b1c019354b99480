#include "adapters/doors/operations/metrics.hpp"

#include <caf/actor_cast.hpp>

#include <algorithm>
#include <utility>

namespace depositd {

namespace {

using metrics_pointer = actor_with<metrics_door_state>*;

constexpr auto scrape_patience = std::chrono::seconds{2};

/// Answers on their way to one; complete when everybody has answered or was
/// silent for too long.
struct round_state {
  engine_numbers got;
  std::size_t open = 1; ///< one for whoever still asks
  std::function<void(engine_numbers&)> then;

  void arrived() {
    if (--open == 0)
      then(got);
  }
};

using round_pointer = std::shared_ptr<round_state>;

template <class Answer, class Whom, class Question, class Take>
void ask_one(metrics_pointer self, const round_pointer& round, const char* part,
             const Whom& whom, Question what, Take take) {
  using std::chrono::duration_cast, std::chrono::microseconds;
  ++round->open;
  const auto since = self->clock().now();
  const auto note = [=](bool silent) {
    const auto took = duration_cast<microseconds>(self->clock().now() - since);
    auto& all = round->got.answers;
    const auto known = std::find_if(all.begin(), all.end(),
                                    [&](auto& x) { return x.part == part; });
    if (known == all.end()) {
      all.push_back({part, took, silent});
    } else { // of several shards the slowest counts
      known->took = std::max(known->took, took);
      known->silent = known->silent || silent;
    }
  };
  self->request(whom, scrape_patience, std::move(what))
    .then(
      [=](Answer& x) {
        note(false);
        take(round->got, x);
        round->arrived();
      },
      [=](const caf::error&) {
        note(true);
        round->arrived();
      });
}

void ask_shards(metrics_pointer self, const round_pointer& round,
                bool ends_step) {
  const auto& options = self->state.options;
  const auto question = ++self->state.questions;
  for (const auto& one :
       options.shards ? options.shards() : std::vector<engine_met::owned>{}) {
    // Counted when it comes: somebody may be silent for longer than it takes
    // until the shard is asked again.
    ask_one<shard_measured>(self, round, "shard", one.core,
                            measure_shard{ends_step},
                            [=](engine_numbers& to, shard_measured& x) {
                              self->state.counters.take(x, question);
                              to.shards.push_back(std::move(x));
                            });
    if (!ends_step) // no series of the history is theirs
      ask_one<store_report>(
        self, round, "projector", one.reads, report_store{},
        [shard = one.shard](engine_numbers& to, const store_report& x) {
          to.stores.push_back({shard, x});
        });
  }
}

void ask_logs(metrics_pointer self, const round_pointer& round) {
  if (!self->state.options.logs)
    return;
  for (const auto& one : self->state.options.logs()) {
    if (one.in)
      ask_one<intake_report>(self, round, "intake", one.in, report_intake{},
                             [](engine_numbers& to, intake_report& x) {
                               to.intakes.push_back(std::move(x));
                             });
    if (one.out)
      ask_one<publisher_report>(self, round, "publisher", one.out,
                                report_publisher{},
                                [](engine_numbers& to, publisher_report& x) {
                                  to.publishers.push_back(std::move(x));
                                });
  }
}

void ask_others(metrics_pointer self, const round_pointer& round) {
  const auto& options = self->state.options;
  if (options.processors)
    ask_one<slots_report>(
      self, round, "processors", options.processors, report_slots{},
      [](engine_numbers& to, slots_report& x) { to.slots = std::move(x); });
  if (!options.keeper)
    return;
  if (const auto keeper = caf::actor_cast<shard_keeper_actor>(options.keeper()))
    ask_one<shards_listed>(self, round, "leases", keeper, list_shards{},
                           [](engine_numbers& to, shards_listed& x) {
                             to.leases = std::move(x.table);
                           });
}

/// What needs no question.
void look_around(metrics_pointer self, engine_numbers& to) {
  const auto& options = self->state.options;
  to.now_us = options.clock.at(self->clock().now());
  to.version = options.version;
  if (options.doors)
    to.doors = options.doors();
  if (options.certificates)
    to.certificates = options.certificates();
  if (options.memory_used)
    to.memory_used = options.memory_used();
  to.process = read_process_numbers();
  read_tallies(to);
}

void ask_all(metrics_pointer self, bool ends_step,
             std::function<void(engine_numbers&)> then) {
  const auto round = std::make_shared<round_state>();
  round->then = [=, then = std::move(then)](engine_numbers& x) {
    look_around(self, x);
    then(x);
  };
  ask_shards(self, round, ends_step);
  if (!ends_step) {
    ask_logs(self, round);
    ask_others(self, round);
  }
  round->arrived();
}

void tell_all(metrics_pointer self, const tell_metrics& x) {
  auto& waiting = self->state.waiting;
  if (waiting) {
    waiting->push_back(x.answer);
    return;
  }
  waiting = std::make_shared<std::vector<std::shared_ptr<http::responder>>>(
    1, x.answer);
  ask_all(self, false, [=](engine_numbers& got) {
    auto& state = self->state;
    const auto text = metrics_text(got, state.counters);
    const auto all = std::exchange(state.waiting, nullptr);
    for (const auto& one : *all)
      one->send(http::response::of(
        200, "text/plain; version=0.0.4; charset=utf-8", text));
  });
}

void keep_step(metrics_pointer self) {
  self->delayed_send(self, history_step, end_step{});
  ask_all(self, true, [=](engine_numbers& got) {
    auto& state = self->state;
    const auto knows = [](const shard_measured& x) { return x.serving; };
    const auto silent = [](const answer_time& x) { return x.silent; };
    if (!std::all_of(got.shards.begin(), got.shards.end(), knows)
        || std::any_of(got.answers.begin(), got.answers.end(), silent))
      return state.history.skip();
    state.history.add(got, state.counters);
  });
}

} // namespace

metrics_door_self::behavior_type metrics_door(metrics_pointer self,
                                              metrics_options options) {
  self->state.options = std::move(options);
  self->delayed_send(self, history_step, end_step{});
  return {
    [=](const tell_metrics& x) { tell_all(self, x); },
    [=](const tell_history& x) {
      const auto& state = self->state;
      const auto now = state.options.clock.at(self->clock().now());
      x.answer->send(http::response::of(200, "application/json",
                                        state.history.document(now)));
    },
    [=](end_step) { keep_step(self); },
  };
}

void add_metrics_routes(http::router& routes, const metrics_door_actor& whom) {
  http::route_options reading;
  reading.repeatable = true; // of very many queues it is long
  routes.add(
    "GET", "/metrics",
    [=](http::request&&, http::responder answer) {
      caf::anon_send(whom, tell_metrics{std::make_shared<http::responder>(
                             std::move(answer))});
    },
    reading);
}

} // namespace depositd
