// What is told to those who look at an answer.

#include "adapters/doors/operations/watch.hpp"

#include "messages/cluster.hpp"
#include "messages/operators.hpp"
#include "messages/processors.hpp"
#include "tests/support/actor_fixture.hpp"

#include <caf/event_based_actor.hpp>

#include <memory>
#include <string>

using namespace std::chrono_literals;

namespace depositd {

namespace {

using stream = std::shared_ptr<http::body_stream>;

class watch_test : public testing::actor_fixture {
protected:
  watch_test() {
    const auto fake = spawn([this](caf::event_based_actor*) -> caf::behavior {
      return {[this](const command_as&) -> caf::result<admin_reply> {
        ++asked;
        if (refusal)
          return refusal;
        return admin_reply{document};
      }};
    });
    door = spawn(watcher, caf::actor_cast<admin_actor>(
                            caf::actor_cast<caf::strong_actor_ptr>(fake)));
  }

  stream watch(std::chrono::seconds how_long = 1h, std::size_t bytes_max = 100,
               const std::string& who = "ann") {
    auto out = std::make_shared<http::body_stream>(bytes_max);
    caf::anon_send(door,
                   watch_document{who, "127.0.0.1", "status", "{}", document,
                                  30s, out, sched.clock().now() + how_long});
    settle();
    return out;
  }

  static std::string taken(const stream& from) {
    std::string out(200, '\0');
    const auto size = from->take(out.data(), out.size());
    out.resize(size.value_or(0));
    return size ? out : "the end";
  }

  watcher_actor door;
  std::string document = "1";
  caf::error refusal;
  int asked = 0;
};

TEST_F(watch_test, changes_are_told_and_nothing_else) {
  const auto x = watch();
  EXPECT_EQ(taken(x), "data: 1\n\n");
  advance(1s);
  advance(1s);
  EXPECT_EQ(taken(x), "");
  document = "2";
  advance(1s);
  EXPECT_EQ(taken(x), "data: 2\n\n");
}

TEST_F(watch_test, all_who_look_at_the_same_are_one_question) {
  const auto x = watch();
  const auto y = watch();
  advance(1s);
  EXPECT_EQ(asked, 1);
  const auto z = watch(1h, 100, "ben");
  advance(1s);
  EXPECT_EQ(asked, 3);
}

TEST_F(watch_test, nobody_is_asked_for_those_who_are_gone) {
  const auto x = watch();
  x->leave();
  advance(1s);
  advance(1s);
  EXPECT_EQ(asked, 0);
  watch();
  advance(1s);
  EXPECT_EQ(asked, 1);
}

TEST_F(watch_test, who_reads_slowly_gets_the_newest) {
  const auto x = watch(1h, 12);
  for (int i = 2; i < 6; ++i) {
    document = std::to_string(i);
    advance(1s);
  }
  EXPECT_EQ(taken(x), "data: 1\n\n");
  advance(1s);
  EXPECT_EQ(taken(x), "data: 5\n\n");
}

TEST_F(watch_test, silence_is_broken_now_and_then) {
  const auto x = watch();
  taken(x);
  for (int i = 0; i < 16; ++i)
    advance(1s);
  EXPECT_EQ(taken(x), ":\n\n");
}

TEST_F(watch_test, a_refusal_is_an_event_and_may_be_the_end) {
  const auto x = watch(1h, 1'000);
  taken(x);
  refusal = caf::make_error(ec::not_found, std::string{"gone"});
  advance(1s);
  EXPECT_EQ(taken(x), "event: refused\n"
                      "data: {\"error\":\"not_found\",\"text\":\"gone\"}\n\n");
  refusal = {};
  advance(1s);
  EXPECT_EQ(taken(x), "data: 1\n\n");
  refusal = caf::make_error(ec::wrong_credentials, std::string{"who"});
  advance(1s);
  EXPECT_NE(taken(x).find("wrong_credentials"), std::string::npos);
  EXPECT_EQ(taken(x), "the end");
}

TEST_F(watch_test, it_ends_after_its_time) {
  const auto x = watch(3s);
  taken(x);
  for (int i = 0; i < 4; ++i)
    advance(1s);
  EXPECT_EQ(taken(x), "the end");
}

TEST(watch_events, have_each_line_of_their_text) {
  EXPECT_EQ(event_text("", "a\nb"), "data: a\ndata: b\n\n");
  EXPECT_EQ(event_text("x", ""), "event: x\ndata: \n\n");
}

} // namespace

} // namespace depositd
