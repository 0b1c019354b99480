// How sources are read: at once, late, never, wrongly, to their end.

#include "actors/journal/reply.hpp"
#include "tests/actors/sources/sources_fixture.hpp"

#include <utility>

namespace depositd {

namespace {

using namespace std::chrono_literals;

/// What sources' actors were asked and have not answered.
struct held_pulls {
  struct pull {
    pull_records what;
    caf::strong_actor_ptr who;
    reply_address where;
  };
  std::vector<pull> open;
  std::size_t actors = 0;
  std::size_t cancelled = 0;
};

/// Only says that it was told.
class held_reader final : public source_reader {
public:
  held_reader(std::shared_ptr<held_pulls> of,
              std::shared_ptr<depositd::sources::reader_handle> known_by)
    : of_(std::move(of)), known_by_(std::move(known_by)) {
    known_by_->set(this);
  }

  ~held_reader() override {
    known_by_->set(nullptr);
  }

  caf::expected<pulled_batch> next_batch(const batch_request&) override {
    return ec::store_failed;
  }
  void cancel() noexcept override {
    ++of_->cancelled;
  }
  caf::error applied(const std::vector<std::string>&) override {
    return {};
  }

private:
  std::shared_ptr<held_pulls> of_;
  std::shared_ptr<depositd::sources::reader_handle> known_by_;
};

source_actor::behavior_type held_source(source_actor::pointer self,
                                        std::shared_ptr<held_pulls> to,
                                        std::shared_ptr<held_reader> reader,
                                        std::shared_ptr<void> counted) {
  return {
    [=](const pull_records& x) -> caf::result<records_pulled> {
      // The reader is there as long as its actor, as in real ones.
      (void)reader;
      (void)counted;
      to->open.push_back(
        {x, caf::strong_actor_ptr{self->ctrl()}, journal::take_reply(self)});
      return journal::answered_later<records_pulled>();
    },
    [](const tell_applied&) {},
  };
}

class pulling_sources_test : public testing::sources_fixture {
protected:
  /// Batches are brought by hand from now on.
  void hold() {
    options.spawn_source =
      [this](const depositd::sources::source_options& x) -> source_actor {
      ++pulls->actors;
      auto reader = std::make_shared<held_reader>(pulls, x.reader);
      return sys.spawn(held_source, pulls, reader, x.counted);
    };
  }

  void TearDown() override {
    pulls->open.clear();
    sources_fixture::TearDown();
    EXPECT_TRUE(options.running->wait_for_none(0ms)) << "a reader is left";
  }

  held_pulls::pull take_pull() {
    auto out = pulls->open.at(0);
    pulls->open.erase(pulls->open.begin());
    return out;
  }

  void bring(const held_pulls::pull& x, std::size_t begin, std::size_t count) {
    records_pulled out;
    out.number = x.what.number;
    for (auto i = begin; i < begin + count; ++i)
      out.batch.records.push_back({"k" + std::to_string(i), "u", "{}", ""});
    out.batch.has_cursor = true;
    out.batch.cursor = std::to_string(begin + count);
    journal::answer(x.where, caf::make_message(std::move(out)));
    settle();
  }

