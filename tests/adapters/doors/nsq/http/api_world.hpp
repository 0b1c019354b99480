#pragma once

// NSQ's HTTP API with everything real in front of it, and behind it a shard
// that does what a test says.

#include "adapters/doors/http/server.hpp"
#include "adapters/doors/nsq/http/door.hpp"
#include "adapters/stores/files/sha256.hpp"
#include "messages/message_types.hpp"
#include "tests/adapters/doors/http/put_off.hpp"
#include "tests/adapters/doors/http/raw_client.hpp"
#include "tests/adapters/doors/nsq/topics_model.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/send.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace depositd::testing {

class api_world : public ::testing::Test {
protected:
  struct config : caf::actor_system_config {
    config() {
      add_depositd_messages(*this);
      set("scheduler.policy", caf::atom("sharing"));
      set("scheduler.max-threads", std::size_t{2});
    }
  };

  ~api_world() override {
    let_journal_go();
    if (server)
      server->stop(std::chrono::milliseconds{0});
    if (door)
      door->close();
    if (shard_)
      caf::anon_send_exit(shard_, caf::exit_reason::kill);
  }

  /// Requests are served without a key unless the test says otherwise.
  void start(nsq_http::door_options options) {
    shard_ = system.spawn<caf::detached>(modelled_shard, core);
    options.shard = caf::actor_cast<shard_topics_actor>(shard_);
    options.engine = caf::actor_cast<shard_receiving_actor>(shard_);
    auto opened = nsq_http::door::open(system, std::move(options));
    ASSERT_TRUE(opened) << render(opened.error());
    door = std::move(*opened);
    http::router routes;
    door->add_routes(routes);
    kept_answers = never_put_off(routes);
    http::server_options listening;
    nsq_http::door::prepare(listening);
    listening.memory = memory;
    auto made = http::server::start(std::move(listening), std::move(routes));
    ASSERT_TRUE(made) << render(made.error());
    server = std::move(*made);
    door->announce(
      {{"queue.example", "host1", nsq::server_version, 4150, server->port()},
       nullptr});
  }

  void start() {
    nsq_http::door_options open;
    open.anonymous = true;
    start(std::move(open));
  }

  /// A key of this text and name.
  void add_key(const std::string& name, std::vector<key_permit> permits) {
    core->control.keys[name] = {name, sha256_hex("key of " + name),
                                std::move(permits)};
  }

  static std::string bearer(const std::string& name) {
    return "Authorization: Bearer key of " + name + "\r\n";
  }

  raw_answer ask(const std::string& request) {
    raw_client client{server->port()};
    auto out = client.exchange(request);
    EXPECT_TRUE(out) << "no answer to " << request.substr(0, 100);
    return out ? *out : raw_answer{};
  }

  raw_answer get(const std::string& target, const std::string& head = {}) {
    return ask("GET " + target + " HTTP/1.1\r\nHost: a\r\n" + head + "\r\n");
  }

  raw_answer send(const std::string& method, const std::string& target,
                  const std::string& body, const std::string& head = {}) {
    return ask(method + ' ' + target + " HTTP/1.1\r\nHost: a\r\n" + head
               + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n"
               + body);
  }

  raw_answer post(const std::string& target, const std::string& body = {},
                  const std::string& head = {}) {
    return send("POST", target, body, head);
  }

  nlohmann::json document(const std::string& target) {
    const auto x = get(target);
    EXPECT_EQ(x.status, 200U) << x.body;
    auto out = nlohmann::json::parse(x.body, nullptr, false);
    EXPECT_FALSE(out.is_discarded()) << x.body;
    return out;
  }

  nlohmann::json stats(const std::string& more = {}) {
    return document("/stats?format=json" + more);
  }

  /// The bodies that the shard was given, all requests together.
  std::vector<std::string> bodies() {
    const std::lock_guard lock{core->guard};
    std::vector<std::string> out;
    for (const auto& x : core->published)
      out.insert(out.end(), x.bodies.begin(), x.bodies.end());
    return out;
  }

  publish last() {
    const std::lock_guard lock{core->guard};
    EXPECT_FALSE(core->published.empty());
    return core->published.empty() ? publish{} : core->published.back();
  }

  void let_journal_go() {
    {
      const std::lock_guard lock{core->guard};
      core->journal_waits = false;
    }
    core->changed.notify_all();
  }

  model_pointer core = std::make_shared<topics_model>();
  std::shared_ptr<memory_budget> memory =
    std::make_shared<memory_budget>(memory_budget::limits{64 << 20, 0});
  config cfg;
  caf::actor_system system{cfg};
  std::unique_ptr<nsq_http::door> door;
  std::unique_ptr<http::server> server;
  /// Whose long answers are never put off.
  std::vector<std::string> kept_answers;

private:
  caf::actor shard_;
};

/// Status and word of a refusal, with the headers that nsqd sends.
inline ::testing::AssertionResult refuses(const raw_answer& x, unsigned status,
                                          const std::string& word) {
  if (x.status == status && x.body == "{\"message\":\"" + word + "\"}"
      && x.header("content-type") == "application/json; charset=utf-8"
      && x.header("x-nsq-content-type") == "nsq; version=1.0")
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << x.status << ' ' << x.body;
}

/// 200 with exactly this text, and nsqd's header.
inline ::testing::AssertionResult says(const raw_answer& x,
                                       const std::string& body) {
  if (x.status == 200 && x.body == body
      && x.header("x-nsq-content-type") == "nsq; version=1.0")
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << x.status << ' ' << x.body;
}

} // namespace depositd::testing
