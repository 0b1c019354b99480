// A file comes in: queued, or processed at once.

#include "adapters/doors/crossref/parts.hpp"
#include "adapters/doors/http/text.hpp"
#include "adapters/processing/crossref/diagnostic.hpp"
#include "messages/processors.hpp"
#include "messages/values/clock.hpp"
#include "messages/values/operations.hpp"
#include "messages/values/submission_body.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace depositd::crossref {

namespace {

/// A deposit whose login is right and whose file is kept.
struct accepted_deposit {
  std::shared_ptr<http::responder> answer;
  std::string user;
  std::string queue;
  depositd::submission submission;
};

using accepted = std::shared_ptr<const accepted_deposit>;

void say(const accepted& x, http::response what) {
  x->answer->send(std::move(what));
}

accepted accept(const deposit_request& x, const std::string& user,
                const std::string& sha256) {
  auto out = std::make_shared<accepted_deposit>();
  out->answer = x.answer;
  out->user = user;
  const auto& wanted = *find_operation_or_default(x.operation);
  const auto& source = x.synchronous ? source_v2 : source_http;
  out->queue = wanted.queue;
  out->submission.file_name = x.file_name;
  out->submission.operation = wanted.word;
  out->submission.login = x.who.login;
  out->submission.source = source.name;
  out->submission.blob = sha256;
  out->submission.size = x.bytes->size();
  out->submission.trace = x.trace;
  return out;
}

void queue_deposit(door_pointer self, const accepted& x) {
  const auto& options = self->state.options;
  self
    ->request(options.shard, options.ask_timeout,
              submit{x->queue, x->user, 0, x->submission})
    .then([=](const enqueued&) { say(x, success_page()); },
          [=](const caf::error& why) { say(x, page_of(self, why)); });
}

// -- at once ------------------------------------------------------------------

/// One user may have all places that one user gets. Others then still have a
/// share each, as long as there are not too many of them.
bool take_place(door_pointer self, const std::string& user) {
  auto& state = self->state;
  const auto most = state.options.synchronous_max;
  const auto at = state.synchronous.find(user);
  const auto own = at == state.synchronous.end() ? 0 : at->second;
  const bool shared =
    own < std::max(most / 4, 1u) && state.synchronous_all < most * 4;
  if (own >= most || (state.synchronous_all >= most && !shared))
    return false;
  ++state.synchronous[user];
  ++state.synchronous_all;
  return true;
}

void give_place(door_pointer self, const std::string& user) {
  auto& state = self->state;
  --state.synchronous_all;
  if (--state.synchronous.at(user) == 0)
    state.synchronous.erase(user);
}

/// Every way out of the synchronous door gives its place back.
void end_synchronous(door_pointer self, const accepted& x,
                     http::response what) {
  give_place(self, x->user);
  say(x, std::move(what));
}

/// 403 as soon as one record failed; always with the document.
http::response processed_page(const submission_row& row) {
  auto document = diagnostic_of(row);
  const bool clean =
    !row.failed
    && (document.find("<failure_count>") == std::string::npos
        || document.find("<failure_count>0<") != std::string::npos);
  return xml_document(clean ? 200 : 403, std::move(document));
}

/// Recorded, so that it can be asked for like any other; then answered.
void record_processed(door_pointer self, const accepted& x,
                      const claimed_item& item, const outcome& ended) {
  if (ended.says != verdict::done && ended.says != verdict::failed) {
    end_synchronous(self, x, failure_page(500, ended.reason));
    return;
  }
  submission_row row;
  row.id = item.id;
  row.status = submission_status::completed;
  row.failed = ended.says == verdict::failed;
  row.batch_id = ended.batch_id;
  row.document = ended.document;
  row.reason = ended.reason;
  row.processor = source_v2.name;
  record_submission what;
  what.user = x->user;
  what.what.id = row.id;
  what.what.queue = x->queue;
  what.what.received_us = item.received_us;
  what.what.finished_us = engine_clock::system().now();
  what.what.failed = row.failed;
  what.what.submission = x->submission;
  what.what.batch_id = row.batch_id;
  what.what.document = diagnostic_of(row);
  const auto& options = self->state.options;
  self->request(options.shard, options.ask_timeout, std::move(what))
    .then(
      [=](const enqueued&) { end_synchronous(self, x, processed_page(row)); },
      [=](const caf::error& why) {
        end_synchronous(self, x, page_of(self, why));
      });
}

void process_reserved(door_pointer self, const accepted& x, item_id id) {
  claimed_item item;
  item.id = id;
  item.attempt = 1;
  item.received_us = engine_clock::system().now();
  item.user = x->user;
  item.body = encode_submission_body(x->submission);
  // The client is answered 504 long before; the work goes on and its outcome
  // is recorded, because what it did cannot be undone.
  const auto& options = self->state.options;
  self
    ->request(options.handler, options.synchronous_timeout * 5,
              handle_item{x->queue, source_v2.name, item,
                          self->state.logins->control()})
    .then([=](const outcome& ended) { record_processed(self, x, item, ended); },
          [=](const caf::error& why) {
            spdlog::warn("synchronous_deposit_failed submission={} "
                         "reason=\"{}\"",
                         id, http::printable(render(why)));
            end_synchronous(self, x, failure_page(500, "Internal error."));
          });
}

void process_deposit(door_pointer self, const accepted& x) {
  const auto& options = self->state.options;
  self->request(options.shard, options.ask_timeout, reserve_id{x->user})
    .then(
      [=](const id_reserved& reserved) {
        process_reserved(self, x, reserved.id);
      },
      [=](const caf::error& why) {
        end_synchronous(self, x, page_of(self, why));
      });
}

// -- both ---------------------------------------------------------------------

void keep_deposit(door_pointer self, const deposit_request& given,
                  const std::string& user) {
  const auto& options = self->state.options;
  self
    ->request(options.blobs, options.ask_timeout,
              accounts::keep_blob{given.bytes, *given.bytes})
    .then(
      [=](const accounts::blob_kept& kept) {
        const auto x = accept(given, user, kept.sha256);
        if (given.synchronous)
          process_deposit(self, x);
        else
          queue_deposit(self, x);
      },
      [=](const caf::error& why) {
        if (given.synchronous)
          give_place(self, user);
        given.answer->send(page_of(self, why));
      });
}

/// Whether as much waits as may.
caf::error too_much(const pending_counted& x) {
  if (x.pending >= x.limit)
    return caf::make_error(ec::pending_limit_reached);
  if (x.bytes >= x.bytes_max)
    return caf::make_error(ec::quota_reached,
                           "The user has as many bytes of pending submissions "
                           "as may be");
  return {};
}

/// What keeps a user's queued deposits from being worked on keeps this one,
/// too.
std::optional<http::response> not_now(door_pointer self,
                                      const pending_counted& counted,
                                      const std::string& user) {
  if (const auto why = too_much(counted))
    return page_of(self, why);
  if (counted.running_max == 0)
    return http::unavailable(self->state.options.retry_after_s);
  const auto own = self->state.synchronous.at(user); // with this one
  if (std::uint64_t{counted.running} + own > counted.running_max)
    return concurrent_limit_page(counted.running_max);
  return std::nullopt;
}

void keep_at_once(door_pointer self, const deposit_request& given,
                  const std::string& user) {
  const auto& options = self->state.options;
  if (!take_place(self, user)) {
    given.answer->send(concurrent_limit_page(options.synchronous_max));
    return;
  }
  const auto refuse = [=](http::response what) {
    give_place(self, user);
    given.answer->send(std::move(what));
  };
  const auto& wanted = *find_operation_or_default(given.operation);
  self
    ->request(options.shard, options.ask_timeout,
              count_pending{std::string{wanted.queue}, user})
    .then(
      [=](const pending_counted& counted) {
        if (auto page = not_now(self, counted, user))
          refuse(std::move(*page));
        else
          keep_deposit(self, given, user);
      },
      [=](const caf::error& why) { refuse(page_of(self, why)); });
}

} // namespace

