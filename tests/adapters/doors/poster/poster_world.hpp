#pragma once

// The door with everything real in front of it (sockets, parsing, passwords,
// blobs) and, behind it, a shard and a read model that do what a test says.

#include "adapters/doors/accounts/worker.hpp"
#include "adapters/doors/http/server.hpp"
#include "adapters/doors/poster/answers.hpp"
#include "adapters/doors/poster/door.hpp"
#include "adapters/stores/memory/memory_blob_store.hpp"
#include "messages/message_types.hpp"
#include "messages/values/base64.hpp"
#include "messages/work.hpp"
#include "tests/adapters/doors/accounts/hash_of.hpp"
#include "tests/adapters/doors/http/form_text.hpp"
#include "tests/adapters/doors/http/put_off.hpp"
#include "tests/adapters/doors/http/raw_client.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace depositd::testing {

/// Blobs, with a switch to fail.
class failing_blobs : public blob_store {
public:
  caf::expected<std::string> put(std::string_view bytes) override {
    if (fails)
      return caf::make_error(ec::store_failed, "the disk is full");
    return inside_->put(bytes);
  }

  caf::expected<std::string> get(const std::string& sha256) override {
    return inside_->get(sha256);
  }

  caf::error backup(const std::filesystem::path&) override {
    return {};
  }

  std::atomic<bool> fails{false};

private:
  std::unique_ptr<blob_store> inside_ = make_memory_blobs();
};

/// What the fake engine knows; tests change it between requests.
struct fake_core {
  std::mutex guard;
  std::condition_variable changed;
  control_state control;
  std::vector<submit_batch> submitted; ///< that have arrived
  std::vector<batch_row> batches;      ///< that are durable
  std::vector<job_row> jobs;
  bool journal_waits = false; ///< nothing becomes durable while true
  ec submit_fails = ec{};
  ec look_fails = ec{};
  std::shared_ptr<failing_blobs> blobs = std::make_shared<failing_blobs>();
};

using core_pointer = std::shared_ptr<fake_core>;

