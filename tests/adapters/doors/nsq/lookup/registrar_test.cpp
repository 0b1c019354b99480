// nsqlookupds are told what there is, over real sockets, whatever happens to
// them.

#include "adapters/doors/nsq/lookup/registrar.hpp"
#include "messages/message_types.hpp"
#include "tests/adapters/doors/nsq/lookup/fake_lookupd.hpp"
#include "tests/adapters/doors/nsq/topics_model.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/send.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace depositd::testing {

namespace {

using namespace std::chrono_literals;
using namespace nsq_lookup;
using strings = std::vector<std::string>;
using connections = std::vector<strings>;

bool has(const strings& told, const std::string& what) {
  return std::find(told.begin(), told.end(), what) != told.end();
}

std::size_t place(const strings& told, const std::string& what) {
  return static_cast<std::size_t>(std::find(told.begin(), told.end(), what)
                                  - told.begin());
}

class telling : public ::testing::Test {
protected:
  struct config : caf::actor_system_config {
    config() {
      add_depositd_messages(*this);
      set("scheduler.policy", caf::atom("sharing"));
      set("scheduler.max-threads", std::size_t{2});
    }
  };

  telling() {
    core->topics["orders"].channels["billing"];
    core->topics["orders"].channels["mail"];
    core->topics["idle"];
    options.self = {"queue.example", "host1", "1.3.0", 4150, 4151};
    options.times = {1h, 5s, 10s, 10ms, 50ms};
    options.look_interval = 1h;
    options.tick = 5ms;
  }

  ~telling() override {
    if (told)
      told->close();
    if (shard_)
      caf::anon_send_exit(shard_, caf::exit_reason::kill);
  }

  void start(std::vector<endpoint> lookupds) {
    shard_ = system.spawn<caf::detached>(modelled_shard, core);
    options.shard = caf::actor_cast<shard_topics_actor>(shard_);
    options.lookupds = std::move(lookupds);
    auto made = registrar::start(system, options);
    ASSERT_TRUE(made) << render(made.error());
    told = std::move(*made);
  }

  endpoint there(const std::string& host = "127.0.0.1") const {
    return {host, lookupd.port()};
  }

  /// Waits until the newest connection of so many was told this.
  bool await(fake_lookupd& whom, std::size_t count, const std::string& what) {
    return whom.await([&](const connections& all) {
      return all.size() == count && has(all.back(), what);
    });
  }

  void change(void (*how)(topics_model&)) {
    {
      const std::lock_guard lock{core->guard};
      how(*core);
    }
    told->changed();
  }