  std::shared_ptr<held_pulls> pulls = std::make_shared<held_pulls>();
};

// -- when ---------------------------------------------------------------------

TEST_F(pulling_sources_test, asks_for_the_room_that_there_is) {
  auto& a = has("a", 200);
  set_of("a").settings.capacity = 20;
  plan.settings.high = 12;
  plan.settings.low = 0;
  queue->foreign = 12;
  start();
  ASSERT_EQ(a.asked.size(), 1u);
  EXPECT_EQ(a.asked[0].limit, 20u);
  EXPECT_EQ(a.asked[0].cursor, "");
  EXPECT_EQ(a.asked[0].timeout, 30s);
  queue->foreign = 0;
  go(500ms);
  ASSERT_EQ(a.asked.size(), 2u) << "8 are below the threshold";
  EXPECT_EQ(a.asked[1].limit, 12u);
  EXPECT_EQ(a.asked[1].cursor, "20");
}

TEST_F(pulling_sources_test, waits_a_while_after_nothing_new) {
  auto& a = has("a", 3);
  set_of("a").settings.poll_interval_ms = 700;
  start();
  const auto before = a.asked.size();
  go(690ms);
  EXPECT_EQ(a.asked.size(), before);
  a.add(2);
  go(20ms);
  EXPECT_EQ(a.asked.size(), before + 2) << "more may follow at once";
  EXPECT_EQ(queue->keys_of("a"), keys(0, 5));
}

TEST_F(pulling_sources_test, others_go_on_beside_one_that_does_not_answer) {
  hold();
  has("a");
  has("b");
  start();
  ASSERT_EQ(pulls->open.size(), 2u);
  take_pull();
  for (std::size_t i = 0; i < 5; ++i)
    bring(take_pull(), 10 * i, 10);
  EXPECT_EQ(queue->keys_of("b"), keys(0, 50));
  EXPECT_EQ(report_of("a").state, source_state::running);
  EXPECT_TRUE(report_of("a").replenishing);
}

// -- late and never -----------------------------------------------------------

TEST_F(pulling_sources_test, a_late_answer_counts_for_nothing) {
  hold();
  has("a");
  start();
  const auto late = take_pull();
  go(29'990ms);
  EXPECT_EQ(pulls->cancelled, 0u);
  go(10ms);
  EXPECT_EQ(pulls->cancelled, 1u);
  EXPECT_EQ(report_of("a").state, source_state::failing);
  EXPECT_EQ(report_of("a").error, "a: took longer than timeout_ms 30000");
  bring(late, 0, 10);
  EXPECT_TRUE(queue->items.empty());
  go(1s);
  ASSERT_EQ(pulls->open.size(), 1u);
  EXPECT_EQ(pulls->open[0].what.cursor, "");
  EXPECT_EQ(pulls->actors, 1u) << "it has returned";
  bring(take_pull(), 0, 10);
  EXPECT_EQ(queue->keys_of("a"), keys(0, 10));
  EXPECT_EQ(report_of("a").error, "");
}

TEST_F(pulling_sources_test, one_that_never_returns_is_left_behind) {
  hold();
  has("a");
  set_of("a").settings.timeout_ms = 1'000;
  start();
  const auto stuck = take_pull();
  go(2s);
  EXPECT_EQ(pulls->actors, 2u);
  ASSERT_EQ(pulls->open.size(), 1u);
  bring(take_pull(), 0, 10);
  EXPECT_EQ(queue->keys_of("a"), keys(0, 10));
  bring(stuck, 10, 10);
  EXPECT_EQ(queue->items.size(), 10u);
  EXPECT_EQ(pulls->open.size(), 1u) << "of the one that took its place";
}

TEST_F(pulling_sources_test, only_some_are_left_behind) {
  hold();
  has("a");
  set_of("a").settings.timeout_ms = 1'000;
  set_of("a").settings.retry_delay_ms_max = 1'000;
  start();
  go(60s);
  EXPECT_EQ(pulls->actors, 4u);
  ASSERT_EQ(pulls->open.size(), 4u);
  EXPECT_EQ(report_of("a").state, source_state::failing);
  bring(take_pull(), 0, 10);
  EXPECT_TRUE(queue->items.empty());
  EXPECT_EQ(pulls->actors, 5u) << "there is room for another";
  bring(pulls->open.back(), 0, 10);
  EXPECT_EQ(queue->keys_of("a"), keys(0, 10));
}

TEST_F(pulling_sources_test, an_actor_that_died_is_replaced) {
  hold();
  has("a");
  start();
  caf::anon_send_exit(take_pull().who, caf::exit_reason::kill);
  settle();
  // CAF tells nobody that no answer will come once it has been taken over: the
  // deadline does.
  go(31s);
  ASSERT_EQ(pulls->open.size(), 1u);
  EXPECT_EQ(pulls->actors, 2u);
  bring(take_pull(), 0, 10);
  EXPECT_EQ(queue->keys_of("a"), keys(0, 10));
}

// -- wrongly ------------------------------------------------------------------

TEST_F(pulling_sources_test, waits_longer_after_every_failure) {
  auto& a = has("a", 10);
  for (int i = 0; i < 4; ++i)
    a.errors.push_back(
      caf::make_error(ec::store_failed, std::string{"no route"}));
  set_of("a").settings.retry_delay_ms_max = 2'000;
  start();
  EXPECT_EQ(report_of("a").error, "a: no route");
  const std::vector<std::pair<std::chrono::milliseconds, std::size_t>> asked{
    {990ms, 1}, {10ms, 2}, {1'990ms, 2}, {10ms, 3}, {1'990ms, 3}, {10ms, 4}};
  for (const auto& [time, count] : asked) {
    go(time);
    EXPECT_EQ(a.asked.size(), count);
  }
  EXPECT_EQ(report_of("a").failures, 4u);
  EXPECT_TRUE(queue->items.empty());
  go(2s);
  EXPECT_EQ(queue->keys_of("a"), keys(0, 10));
  EXPECT_EQ(report_of("a").failures, 0u);
}

TEST_F(pulling_sources_test, what_cannot_be_made_is_tried_again) {
  has("a", 10);
  const auto makes = std::exchange(
    options.make_reader, [](const std::string&, const source_settings&) {
      return caf::expected<std::unique_ptr<source_reader>>{
        caf::make_error(ec::bad_setting, std::string{"no such file"})};
    });
  auto works = std::make_shared<bool>(false);
  options.make_reader = [=, fails = options.make_reader](
                          const std::string& name, const source_settings& x) {
    return *works ? makes(name, x) : fails(name, x);
  };
  start();
  EXPECT_EQ(report_of("a").error, "a: no such file");
  *works = true;
  go(1s);
  EXPECT_EQ(queue->keys_of("a"), keys(0, 10));
}

TEST_F(pulling_sources_test, takes_more_than_it_asked_for_as_far_as_it_fits) {
  auto& a = has("a", 60);
  a.more = 7;
  set_of("a").settings.capacity = 10;
  start();
  go(1s);
  EXPECT_EQ(queue->keys_of("a"), keys(0, 60));
}

TEST_F(pulling_sources_test, what_is_read_again_is_fed_once) {
  auto& a = has("a", 20);
  a.from_the_start = true;
  start();
  go(5s);
  EXPECT_EQ(queue->keys_of("a"), keys(0, 20));
  EXPECT_GE(a.asked.size(), 5u);
  EXPECT_GE(report_of("a").duplicates, 80u);
  EXPECT_FALSE(report_of("a").has_cursor);
  EXPECT_TRUE(queue->positions.empty());
}

TEST_F(pulling_sources_test, bad_records_do_not_pile_up) {
  auto& a = has("a", 1'000);
  for (std::size_t i = 0; i < 1'000; ++i)
    a.faults[i] = "is bad";
  options.limits.bad_max = 100;
  for (int i = 0; i < 5; ++i)
    queue->feed_errors.push_back(
      caf::make_error(ec::draining, std::string{"not now"}));
  start();
  const auto before = a.asked.size();
  go(1s);
  EXPECT_EQ(a.asked.size(), before) << "until they can be kept";
  EXPECT_LE(before, 4u);
  go(10s);
  EXPECT_EQ(queue->bad.size(), 1'000u);
  EXPECT_EQ(queue->positions.back().cursor, "1000");
}

// -- the other side -----------------------------------------------------------

TEST_F(pulling_sources_test, only_some_kinds_are_told_what_is_applied) {
  auto& a = has("a", 3);
  auto& b = has("b", 3);
  set_of("b").settings.kind = source_kind::sqs;
  queue->feed_errors.push_back(
    caf::make_error(ec::draining, std::string{"not now"}));
  queue->feed_errors.push_back(
    caf::make_error(ec::draining, std::string{"not now"}));
  start();
  EXPECT_TRUE(b.applied.empty());
  go(200ms);
  EXPECT_EQ(b.applied, keys(0, 3));
  EXPECT_TRUE(a.applied.empty());
}

TEST_F(pulling_sources_test, what_is_applied_is_told_until_it_is_heard) {
  auto& a = has("a", 3);
  set_of("a").settings.kind = source_kind::sqs;
  a.deaf = 3;
  start();
  EXPECT_TRUE(a.applied.empty());
  for (int i = 0; i < 100 && a.applied.empty(); ++i)
    go(1s);
  EXPECT_EQ(a.deaf, 0u);
  EXPECT_EQ(a.applied, keys(0, 3));
}

TEST_F(pulling_sources_test, a_record_that_comes_again_is_applied_again) {
  auto& b = has("b", 3);
  b.from_the_start = true;
  set_of("b").settings.kind = source_kind::queue;
  start();
  go(1s);
  EXPECT_GE(b.applied.size(), 6u);
  EXPECT_EQ(queue->items.size(), 3u);
}

// -- the end ------------------------------------------------------------------

TEST_F(pulling_sources_test, a_source_that_ends_stays_ended) {
  auto& a = has("a", 30);
  set_of("a").settings.ends = true;
  start();
  go(2s);
  EXPECT_EQ(report_of("a").state, source_state::ended);
  ASSERT_FALSE(queue->positions.empty());
  EXPECT_TRUE(queue->positions.back().ended);
  EXPECT_EQ(queue->positions.back().cursor, "30");
  a.add(5);
  restart();
  go(5s);
  EXPECT_EQ(report_of("a").state, source_state::ended);
  EXPECT_EQ(queue->items.size(), 30u);
  set_of("a").resumes = 1;
  tell();
  go(2s);
  EXPECT_EQ(queue->keys_of("a"), keys(0, 35));
  EXPECT_EQ(report_of("a").state, source_state::ended);
  EXPECT_EQ(queue->positions.back().resumes, 1u);
}

TEST_F(pulling_sources_test, the_end_is_kept_only_when_all_is_applied) {
  has("a", 30);
  set_of("a").settings.ends = true;
  plan.settings.high = 20;
  start();
  go(2s);
  EXPECT_EQ(report_of("a").state, source_state::ended);
  for (const auto& x : queue->positions)
    EXPECT_FALSE(x.ended);
  queue->finish(20);
  go(1s);
  EXPECT_TRUE(queue->positions.back().ended);
}

} // namespace

} // namespace depositd
