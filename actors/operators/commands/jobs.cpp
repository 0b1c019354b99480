// Jobs: what became of them, and why they do not go on.

#include "actors/operators/work.hpp"
#include "actors/operators/work_why.hpp"
#include "actors/rules/control/pipelines.hpp"

#include "messages/shard.hpp"
#include "messages/values/item_standing.hpp"
#include "messages/values/work_documents.hpp"

#include <functional>
#include <optional>

namespace depositd::operators {

namespace about_jobs {
namespace {

document job_document(const job_row& x) {
  return document_of(x);
}

/// What the arguments look for, but for the batch.
caf::expected<job_query> query_of(const admin_call& call) {
  const auto& in = call.arguments;
  job_query out;
  if (const auto state = find_word<job_state>(in.text("state")))
    out.states = {*state};
  out.needs_review = in.flag("needs_review");
  out.identifier = in.text("identifier");
  out.local_id = in.text("local_id");
  out.title = in.text("title");
  out.file_name = in.text("file_name");
  if (auto wrong = restrict(call, out))
    return wrong;
  if (auto wrong = begin_page(call, out))
    return wrong;
  return out;
}

void list_matching(admin_pointer self, const admin_call_ptr& call,
                   job_query query, const char* name) {
  ask(self, call, self->state.options.projector, std::move(query),
      [=](const jobs_found& x) {
        deliver(call, page_document(*call, name, x, job_document));
      });
}

void list(admin_pointer self, const admin_call_ptr& call) {
  auto query = query_of(*call);
  if (!query)
    return refuse(call, query.error());
  const auto batch = call->arguments.text("batch");
  if (batch.empty())
    return list_matching(self, call, std::move(*query), "jobs");
  with_batch(self, call, batch, [=, query = *query](const batch_row& row) {
    auto of_batch = query;
    of_batch.batch = row.id;
    of_batch.user = row.user;
    list_matching(self, call, std::move(of_batch), "jobs");
  });
}

void review(admin_pointer self, const admin_call_ptr& call) {
  auto query = query_of(*call);
  if (!query)
    return refuse(call, query.error());
  query->needs_review = true;
  list_matching(self, call, std::move(*query), "items");
}

/// Who has begun with an item, and when, where that is known.
struct in_hand {
  std::string node;
  micros since_us = never;
};

/// APTrust's words for it, and who works on it.
document item_document(const item_standing& x,
                       const std::optional<in_hand>& begun) {
  return {{"stage", word(x.stage)},
          {"status", word(x.status)},
          {"retry", x.retry},
          {"needs_admin_review", x.needs_review},
          {"node", begun ? text_or_null(begun->node) : document()},
          {"stage_started_at", begun ? time_or_null(begun->since_us)
                                     : document()}};
}

/// Slots inside this engine have no name of a node.
std::optional<in_hand> in_slots(const slots_report& x, item_id id,
                                const std::string& engine) {
  for (const auto& slot : x.entries)
    if (slot.item == id)
      return in_hand{slot.node.empty() ? engine : slot.node, slot.since_us};
  return std::nullopt;
}

/// Workers outside have no slots: what they have claimed they have begun.
std::optional<in_hand> in_claim(const item_explained& x) {
  if (!x.live || x.item.state != item_state::claimed)
    return std::nullopt;
  return in_hand{x.item.processor};
}

/// `use` gets who has begun with it, if anybody.
void with_hand(admin_pointer self, const admin_call_ptr& call,
               const job_row& row,
               std::function<void(const std::optional<in_hand>&)> use) {
  gather_slots(self, call, [=, use = std::move(use)](const slots_gathered& x) {
    const auto begun = in_slots(x.slots, row.id, self->state.options.engine);
    if (begun)
      return use(begun);
    with_control(self, call, [=](const control_snapshot& now) {
      if (row.queue.empty() || !rules::serves_outside(*now, row.queue))
        return use(std::nullopt);
      ask(self, call, self->state.options.shard,
          explain_item{row.id, row.user},
          [=](const item_explained& item) { use(in_claim(item)); });
    });
  });
}

/// Adds how the work item stands, if it is one.
void deliver_item(admin_pointer self, const admin_call_ptr& call,
                  const job_row& row, document out) {
  if (!standing_of(row, false))
    return deliver(call, out);
  with_hand(self, call, row, [=](const std::optional<in_hand>& begun) {
    auto all = out;
    all["work_item"] =
      item_document(*standing_of(row, begun.has_value()), begun);
    deliver(call, all);
  });
}

void show(admin_pointer self, const admin_call_ptr& call) {
  with_job(self, call, [=](const job_row& row) {
    auto out = job_document(row);
    out["pipeline"] = row.info.pipeline;
    out["queue"] = text_or_null(row.queue);
    out["file_name"] = row.info.file_name;
    out["title"] = row.facts.title;
    out["creator"] = row.facts.creator;
    out["date"] = row.facts.date;
    out["submit_again"] = row.status.submit_again;
    out["created_at"] = time_or_null(row.created_us);
    deliver_item(self, call, row, std::move(out));
  });
}

void why(admin_pointer self, const admin_call_ptr& call) {
  with_job(self, call,
           [=](const job_row& row) { explain_job(self, call, row); });
}

// -- rows ---------------------------------------------------------------------

using kind = value_kind;

argument_spec text_option(const char* spelling, const char* key,
                          const char* help) {
  return {spelling, key, kind::text, "TEXT", help};
}

const char* columns_of_jobs =
  ">ID={id}; >BATCH={batch}; USER={user}; COLLECTION={collection}; "
  "STATE={state}; LAST={last_successful_status}; >PRIORITY={priority}; "
  ">ATTEMPT={attempt}; REVIEW={needs_review?}; IDENTIFIER={identifier}; "
  "LOCAL ID={local_id}; CHANGED={changed_at:time}; NOTE={note}";

std::vector<argument_spec> search_arguments() {
  return {of_collection_argument(),
          of_batch_argument(),
          of_user_argument(),
          of_state_argument<job_state>(),
          {"--needs-review", "needs_review", kind::flag, "",
           "Only those that somebody must look at"},
          text_option("--identifier", "identifier", "With this identifier"),
          text_option("--local-id", "local_id", "With this local id"),
          text_option("--title", "title", "With this in the title"),
          text_option("--file-name", "file_name", "With this in the name"),
          limit_argument(100),
          after_argument("CURSOR", "Go on after a page's next")};
}

} // namespace
} // namespace about_jobs

std::vector<command> job_commands() {
  using namespace about_jobs;
  view_block reasons{.kind = block_kind::line, .rows = "reasons"};
  reasons.text = "{text}";
  const auto id = work_id_argument("job");
  return {
    of_work(reading(
      "job list", "Jobs, oldest first", search_arguments(),
      {table_view("jobs", columns_of_jobs), next_page_line("jobs")}, list)),
    of_work(reading("job show", "Everything about one", {id}, {}, show)),
    of_work(
      reading("job why", "Why it is not finished yet", {id}, {reasons}, why)),
    of_work(reading(
      "review list", "Jobs that failed and that somebody must look at",
      {of_collection_argument(), of_user_argument(), limit_argument(100),
       after_argument("CURSOR", "Go on after a page's next")},
      {table_view("items",
                  ">ID={id}; >BATCH={batch}; USER={user}; "
                  "COLLECTION={collection}; STATE={state}; "
                  "LAST={last_successful_status}; CHANGED={changed_at:time}; "
                  "NOTE={note}"),
       next_page_line("items")},
      review)),
  };
}

} // namespace depositd::operators