  model_pointer core = std::make_shared<topics_model>();
  fake_lookupd lookupd;
  config cfg;
  caf::actor_system system{cfg};
  registrar_options options;
  std::unique_ptr<registrar> told;

private:
  caf::actor shard_;
};

TEST_F(telling, begins_with_who_we_are_and_all_that_there_is) {
  start({there()});
  ASSERT_TRUE(await(lookupd, 1, "REGISTER orders mail"));
  const auto all = lookupd.told();
  ASSERT_EQ(all.size(), 6U);
  EXPECT_EQ(all[0], "  V1");
  ASSERT_TRUE(all[1].starts_with("IDENTIFY "));
  const auto who = nlohmann::json::parse(all[1].substr(9));
  EXPECT_EQ(who, (nlohmann::json{{"broadcast_address", "queue.example"},
                                 {"hostname", "host1"},
                                 {"tcp_port", 4150},
                                 {"http_port", 4151},
                                 {"version", "1.3.0"}}));
  EXPECT_EQ(strings(all.begin() + 2, all.end()),
            (strings{"REGISTER idle", "REGISTER orders",
                     "REGISTER orders billing", "REGISTER orders mail"}));
}

TEST_F(telling, follows_topics_and_channels_as_they_come_and_go) {
  start({there()});
  ASSERT_TRUE(await(lookupd, 1, "REGISTER orders mail"));
  change([](topics_model& x) {
    x.topics["orders"].channels["new"];
    x.topics["orders"].channels.erase("mail");
  });
  ASSERT_TRUE(await(lookupd, 1, "REGISTER orders new"));
  EXPECT_TRUE(has(lookupd.told(), "UNREGISTER orders mail"));
  change([](topics_model& x) { x.topics.erase("orders"); });
  ASSERT_TRUE(await(lookupd, 1, "UNREGISTER orders"));
  const auto all = lookupd.told();
  EXPECT_LT(place(all, "UNREGISTER orders billing"),
            place(all, "UNREGISTER orders"));
  EXPECT_LT(place(all, "UNREGISTER orders new"),
            place(all, "UNREGISTER orders"));
}

TEST_F(telling, finds_out_by_itself_now_and_then) {
  options.look_interval = 10ms;
  start({there()});
  ASSERT_TRUE(await(lookupd, 1, "REGISTER orders mail"));
  {
    const std::lock_guard lock{core->guard};
    core->topics["silent"];
  }
  EXPECT_TRUE(await(lookupd, 1, "REGISTER silent"));
}

TEST_F(telling, looks_at_once_when_it_sees_what_it_does_not_know) {
  start({there()});
  ASSERT_TRUE(await(lookupd, 1, "REGISTER orders mail"));
  {
    const std::lock_guard lock{core->guard};
    core->topics["fresh"].channels["c"];
  }
  told->saw("orders", "billing");
  told->saw("fresh", "c");
  EXPECT_TRUE(await(lookupd, 1, "REGISTER fresh c"));
}

TEST_F(telling, pings) {
  options.times.ping = 10ms;
  start({there()});
  EXPECT_TRUE(lookupd.await([](const connections& all) {
    return all.size() == 1
           && std::count(all[0].begin(), all[0].end(), "PING") >= 3;
  }));
}

TEST_F(telling, begins_anew_after_the_connection_was_lost) {
  start({there()});
  ASSERT_TRUE(await(lookupd, 1, "REGISTER orders mail"));
  lookupd.hang_up();
  ASSERT_TRUE(await(lookupd, 2, "REGISTER orders mail"));
  const auto again = lookupd.told();
  EXPECT_EQ(again[0], "  V1");
  EXPECT_TRUE(has(again, "REGISTER idle"));
}

TEST_F(telling, gives_up_whoever_does_not_answer) {
  options.times.answer = 50ms;
  lookupd.fall_silent(true);
  start({there()});
  ASSERT_TRUE(
    lookupd.await([](const connections& all) { return all.size() >= 2; }));
  lookupd.fall_silent(false);
  EXPECT_TRUE(lookupd.await([](const connections& all) {
    return has(all.back(), "REGISTER orders mail");
  }));
}

TEST_F(telling, gives_up_whoever_refuses) {
  lookupd.answer("E_INVALID cannot IDENTIFY");
  start({there()});
  ASSERT_TRUE(
    lookupd.await([](const connections& all) { return all.size() >= 3; }));
  EXPECT_FALSE(has(lookupd.told(), "REGISTER orders mail"));
  lookupd.answer("OK");
  EXPECT_TRUE(lookupd.await([](const connections& all) {
    return has(all.back(), "REGISTER orders mail");
  }));
}

TEST_F(telling, does_not_mind_that_another_is_not_there) {
  fake_lookupd gone;
  const endpoint nobody{"127.0.0.1", 1};
  start({nobody, there(), {"127.0.0.1", gone.port()}});
  EXPECT_TRUE(await(lookupd, 1, "REGISTER orders mail"));
  EXPECT_TRUE(await(gone, 1, "REGISTER orders mail"));
}

TEST_F(telling, looks_up_names) {
  start({there("localhost")});
  EXPECT_TRUE(await(lookupd, 1, "REGISTER orders mail"));
}

TEST_F(telling, turns_to_others_at_run_time) {
  fake_lookupd other;
  start({there()});
  ASSERT_TRUE(await(lookupd, 1, "REGISTER orders mail"));
  EXPECT_FALSE(told->tell({{"127.0.0.1", other.port()}}));
  EXPECT_TRUE(await(other, 1, "REGISTER orders mail"));
  EXPECT_EQ(told->lookupds(),
            (std::vector<endpoint>{{"127.0.0.1", other.port()}}));
}

TEST_F(telling, of_too_many_or_of_half_an_engine_is_refused) {
  start({});
  EXPECT_EQ(told->tell(std::vector<endpoint>(lookupds_max + 1, there())),
            ec::invalid_argument);
  options.self.tcp_port = 0;
  options.lookupds = {there()};
  const auto half = registrar::start(system, options);
  ASSERT_FALSE(half);
  EXPECT_EQ(half.error(), ec::invalid_argument);
}

TEST(answers_of_lookupds, are_taken_apart_however_they_come) {
  answer_reader x;
  const std::string bytes{"\0\0\0\2OK\0\0\0\0\0\0\0\3abc", 17};
  strings all;
  for (const char c : bytes) {
    x.add({&c, 1});
    while (const auto one = x.next())
      all.push_back(*one);
  }
  EXPECT_EQ(all, (strings{"OK", "", "abc"}));
  EXPECT_FALSE(x.absurd());
  x.add({"\1\0\0\0", 4});
  EXPECT_TRUE(x.absurd());
  EXPECT_FALSE(x.next());
}

} // namespace

} // namespace depositd::testing
