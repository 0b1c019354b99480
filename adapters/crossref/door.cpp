#include "adapters/crossref/door.hpp"

#include "adapters/crossref/diagnostic.hpp"
#include "adapters/crossref/pages.hpp"
#include "messages/envelope.hpp"

#include <caf/send.hpp>

#include <spdlog/spdlog.h>

#include <charconv>
#include <chrono>

namespace depositd::crossref {

std::string credentials::user() const {
  return login.substr(login.rfind('/') + 1); // npos + 1 is 0
}

namespace {

using self_pointer = door_actor::stateful_pointer<door_state>;

micros now_us(self_pointer self) {
  return std::chrono::duration_cast<std::chrono::microseconds>(
           self->clock().now().time_since_epoch())
    .count();
}

/// Queue of an operation; none: unknown. The default is a deposit.
std::optional<std::string> queue_of(const std::string& operation) {
  for (const auto* known : {"", "doMDUpload", "doXSDMDUpload",
                            "doDOICitUpload", "doTransferDOIsUpload"})
    if (operation == known)
      return "metadata";
  for (const auto* known : {"doQueryUpload", "doDOIQueryUpload"})
    if (operation == known)
      return "query";
  return std::nullopt;
}

std::string operation_of(const std::string& given) {
  return given.empty() ? "doMDUpload" : given;
}

// -- workers ------------------------------------------------------------------

/// Lets a worker do something; `use` gets what it says. Refused with an error
/// when too many requests wait already.
template <class Answer, class Message, class F, class G>
void let_work(self_pointer self, Message what, F use, G refuse) {
  auto& state = self->state;
  if (state.waiting >= state.options.waiting_max) {
    refuse(caf::make_error(ec::overloaded));
    return;
  }
  ++state.waiting;
  const auto& workers = state.options.workers;
  const auto& worker = workers[state.worker_next++ % workers.size()];
  self->request(worker, state.options.ask_timeout, std::move(what))
    .then(
      [=](Answer& x) {
        --self->state.waiting;
        use(x);
      },
      [=](caf::error& why) {
        --self->state.waiting;
        refuse(why);
      });
}

/// Goes on with `use` if the login is right, else `refuse` gets the page.
template <class F, class G>
void with_login(self_pointer self, const credentials& who,
                const std::string& peer, F use, G refuse) {
  auto& state = self->state;
  if (!who.given) {
    refuse(no_login_page());
    return;
  }
  const auto user = who.user();
  if (!state.throttle.admits(user, peer, now_us(self))) {
    refuse(later_page(60, "Too many failed logins. Try again later."));
    return;
  }
  const auto account = state.control->accounts.find(user);
  check_login what;
  what.password = who.password;
  if (account != state.control->accounts.end())
    what.hash = account->second.password_hash;
  let_work<login_checked>(
    self, std::move(what),
    [=](const login_checked& x) {
      if (x.right) {
        self->state.throttle.succeeded(user, peer);
        use(user);
      } else {
        spdlog::info("login_refused peer={}", peer);
        self->state.throttle.failed(user, peer, now_us(self));
        refuse(wrong_credentials_page());
      }
    },
    [=](const caf::error& why) {
      refuse(error_page(why, self->state.options.retry_after_s));
    });
}

// -- posts --------------------------------------------------------------------

using post_pointer = std::shared_ptr<const post>;

void say(const post_pointer& x, http::response what) {
  x->answer->send(std::move(what));
}

void say_error(self_pointer self, const post_pointer& x,
               const caf::error& why) {
  say(x, error_page(why, self->state.options.retry_after_s));
}

submission particulars_of(const post& x, const std::string& sha256) {
  submission out;
  out.file_name = x.file_name;
  out.operation = operation_of(x.operation);
  out.login = x.who.login;
  out.source = x.synchronous ? "v2" : "http";
  out.blob = sha256;
  out.size = x.bytes->size();
  return out;
}

void queue_post(self_pointer self, const post_pointer& x,
                const std::string& user, const std::string& sha256) {
  const auto& options = self->state.options;
  self
    ->request(options.shard, options.ask_timeout,
              submit{*queue_of(x->operation), user, 0,
                     particulars_of(*x, sha256)})
    .then([=](const enqueued&) { say(x, success_page()); },
          [=](const caf::error& why) { say_error(self, x, why); });
}

// -- at once ------------------------------------------------------------------

/// The answer of the synchronous door: 403 as soon as one record failed.
http::response processed_page(const outcome& x) {
  const auto clean
    = x.says == verdict::done
      && x.document.find("<failure_count>0<") != std::string::npos;
  return xml_document(clean ? 200 : 403, x.document);
}

void end_synchronous(self_pointer self, const post_pointer& x,
                     http::response what) {
  --self->state.synchronous;
  say(x, std::move(what));
}

/// Recorded, so that it can be polled like any other; then answered.
void record_processed(self_pointer self, const post_pointer& x,
                      const std::string& user, const submission& particulars,
                      const claimed_item& item, const outcome& ended) {
  const auto& options = self->state.options;
  if (ended.says != verdict::done && ended.says != verdict::failed) {
    end_synchronous(self, x, failure_page(500, ended.reason));
    return;
  }
  record_submission what;
  what.user = user;
  what.what.id = item.id;
  what.what.queue = *queue_of(x->operation);
  what.what.received_us = item.received_us;
  what.what.finished_us = engine_clock::system().now();
  what.what.failed = ended.says == verdict::failed;
  what.what.particulars = particulars;
  what.what.batch_id = ended.batch_id;
  what.what.document = ended.document;
  self->request(options.shard, options.ask_timeout, std::move(what))
    .then(
      [=](const enqueued&) { end_synchronous(self, x, processed_page(ended)); },
      [=](const caf::error& why) {
        end_synchronous(self, x,
                        error_page(why, self->state.options.retry_after_s));
      });
}

void process_reserved(self_pointer self, const post_pointer& x,
                      const std::string& user, const std::string& sha256,
                      item_id id) {
  const auto& options = self->state.options;
  const auto particulars = particulars_of(*x, sha256);
  claimed_item item;
  item.id = id;
  item.attempt = 1;
  item.received_us = engine_clock::system().now();
  item.user = user;
  item.body = encode_envelope(particulars);
  self
    ->request(options.handler, options.synchronous_timeout,
              handle_item{*queue_of(x->operation), "v2", item})
    .then(
      [=](const outcome& ended) {
        record_processed(self, x, user, particulars, item, ended);
      },
      [=](const caf::error& why) {
        spdlog::warn("synchronous_deposit_failed reason=\"{}\"", render(why));
        end_synchronous(self, x, failure_page(500, "Internal error."));
      });
}

void process_post(self_pointer self, const post_pointer& x,
                  const std::string& user, const std::string& sha256) {
  const auto& options = self->state.options;
  self->request(options.shard, options.ask_timeout, reserve_id{})
    .then(
      [=](const id_reserved& reserved) {
        process_reserved(self, x, user, sha256, reserved.id);
      },
      [=](const caf::error& why) {
        end_synchronous(self, x,
                        error_page(why, self->state.options.retry_after_s));
      });
}

void keep_post(self_pointer self, const post_pointer& x,
               const std::string& user) {
  auto& state = self->state;
  if (x->synchronous) {
    if (state.synchronous >= state.options.synchronous_max) {
      say(x, concurrent_limit_page(state.options.synchronous_max));
      return;
    }
    ++state.synchronous;
  }
  let_work<blob_kept>(
    self, keep_blob{x->bytes},
    [=](const blob_kept& kept) {
      if (x->synchronous)
        process_post(self, x, user, kept.sha256);
      else
        queue_post(self, x, user, kept.sha256);
    },
    [=](const caf::error& why) {
      if (x->synchronous)
        --self->state.synchronous;
      say_error(self, x, why);
    });
}

void take_post(self_pointer self, const post& given) {
  auto x = std::make_shared<const post>(given);
  with_login(
    self, x->who, x->peer,
    [=](const std::string& user) {
      if (!queue_of(x->operation))
        say(x, failure_page(400, "Unknown operation."));
      else if (x->bytes->size() > self->state.options.body_bytes_max)
        say(x, failure_page(413, "The file is too large."));
      else
        keep_post(self, x, user);
    },
    [=](http::response page) { say(x, std::move(page)); });
}

/// Before the body: a wrong login or a full queue is said at once.
void look_ahead(self_pointer self, const post_begun& x) {
  const auto gate = x.gate;
  const auto queue = queue_of(x.operation);
  with_login(
    self, x.who, x.peer,
    [=](const std::string& user) {
      if (!queue) {
        gate->refuse(failure_page(400, "Unknown operation."));
        return;
      }
      const auto& options = self->state.options;
      self->request(options.shard, options.ask_timeout,
                    count_pending{*queue, user})
        .then(
          [=](const pending_counted& counted) {
            if (counted.pending >= counted.limit)
              gate->refuse(error_page(caf::make_error(
                                        ec::pending_limit_reached),
                                      self->state.options.retry_after_s));
            else
              gate->pass();
          },
          [=](const caf::error& why) {
            gate->refuse(error_page(why, self->state.options.retry_after_s));
          });
    },
    [=](http::response page) { gate->refuse(std::move(page)); });
}

// -- polls --------------------------------------------------------------------

using poll_pointer = std::shared_ptr<const poll>;

void send_contents(self_pointer self, const poll_pointer& x,
                   const submission_row& row) {
  let_work<blob_fetched>(
    self, fetch_blob{row.particulars.blob},
    [=](blob_fetched& found) {
      x->answer->send(http::response::of(200, "application/xml",
                                         std::move(found.bytes)));
    },
    [=](const caf::error& why) {
      x->answer->send(error_page(why, self->state.options.retry_after_s));
    });
}

void answer_poll(self_pointer self, const poll_pointer& x,
                 const submissions_found& found) {
  if (x->type == "contents") {
    if (found.rows.empty())
      x->answer->send(xml_document(404, diagnostic_unknown()));
    else
      send_contents(self, x, found.rows[0]);
    return;
  }
  x->answer->send(xml_document(200, found.rows.empty()
                                      ? diagnostic_unknown()
                                      : diagnostic_of(found.rows[0])));
}

/// No query for what cannot be: a number that is none matches nothing.
std::optional<submission_query> query_of(const poll& x, bool newest_first) {
  submission_query out;
  out.user = x.who.user();
  out.count_max = 1;
  out.newest_first = newest_first;
  if (!x.file_name.empty()) {
    out.file_name = x.file_name;
  } else if (!x.batch_id.empty()) {
    out.batch_id = x.batch_id;
  } else {
    const auto& text = x.submission_id;
    const auto read
      = std::from_chars(text.data(), text.data() + text.size(), out.id);
    if (read.ec != std::errc{} || read.ptr != text.data() + text.size()
        || out.id == 0)
      return std::nullopt;
  }
  return out;
}

void take_poll(self_pointer self, const poll& given) {
  auto x = std::make_shared<const poll>(given);
  with_login(
    self, x->who, x->peer,
    [=](const std::string&) {
      if (x->type != "result" && x->type != "contents") {
        x->answer->send(failure_page(400, "type must be result or contents."));
        return;
      }
      const auto query = query_of(*x, self->state.options.newest_first);
      if (!query) {
        x->answer->send(failure_page(400, "No file_name nor doi_batch_id."));
        return;
      }
      const auto& options = self->state.options;
      self->request(options.projector, options.ask_timeout, *query)
        .then(
          [=](const submissions_found& found) { answer_poll(self, x, found); },
          [=](const caf::error& why) {
            x->answer->send(
              error_page(why, self->state.options.retry_after_s));
          });
    },
    [=](http::response page) { x->answer->send(std::move(page)); });
}

} // namespace

door_actor::behavior_type door(door_actor::stateful_pointer<door_state> self,
                               door_options options) {
  self->state.control = std::make_shared<const control_state>();
  self->state.options = std::move(options);
  const auto& told = self->state.options;
  self
    ->request(told.shard, told.ask_timeout,
              watch_control{caf::strong_actor_ptr{self->ctrl()}})
    .then([=](const control_changed& x) { self->state.control = x.state; },
          [](const caf::error& why) {
            spdlog::error("door_has_no_accounts reason=\"{}\"", render(why));
          });
  return {
    [=](const post& x) { take_post(self, x); },
    [=](const post_begun& x) { look_ahead(self, x); },
    [=](const poll& x) { take_poll(self, x); },
    [=](const control_changed& x) { self->state.control = x.state; },
  };
}

} // namespace depositd::crossref
