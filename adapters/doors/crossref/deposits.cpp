// A file comes in: queued, or processed at once.

#include "adapters/doors/accounts/deposit_desk.hpp"
#include "adapters/doors/crossref/parts.hpp"
#include "adapters/doors/http/text.hpp"
#include "adapters/processing/crossref/diagnostic.hpp"
#include "messages/processors.hpp"
#include "messages/values/clock.hpp"
#include "messages/values/operations.hpp"
#include "messages/values/submission_body.hpp"
#include "messages/values/trace_context.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace depositd::crossref {

namespace {

/// A deposit to be processed at once whose file is kept.
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

accounts::file_deposit file_in(const deposit_request& x,
                               const std::string& user) {
  return {user,    x.who.login, x.operation,     x.file_name,
          x.trace, x.bytes,     x.answer->keep()};
}

void queue_deposit(door_pointer self, const deposit_request& given,
                   const std::string& user) {
  const auto& options = self->state.options;
  accounts::hand_in(
    self,
    {options.shard, options.blobs, *self->state.asked, options.ask_timeout},
    file_in(given, user),
    [answer = given.answer,
     later = options.retry_after_s](const caf::expected<item_id>& said) {
      answer->send(said ? success_page() : error_page(said.error(), later));
    });
}

// -- at once ------------------------------------------------------------------

accepted accept(const deposit_request& x, const std::string& user,
                const std::string& sha256) {
  auto out = std::make_shared<accepted_deposit>();
  out->answer = x.answer;
  out->user = user;
  out->queue = find_operation_or_default(x.operation)->queue;
  out->submission =
    accounts::submission_of(file_in(x, user), source_v2, sha256);
  return out;
}

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
                         "reason=\"{}\"{}",
                         id, http::printable(render(why)), trace_text(item));
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

void keep_deposit(door_pointer self, const deposit_request& given,
                  const std::string& user) {
  const auto& options = self->state.options;
  self
    ->request(options.blobs, options.ask_timeout,
              accounts::keep_blob{given.bytes, *given.bytes})
    .then(
      [=](const accounts::blob_kept& kept) {
        process_deposit(self, accept(given, user, kept.sha256));
      },
      [=](const caf::error& why) {
        give_place(self, user);
        given.answer->send(page_of(self, why));
      });
}

/// What keeps a user's queued deposits from being worked on keeps this one,
/// too.
std::optional<http::response> not_now(door_pointer self,
                                      const pending_counted& counted,
                                      const std::string& user) {
  if (const auto why = accounts::too_much(counted))
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

// -- both ---------------------------------------------------------------------

std::optional<http::response> refusal_of(accounts::deposit_fault fault) {
  switch (fault) {
    case accounts::deposit_fault::none:
      break;
    case accounts::deposit_fault::unknown_operation:
      return failure_page(400, "Unknown operation.");
    case accounts::deposit_fault::over_quota:
      return later_page(1, "As many requests as the quota allows. Try again "
                           "later.");
    case accounts::deposit_fault::too_large:
      return failure_page(413, "The file is too large.");
  }
  return std::nullopt;
}

void judge_deposit(door_pointer self, const deposit_request& given,
                   const std::string& user) {
  const auto& state = self->state;
  const auto fault = accounts::judge(
    file_in(given, user), {*state.logins->control(), *state.options.quotas,
                           self->clock().now(), state.options.body_bytes_max});
  if (auto page = refusal_of(fault))
    given.answer->send(std::move(*page));
  else if (given.synchronous)
    keep_at_once(self, given, user);
  else
    queue_deposit(self, given, user);
}

} // namespace

void take_deposit(door_pointer self, const deposit_request& given) {
  with_login(
    self, given.who, given.peer,
    {[=](const std::string& user) { judge_deposit(self, given, user); },
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
        if (const auto why = accounts::too_much(counted))
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
