#include "actors/operators/reconciler.hpp"

#include "actors/rules/orders/deletions.hpp"
#include "actors/rules/orders/due.hpp"
#include "messages/follow_control.hpp"
#include "messages/values/test_points.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace depositd::operators {

namespace {

using self_pointer = actor_with<reconciler_state>*;

/// How often a run looks again for others, after some were not taken.
constexpr int rounds_max = 10;

micros now(self_pointer self) {
  return self->state.options.clock.at(self->clock().now());
}

/// What became of orders that belong together.
enum class taken : std::uint8_t {
  fresh,
  before,  ///< in this run already
  waiting, ///< another is not finished
};

class running {
public:
  /// `approved`: requests that the control state here may not have yet.
  running(reconciler_state& state, const reconciler_settings& of, micros now_us,
          const std::vector<deletion_changed>& approved = {})
    : state_(state), of_(of), now_us_(now_us), approved_(approved) {
    // nop
  }

  caf::expected<due_queued> run() {
    if (!state_.control)
      return caf::make_error(ec::overloaded,
                             std::string{"what is set is not known yet"});
    caf::error failed;
    switch (of_.query) {
      case due_query::fixity_due:
        failed = queue_fixity();
        break;
      case due_query::deletions_missed:
        failed = queue_deletions();
        break;
      case due_query::spot_restore:
        failed = queue_spots();
        break;
    }
    if (failed)
      return failed;
    return sum_;
  }

private:
  fixity_book* book() const {
    return state_.options.checks.get();
  }

  micros due_before() const {
    return std::max<micros>(now_us_ - micros{of_.age_days} * 86'400 * 1'000'000,
                            0);
  }

  caf::expected<bool> is_there(const std::string& uuid) const {
    const auto rows = state_.options.work->batches({.uuid = uuid});
    if (!rows)
      return rows.error();
    return !rows->empty();
  }

  /// An order by its name: it may be there, whatever was heard of it.
  caf::expected<taken> submit(const new_order& x, const std::string& user) {
    auto there = is_there(x.info.uuid);
    if (!there)
      return std::move(there.error());
    if (*there)
      return taken::before;
    const auto said = state_.options.submit(
      {.user = user, .info = x.info, .document = encode(x.document)});
    if (said)
      return taken::fresh;
    if (said.error() != ec::already_exists)
      return said.error();
    there = is_there(x.info.uuid);
    if (!there)
      return std::move(there.error());
    return *there ? taken::before : taken::waiting;
  }

  /// All orders of a group, unless the first was there before.
  caf::expected<taken> submit_all(const rules::due_orders& x) {
    auto out = taken::before;
    for (const auto& order : x.orders) {
      const auto how = submit(order, x.user);
      if (!how)
        return how.error();
      if (*how == taken::waiting)
        ++sum_.waiting;
      if (*how != taken::fresh)
        return out == taken::fresh ? out : *how;
      ++sum_.batches;
      out = taken::fresh;
    }
    if (out == taken::fresh && of_.query == due_query::fixity_due)
      sum_.files += x.files;
    return out;
  }

  /// What one user's orders are refused for holds up nobody else's: that they
  /// belong to no collection any more, or are too many. It is said, and they
  /// stay due.
  bool ends_run(const caf::error& why, const rules::due_orders& x) const {
    if (why != ec::not_found && why != ec::not_allowed
        && why != ec::pending_limit_reached && why != ec::quota_reached)
      return true;
    spdlog::warn("due_not_queued reconciler={} user={} collection={} "
                 "reason=\"{}\"",
                 of_.name, x.user, x.collection, render(why));
    return false;
  }

  /// The oldest first; whoever has a run that is not finished has no second.
  caf::error queue_fixity() {
    if (book() == nullptr)
      return caf::make_error(ec::not_found,
                             std::string{"this engine keeps no inventory"});
    fixity_query ask;
    ask.checked_before_us = due_before();
    ask.cold = state_.options.cold_storage;
    std::uint64_t room = of_.count_max;
    for (int round = 0; round < rounds_max && room > 0; ++round) {
      ask.count_max = static_cast<std::uint32_t>(room);
      const auto files = book()->due(ask);
      if (!files)
        return files.error();
      const auto groups = rules::fixity_orders(*files, of_, now_us_);
      bool others = false;
      for (const auto& group : groups) {
        const auto how = submit_all(group);
        if (!how && ends_run(how.error(), group))
          return how.error();
        ask.collections_but.push_back(group.collection);
        if (how && *how == taken::fresh)
          room -= std::min(room, group.files);
        else
          others = true;
      }
      if (!others)
        return {};
    }
    return {};
  }

