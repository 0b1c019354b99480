// A form becomes a batch: payloads are kept, then the batch, then its sender is
// told.

#include "adapters/doors/poster/parts.hpp"
#include "messages/values/clock.hpp"
#include "messages/values/operations.hpp"
#include "messages/values/time_text.hpp"
#include "messages/values/trace_context.hpp"
#include "messages/values/uuid.hpp"
#include "messages/values/work_documents.hpp"
#include "messages/work.hpp"

#include <caf/sec.hpp>

#include <nlohmann/json.hpp>

#include <utility>

namespace depositd::poster {

namespace {

/// A submission whose sender may submit it.
struct work_in_hand {
  std::shared_ptr<http::responder> answer;
  std::shared_ptr<const posted_form> posted;
  batch_document document;
  micros now_us = never;
};

using work_ptr = std::shared_ptr<work_in_hand>;

batch_info info_of(const work_in_hand& x) {
  return poster::info_of(x.document, x.posted->what.submitter,
                         source_http.name);
}

/// As it stands right after it has come.
http::response accepted(const work_in_hand& x, item_id id) {
  batch_row row;
  row.id = id;
  row.user = x.document.user;
  row.info = info_of(x);
  row.received_us = x.now_us;
  row.status = {batch_state::pending, x.now_us, {}};
  auto document = document_of(row, {});
  if (const auto& warnings = x.posted->what.warnings; !warnings.empty())
    document["warnings"] = warnings;
  return document_answer(200, document).with("BID", x.document.uuid);
}

/// It may come in yet: who sent it again would have it twice.
http::response unanswered(const work_in_hand& x) {
  return refusal(504, "No answer in time. The batch may have come in as "
                        + x.document.uuid
                        + ": ask for it before you send it again.")
    .with("BID", x.document.uuid);
}

void submit(door_pointer self, const work_ptr& x) {
  submit_batch what;
  what.user = x->document.user;
  what.info = info_of(*x);
  what.document = encode(x->document);
  if (what.document.size() > inline_body_bytes_max) {
    x->answer->send(refusal(413, "The fields of the form are too long."));
    return;
  }
  const auto& options = self->state.options;
  self->request(options.shard, options.ask_timeout, std::move(what))
    .then(
      [=](const batch_accepted& said) {
        x->answer->send(accepted(*x, said.id));
      },
      [=](const caf::error& why) {
        x->answer->send(why == caf::sec::request_timeout
                          ? unanswered(*x)
                          : answer_of(self, why));
      });
}

/// One after the other, so that a form of many files waits for the disk and not
/// everybody else for the form.
void keep_files(door_pointer self, const work_ptr& x, std::size_t next) {
  const auto& files = x->posted->what.files;
  if (next == files.size()) {
    submit(self, x);
    return;
  }
  const auto& options = self->state.options;
  self
    ->request(options.blobs, options.ask_timeout,
              accounts::keep_blob{x->posted, files[next]})
    .then(
      [=](const accounts::blob_kept& kept) {
        x->document.payloads[next].blob = kept.sha256;
        keep_files(self, x, next + 1);
      },
      [=](const caf::error& why) { x->answer->send(answer_of(self, why)); });
}

void submit_for(door_pointer self, const submit_request& given,
                const std::string& user) {
  const auto& posted = *given.posted;
  const auto say = [&](http::response what) {
    given.answer->send(std::move(what));
  };
  if (posted.fault)
    return say(answer_of(self, posted.fault));
  const auto& name = posted.what.document.collection;
  const auto& collections = self->state.logins->control()->collections;
  const auto collection = collections.find(name);
  if (collection == collections.end())
    return say(refusal(404, "There is no collection \"" + name + "\"."));
  if (!may_submit(collection->second, user))
    return say(refusal(403, "The user " + user
                              + " may not submit to the collection " + name
                              + "."));
  if (!within_quota(self, collection->second.pipeline, user))
    return say(over_quota());
  auto x = std::make_shared<work_in_hand>();
  x->answer = given.answer;
  x->posted = given.posted;
  x->document = posted.what.document;
  x->document.uuid = "bid-" + random_uuid();
  x->document.user = user;
  x->now_us = engine_clock::system().now();
  x->document.submitted = format_utc(x->now_us);
  if (const auto* trace = given.posted->request.header(traceparent_header);
      trace != nullptr && legal_traceparent(*trace))
    x->document.more[traceparent_header] = *trace;
  keep_files(self, x, 0);
}

} // namespace

void take_submission(door_pointer self, const submit_request& given) {
  with_login(
    self, given.who, given.peer,
    {[=](const std::string& user) { submit_for(self, given, user); },
     [=](http::response what) { given.answer->send(std::move(what)); }});
}

// Before the body: a wrong login is said at once.
void look_ahead(door_pointer self, const submit_begun& given) {
  const auto gate = given.gate;
  with_login(self, given.who, given.peer,
             {[=](const std::string&) { gate->pass(); },
              [=](http::response what) { gate->refuse(std::move(what)); }});
}

} // namespace depositd::poster
