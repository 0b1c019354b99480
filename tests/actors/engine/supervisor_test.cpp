// Draining in order, and what a death means.

#include "actors/engine/supervisor.hpp"
#include "actors/journal/reply.hpp"
#include "messages/operators.hpp"
#include "messages/projection.hpp"
#include "messages/shard.hpp"
#include "tests/support/actor_fixture.hpp"

#include <memory>
#include <string>
#include <vector>

namespace depositd {

namespace {

using testing::actor_fixture;
using strings = std::vector<std::string>;
using namespace std::chrono_literals;

/// Which part was asked, in order; answers wait until the test gives them.
struct drained_parts {
  strings asked;
  std::vector<reply_address> answers;
};

using parts_ptr = std::shared_ptr<drained_parts>;

caf::behavior part(caf::event_based_actor* self, std::string name,
                   parts_ptr to) {
  const auto note = [=] {
    to->asked.push_back(name);
    to->answers.push_back(journal::take_reply(self));
  };
  return {
    [=](const drain&) {
      note();
      return journal::answered_later<done>();
    },
    [=](const submission_query&) {
      note();
      return journal::answered_later<submissions_found>();
    },
  };
}

class supervisor_test : public actor_fixture {
protected:
  void SetUp() override {
    shard = spawn(part, std::string{"shard"}, parts);
    processors = spawn(part, std::string{"processors"}, parts);
    projector = spawn(part, std::string{"projector"}, parts);
    depositd::engine::supervisor_options options;
    options.shard = caf::actor_cast<shard_actor>(shard);
    options.processors = caf::actor_cast<processor_manager_actor>(processors);
    options.projector = caf::actor_cast<projector_actor>(projector);
    options.watched = {
      {"shard", caf::actor_cast<caf::strong_actor_ptr>(shard)},
      {"projector", caf::actor_cast<caf::strong_actor_ptr>(projector)}};
    options.failed = [this](const std::string& who, const caf::error& why) {
      failures.push_back(who);
      reason = why;
    };
    head = spawn(depositd::engine::supervisor, options);
  }

  void TearDown() override {
    parts->answers.clear();
    actor_fixture::TearDown();
  }

  template <class T>
  void answer_last(T what) {
    journal::answer(parts->answers.back(), caf::make_message(std::move(what)));
    settle();
  }

  parts_ptr parts = std::make_shared<drained_parts>();
  caf::actor shard;
  caf::actor processors;
  caf::actor projector;
  supervisor_actor head;
  strings failures;
  caf::error reason;
};

TEST_F(supervisor_test, drains_one_part_after_the_other) {
  auto reply = self->request(head, caf::infinite, stop_engine{});
  settle();
  EXPECT_EQ(parts->asked, strings{"shard"});
  answer_last(done{});
  EXPECT_EQ(parts->asked, (strings{"shard", "processors"}));
  answer_last(done{});
  EXPECT_EQ(parts->asked, (strings{"shard", "processors", "projector"}));
  EXPECT_FALSE(self->has_next_message());
  answer_last(submissions_found{});
  ASSERT_TRUE(self->has_next_message());
  reply.receive([](done) {},
                [](caf::error& why) { ADD_FAILURE() << render(why); });
}

TEST_F(supervisor_test, stops_even_if_parts_refuse_or_stay_silent) {
  auto reply = self->request(head, caf::infinite, stop_engine{});
  settle();
  answer_last(caf::make_error(ec::store_failed, std::string{"no"}));
  EXPECT_EQ(parts->asked.size(), 2u);
  advance(12s); // the processors never answer
  EXPECT_EQ(parts->asked.size(), 3u);
  EXPECT_FALSE(self->has_next_message());
  answer_last(caf::make_error(ec::store_failed, std::string{"no"}));
  ASSERT_TRUE(self->has_next_message());
  reply.receive([](done) {},
                [](caf::error& why) { ADD_FAILURE() << render(why); });
}

TEST_F(supervisor_test, tells_which_watched_actor_died_and_why) {
  caf::anon_send_exit(projector, caf::exit_reason::kill);
  settle();
  EXPECT_EQ(failures, strings{"projector"});
  EXPECT_EQ(reason, caf::exit_reason::kill);
}

TEST_F(supervisor_test, says_nothing_of_actors_it_does_not_watch) {
  caf::anon_send_exit(processors, caf::exit_reason::kill);
  settle();
  EXPECT_TRUE(failures.empty());
}

TEST_F(supervisor_test, takes_no_death_for_a_failure_while_it_stops) {
  auto reply = self->request(head, caf::infinite, stop_engine{});
  settle();
  answer_last(done{});
  answer_last(done{});
  answer_last(submissions_found{});
  reply.receive([](done) {},
                [](caf::error& why) { ADD_FAILURE() << render(why); });
  caf::anon_send_exit(shard, caf::exit_reason::user_shutdown);
  settle();
  EXPECT_TRUE(failures.empty());
}

} // namespace

} // namespace depositd
