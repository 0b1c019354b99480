#include "actors/operators/work_why.hpp"

#include "actors/operators/why.hpp"
#include "actors/rules/control/pipelines.hpp"
#include "actors/rules/control/stage_slots.hpp"
#include "actors/rules/lifecycle/jobs.hpp"
#include "messages/shard.hpp"
#include "messages/values/time_text.hpp"
#include "messages/values/words.hpp"

namespace depositd::operators {

namespace {

void add(document& out, const char* reason, std::string text) {
  out.push_back({{"reason", reason}, {"text", std::move(text)}});
}

std::string with_note(std::string text, const job_row& x) {
  return x.status.note.empty() ? text : text + ": " + x.status.note;
}

bool is_held(const job_known& x) {
  const auto at = x.control->collections.find(x.row->info.collection);
  return at != x.control->collections.end() && at->second.held;
}

/// Of a job that waits where its pipeline has no stage any more: where, and
/// what helps.
std::string gone_stage_text(const job_known& x) {
  const auto& queue = x.row->queue;
  const auto dot = queue.rfind('.');
  if (dot == queue.npos
      || !x.control->pipelines.contains(queue.substr(0, dot))
      || rules::find_stage(*x.control, queue).of)
    return {};
  const bool completed = x.row->status.state == job_state::completed;
  return "the pipeline " + queue.substr(0, dot) + " has no stage "
         + queue.substr(dot + 1) + " any more: put it back into its file, or "
         + (completed ? "job delete: it stays completed"
                      : "job fail, and then job requeue --to another one");
}

/// A job that is where it is until somebody does something, or for ever.
void add_rest(document& out, const job_known& x) {
  const auto& row = *x.row;
  const auto& status = row.status;
  const auto id = std::to_string(row.id);
  switch (status.state) {
    case job_state::held:
      if (is_held(x))
        add(out, "collection_held",
            "its collection " + row.info.collection
              + " is held: collection release " + row.info.collection
              + " --jobs");
      add(out, "job_held", with_note("held until job release " + id, row));
      break;
    case job_state::failed:
      add(out, "failed",
          with_note("failed at " + format_utc(status.changed_us), row));
      if (status.submit_again)
        add(out, "submit_again",
            "requeueing cannot help: what was submitted is at fault");
      else
        add(out, "requeue",
            "job requeue " + id + " goes on with "
              + word(rules::resumes_at(status)));
      if (status.needs_review)
        add(out, "needs_review", "somebody must look at it: review list");
      break;
    case job_state::completed:
    case job_state::deleted:
      if (auto text = gone_stage_text(x); !text.empty())
        add(out, "stage_gone", std::move(text));
      add(out, "finished",
          word(status.state) + " at " + format_utc(status.changed_us));
      break;
    default:
      break;
  }
}

/// What is true of the stage that it waits in.
void add_stage(document& out, const job_known& x) {
  const auto& row = *x.row;
  const auto at = x.control->queues.find(row.queue);
  if (at != x.control->queues.end() && at->second.suspended)
    add(out, "stage_paused",
        row.queue + " is paused: pipeline unpause " + row.queue);
  if (row.status.state == job_state::pending && is_held(x))
    add(out, "collection_held",
        "its collection " + row.info.collection
          + " is held, and it is just becoming so");
  if (auto text = gone_stage_text(x); !text.empty())
    return add(out, "stage_gone", std::move(text));
  const auto stage = rules::find_stage(*x.control, row.queue);
  if (!stage.of)
    return;
  const auto& settings = stage.of->stages[stage.index];
  const bool is_claimed =
    x.item->live && x.item->item.state == item_state::claimed;
  if (settings.workers == 0)
    add(out, "no_workers", row.queue + " has 0 workers: see pipeline set");
  else if (!is_claimed && x.in_process >= settings.workers)
    add(out, "no_slot",
        "all " + std::to_string(settings.workers) + " workers of " + row.queue
          + " are busy");
}

/// What the queue says; of one that is paused that was said. A stage that only
/// some may run says which.
void add_item(document& out, const document& explained,
              const stage_settings* stage) {
  const auto wanted = stage != nullptr ? what_runs(*stage) : std::string{};
  for (const auto& x : explained["reasons"])
    if (x["reason"] == "no_processor" && !wanted.empty())
      add(out, no_processor_on_node, wanted);
    else if (x["reason"] != "queue_suspended")
      out.push_back(x);
}

} // namespace

std::string what_runs(const stage_settings& x) {
  if (x.kind == handler_kind::external)
    return {};
  std::string where;
  for (const auto& name : x.nodes)
    where += (where.empty() ? "" : ", ") + name;
  const auto needs = rules::needs_of(x);
  if (!where.empty())
    where = "only " + where + " may run it";
  if (needs.work_folder || needs.storage)
    where += std::string{where.empty() ? "it" : ", and it"}
             + " needs the working folder"
             + (needs.storage ? " and storage that is set up there" : "");
  return where.empty() ? where : "nobody here runs " + x.name + ": " + where;
}

document why_job_document(const job_known& x) {
  const auto& row = *x.row;
  auto reasons = document::array();
  add_rest(reasons, x);
  const bool rests = !reasons.empty();
  document of_item;
  if (!rests) {
    add_stage(reasons, x);
    if (x.item->live) {
      of_item = why_document(*x.item, *x.control);
      const auto stage = rules::find_stage(*x.control, row.queue);
      add_item(reasons, of_item,
               stage.of ? &stage.of->stages[stage.index] : nullptr);
    }
    if (!row.status.note.empty())
      add(reasons, "note", "said last: " + row.status.note);
    if (reasons.empty())
      add(reasons, "moving", "it is just changing places; ask again");
  }
  const auto taken = [&](const char* key, document otherwise) {
    return of_item.is_object() ? of_item[key] : std::move(otherwise);
  };
  return {{"id", row.id},
          {"uuid", row.info.uuid},
          {"live", x.item->live},
          {"user", row.user},
          {"collection", row.info.collection},
          {"batch", row.batch},
          {"state", word(row.status.state)},
          {"queue", text_or_null(row.queue)},
          {"reason", reasons.front()["reason"]},
          {"text", reasons.front()["text"]},
          {"reasons", reasons},
          {"turn", taken("turn", nullptr)},
          {"turns", taken("turns", nullptr)},
          {"ahead", taken("ahead", 0)},
          {"attempt", taken("attempt", row.attempt)}};
}

void explain_job(admin_pointer self, const admin_call_ptr& call,
                 const job_row& row) {
  const auto& shard = self->state.options.shard;
  with_control(self, call, [=](const control_snapshot& now) {
    with_ring(self, call, row.queue, [=](const ring_report* ring) {
      const auto in_process = ring == nullptr ? 0 : ring->in_flight;
      ask(self, call, shard, explain_item{row.id, row.user},
          [=](const item_explained& x) {
            deliver(call,
                    why_job_document({&row, &x, now.get(), in_process}));
          });
    });
  });
}

} // namespace depositd::operators
