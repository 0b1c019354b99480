#pragma once

// The door with everything real in front of it (sockets, parsing, passwords,
// blobs) and, behind it, an engine that does exactly what a test says.

#include "adapters/doors/accounts/worker.hpp"
#include "adapters/doors/crossref/door.hpp"
#include "adapters/doors/crossref/pages.hpp"
#include "adapters/doors/http/server.hpp"
#include "adapters/processing/crossref/submission_handler.hpp"
#include "adapters/stores/memory/memory_blob_store.hpp"
#include "messages/message_types.hpp"
#include "messages/projection.hpp"
#include "messages/receiving.hpp"
#include "messages/values/operations.hpp"
#include "messages/values/submission_body.hpp"
#include "tests/adapters/doors/accounts/hash_of.hpp"
#include "tests/adapters/doors/http/form_text.hpp"
#include "tests/adapters/doors/http/raw_client.hpp"
#include "tests/support/memory_tables.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

#include <gtest/gtest.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace depositd::testing {

/// What the fake engine knows; tests change it between requests.
struct fake_engine {
  std::mutex guard;
  std::condition_variable changed;
  std::vector<submission_row> rows; ///< in order of arrival
  control_state control;
  std::uint64_t pending_limit = 10'000;
  std::uint32_t running = 0; ///< of any user, beside what is in `rows`
  std::uint32_t running_max = no_cap;
  ec submit_fails = ec{};          ///< submit answers this
  bool submit_waits = false;       ///< submit is not answered while true
  bool claims_are_gone = false;    ///< to what comes claimed, submit says so
  ec settle_fails = ec{};          ///< settle_items answers this
  ec look_fails = ec{};            ///< submission_query answers this
  bool v2_waits = false;           ///< handle_item is not answered while true
  ec v2_fails = ec{};              ///< handle_item answers this
  verdict v2_says = verdict::done; ///< if not done: instead of the handler
  std::uint32_t v2_running = 0;
  std::vector<std::string> v2_users; ///< whose came to the handler
  std::vector<verdict> settled; ///< in this order
  std::shared_ptr<blob_store> blobs = make_memory_blobs();
  std::shared_ptr<doi_registry> registry = make_memory_registry();

  item_id add(submission_row row) {
    row.id = 1000 + rows.size();
    rows.push_back(std::move(row));
    return rows.back().id;
  }

  /// False if it is over already.
  bool settle(const std::string& queue, const settle_items::one& what) {
    for (auto& row : rows) {
      if (row.id != what.name.id || row.queue != queue
          || digest_of_user(row.user) != what.name.user
          || row.status == submission_status::completed)
        continue;
      settled.push_back(what.says);
      if (what.says != verdict::done && what.says != verdict::failed) {
        row.status = submission_status::queued;
        return true;
      }
      row.status = submission_status::completed;
      row.failed = what.says == verdict::failed;
      row.batch_id = what.batch_id;
      row.document = what.document;
      row.reason = what.reason;
      return true;
    }
    return false;
  }

  /// What a processor does with a queued submission.
  void process(submission_row& row) {
    crossref::submission_handler handler{blobs, registry, nullptr, {}};
    handle_item what{row.queue, "sp-1", {}, nullptr};
    what.item.id = row.id;
    what.item.attempt = 1;
    what.item.user = row.user;
    what.item.body = encode_submission_body(row.submission, row.contents);
    const auto ended = handler.handle(what, control);
    row.status = submission_status::completed;
    row.failed = ended.says == verdict::failed;
    row.batch_id = ended.batch_id;
    row.document = ended.document;
    row.reason = ended.reason;
  }
};

using engine_pointer = std::shared_ptr<fake_engine>;

inline bool matches(const submission_row& row, const submission_query& what) {
  return (what.id == 0 || row.id == what.id)
         && (what.user.empty() || row.user == what.user)
         && (what.file_name.empty()
             || row.submission.file_name == what.file_name)
         && (what.batch_id.empty() || row.batch_id == what.batch_id)
         && (what.after.empty() || row.id < what.after.front());
}

