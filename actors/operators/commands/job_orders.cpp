// What operators do to jobs: to one by its number, or to all that match.

#include "actors/operators/work.hpp"

#include "actors/rules/control/pipelines.hpp"
#include "actors/rules/lifecycle/jobs.hpp"
#include "messages/shard.hpp"
#include "messages/values/work_documents.hpp"

namespace depositd::operators {

namespace about_job_orders {
namespace {

document state_document(const job_row& x) {
  return {{"id", x.id}, {"state", word(x.status.state)}};
}

// -- one ----------------------------------------------------------------------

/// Why the shard, which does not have the job in hand any more, does not do
/// what the read model's row may well allow.
caf::error absent(const job_row& row, work_action action) {
  const auto decided = rules::decide(row.status, {action});
  if (!decided)
    return decided.error();
  const auto is = "the job is " + word(row.status.state);
  if (decided->removed)
    return refuse(ec::invalid_argument,
                  is + ": it leaves with its batch, see batch delete "
                    + std::to_string(row.batch));
  if (rules::group_of(row.status.state) == job_group::completed
      || rules::group_of(row.status.state) == job_group::deleted)
    return refuse(ec::invalid_argument,
                  is + ": nothing can be said about it any more");
  return refuse(ec::invalid_argument,
                is
                  + ", and the engine does not have it in hand now; ask again");
}

/// What is said of an order; a note itself stays as it is.
caf::expected<std::string> note_for(const admin_call& call,
                                    work_action action) {
  auto text = call.arguments.text("note");
  auto out = note_of(call, word(action).c_str(), text);
  if (out && action == work_action::note)
    return text;
  return out;
}

void order(admin_pointer self, const admin_call_ptr& call, const job_row& row,
           work_action action) {
  const auto note = note_for(*call, action);
  if (!note)
    return refuse(call, note.error());
  const auto& options = self->state.options;
  self
    ->request(
      options.shard, options.timeout,
      order_job{row.id, row.user, action, call->arguments.text("to"), *note})
    .then(
      [=](const job_ordered& x) {
        auto after = row;
        after.status = x.status;
        audit(call, call->before, state_document(after), "done");
        deliver(call, document_of(after));
      },
      [=](const caf::error& why) {
        if (why == ec::not_found)
          return refuse(call, absent(row, action));
        // The read model alone knows what the job's note is.
        const auto decided = rules::decide(row.status, {action});
        refuse(call, row.status.submit_again && !decided ? decided.error()
                                                         : why);
      });
}

/// Goes on if the pipeline of the job has the stage that `--to` names.
void with_stage(admin_pointer self, const admin_call_ptr& call,
                const job_row& row, std::function<void()> use) {
  const auto to = call->arguments.text("to");
  if (to.empty())
    return use();
  with_control(self, call, [=](const control_snapshot& now) {
    const auto at = now->pipelines.find(row.info.pipeline);
    if (at == now->pipelines.end())
      return refuse(call, ec::invalid_argument,
                    "the job's pipeline, " + row.info.pipeline
                      + ", is not there any more");
    std::string known;
    for (const auto& stage : at->second.stages) {
      if (stage.name == to)
        return use();
      known += (known.empty() ? "" : ", ") + stage.name;
    }
    refuse(call, ec::invalid_argument,
           "to must be a stage of pipeline " + row.info.pipeline + " (" + known
             + "), not " + shown(to));
  });
}

/// What asks before a job is deleted; empty where nothing is lost.
std::string question_of(const job_row& x, work_action action) {
  const auto group = rules::group_of(x.status.state);
  if (action != work_action::remove || group == job_group::completed
      || group == job_group::deleted)
    return "";
  return "Job " + std::to_string(x.id) + " is " + word(x.status.state)
         + ". It will never be finished, and is not in the report to its "
           "depositor. Delete it?";
}

void order_one(admin_pointer self, const admin_call_ptr& call,
               work_action action) {
  with_job(self, call, [=](const job_row& row) {
    call->before = state_document(row);
    if (call->arguments.flag("count_only"))
      return deliver(call,
                     {{"matched", 1}, {"question", question_of(row, action)}});
    with_stage(self, call, row, [=] { order(self, call, row, action); });
  });
}

// -- many ---------------------------------------------------------------------

/// The states from which a job can be moved so.
std::vector<job_state> states_for(work_action action) {
  std::vector<job_state> out;
  for (const auto& [state, text] : words_of<job_state>) {
    const auto decided = rules::decide(job_status{.state = state}, {action});
    if (decided && !decided->removed)
      out.push_back(state);
  }
  return out;
}

caf::expected<job_query> query_of(const admin_call& call, work_action action) {
  const auto& in = call.arguments;
  job_query out;
  out.states = states_for(action);
  if (const auto state = find_word<job_state>(in.text("state"))) {
    const auto& can = out.states;
    if (std::find(can.begin(), can.end(), *state) == can.end()) {
      const auto why = rules::decide(job_status{.state = *state}, {action});
      return why ? refuse(ec::invalid_argument,
                          "a job that is " + word(*state)
                            + " leaves with its batch, see batch cleanup")
                 : why.error();
    }
    out.states = {*state};
  }
  if (auto wrong = restrict(call, out))
    return wrong;
  return out;
}

void order_matching(admin_pointer self, const admin_call_ptr& call,
                    job_query which, work_action action) {
  const auto note = note_for(*call, action);
  if (!note)
    return refuse(call, note.error());
  order_jobs what;
  what.which = std::move(which);
  what.action = action;
  what.stage = call->arguments.text("to");
  what.note = *note;
  what.count_only = call->arguments.flag("count_only");
  const bool count_only = what.count_only;
  const auto& options = self->state.options;
  self->request(options.shard, options.timeout_long, std::move(what))
    .then(
      [=](const jobs_ordered& x) {
        document out{{"matched", x.matched}};
        if (!count_only) {
          out["moved"] = x.moved;
          audit(call, nullptr, out, "done");
        }
        deliver(call, out);
      },
      [=](const caf::error& why) {
        refuse(call, why);
      });
}

void order_many(admin_pointer self, const admin_call_ptr& call,
                work_action action) {
  const auto& in = call->arguments;
  const bool is_restricted = in.has("collection") || in.has("batch")
                             || in.has("user") || in.has("state");
  if (is_restricted && in.flag("all"))
    return refuse(call, ec::invalid_argument,
                  "say --all, or which with --collection, --batch, --user or "
                  "--state, not both");
  if (!is_restricted && !in.flag("all"))
    return refuse(call, ec::invalid_argument,
                  "name a job, or say which with --collection, --batch, "
                  "--user or --state, or --all");
  auto query = query_of(*call, action);
  if (!query)
    return refuse(call, query.error());
  const auto batch = in.text("batch");
  if (batch.empty())
    return order_matching(self, call, std::move(*query), action);
  with_batch(self, call, batch, [=, query = *query](const batch_row& row) {
    auto of_batch = query;
    of_batch.batch = row.id;
    of_batch.user = row.user;
    order_matching(self, call, std::move(of_batch), action);
  });
}

/// Whether the arguments name one job and many.
bool names_both(const admin_arguments& in) {
  for (const auto* key : {"collection", "batch", "user", "state"})
    if (in.has(key))
      return true;
  return in.flag("all");
}

run_function ordering(work_action action) {
  return [=](admin_pointer self, const admin_call_ptr& call) {
    const auto& in = call->arguments;
    if (in.text("id").empty())
      order_many(self, call, action);
    else if (names_both(in))
      refuse(call, ec::invalid_argument, "name one job or many, not both");
    else
      order_one(self, call, action);
  };
}

void note(admin_pointer self, const admin_call_ptr& call) {
  order_one(self, call, work_action::note);
}

// -- rows ---------------------------------------------------------------------

using kind = value_kind;

command ordering_row(const char* words, const char* help, const char* question,
                     work_action action) {
  std::vector<argument_spec> arguments{
    work_id_argument("job", false),
    of_collection_argument(),
    of_batch_argument(),
    of_user_argument(),
    of_state_argument<job_state>(),
    {"--all", "all", kind::flag, "", "All that can be moved so"},
    note_argument(),
    count_only_argument()};
  if (action == work_action::requeue)
    arguments.insert(arguments.begin() + 1,
                     {"--to", "to", kind::text, "STAGE",
                      "From this stage on, not from where it failed"});
  return operating(of_work(counted(
    question, doing(words, help, std::move(arguments), ordering(action)))));
}

} // namespace
} // namespace about_job_orders

std::vector<command> job_order_commands() {
  using namespace about_job_orders;
  return {
    ordering_row("job hold", "Pending jobs wait until release", "Hold them?",
                 work_action::hold),
    ordering_row("job release", "End of hold", "Release them?",
                 work_action::release),
    ordering_row("job requeue", "Failed jobs go on where they failed",
                 "Requeue them?", work_action::requeue),
    ordering_row("job fail", "Fail jobs that are in a stage", "Fail them?",
                 work_action::fail),
    ordering_row(
      "job delete", "Delete held and failed jobs, which will not be finished",
      "They will never be finished. Delete them?", work_action::remove),
    operating(
      of_work(doing("job note", "Say something about a job",
                    {work_id_argument("job"),
                     {"note", "note", kind::text, "TEXT", "What to say", true}},
                    note))),
  };
}

} // namespace depositd::operators
