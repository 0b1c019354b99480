// What is kept of a user leaves the engine.

#include "actors/operators/command.hpp"
#include "actors/operators/user_places.hpp"

#include "actors/rules/control/forgetting.hpp"
#include "messages/projection.hpp"
#include "messages/shard.hpp"
#include "messages/work.hpp"

#include <map>
#include <memory>
#include <string>
#include <utility>

namespace depositd::operators {

namespace about_forgetting {
namespace {

/// What was removed so far.
struct forgotten {
  std::string user;
  std::uint64_t submissions = 0;
  std::uint64_t batches = 0;
};

using run_ptr = std::shared_ptr<forgotten>;

/// Asks somebody; an error ends the call, and the audit log has it.
template <class Reply, class Handle, class Message, class F>
void next(admin_pointer self, const admin_call_ptr& call, const Handle& whom,
          Message what, F use) {
  self->request(whom, self->state.options.timeout_long, std::move(what))
    .then([=](const Reply& x) { use(x); },
          [=](const caf::error& why) { refuse(call, why); });
}

void finish(const admin_call_ptr& call, const run_ptr& run,
            std::size_t settings) {
  const document out{{"user", run->user},
                     {"submissions", run->submissions},
                     {"batches", run->batches},
                     {"settings", settings}};
  audit(call, nullptr, out, "done");
  deliver(call, out);
}

void forget_settings(admin_pointer self, const admin_call_ptr& call,
                     const run_ptr& run) {
  const auto& shard = self->state.options.shard;
  next<control_changed>(
    self, call, shard, watch_control{nullptr}, [=](const control_changed& x) {
      auto events = rules::events_that_forget(*x.state, run->user);
      const auto count = events.size();
      if (count == 0)
        return finish(call, run, 0);
      next<done>(self, call, shard, propose{std::move(events)},
                 [=](done) { finish(call, run, count); });
    });
}

void forget_next(admin_pointer self, const admin_call_ptr& call,
                 const run_ptr& run) {
  next<submissions_forgotten>(self, call, self->state.options.projector,
                              forget_submissions{run->user},
                              [=](const submissions_forgotten& x) {
                                run->submissions += x.count;
                                if (x.count > 0)
                                  forget_next(self, call, run);
                                else
                                  forget_settings(self, call, run);
                              });
}

void forget_all(admin_pointer self, const admin_call_ptr& call,
                const run_ptr& run) {
  next<batches_forgotten>(self, call, self->state.options.shard,
                          forget_batches{0, run->user, never},
                          [=](const batches_forgotten& x) {
                            run->batches = x.count;
                            forget_next(self, call, run);
                          });
}

// -- nothing of theirs may be under way ---------------------------------------

using places = std::shared_ptr<std::map<std::string, eligibility_report>>;

/// Queue by queue; each goes once it has been looked at.
void check_places(admin_pointer self, const admin_call_ptr& call,
                  const run_ptr& run, const places& left) {
  if (left->empty())
    return forget_all(self, call, run);
  const auto next = left->extract(left->begin());
  pending_counted in_ring;
  in_ring.pending = next.mapped().ready;
  in_ring.running = next.mapped().in_flight;
  count_theirs(self, call, count_pending{next.key(), run->user}, in_ring,
               [=, queue = next.key()](const pending_counted& x) {
                 if (x.pending == 0 && x.running == 0)
                   return check_places(self, call, run, left);
                 refuse(call, ec::invalid_argument,
                        "the queue " + queue + " has items of " + run->user
                          + " that wait or are in process");
               });
}

void check_queues(admin_pointer self, const admin_call_ptr& call,
                  const run_ptr& run) {
  next<rings_shown>(
    self, call, self->state.options.shard, places_of(run->user),
    [=](const rings_shown& x) {
      const auto theirs = std::make_shared<places::element_type>();
      for (const auto& queue : places_in(x).queues)
        for (const auto& entry : queue.entries)
          if (entry.user == run->user)
            theirs->emplace(queue.queue, entry.report);
      check_places(self, call, run, theirs);
    });
}

void check_batches(admin_pointer self, const admin_call_ptr& call,
                   const run_ptr& run) {
  batch_query theirs;
  theirs.users = {run->user};
  theirs.states = {batch_state::pending,    batch_state::held,
                   batch_state::processing, batch_state::reporting,
                   batch_state::failed,     batch_state::update_reporting};
  theirs.count_max = 1;
  next<batches_found>(
    self, call, self->state.options.projector, std::move(theirs),
    [=](const batches_found& x) {
      if (x.rows.empty())
        return check_queues(self, call, run);
      refuse(call, ec::invalid_argument,
             "the batch " + std::to_string(x.rows.front().id) + " of "
               + run->user + " has not ended: complete or delete it first");
    });
}

void check_submissions(admin_pointer self, const admin_call_ptr& call,
                       const run_ptr& run, submission_status status) {
  submission_query theirs;
  theirs.user = run->user;
  theirs.has_status = true;
  theirs.status = status;
  theirs.count_max = 1;
  theirs.with_documents = false;
  next<submissions_found>(
    self, call, self->state.options.projector, std::move(theirs),
    [=](const submissions_found& x) {
      if (!x.rows.empty())
        return refuse(call, ec::invalid_argument,
                      "the submission " + std::to_string(x.rows.front().id)
                        + " of " + run->user
                        + " has not ended: cancel it, or wait");
      if (status == submission_status::queued)
        return check_submissions(self, call, run,
                                 submission_status::in_process);
      check_batches(self, call, run);
    });
}

void forget(admin_pointer self, const admin_call_ptr& call) {
  const auto run = std::make_shared<forgotten>();
  run->user = call->arguments.text("name");
  check_submissions(self, call, run, submission_status::queued);
}

} // namespace
} // namespace about_forgetting

command user_forget_command() {
  using namespace about_forgetting;
  view_block removed{.kind = block_kind::pairs};
  removed.columns =
    columns("user={user}; submissions={submissions}; batches={batches}; "
            "settings={settings}");
  return slow(concerning(
    concern::named,
    asking("Remove all that is kept of this user? It does not come back.",
           doing("user forget",
                 "Remove a user's account, settings, ended submissions and "
                 "batches",
                 {user_name_argument()}, forget, {removed}))));
}

} // namespace depositd::operators
