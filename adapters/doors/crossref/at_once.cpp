// A file comes in that is processed at once: queued like any other, but claimed
// by this door.

#include "adapters/doors/accounts/deposit_desk.hpp"
#include "adapters/doors/crossref/at_once_answers.hpp"
#include "adapters/doors/crossref/parts.hpp"
#include "adapters/doors/http/text.hpp"
#include "adapters/processing/crossref/diagnostic.hpp"
#include "messages/processors.hpp"
#include "messages/projection.hpp"
#include "messages/receiving.hpp"
#include "messages/values/clock.hpp"
#include "messages/values/operations.hpp"
#include "messages/values/submission_body.hpp"
#include "messages/values/test_points.hpp"
#include "messages/values/trace_context.hpp"

#include <caf/sec.hpp>

#include <spdlog/spdlog.h>

#include <algorithm>
#include <functional>
#include <utility>

namespace depositd::crossref {

namespace {

using accounts::file_deposit;

/// A deposit to be processed at once.
struct accepted_deposit {
  std::shared_ptr<http::responder> answer;
  std::string user;
  std::string queue;
  depositd::submission submission;
  std::string body; ///< the file; empty: it is kept as a blob
  std::uint32_t running_max = no_cap; ///< the user's cap
  std::shared_ptr<const void> held; ///< of the budget, for the file
};

using accepted = std::shared_ptr<const accepted_deposit>;

void say(const accepted& x, http::response what) {
  x->answer->send(std::move(what));
}

accepted accept(const file_deposit& x, const deposit_request& given,
                std::uint32_t running_max, const std::string& sha256) {
  auto out = std::make_shared<accepted_deposit>();
  out->answer = given.answer;
  out->user = x.user;
  out->queue = find_operation_or_default(x.operation)->queue;
  out->submission = accounts::submission_of(x, source_v2, sha256);
  out->running_max = running_max;
  if (sha256.empty())
    out->body = *x.bytes;
  out->held = x.held;
  return out;
}

/// One user may have all places that one user gets. Others then still have a
/// share each, as long as there are not too many of them.
bool take_place(door_pointer self, const std::string& user) {
  auto& state = self->state;
  const auto most = state.options.synchronous_max;
  const auto at = state.synchronous.find(user);
  const auto own = at == state.synchronous.end() ? 0 : at->second.places;
  const bool shared =
    own < std::max(most / 4, 1u) && state.synchronous_all < most * 4;
  if (own >= most || (state.synchronous_all >= most && !shared))
    return false;
  ++state.synchronous[user].places;
  ++state.synchronous_all;
  return true;
}

void give_place(door_pointer self, const std::string& user) {
  auto& state = self->state;
  --state.synchronous_all;
  if (--state.synchronous.at(user).places == 0)
    state.synchronous.erase(user);
}

/// Every way out of the synchronous door gives its place back.
void end_synchronous(door_pointer self, const accepted& x,
                     http::response what) {
  give_place(self, x->user);
  say(x, std::move(what));
}

/// Its outcome was not taken: an operator has ended the deposit, or the shard
/// has started anew, and a processor of the queue has it.
void tell_what_became(door_pointer self, const accepted& x, item_id id) {
  submission_query what;
  what.id = id;
  what.user = x->user;
  what.count_max = 1;
  const auto& options = self->state.options;
  self->request(options.projector, options.ask_timeout, std::move(what))
    .then(
      [=](const submissions_found& found) {
        const bool over =
          !found.rows.empty()
          && found.rows.front().status == submission_status::completed;
        end_synchronous(self, x,
                        over ? processed_page(found.rows.front())
                             : going_on_page(504, id, {}));
      },
      [=](const caf::error&) {
        end_synchronous(self, x, going_on_page(504, id, {}));
      });
}

/// Recorded, so that it can be asked for like any other; then answered.
void settle(door_pointer self, const accepted& x, item_id id, outcome ended) {
  if (ended.says == verdict::done || ended.says == verdict::failed)
    ended.document = diagnostic_of(row_of(id, ended));
  crash_point("at_once_processed");
  const auto& options = self->state.options;
  self
    ->request(options.shard, options.ask_timeout,
              settlement_of(x->queue, x->user, id, ended))
    .then(
      [=](const items_settled& said) {
        const bool taken =
          !said.accepted.empty() && said.accepted.front() != 0;
        if (taken)
          end_synchronous(self, x, page_of(id, ended));
        else
          tell_what_became(self, x, id);
      },
      [=](const caf::error&) {
        end_synchronous(self, x, going_on_page(504, id, {}));
      });
}

/// Whoever should work on it does not: the queue has it.
void give_back(door_pointer self, const accepted& x, item_id id,
               const caf::error& why) {
  outcome back;
  back.says = verdict::release;
  back.reason = "Internal error";
  // After that time its claim has ended, and it may be somebody else's.
  if (why != caf::sec::request_timeout)
    return settle(self, x, id, std::move(back));
  end_synchronous(self, x, page_of(id, back));
}

// -- one user after the other -------------------------------------------------

void begin_work(door_pointer self) {
  while (const auto work = self->state.rounds->next())
    work();
}

void end_work(door_pointer self, const std::string& user) {
  self->state.rounds->ended(user);
  begin_work(self);
}

void work_on(door_pointer self, const accepted& x, item_id id) {
  claimed_item item;
  item.id = id;
  item.attempt = 1;
  item.received_us = engine_clock::system().now();
  item.user = x->user;
  item.body = encode_submission_body(x->submission, x->body);
  // The client is answered 504 long before; the work goes on and its outcome
  // is recorded, because what it did cannot be undone.
  const auto& options = self->state.options;
  self
    ->request(options.handler, at_once_max,
              handle_item{x->queue, source_v2.name, item,
                          self->state.logins->control()})
    .then([=](const outcome& ended) {
            end_work(self, x->user);
            settle(self, x, id, ended);
          },
          [=](const caf::error& why) {
            end_work(self, x->user);
            spdlog::warn("synchronous_deposit_failed submission={} "
                         "reason=\"{}\"{}",
                         id, http::printable(render(why)), trace_text(item));
            give_back(self, x, id, why);
          });
}

// -- one by one into the queue ------------------------------------------------

/// Users' deposits come in one by one: who asks how many run is told of all
/// that came before.
void come_in(door_pointer self, const std::string& user,
             std::function<void()> go) {
  auto& own = self->state.synchronous.at(user);
  if (std::exchange(own.coming_in, true))
    own.waiting.push_back(std::move(go));
  else
    go();
}

void let_next_in(door_pointer self, const std::string& user) {
  auto& own = self->state.synchronous.at(user);
  own.coming_in = false;
  if (own.waiting.empty())
    return;
  const auto go = std::move(own.waiting.front());
  own.waiting.pop_front();
  come_in(self, user, go);
}

/// It is the user's, claimed by this door, before anything is done with it:
/// whatever happens to the engine, it is processed and can be asked for.
void submit_deposit(door_pointer self, const accepted& x) {
  const auto refuse = [=](http::response page) {
    let_next_in(self, x->user);
    end_synchronous(self, x, std::move(page));
  };
  submit what;
  what.queue = x->queue;
  what.user = x->user;
  what.submission = x->submission;
  what.body = x->body;
  const auto& options = self->state.options;
  // For as long as the client waits: who is told to come again while it may yet
  // come in deposits twice.
  self->request(options.shard, options.synchronous_timeout, std::move(what))
    .then(
      [=](const enqueued& came) {
        if (came.ids.empty() || came.ids.front() == 0)
          return refuse(concurrent_limit_page(x->running_max));
        let_next_in(self, x->user);
        self->state.rounds->wait(
          x->user, [=, id = came.ids.front()] { work_on(self, x, id); });
        begin_work(self);
      },
      [=](const caf::error& why) {
        refuse(why == caf::sec::request_timeout ? unanswered_page()
                                                : page_of(self, why));
      });
}

void keep_deposit(door_pointer self, const deposit_request& given,
                  const std::string& user, std::uint32_t running_max) {
  const auto file = file_in(given, user);
  if (accounts::goes_along(file))
    return submit_deposit(self, accept(file, given, running_max, {}));
  const auto& options = self->state.options;
  self
    ->request(options.blobs, options.ask_timeout,
              accounts::keep_blob{given.bytes, *given.bytes})
    .then(
      [=](const accounts::blob_kept& kept) {
        submit_deposit(self, accept(file, given, running_max, kept.sha256));
      },
      [=](const caf::error& why) {
        let_next_in(self, user);
        give_place(self, user);
        given.answer->send(page_of(self, why));
      });
}

/// What keeps a user's queued deposits from being worked on keeps this one,
/// too.
std::optional<http::response> not_now(door_pointer self,
                                      const pending_counted& counted) {
  if (const auto why = accounts::too_much(counted))
    return page_of(self, why);
  if (counted.running_max == 0)
    return http::unavailable(self->state.options.retry_after_s);
  if (counted.running >= counted.running_max)
    return concurrent_limit_page(counted.running_max);
  return std::nullopt;
}

void look_if_now(door_pointer self, const deposit_request& given,
                 const std::string& user) {
  const auto refuse = [=](http::response what) {
    let_next_in(self, user);
    give_place(self, user);
    given.answer->send(std::move(what));
  };
  const auto& options = self->state.options;
  const auto& wanted = *find_operation_or_default(given.operation);
  self
    ->request(options.shard, options.ask_timeout,
              count_pending{std::string{wanted.queue}, user})
    .then(
      [=](const pending_counted& counted) {
        if (auto page = not_now(self, counted))
          refuse(std::move(*page));
        else
          keep_deposit(self, given, user, counted.running_max);
      },
      [=](const caf::error& why) { refuse(page_of(self, why)); });
}

} // namespace

void take_at_once(door_pointer self, const deposit_request& given,
                  const std::string& user) {
  const auto& options = self->state.options;
  if (!take_place(self, user)) {
    given.answer->send(concurrent_limit_page(options.synchronous_max));
    return;
  }
  come_in(self, user, [=] { look_if_now(self, given, user); });
}

} // namespace depositd::crossref
