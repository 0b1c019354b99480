// Submissions: what became of them, and handing them in.

#include "actors/operators/why.hpp"
#include "actors/operators/work.hpp"
#include "actors/operators/work_why.hpp"
#include "actors/rules/pages/pages.hpp"

#include "messages/shard.hpp"
#include "messages/values/words.hpp"

#include <algorithm>

namespace depositd::operators {

namespace about_submissions {
namespace {

document submission_document(const submission_row& x) {
  return {{"id", x.id},
          {"user", x.user},
          {"queue", x.queue},
          {"file_name", x.submission.file_name},
          {"operation", x.submission.operation},
          {"source", x.submission.source},
          {"login", x.submission.login},
          {"size", x.submission.size},
          {"blob", x.submission.blob},
          {"status", word(x.status)},
          {"failed", x.failed},
          {"parked", x.parked && x.status != submission_status::completed},
          {"attempt", x.attempt},
          {"batch_id", x.batch_id},
          {"processor", x.processor},
          {"reason", x.reason},
          {"received_at", time_or_null(x.received_us)},
          {"started_at", time_or_null(x.started_us)},
          {"finished_at", time_or_null(x.finished_us)}};
}

// -- pages --------------------------------------------------------------------

void list(admin_pointer self, const admin_call_ptr& call) {
  const auto& in = call->arguments;
  submission_query query;
  query.user = in.text("user");
  query.queue = in.text("queue");
  query.with_documents = false;
  if (const auto status = find_word<submission_status>(in.text("status"))) {
    query.has_status = true;
    query.status = *status;
  }
  const auto after = rules::pages::read_cursor(in.text("after"));
  if (!after)
    return refuse(call, ec::invalid_argument,
                  "after must be what a page before gave as next");
  query.after = *after;
  // One more tells whether there is another page.
  const auto limit = static_cast<std::uint32_t>(in.number("limit"));
  query.count_max = limit + 1;
  query.bytes_max = page_bytes_max;
  ask(self, call, self->state.options.projector, std::move(query),
      [=](const submissions_found& x) {
        const bool more = x.more || x.rows.size() > limit;
        auto rows = x.rows;
        rows.resize(std::min<std::size_t>(rows.size(), limit));
        document out{{"submissions", document::array()}};
        for (const auto& row : rows)
          out["submissions"].push_back(submission_document(row));
        if (more)
          out["next"] = rules::pages::cursor_after(*after, rows);
        deliver(call, out);
      });
}

// -- one of them --------------------------------------------------------------

void show(admin_pointer self, const admin_call_ptr& call) {
  find_submission(self, call, [=](const submission_row* found) {
    if (!found)
      return refuse(call, ec::not_found,
                    "there is no submission "
                      + std::to_string(call->arguments.number("id")));
    auto out = submission_document(*found);
    out["document"] = found->document;
    deliver(call, out);
  });
}

/// Processors may be kept to nodes that are not there.
void tell_why(admin_pointer self, const admin_call_ptr& call,
              const item_explained& x) {
  with_control(self, call, [=](const control_snapshot& control) {
    deliver(call, why_document(x, *control));
  });
}

/// An item of a queue of messages, which leaves no record when it ends.
void message_why(admin_pointer self, const admin_call_ptr& call) {
  const auto id = static_cast<item_id>(call->arguments.number("id"));
  const auto user = call->arguments.text("user");
  const auto text = std::to_string(id);
  if (user.empty())
    return refuse(call, ec::not_found,
                  "there is no submission " + text
                    + "; for an item of a queue of messages name its user too");
  if (!call->by.sees(user))
    return refuse(call, ec::not_found, user + " has no item " + text);
  ask(self, call, self->state.options.shard, explain_item{id, user},
      [=](const item_explained& x) {
        if (x.live)
          tell_why(self, call, x);
        else
          refuse(call, ec::not_found, user + " has no item " + text);
      });
}

/// A job, which has its number as a submission has its own.
void job_why(admin_pointer self, const admin_call_ptr& call) {
  find_job(self, call, static_cast<item_id>(call->arguments.number("id")),
           [=](const job_row* found) {
             if (found)
               explain_job(self, call, *found);
             else
               message_why(self, call);
           });
}

void why(admin_pointer self, const admin_call_ptr& call) {
  find_submission(self, call, [=](const submission_row* found) {
    if (!found)
      return job_why(self, call);
    if (found->status == submission_status::completed)
      return deliver(call, why_finished_document(*found));
    ask(self, call, self->state.options.shard,
        explain_item{found->id, found->user},
        [=, row = *found](const item_explained& x) {
          if (x.live)
            tell_why(self, call, x);
          else
            deliver(call, why_finished_document(row));
        });
  });
}

// -- handing in ---------------------------------------------------------------

void submit_one(admin_pointer self, const admin_call_ptr& call) {
  const auto& in = call->arguments;
  submit_file what;
  what.user = in.text("user");
  what.file_name = in.text("file_name");
  what.operation = in.text("operation");
  if (!in.has("operation"))
    what.operation = "doMDUpload";
  what.content_base64 = in.text("content_base64");
  document out{{"id", 0}, {"user", what.user}, {"file_name", what.file_name}};
  hand_in(self, call, std::move(what), [=](item_id id) {
    auto answer = out;
    answer["id"] = id;
    deliver(call, answer);
  });
}

// -- rows ---------------------------------------------------------------------

using kind = value_kind;

argument_spec user_option(const char* help, bool required = false) {
  return {"--user",   "user", required ? kind::user : kind::text,
          "USER",     help,   required,
          "user list"};
}

command listing() {
  const auto words = all_words<submission_status>();
  return concerning(
    concern::named,
    reading(
      "submission list", "Submissions, newest first",
      {user_option("Only of this user"),
       in_queue_argument(),
       {"--status", "status", kind::word, "STATUS", any_of(words), false, "",
        words},
       limit_argument(100),
       after_argument("CURSOR", "Go on after a page's next")},
      {table_view("submissions",
                  ">ID={id}; USER={user}; QUEUE={queue}; "
                  "STATE={parked?}||{failed?}||{status}; >SIZE={size}; "
                  "RECEIVED={received_at:time}; FINISHED={finished_at:time}; "
                  "FILE={file_name}"),
       next_page_line("submissions")},
      list));
}

command explaining() {
  view_block reasons{.kind = block_kind::line, .rows = "reasons"};
  reasons.text = "{text}";
  auto out =
    reading("submission why", "Why it is not processed yet",
            {submission_id_argument(), user_option("Whose it is, for items of "
                                                   "queues of messages")},
            {reasons}, why);
  out.row.alias = "why";
  return concerning(concern::answered, std::move(out));
}

command submitting() {
  auto out =
    doing("submit", "Submit files as the operator",
          {{"files", "content_base64", kind::files, "FILE", "Files", true},
           user_option("Whose submissions they are", true),
           {"--operation", "operation", kind::text, "OPERATION",
            "doMDUpload (default), doQueryUpload, doDOIQueryUpload, "
            "doDOICitUpload, doTransferDOIsUpload"}},
          submit_one);
  out.row.patience_s = 120;
  return operating(concerning(concern::named, std::move(out)));
}

} // namespace
} // namespace about_submissions

std::vector<command> submission_commands() {
  using namespace about_submissions;
  const auto text = "document";
  return {
    listing(),
    concerning(
      concern::answered,
      reading("submission show", "Everything about one, with its result",
              {submission_id_argument()},
              {{.kind = block_kind::fields, .text = text},
               line_view(text, "document:"),
               {.kind = block_kind::lines, .when = text, .text = text}},
              show)),
    explaining(),
    submitting(),
  };
}

} // namespace depositd::operators