/// Only what the door may ask of a shard.
inline caf::behavior fake_shard(caf::event_based_actor*, engine_pointer x) {
  return {
    [=](const watch_control&) {
      const std::lock_guard lock{x->guard};
      return control_changed{std::make_shared<const control_state>(x->control)};
    },
    [=](const count_pending& what) {
      const std::lock_guard lock{x->guard};
      pending_counted out{0, x->pending_limit, x->running, x->running_max};
      for (const auto& row : x->rows) {
        const bool own = row.user == what.user && row.queue == what.queue;
        out.pending += own && row.status == submission_status::queued;
        out.running += own && row.status == submission_status::in_process;
      }
      return out;
    },
    [=](const submit& what) -> caf::result<enqueued> {
      std::unique_lock lock{x->guard};
      x->changed.wait(lock, [&] { return !x->submit_waits; });
      if (x->submit_fails != ec{})
        return caf::make_error(x->submit_fails, "as the test wants");
      if (x->claims_are_gone)
        return enqueued{{0}, 1};
      std::uint64_t pending = 0;
      for (const auto& row : x->rows)
        pending +=
          row.user == what.user && row.status == submission_status::queued;
      if (pending >= x->pending_limit)
        return caf::make_error(ec::pending_limit_reached, "as configured");
      submission_row row;
      row.user = what.user;
      row.queue = what.queue;
      row.submission = what.submission;
      row.contents = what.body;
      if (find_source(what.submission.source).synchronous)
        row.status = submission_status::in_process; // claimed by the door
      const auto id = x->add(std::move(row));
      x->changed.notify_all();
      return enqueued{{id}, 0};
    },
    [=](const settle_items& what) -> caf::result<items_settled> {
      const std::lock_guard lock{x->guard};
      if (x->settle_fails != ec{})
        return caf::make_error(x->settle_fails, "as the test wants");
      items_settled out;
      for (const auto& one : what.items)
        out.accepted.push_back(x->settle(what.queue, one) ? 1 : 0);
      x->changed.notify_all();
      return out;
    },
  };
}

inline caf::behavior fake_projector(caf::event_based_actor*, engine_pointer x) {
  return {
    [=](const submission_query& what) -> caf::result<submissions_found> {
      const std::lock_guard lock{x->guard};
      if (x->look_fails != ec{})
        return caf::make_error(x->look_fails, "as the test wants");
      submissions_found out;
      for (const auto& row : x->rows)
        if (matches(row, what))
          out.rows.push_back(row);
      if (what.newest_first)
        std::reverse(out.rows.begin(), out.rows.end());
      if (out.rows.size() > what.count_max)
        out.rows.resize(what.count_max);
      return out;
    },
  };
}

/// Works on a thread of its own, like the real one.
inline caf::behavior fake_handler(caf::event_based_actor*, engine_pointer x) {
  return {
    [=](const handle_item& what) -> caf::result<outcome> {
      std::unique_lock lock{x->guard};
      ++x->v2_running;
      x->v2_users.push_back(what.item.user);
      x->changed.notify_all();
      x->changed.wait(lock, [&] { return !x->v2_waits; });
      if (x->v2_fails != ec{})
        return caf::make_error(x->v2_fails, "as the test wants");
      if (x->v2_says != verdict::done) {
        outcome out;
        out.says = x->v2_says;
        out.reason = "as the test <wants>";
        return out;
      }
      crossref::submission_handler handler{x->blobs, x->registry, nullptr, {}};
      return handler.handle(what, x->control);
    },
  };
}

class door_world : public ::testing::Test {
protected:
  struct config : caf::actor_system_config {
    config() {
      add_depositd_messages(*this);
      set("scheduler.policy", caf::atom("sharing"));
      set("scheduler.max-threads", std::size_t{2});
    }
  };

  door_world() {
    static const auto hash = hash_of(secret);
    add_account("psychoceramics", hash);
    add_account("other", hash);
  }

  ~door_world() override {
    let_v2_go();
    let_submissions_in();
    if (server)
      server->stop(std::chrono::milliseconds{0});
    for (const auto& x : spawned_)
      caf::anon_send_exit(x, caf::exit_reason::kill);
  }

  void add_account(const std::string& user, const std::string& hash,
                   std::vector<std::string> prefixes = {}) {
    engine->control.accounts[user] = {user, hash, std::move(prefixes)};
  }

  void start(crossref::door_options options = {}) {
    options.shard =
      caf::actor_cast<shard_actor>(keep(system.spawn(fake_shard, engine)));
    options.projector = caf::actor_cast<projector_actor>(
      keep(system.spawn(fake_projector, engine)));
    options.handler = caf::actor_cast<handler_actor>(
      keep(system.spawn<caf::detached>(fake_handler, engine)));
    options.logins =
      keep(system.spawn<caf::detached>(accounts::worker, engine->blobs));
    options.blobs =
      keep(system.spawn<caf::detached>(accounts::worker, engine->blobs));
    door = keep(system.spawn(crossref::door, options));
    http::router routes;
    crossref::add_door_routes(routes, door, options);
    http::server_options serving;
    serving.refuse = [](const http::request& what, unsigned status,
                        const std::string& text) {
      auto own = crossref::refused_by_server(what, status, text);
      return own ? std::move(*own) : http::refusal(status, text);
    };
    auto made = http::server::start(std::move(serving), std::move(routes));
    ASSERT_TRUE(made) << render(made.error());
    server = std::move(*made);
  }