/// On a thread of its own, so that it may wait.
inline caf::behavior fake_shard(caf::event_based_actor*, core_pointer x) {
  return {
    [=](const watch_control&) {
      const std::lock_guard lock{x->guard};
      return control_changed{std::make_shared<const control_state>(x->control)};
    },
    [=](const submit_batch& what) -> caf::result<batch_accepted> {
      std::unique_lock lock{x->guard};
      if (x->submit_fails != ec{})
        return caf::make_error(x->submit_fails, "as the test wants");
      x->submitted.push_back(what);
      x->changed.notify_all();
      x->changed.wait(lock, [&] { return !x->journal_waits; });
      batch_row row;
      row.id = 700 + x->batches.size();
      row.user = what.user;
      row.info = what.info;
      row.received_us = 1'772'357'400'000'000;
      row.status = {batch_state::processing, 1'772'357'460'000'000, ""};
      x->batches.push_back(row);
      return batch_accepted{row.id};
    },
  };
}

template <class Row, class Query>
bool is_meant(const Row& row, const Query& what) {
  return (what.id == 0 || row.id == what.id)
         && (what.uuid.empty() || row.info.uuid == what.uuid)
         && (what.user.empty() || row.user == what.user);
}

inline caf::behavior fake_read_model(caf::event_based_actor*, core_pointer x) {
  return {
    [=](const batch_query& what) -> caf::result<batches_found> {
      const std::lock_guard lock{x->guard};
      if (x->look_fails != ec{})
        return caf::make_error(x->look_fails, "as the test wants");
      batches_found out;
      for (const auto& row : x->batches)
        if (is_meant(row, what) && out.rows.size() < what.count_max)
          out.rows.push_back(row);
      return out;
    },
    [=](const job_query& what) -> caf::result<jobs_found> {
      const std::lock_guard lock{x->guard};
      if (x->look_fails != ec{})
        return caf::make_error(x->look_fails, "as the test wants");
      jobs_found out;
      for (const auto& row : x->jobs)
        if (is_meant(row, what) && (what.batch == 0 || row.batch == what.batch)
            && (what.states.empty()
                || std::count(what.states.begin(), what.states.end(),
                              row.status.state)
                     > 0)
            && out.rows.size() < what.count_max)
          out.rows.push_back(row);
      return out;
    },
  };
}

/// Users owner, submitter and stranger; a collection of the first two.
class poster_world : public ::testing::Test {
protected:
  struct config : caf::actor_system_config {
    config() {
      add_depositd_messages(*this);
      set("scheduler.policy", caf::atom("sharing"));
      set("scheduler.max-threads", std::size_t{2});
    }
  };

  poster_world() {
    static const auto hash = hash_of(secret);
    for (const auto* user : {"owner", "submitter", "stranger"})
      core->control.accounts[user] = {user, hash, {}};
    collection_settings papers;
    papers.name = "papers";
    papers.owner = "owner";
    papers.submitters = {"submitter"};
    core->control.collections["papers"] = papers;
  }

  ~poster_world() override {
    let_journal_go();
    if (server)
      server->stop(std::chrono::milliseconds{0});
    for (const auto& x : spawned_)
      caf::anon_send_exit(x, caf::exit_reason::kill);
  }

  /// Ends it with the world.
  template <class Handle>
  Handle keep(Handle x) {
    spawned_.push_back(caf::actor_cast<caf::strong_actor_ptr>(x));
    return x;
  }

  void start(poster::door_options options = {}) {
    options.shard = caf::actor_cast<shard_doors_actor>(
      keep(system.spawn<caf::detached>(fake_shard, core)));
    options.projector = caf::actor_cast<read_model_actor>(
      keep(system.spawn(fake_read_model, core)));
    const auto worker = [&] {
      return keep(system.spawn<caf::detached>(accounts::worker, core->blobs));
    };
    options.logins = worker();
    options.blobs = worker();
    const auto door = keep(system.spawn(poster::door, options));
    http::router routes;
    poster::add_door_routes(routes, door, options);
    kept_answers = never_put_off(routes);
    http::server_options serving;
    serving.refuse = [](const http::request& what, unsigned status,
                        const std::string& text) {
      auto own = poster::refused_by_server(what, status, text);
      return own ? std::move(*own) : http::refusal(status, text);
    };
    auto made = http::server::start(std::move(serving), std::move(routes));
    ASSERT_TRUE(made) << render(made.error());
    server = std::move(*made);
  }

  /// A line of a head.
  static std::string basic(const std::string& user,
                           const std::string& password = secret) {
    return "Authorization: Basic " + encode_base64(user + ":" + password)
           + "\r\n";
  }

  static std::string
  post_text(const std::string& target, const std::string& body,
            const std::string& head = basic("owner"),
            const std::string& type = "multipart/form-data; boundary=xYzZY") {
    return "POST " + target + " HTTP/1.1\r\nHost: a\r\n" + head
           + "Content-Type: " + type + "\r\nContent-Length: "
           + std::to_string(body.size()) + "\r\n\r\n" + body;
  }

  raw_answer ask(const std::string& request) {
    raw_client client{server->port()};
    auto out = client.exchange(request);
    EXPECT_TRUE(out) << "no answer";
    return out ? *out : raw_answer{};
  }

  raw_answer post(const std::string& target, const form_text& form,
                  const std::string& head = basic("owner")) {
    return ask(post_text(target, form.closed(), head));
  }

  /// The smallest form that is taken.
  static form_text a_form() {
    return form_text{}.field("profile", "papers").file("file", "a.txt", "abc");
  }

  raw_answer get(const std::string& target,
                 const std::string& head = basic("owner")) {
    return ask("GET " + target + " HTTP/1.1\r\nHost: a\r\n" + head + "\r\n");
  }

  static nlohmann::json json_of(const raw_answer& x) {
    auto out = nlohmann::json::parse(x.body, nullptr, false);
    EXPECT_FALSE(out.is_discarded()) << x.status << ' ' << x.body;
    return out;
  }

  /// What the shard was given last.
  submit_batch last() {
    const std::lock_guard lock{core->guard};
    if (core->submitted.empty()) {
      ADD_FAILURE() << "nothing has arrived";
      return {};
    }
    return core->submitted.back();
  }

  batch_document last_document() {
    auto out = decode_batch_document(last().document);
    EXPECT_TRUE(out);
    return out ? *out : batch_document{};
  }

  std::size_t count() {
    const std::lock_guard lock{core->guard};
    return core->submitted.size();
  }

  std::string bytes_of(const payload& x) {
    auto out = core->blobs->get(x.blob);
    EXPECT_TRUE(out) << x.file_name;
    return out ? *out : std::string{};
  }

  void let_journal_go() {
    {
      const std::lock_guard lock{core->guard};
      core->journal_waits = false;
    }
    core->changed.notify_all();
  }

  static inline const std::string secret = "s3cret";

  core_pointer core = std::make_shared<fake_core>();
  config cfg;
  caf::actor_system system{cfg};
  std::unique_ptr<http::server> server;
  /// Whose long answers are never put off.
  std::vector<std::string> kept_answers;

private:
  std::vector<caf::strong_actor_ptr> spawned_;
};

} // namespace depositd::testing