  caf::error queue_spots() {
    if (book() == nullptr)
      return caf::make_error(ec::not_found,
                             std::string{"this engine keeps no inventory"});
    const auto found = book()->spot_candidates(
      due_before(), state_.options.cold_storage, of_.count_max);
    if (!found)
      return found.error();
    for (const auto& one : *found) {
      const auto group = rules::spot_order(one, of_, now_us_);
      const auto how = submit_all(group);
      if (!how && ends_run(how.error(), group))
        return how.error();
    }
    return {};
  }

  caf::error queue_deletions() {
    const auto control = state_.control;
    auto requests = control->deletions;
    for (const auto& x : approved_)
      if (!requests.contains(x.reference)
          || requests.at(x.reference).queued_us == never)
        requests[x.reference] = x;
    for (const auto& [reference, request] : requests) {
      const bool agreed =
        is_approved(request) || seeded_bug("deleted_without_consent");
      if (!agreed || request.queued_us != never)
        continue;
      if (auto failed = queue_deletion(request))
        return failed;
    }
    const auto outdated = rules::deletions::outdated(*control, now_us_);
    return outdated.empty() ? caf::error{} : state_.options.propose(outdated);
  }

  /// Marked once all of it is durable; till then it is found again, whatever
  /// kept it from that: a batch that is not finished, or a collection that is
  /// gone for now.
  caf::error queue_deletion(const deletion_changed& x) {
    bool all = true;
    for (const auto& group : rules::deletion_orders(x, now_us_)) {
      const auto how = submit_all(group);
      if (!how && ends_run(how.error(), group))
        return how.error();
      all = all && how && *how != taken::waiting;
    }
    if (!all && !seeded_bug("deletion_marked_too_early"))
      return {};
    crash_point("deletion_queued");
    auto done = x;
    done.queued_us = now_us_;
    return state_.options.propose({std::move(done)});
  }

  reconciler_state& state_;
  const reconciler_settings& of_;
  const micros now_us_;
  const std::vector<deletion_changed> approved_;
  due_queued sum_;
};

/// A run that was counted says something only if something was done.
bool run_and_log(self_pointer self, const reconciler_settings& of, micros at) {
  const auto done = running{self->state, of, at}.run();
  if (!done) {
    spdlog::warn("reconciler_failed reconciler={} reason=\"{}\"", of.name,
                 render(done.error()));
    return false;
  }
  if (done->batches > 0 || done->waiting > 0)
    spdlog::info("reconciled reconciler={} batches={} files={} waiting={}",
                 of.name, done->batches, done->files, done->waiting);
  return true;
}

void run_when_due(self_pointer self, std::size_t which) {
  const auto& options = self->state.options;
  const auto& of = options.all[which];
  const auto at = now(self);
  const bool ours = !options.leads || options.leads();
  auto pause = std::chrono::microseconds{begin_of_next(of, at) - at};
  if (ours && !run_and_log(self, of, at)) {
    if (seeded_bug("reconciler_given_up"))
      return;
    pause = std::min<std::chrono::microseconds>(pause, options.retry);
  }
  self->delayed_send(self, pause, reconcile{which});
}

/// Asked for out of turn: as it is set, or as it is by itself.
caf::result<due_queued> run_now(self_pointer self, const queue_due& wanted) {
  reconciler_settings of;
  of.name = word(wanted.what);
  of.query = wanted.what;
  for (const auto& one : self->state.options.all)
    if (one.query == wanted.what)
      of = one;
  // A span of its own: one second, so that it is not this hour's run again.
  of.name += " now";
  of.every_s = 1;
  auto done = running{self->state, of, now(self), wanted.approved}.run();
  if (!done)
    return std::move(done.error());
  return *done;
}

} // namespace

reconciler_actor::behavior_type reconciler(self_pointer self,
                                           reconciler_options options) {
  self->state.options = std::move(options);
  follow_control(self, self->state.options.shard);
  return {
    [=](const reconcile& x) { run_when_due(self, x.which); },
    [=](const control_changed& x) {
      const bool first = !self->state.control;
      self->state.control = x.state;
      if (!first)
        return;
      for (std::size_t i = 0; i < self->state.options.all.size(); ++i)
        self->send(self, reconcile{i});
    },
    [=](const queue_due& x) { return run_now(self, x); },
  };
}

} // namespace depositd::operators
