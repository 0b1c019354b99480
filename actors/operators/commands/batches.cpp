// Batches: what became of them, and what operators do to them.

#include "actors/operators/work.hpp"

#include "actors/rules/lifecycle/batches.hpp"
#include "actors/rules/lifecycle/machines.hpp"
#include "messages/values/work_documents.hpp"

#include <algorithm>

namespace depositd::operators {

namespace about_batches {
namespace {

/// More of a batch are not named in its document.
constexpr std::uint32_t ended_jobs_max = 10'000;

/// In lists without the numbers of jobs.
document short_document(const batch_row& x) {
  auto out = document_of(x, {});
  out.erase("failed_jobs");
  out.erase("successful_jobs");
  out["pipeline"] = x.info.pipeline;
  return out;
}

void list(admin_pointer self, const admin_call_ptr& call) {
  batch_query query;
  if (const auto state = find_word<batch_state>(call->arguments.text("state")))
    query.states = {*state};
  if (auto wrong = restrict(*call, query))
    return refuse(call, wrong);
  if (auto wrong = begin_page(*call, query))
    return refuse(call, wrong);
  ask(self, call, self->state.options.projector, std::move(query),
      [=](const batches_found& x) {
        deliver(call, page_document(*call, "batches", x, short_document));
      });
}

document state_document(const batch_row& x) {
  return {{"id", x.id}, {"state", word(x.status.state)}};
}

/// The batch that the argument `id` names.
void with_named(admin_pointer self, const admin_call_ptr& call,
                const std::function<void(const batch_row&)>& use) {
  with_batch(self, call, call->arguments.text("id"), [=](const batch_row& row) {
    call->before = state_document(row);
    use(row);
  });
}

document full_document(const batch_row& row, const jobs_found& jobs) {
  ended_jobs ended;
  const auto count = std::min<std::size_t>(jobs.rows.size(), ended_jobs_max);
  for (std::size_t i = 0; i < count; ++i) {
    const auto& job = jobs.rows[i];
    (job.status.state == job_state::failed ? ended.failed : ended.successful)
      .push_back(job.id);
  }
  auto out = document_of(row, ended);
  out["pipeline"] = row.info.pipeline;
  out["type"] = row.info.type;
  out["title"] = row.info.title;
  out["file_name"] = row.info.file_name;
  out["source"] = row.info.source;
  out["submitter"] = row.info.submitter;
  out["jobs_expected"] = row.jobs.expected;
  out["split"] = row.jobs.split;
  out["reports"] = row.reports;
  out["note"] = row.status.note;
  if (jobs.more || count < jobs.rows.size())
    out["jobs_left_out"] = true;
  return out;
}

void show(admin_pointer self, const admin_call_ptr& call) {
  with_named(self, call, [=](const batch_row& row) {
    job_query query;
    query.batch = row.id;
    query.user = row.user;
    query.states = {job_state::failed, job_state::completed};
    query.count_max = ended_jobs_max + 1; // which is not shown
    ask(self, call, self->state.options.projector, std::move(query),
        [=](const jobs_found& x) { deliver(call, full_document(row, x)); });
  });
}

// -- ordering -----------------------------------------------------------------

/// Why the shard, which does not have the batch in hand any more, does not do
/// what the read model's row may well allow.
caf::error absent(const batch_row& row, work_action action) {
  const auto decided = rules::decide(row.status, {action});
  if (!decided)
    return decided.error();
  return refuse(ec::invalid_argument,
                "the batch is " + word(row.status.state)
                  + ", and the engine does not have it in hand now; ask again");
}

void order(admin_pointer self, const admin_call_ptr& call, const batch_row& row,
           work_action action) {
  const auto note =
    note_of(*call, word(action).c_str(), call->arguments.text("note"));
  if (!note)
    return refuse(call, note.error());
  const auto& options = self->state.options;
  self
    ->request(options.shard, options.timeout,
              order_batch{row.id, row.user, action, *note})
    .then(
      [=](const batch_ordered& x) {
        auto after = row;
        after.status = x.status;
        audit(call, call->before, state_document(after), "done");
        deliver(call, short_document(after));
      },
      [=](const caf::error& why) {
        refuse(call, why == ec::not_found ? absent(row, action) : why);
      });
}

run_function ordering(work_action action) {
  return [=](admin_pointer self, const admin_call_ptr& call) {
    with_named(self, call,
               [=](const batch_row& row) { order(self, call, row, action); });
  };
}

// -- leaving the store --------------------------------------------------------

void forget(admin_pointer self, const admin_call_ptr& call,
            const batch_row& row) {
  const auto& options = self->state.options;
  self
    ->request(options.shard, options.timeout_long,
              forget_batches{row.id, row.user, never})
    .then(
      [=](const batches_forgotten& x) {
        if (x.count == 0)
          return refuse(call, ec::invalid_argument,
                        "the batch is " + word(row.status.state)
                          + ": only a completed or deleted batch can leave");
        audit(call, call->before, nullptr, "done");
        deliver(call, {{"id", row.id},
                       {"uuid", row.info.uuid},
                       {"removed", true},
                       {"batches", x.count}});
      },
      [=](const caf::error& why) { refuse(call, why); });
}

void cleanup(admin_pointer self, const admin_call_ptr& call) {
  if (call->arguments.has("id"))
    return with_named(self, call,
                      [=](const batch_row& row) { forget(self, call, row); });
  if (call->by.is_limited())
    return refuse(call, ec::not_allowed,
                  "batch cleanup concerns all batches, and " + call->by.who
                    + " is limited to some: name one");
  act(self, call, self->state.options.shard,
                         forget_batches{0, "", never},
                         [=](const batches_forgotten& x) {
                           deliver(call, {{"batches", x.count}});
                         });
}

/// What asks before a batch is deleted; empty if it has ended anyway.
std::string question_of(const batch_row& x) {
  if (rules::deletable(x.status.state))
    return "";
  return "Batch " + std::to_string(x.id) + " is " + word(x.status.state)
         + ", with " + std::to_string(x.jobs.open) + " open and "
         + std::to_string(x.jobs.failed)
         + " failed jobs. They will never be finished, and its depositor is "
           "not told. Delete it?";
}

void remove(admin_pointer self, const admin_call_ptr& call) {
  with_named(self, call, [=](const batch_row& row) {
    if (call->arguments.flag("count_only"))
      deliver(call, {{"matched", 1}, {"question", question_of(row)}});
    else if (rules::deletable(row.status.state))
      forget(self, call, row);
    else
      order(self, call, row, work_action::remove);
  });
}

// -- rows ---------------------------------------------------------------------

const char* columns_of_batches =
  ">ID={id}; USER={user}; COLLECTION={collection}; STATE={state}; "
  ">JOBS={jobs.total}; >OPEN={jobs.open}; >HELD={jobs.held}; "
  ">COMPLETED={jobs.completed}; >FAILED={jobs.failed}; "
  "SUBMITTED={submitted_at:time}; CHANGED={changed_at:time}; UUID={uuid}";

command ordering_row(const char* words, const char* help, work_action action) {
  return operating(
    of_work(doing(words, help, {work_id_argument("batch"), note_argument()},
                  ordering(action))));
}

} // namespace
} // namespace about_batches

std::vector<command> batch_commands() {
  using namespace about_batches;
  const auto id = work_id_argument("batch");
  return {
    of_work(reading(
      "batch list", "Batches, newest first",
      {of_user_argument(), of_collection_argument(),
       of_state_argument<batch_state>(), limit_argument(100),
       after_argument("CURSOR", "Go on after a page's next")},
      {table_view("batches", columns_of_batches), next_page_line("batches")},
      list)),
    of_work(reading("batch show", "Everything about one", {id}, {}, show)),
    ordering_row("batch hold", "A pending batch waits until release",
                 work_action::hold),
    ordering_row("batch release", "End of hold", work_action::release),
    ordering_row("batch update-report",
                 "Report a failed batch again, after its jobs were mended",
                 work_action::update_report),
    operating(of_work(slow(
      doing("batch cleanup",
            "Remove batches that are completed or deleted, with their jobs",
            {work_id_argument("batch", false)}, cleanup)))),
    operating(of_work(counted(
      "Delete it?",
      doing("batch delete",
            "Delete a held or failed batch, or remove one that is completed",
            {id, note_argument(), count_only_argument()}, remove)))),
  };
}

} // namespace depositd::operators
