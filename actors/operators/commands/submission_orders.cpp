// What is done to submissions: set aside, ended, begun again.

#include "actors/operators/work.hpp"

#include "messages/shard.hpp"
#include "messages/values/words.hpp"

#include <limits>

namespace depositd::operators {

namespace about_submission_orders {
namespace {

/// What a bulk order is about; the same names everywhere.
template <class What>
void restrict_to(const admin_arguments& in, What& what) {
  what.queue = in.text("queue");
  what.users = in.texts("users");
  what.from_us = in.number("from_us");
  what.to_us =
    in.has("to_us") ? in.number("to_us") : std::numeric_limits<micros>::max();
  what.count_only = in.flag("count_only");
}

// -- setting aside ------------------------------------------------------------

run_function park(bool parked) {
  return [=](admin_pointer self, const admin_call_ptr& call) {
    park_matching what;
    restrict_to(call->arguments, what);
    what.parked = parked;
    const auto answer = [=](const matching_parked& x) {
      document out{{"matched", x.count}};
      if (!what.count_only)
        out[parked ? "parked" : "unparked"] = x.count;
      deliver(call, out);
    };
    const auto& shard = self->state.options.shard;
    unless_stage(self, call, what.queue, [=] {
      if (what.count_only)
        ask(self, call, shard, what, answer);
      else
        act(self, call, shard, what, answer);
    });
  };
}

// -- ending and beginning again -----------------------------------------------

/// Why a submission that does not wait cannot be cancelled.
caf::error ended_already(const submission_row& x) {
  return refuse(ec::invalid_argument, "submission " + std::to_string(x.id)
                                        + " has "
                                        + (x.failed ? "failed" : "completed")
                                        + " already: only what waits can be "
                                          "cancelled");
}

void cancel_one(admin_pointer self, const admin_call_ptr& call) {
  find_submission(self, call, [=](const submission_row* found) {
    if (!found)
      return refuse(call, ec::not_found,
                    "there is no submission "
                      + std::to_string(call->arguments.number("id")));
    if (call->arguments.flag("count_only"))
      return deliver(call, {{"matched", 1}});
    if (found->status == submission_status::completed)
      return refuse(call, ended_already(*found));
    const auto reason =
      note_of(*call, "cancelled", call->arguments.text("note"));
    if (!reason)
      return refuse(call, reason.error());
    act(self, call, self->state.options.shard,
              cancel_deposit{found->id, found->user, *reason},
              [=, id = found->id](const done&) {
                deliver(call, {{"id", id},
                               {"matched", 1},
                               {"cancelled", 1},
                               {"reason", *reason}});
              });
  });
}

bool is_restricted(const admin_arguments& in) {
  return in.has("queue") || in.has("users") || in.has("from_us")
         || in.has("to_us");
}

/// Of an operator who is limited to some users, only what is theirs.
caf::error limit_to_own(const admin_call& call,
                        std::vector<std::string>& users) {
  const auto& by = call.by;
  if (users.empty())
    users = by.users;
  if (!by.is_limited() || !users.empty())
    return rules::access::check_users(call.command, users, by);
  return refuse(ec::not_allowed, call.command + " concerns users, and " + by.who
                                   + " is limited to some collections");
}

void cancel_many(admin_pointer self, const admin_call_ptr& call) {
  cancel_matching what;
  restrict_to(call->arguments, what);
  auto reason = note_of(*call, "cancelled", call->arguments.text("note"));
  if (!reason)
    return refuse(call, reason.error());
  what.reason = std::move(*reason);
  if (auto wrong = limit_to_own(*call, what.users))
    return refuse(call, wrong);
  const auto answer = [=, count_only =
                            what.count_only](const matching_cancelled& x) {
    document out{{"matched", x.matched}};
    if (!count_only)
      out["cancelled"] = x.moved;
    deliver(call, out);
  };
  const auto& options = self->state.options;
  if (what.count_only)
    ask(self, call, options.shard, std::move(what), answer);
  else
    act(self, call, options.shard, std::move(what), answer);
}

void cancel(admin_pointer self, const admin_call_ptr& call) {
  const auto& in = call->arguments;
  if (in.has("id") && (is_restricted(in) || in.flag("all")))
    return refuse(call, ec::invalid_argument,
                  "name one submission or many, not both");
  if (is_restricted(in) && in.flag("all"))
    return refuse(call, ec::invalid_argument,
                  "say --all, or which with --user, --queue, --from or --to, "
                  "not both");
  if (in.has("id"))
    return cancel_one(self, call);
  if (!is_restricted(in) && !in.flag("all"))
    return refuse(call, ec::invalid_argument,
                  "name a submission, or say which with --user, --queue, "
                  "--from or --to, or --all");
  unless_stage(self, call, in.text("queue"), [=] { cancel_many(self, call); });
}

/// Null if it can be submitted again; else why not.
caf::error check_requeue(const submission_row& x) {
  const auto is = "submission " + std::to_string(x.id);
  if (x.status != submission_status::completed)
    return refuse(ec::invalid_argument,
                  is + " is " + word(x.status) + ": it has not ended");
  if (!x.failed)
    return refuse(ec::invalid_argument,
                  is
                    + " was completed: only a failed or cancelled one is "
                      "submitted again");
  return {};
}

void requeue(admin_pointer self, const admin_call_ptr& call) {
  find_with_contents(self, call, [=](const submission_row* found) {
    if (!found)
      return refuse(call, ec::not_found,
                    "there is no submission "
                      + std::to_string(call->arguments.number("id")));
    if (auto wrong = check_requeue(*found))
      return refuse(call, wrong);
    hand_in(self, call,
            submit_again{found->queue, found->user, found->submission,
                         found->contents},
            [=, of = found->id](item_id id) {
              deliver(call, {{"id", id}, {"of", of}});
            });
  });
}

// -- rows ---------------------------------------------------------------------

std::vector<argument_spec> range_arguments() {
  return {
    {"--from", "from_us", value_kind::time, "TIME",
     "Received at or after, UTC, e.g. 2026-03-01T06:00:00Z"},
    {"--to", "to_us", value_kind::time, "TIME", "Received at or before, UTC"},
    {"--user", "users", value_kind::users, "USER[,USER...]", "Only these users",
     false, "user list"},
    in_queue_argument(),
    count_only_argument()};
}

command cancelling() {
  auto arguments = range_arguments();
  auto id = submission_id_argument();
  id.required = false;
  arguments.insert(arguments.begin(), std::move(id));
  arguments.push_back({"--all", "all", value_kind::flag, "", "All that wait"});
  arguments.push_back(note_argument());
  return operating(
    concerning(concern::answered,
               counted("They will not be processed. Cancel them?",
                       doing("submission cancel",
                             "End waiting submissions, which count as failed",
                             std::move(arguments), cancel))));
}

command requeueing() {
  auto out =
    doing("submission requeue", "Submit a failed one again, under a new number",
          {submission_id_argument()}, requeue,
          {line_view("", "submitted again as {id}")});
  out.row.patience_s = 120;
  return operating(concerning(concern::answered, std::move(out)));
}

command parking(const char* words, const char* help, const char* question,
                bool parked) {
  auto out =
    counted(question, doing(words, help, range_arguments(), park(parked)));
  return operating(concerning(concern::named, std::move(out)));
}

} // namespace
} // namespace about_submission_orders

std::vector<command> submission_order_commands() {
  using namespace about_submission_orders;
  return {
    cancelling(),
    requeueing(),
    parking("park", "Set waiting items aside", "Park them?", true),
    parking("unpark", "Take parked items back", "Take them back?", false),
  };
}

} // namespace depositd::operators
