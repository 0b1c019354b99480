// What depositors have sent, which came with its item: kept with the outcome,
// and given back.

#include "messages/projection.hpp"
#include "messages/records.hpp"
#include "messages/values/submission_body.hpp"
#include "tests/support/engine_fixture.hpp"

namespace depositd {

namespace {

using testing::engine_fixture;

class contents : public engine_fixture {
protected:
  void SetUp() override {
    start();
  }

  static submit a_deposit(const std::string& file,
                          const std::string& source = "http") {
    submit out;
    out.queue = "metadata";
    out.user = "ann";
    out.submission.file_name = "a.xml";
    out.submission.operation = "doMDUpload";
    out.submission.source = source;
    out.submission.size = file.size();
    out.body = file;
    return out;
  }

  item_id deposit(const submit& x) {
    const auto done = ask<enqueued>(core, x);
    EXPECT_TRUE(done) << (done ? "" : render(done.error()));
    return done ? done->ids.at(0) : 0;
  }

  std::string contents_of(item_id id, bool asked = true) {
    submission_query query;
    query.id = id;
    query.with_contents = asked;
    const auto found = ask<submissions_found>(read_model, query);
    EXPECT_TRUE(found && found->rows.size() == 1);
    return found && !found->rows.empty() ? found->rows[0].contents : "";
  }

  void restart() {
    crash();
    start();
  }

  const std::string file{"<a>\0\xff</a>", 9};
};

TEST_F(contents, are_there_while_it_waits_and_when_it_is_over) {
  const auto id = deposit(a_deposit(file));
  EXPECT_EQ(contents_of(id), file);
  EXPECT_EQ(contents_of(id, false), "") << "nobody asked";
  const auto sp = attach_to("metadata");
  want(sp, 1);
  ASSERT_EQ(sp.got->items.size(), 1u);
  const auto body = decode_submission_body(sp.got->items[0].body);
  ASSERT_TRUE(body);
  EXPECT_EQ(body->body, file);
  end(sp, sp.got->items[0]);
  EXPECT_EQ(contents_of(id), file);
  restart();
  EXPECT_EQ(contents_of(id), file);
}

TEST_F(contents, of_what_was_polled_meanwhile_are_kept) {
  const auto id = deposit(a_deposit(file));
  submission_query poll;
  poll.id = id;
  poll.count_max = 1;
  const auto found = ask<submissions_found>(read_model, poll);
  ASSERT_TRUE(found && found->rows.size() == 1);
  EXPECT_EQ(found->rows[0].contents, "") << "nobody asked";
  EXPECT_EQ(contents_of(id), file);
}

TEST_F(contents, come_from_the_log_after_a_crash) {
  const auto id = deposit(a_deposit(file));
  restart(); // before anybody has written tables
  EXPECT_EQ(contents_of(id), file);
}

TEST_F(contents, keep_no_segment_of_the_log) {
  const auto sp = attach_to("metadata");
  const auto file_no = [](std::size_t i) {
    return std::string(1'000, static_cast<char>('a' + i));
  };
  std::vector<item_id> ids;
  for (std::size_t i = 0; i < 20; ++i)
    ids.push_back(deposit(a_deposit(file_no(i))));
  advance(std::chrono::seconds{1});
  advance(std::chrono::seconds{1});
  EXPECT_GT(store->segments().size(), 5u) << "of what waits";
  for (std::size_t i = 0; i < 20; ++i) {
    want(sp, 1);
    ASSERT_EQ(sp.got->items.size(), i + 1);
    end(sp, sp.got->items[i]);
  }
  advance(std::chrono::seconds{1});
  advance(std::chrono::seconds{1});
  EXPECT_LE(store->segments().size(), 2u);
  for (std::size_t i = 0; i < 20; ++i)
    EXPECT_EQ(contents_of(ids[i]), file_no(i));
}

TEST_F(contents, of_many_megabytes_are_several_slices) {
  const std::string large(inline_submission_bytes_max, 'x');
  for (std::size_t bytes = 0; bytes < 33u * 1024 * 1024; bytes += large.size())
    deposit(a_deposit(large));
  sched.advance_time(std::chrono::milliseconds{500});
  const auto found = ask<store_report>(read_model, report_store{});
  ASSERT_TRUE(found);
  EXPECT_GT(found->projected, found->journalled / 2);
  EXPECT_LT(found->projected, found->journalled);
}

TEST_F(contents, of_many_megabytes_that_came_back_are_several_slices) {
  const auto sp = attach_to("metadata");
  for (std::size_t i = 0; i < 40; ++i) {
    deposit(a_deposit(file));
    want(sp, 1);
    ASSERT_EQ(sp.got->items.size(), i + 1);
    auto done = outcome_of(sp.got->items[i]);
    done.document.assign(1024 * 1024, 'x');
    caf::anon_send(sp.door, settle_and_request{sp.number, 0, {done}});
    settle();
  }
  sched.advance_time(std::chrono::milliseconds{500});
  const auto found = ask<store_report>(read_model, report_store{});
  ASSERT_TRUE(found);
  EXPECT_GT(found->projected, found->journalled / 2);
  EXPECT_LT(found->projected, found->journalled);
}

TEST_F(contents, of_records_are_their_writers_business) {
  EXPECT_EQ(contents_of(deposit(a_deposit(file, "kafka"))), "");
}

TEST_F(contents, that_are_too_large_or_miscounted_are_refused) {
  const auto large =
    ask<enqueued>(core, a_deposit(std::string(inline_submission_bytes_max + 1,
                                              'x')));
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error(), ec::too_large);
  auto wrong = a_deposit(file);
  ++wrong.submission.size;
  const auto miscounted = ask<enqueued>(core, wrong);
  ASSERT_FALSE(miscounted);
  EXPECT_EQ(miscounted.error(), ec::invalid_argument);
}

} // namespace

} // namespace depositd