  /// `from` is any address of 127/8, in the order of the machine.
  raw_answer ask(const std::string& request,
                 std::uint32_t from = INADDR_LOOPBACK) {
    raw_client client{server->port(), 20, from};
    auto out = client.exchange(request);
    EXPECT_TRUE(out) << "no answer";
    return out ? *out : raw_answer{};
  }

  static std::string post_text(const std::string& target,
                               const std::string& type,
                               const std::string& body) {
    return "POST " + target + " HTTP/1.1\r\nHost: a\r\nContent-Type: " + type
           + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n"
           + body;
  }

  raw_answer post_form(const std::string& target, const std::string& body) {
    return ask(post_text(target, "multipart/form-data; boundary=xYzZY", body));
  }

  raw_answer post_urlencoded(const std::string& target,
                             const std::string& body) {
    return ask(post_text(target, "application/x-www-form-urlencoded", body));
  }

  /// A deposit in the usual way.
  raw_answer deposit(const std::string& file_name, const std::string& bytes,
                     const std::string& operation = "doMDUpload") {
    return post_form("/servlet/deposit", form_text{}
                                           .field("operation", operation)
                                           .field("login_id", "psychoceramics")
                                           .field("login_passwd", secret)
                                           .file("fname", file_name, bytes)
                                           .closed());
  }

  raw_answer deposit_at_once(const std::string& bytes,
                             const std::string& user = "psychoceramics") {
    return post_form("/v2/deposits", form_text{}
                                       .field("usr", user)
                                       .field("pwd", secret)
                                       .field("operation", "doMDUpload")
                                       .file("mdFile", "a.xml", bytes)
                                       .closed());
  }

  raw_answer poll(const std::string& more,
                  const std::string& user = "psychoceramics") {
    return ask("GET /servlet/submissionDownload?usr=" + user + "&pwd=" + secret
               + "&" + more + " HTTP/1.1\r\nHost: a\r\n\r\n");
  }

  /// The newest submission that arrived.
  submission_row last() {
    const std::lock_guard lock{engine->guard};
    if (engine->rows.empty()) {
      ADD_FAILURE() << "nothing has arrived";
      return {};
    }
    return engine->rows.back();
  }

  std::size_t count() {
    const std::lock_guard lock{engine->guard};
    return engine->rows.size();
  }

  std::string bytes_of(const submission_row& row) {
    if (!row.contents.empty())
      return row.contents;
    auto out = engine->blobs->get(row.submission.blob);
    EXPECT_TRUE(out);
    return out ? *out : std::string{};
  }

  /// Lets a processor do all that waits.
  void process_all() {
    const std::lock_guard lock{engine->guard};
    for (auto& row : engine->rows)
      if (row.status != submission_status::completed)
        engine->process(row);
  }

  /// Deposits, processes, and polls by file name.
  std::string result_of(const std::string& file_name, const std::string& bytes,
                        const std::string& operation = "doMDUpload") {
    EXPECT_EQ(deposit(file_name, bytes, operation).status, 200u);
    process_all();
    return poll("type=result&file_name=" + file_name).body;
  }

  void let_v2_go() {
    {
      const std::lock_guard lock{engine->guard};
      engine->v2_waits = false;
    }
    engine->changed.notify_all();
  }

  void let_submissions_in() {
    {
      const std::lock_guard lock{engine->guard};
      engine->submit_waits = false;
    }
    engine->changed.notify_all();
  }

  template <class F>
  bool wait_until(F what) {
    std::unique_lock lock{engine->guard};
    return engine->changed.wait_for(lock, std::chrono::seconds{20}, what);
  }

  static inline const std::string secret = "s3cret";

  engine_pointer engine = std::make_shared<fake_engine>();
  config cfg;
  caf::actor_system system{cfg};
  crossref::door_actor door;
  std::unique_ptr<http::server> server;

private:
  template <class Handle>
  Handle keep(Handle x) {
    spawned_.push_back(caf::actor_cast<caf::strong_actor_ptr>(x));
    return x;
  }

  std::vector<caf::strong_actor_ptr> spawned_;
};

} // namespace depositd::testing
