// A door that cannot take who comes, for a while, and one that ends.

#include "tests/adapters/doors/nsq/door_fixture.hpp"
#include "tests/support/watched_loop.hpp"

#include <cerrno>
#include <memory>
#include <system_error>

#include <fcntl.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace depositd::testing {

namespace {

/// As long as it lives there is one descriptor left in this process.
class last_descriptor {
public:
  last_descriptor() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const int next = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::close(next);
    auto few = before_;
    few.rlim_cur = static_cast<rlim_t>(next) + 1;
    setrlimit(RLIMIT_NOFILE, &few);
  }

  ~last_descriptor() {
    setrlimit(RLIMIT_NOFILE, &before_);
  }

private:
  rlimit before_{};
};

class nsq_listening : public nsq_door {
protected:
  std::shared_ptr<loop_story> story = std::make_shared<loop_story>();
};

TEST_F(nsq_listening, rests_without_descriptors_and_takes_who_came_later) {
  start([&](auto& x) { x.loops = watched_loop::source(x.loops, story); });
  auto served = client();
  const auto before = story->unwatched();
  auto waits = [&] {
    const last_descriptor of_the_client;
    auto out = client();
    EXPECT_TRUE(story->unwatches_another_than(before)) << "told for ever";
    return out;
  }();
  for (auto* x : {&served, &waits}) {
    x->say("PUB t", "x");
    EXPECT_EQ(x->answer(), "OK");
  }
}

/// All that the client has said is where the door would find it.
bool has_arrived(const door_client& from) {
  int left = 0;
  return ioctl(from.socket(), SIOCOUTQ, &left) == 0 && left == 0;
}

// In the thread of the actors others go on with the same loop's turns.
TEST_F(nsq_listening, ends_connections_in_their_thread_when_it_closes) {
  start([&](auto& x) { x.loops = watched_loop::source(x.loops, story); });
  world->holds_publishes = true;
  auto x = client();
  x.say("PUB t", "x");
  // The refusal waits behind the answer, and nothing more is read.
  const auto before = story->unwatched();
  x.say("ASDF");
  ASSERT_TRUE(story->unwatches_another_than(before));
  x.say("NOP");
  ASSERT_TRUE(soon([&] { return has_arrived(x); }));
  door->close();
  EXPECT_EQ(story->asked_from_elsewhere(), 0);
}

// As where the system has no descriptor or thread left for the second.
TEST_F(nsq_listening, is_refused_where_no_loop_can_be_had) {
  shard = system.spawn(fake_topics, world, control_snapshot{control});
  nsq::door_options options;
  options.shard = shard;
  options.listen = {"127.0.0.1", 0};
  options.io_threads = 2;
  const auto made = std::make_shared<int>(0);
  options.loops = {[made, of = kit::loops_of(system)] {
    if (++*made == 2)
      throw std::system_error{EMFILE, std::generic_category(), "no loop"};
    return of.make();
  }};
  const auto opened = nsq::door::open(system, std::move(options));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error(), ec::bad_setting);
}

} // namespace

} // namespace depositd::testing