namespace {

/// Whether the user may make one more request for the queue; if so, it counts.
bool within_quota(door_pointer self, const std::string& queue,
                  const std::string& user) {
  const auto& state = self->state;
  return state.options.quotas->take(*state.logins->control(), queue, user,
                                    self->clock().now());
}

} // namespace

void take_deposit(door_pointer self, const deposit_request& given) {
  with_login(
    self, given.who, given.peer,
    {[=](const std::string& user) {
       const auto* wanted = find_operation_or_default(given.operation);
       if (!wanted)
         given.answer->send(failure_page(400, "Unknown operation."));
       else if (!within_quota(self, std::string{wanted->queue}, user))
         given.answer->send(
           later_page(1, "As many requests as the quota allows. Try again "
                         "later."));
       else if (given.bytes->size() > self->state.options.body_bytes_max)
         given.answer->send(failure_page(413, "The file is too large."));
       else if (given.synchronous)
         keep_at_once(self, given, user);
       else
         keep_deposit(self, given, user);
     },
     [=](http::response page) { given.answer->send(std::move(page)); }});
}

namespace {

void look_for_room(door_pointer self,
                   const std::shared_ptr<http::gatekeeper>& gate,
                   const std::string& queue, const std::string& user) {
  const auto& options = self->state.options;
  self->request(options.shard, options.ask_timeout, count_pending{queue, user})
    .then(
      [=](const pending_counted& counted) {
        if (const auto why = too_much(counted))
          gate->refuse(page_of(self, why));
        else
          gate->pass();
      },
      [=](const caf::error& why) { gate->refuse(page_of(self, why)); });
}

} // namespace

// Before the body: a wrong login or a full queue is said at once.
void look_ahead(door_pointer self, const deposit_begun& given) {
  const auto gate = given.gate;
  const auto operation = given.operation;
  with_login(self, given.who, given.peer,
             {[=](const std::string& user) {
                // The form may still name another operation, and so a queue.
                const auto* wanted = find_operation_or_default(operation);
                if (!wanted)
                  gate->refuse(failure_page(400, "Unknown operation."));
                else if (operation.empty())
                  gate->pass();
                else
                  look_for_room(self, gate, std::string{wanted->queue}, user);
              },
              [=](http::response page) { gate->refuse(std::move(page)); }});
}

} // namespace depositd::crossref
