// Shards that are ours: from the lease to a core that serves, and back.

#include "actors/cluster/keeper/parts.hpp"
#include "actors/rules/placement/placement.hpp"
#include "messages/operators.hpp"
#include "messages/projection.hpp"
#include "messages/values/tallies.hpp"
#include "messages/values/test_points.hpp"

#include <spdlog/spdlog.h>

#include <exception>

namespace depositd::cluster {

namespace {

using std::chrono::milliseconds;

/// Opens and closes cores; both block. Ends after one of them.
core_opener_actor::behavior_type
core_opener(core_opener_actor::pointer self,
            std::function<caf::expected<opened_core>(shard_number,
                                                     epoch_number)>
              open) {
  return {
    [=](const open_core& x) -> caf::result<core_opened> {
      self->quit();
      auto opened = open(x.shard, x.epoch);
      if (!opened)
        return std::move(opened.error());
      return core_opened{std::make_shared<opened_core>(std::move(*opened))};
    },
    [=](const close_core& x) -> caf::result<done> {
      self->quit();
      x.core->close();
      return done{};
    },
  };
}

/// None while no thread can be had: others have all of them.
caf::expected<core_opener_actor> spawn_opener(shard_keeper_pointer self) {
  const auto& options = self->state.options;
  try {
    options.look_for_thread();
    return options.threads
             ? self->spawn<caf::detached>(core_opener, options.open)
             : self->spawn(core_opener, options.open);
  } catch (const std::exception& why) {
    return caf::make_error(ec::overloaded,
                           std::string{"no thread can be had: "} + why.what());
  }
}

/// Nothing of the shard is here any more.
void finish(shard_keeper_pointer self, shard_number shard) {
  auto& x = self->state.shards[shard];
  kept_shard fresh;
  fresh.epoch = x.epoch;
  fresh.failures = x.failures;
  fresh.rests_until = x.rests_until;
  x = std::move(fresh);
  left_one(self);
  look(self);
}

/// It is not tried again at once for ever: each time is an epoch and some lines
/// in the log.
void count_failure(shard_keeper_pointer self, kept_shard& x) {
  using rules::placement::failures_after, rules::placement::rest_ms_after;
  const auto now = self->clock().now();
  const auto served = x.now == phase::serving || x.now == phase::leaving
                        ? std::chrono::ceil<milliseconds>(now - x.serves_since)
                        : milliseconds{0};
  x.failures = failures_after(x.failures, served.count());
  x.rests_until = now + milliseconds{rest_ms_after(x.failures)};
}

void closed(shard_keeper_pointer self, shard_number shard) {
  if (!self->state.shards[shard].release) {
    finish(self, shard);
    return;
  }
  crash_point("shard_closed");
  self->request(self->state.taker, caf::infinite, release_lease{shard})
    .then(
      [=](const done&) {
        crash_point("lease_returned");
        finish(self, shard);
      },
      [=](const caf::error& why) {
        spdlog::warn("lease_not_returned shard={} reason=\"{}\"", shard,
                     render(why));
        finish(self, shard);
      });
}

/// Closing a store takes as long as what it has begun.
void close(shard_keeper_pointer self, shard_number shard,
           const std::shared_ptr<opened_core>& core) {
  for (const auto& [name, who] : core->actors.all())
    self->demonitor(who->address());
  const auto by = spawn_opener(self);
  if (!by) {
    // Rather all wait for it than that it stays open.
    spdlog::warn("shard_closed_here shard={} reason=\"{}\"", shard,
                 render(by.error()));
    core->close();
    closed(self, shard);
    return;
  }
  self->request(*by, caf::infinite, close_core{core})
    .then([=](const done&) { closed(self, shard); },
          [=](const caf::error&) { closed(self, shard); });
}

bool still(shard_keeper_pointer self, shard_number shard, phase now,
           epoch_number epoch) {
  const auto& x = self->state.shards[shard];
  return x.now == now && x.epoch == epoch;
}

void serve(shard_keeper_pointer self, shard_number shard) {
  auto& state = self->state;
  auto& x = state.shards[shard];
  x.now = phase::serving;
  x.serves_since = self->clock().now();
  const auto& core = x.core->actors;
  state.options.owned->put({shard, x.epoch, core.shard, core.projector});
  place(self, {shard, x.epoch, state.options.leases->self().name, core.shard,
               core.projector, true});
  spdlog::info("shard_serving shard={} epoch={}", shard, x.epoch);
}

void recover_core(shard_keeper_pointer self, shard_number shard,
                  epoch_number epoch) {
  const auto core = self->state.shards[shard].core->actors.shard;
  self->request(core, caf::infinite, await_ready{})
    .then(
      [=](const done&) {
        crash_point("shard_brought_up");
        if (still(self, shard, phase::opening, epoch))
          serve(self, shard);
      },
      [=](const caf::error& why) {
        if (still(self, shard, phase::opening, epoch))
          lose(self, shard, render(why), true);
      });
}

void not_opened(shard_keeper_pointer self, shard_number shard,
                const caf::error& why) {
  spdlog::error("shard_not_opened shard={} reason=\"{}\"", shard, render(why));
  auto& now = self->state.shards[shard];
  if (now.now == phase::opening) // else it was lost meanwhile
    count_failure(self, now);
  now.release = now.release || now.now == phase::opening;
  now.now = phase::closing;
  closed(self, shard);
}

void open(shard_keeper_pointer self, shard_number shard, epoch_number epoch) {
  const auto by = spawn_opener(self);
  if (!by)
    return not_opened(self, shard, by.error());
  self->request(*by, caf::infinite, open_core{shard, epoch})
    .then(
      [=](const core_opened& x) {
        if (!still(self, shard, phase::opening, epoch)) {
          close(self, shard, x.core); // lost meanwhile
          return;
        }
        crash_point("shard_opened");
        self->state.shards[shard].core = x.core;
        for (const auto& [name, who] : x.core->actors.all())
          self->monitor(who->address());
        recover_core(self, shard, epoch);
      },
      [=](const caf::error& why) { not_opened(self, shard, why); });
}

void taken(shard_keeper_pointer self, shard_number shard, epoch_number epoch,
           caf::actor_clock::time_point asked) {
  auto& state = self->state;
  auto& x = state.shards[shard];
  if (epoch == 0) {
    x.now = phase::none;
    left_one(self);
    return;
  }
  x.now = phase::opening;
  x.epoch = epoch;
  x.ends = asked + milliseconds{state.options.lease_ms};
  x.since = self->clock().now();
  x.told.clear();
  x.unmet.clear();
  spdlog::info("shard_taken shard={} epoch={}", shard, epoch);
  tally(tally_of::shard_taken, std::to_string(shard));
  place_nobody(self, shard, epoch);
  if (state.leaving) {
    x.now = phase::closing;
    x.release = true;
    closed(self, shard);
    return;
  }
  crash_point("lease_taken");
  open(self, shard, epoch);
}

/// The tables take up what is in the journal, so that the next engine is quick.
void settle_and_close(shard_keeper_pointer self, shard_number shard,
                      epoch_number epoch) {
  if (!still(self, shard, phase::leaving, epoch))
    return;
  submission_query nothing;
  nothing.count_max = 1;
  nothing.with_documents = false;
  const auto end = [=] {
    auto& x = self->state.shards[shard];
    if (!still(self, shard, phase::leaving, epoch))
      return;
    crash_point("shard_settled");
    x.now = phase::closing;
    x.release = true;
    close(self, shard, x.core);
  };
  self
    ->request(self->state.shards[shard].core->actors.projector,
              self->state.options.request_timeout, nothing)
    .then([=](const submissions_found&) { end(); },
          [=](const caf::error&) { end(); });
}

/// Claims of deposit queues end by themselves; those of receivers stay as they
/// are.
void await_claims(shard_keeper_pointer self, shard_number shard,
                  epoch_number epoch, caf::actor_clock::time_point until) {
  if (!still(self, shard, phase::leaving, epoch))
    return;
  const auto& state = self->state;
  if (state.leaving || self->clock().now() >= until) {
    settle_and_close(self, shard, epoch);
    return;
  }
  self
    ->request(state.shards[shard].core->actors.shard,
              state.options.request_timeout, list_queues{})
    .then(
      [=](const queues_listed& x) {
        std::uint64_t claims = 0;
        for (const auto& queue : x.queues)
          if (queue.settings.kind != queue_kind::message)
            claims += queue.in_flight;
        if (claims == 0)
          settle_and_close(self, shard, epoch);
        else
          self->delayed_send(self, milliseconds{50},
                             look_at_claims{shard, epoch, until});
      },
      [=](const caf::error&) { settle_and_close(self, shard, epoch); });
}

void drain_core(shard_keeper_pointer self, shard_number shard,
                epoch_number epoch, caf::actor_clock::time_point until) {
  if (!still(self, shard, phase::leaving, epoch))
    return;
  const auto& state = self->state;
  self
    ->request(state.shards[shard].core->actors.shard,
              state.options.request_timeout, drain{})
    .then(
      [=](const done&) {
        crash_point("shard_drained");
        await_claims(self, shard, epoch, until);
      },
      [=](const caf::error&) { settle_and_close(self, shard, epoch); });
}

} // namespace

void take(shard_keeper_pointer self, shard_number shard) {
  auto& x = self->state.shards[shard];
  x.now = phase::taking;
  const auto asked = self->clock().now();
  // An answer that nobody waited for would be a lease that nobody knows of.
  self
    ->request(self->state.taker, caf::infinite,
              take_lease{shard, self->state.options.lease_ms})
    .then(
      [=](const lease_taken& y) { taken(self, shard, y.epoch, asked); },
      [=](const caf::error& why) {
        spdlog::warn("lease_not_taken shard={} reason=\"{}\"", shard,
                     render(why));
        taken(self, shard, 0, asked);
      });
}

void lose(shard_keeper_pointer self, shard_number shard, const std::string& why,
          bool release) {
  auto& state = self->state;
  auto& x = state.shards[shard];
  spdlog::warn("shard_lost shard={} epoch={} reason=\"{}\"", shard, x.epoch,
               why);
  if (release) // nobody has taken it from us
    count_failure(self, x);
  x.now = phase::closing;
  x.release = release;
  state.options.owned->erase(shard);
  place_nobody(self, shard, x.epoch);
  if (!x.core)
    return; // it still opens: closed when it has
  // At once: from here on nothing leaves.
  self->send_exit(x.core->actors.shard, caf::exit_reason::kill);
  self->send_exit(x.core->actors.journal, caf::exit_reason::kill);
  close(self, shard, x.core);
}

void hand_over(shard_keeper_pointer self, shard_number shard) {
  auto& state = self->state;
  auto& x = state.shards[shard];
  spdlog::info("shard_leaving shard={} epoch={}", shard, x.epoch);
  x.now = phase::leaving;
  state.options.owned->erase(shard);
  place_nobody(self, shard, x.epoch);
  if (seeded_bug("lease_given_back_first"))
    self->request(state.taker, caf::infinite, release_lease{shard})
      .then([](const done&) {}, [](const caf::error&) {});
  const auto epoch = x.epoch;
  const auto until
    = self->clock().now() + milliseconds{state.options.drain_ms};
  // When the router answers, all that it has sent to the core is there before
  // the core turns requests away; what comes later waits for the next owner.
  self->request(state.router, state.options.request_timeout, check_intake{})
    .then([=](const done&) { drain_core(self, shard, epoch, until); },
          [=](const caf::error&) { drain_core(self, shard, epoch, until); });
}

void go_on_leaving(shard_keeper_pointer self, const look_at_claims& x) {
  await_claims(self, x.shard, x.epoch, x.until);
}

void core_down(shard_keeper_pointer self, const caf::down_msg& x) {
  if (engine_down(self, x.source))
    return;
  auto& shards = self->state.shards;
  for (shard_number shard = 0; shard < shards.size(); ++shard) {
    if (!is_ours(shards[shard]) || !shards[shard].core)
      continue;
    for (const auto& [name, who] : shards[shard].core->actors.all())
      if (who->address() == x.source) {
        lose(self, shard, std::string{name} + " ended: " + render(x.reason),
             true);
        return;
      }
  }
}

} // namespace depositd::cluster
