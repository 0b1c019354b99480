// When the server leaves a client alone.

#include "tests/adapters/doors/http/server_fixture.hpp"
#include "tests/support/watched_loop.hpp"

#include <memory>

namespace depositd::testing {

namespace {

class http_resting : public server_fixture {
protected:
  ~http_resting() override {
    server_.reset();
  }

  kit::loop_source loops() override {
    return watched_loop::source(loops_.source(), story);
  }

  std::shared_ptr<loop_story> story = std::make_shared<loop_story>();
};

TEST_F(http_resting, from_who_asks_for_more_while_an_answer_is_made) {
  http::server_options options;
  options.io_threads = 1;
  start(options);
  auto client = connect();
  for (int i = 0; i < 3; ++i) {
    client.send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n");
    auto answer = held_.take();
    const auto before = story->unwatched();
    client.send("GET /q/next HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_TRUE(story->unwatches_another_than(before)) << "told for ever";
    answer.send(http::response::text(200, "first"));
    EXPECT_EQ(client.receive()->body, "first");
    EXPECT_EQ(client.receive()->body, "next");
  }
}

} // namespace

} // namespace depositd::testing
