#include "actors/rules/spans/spans.hpp"

#include <gtest/gtest.h>

namespace depositd::rules {
namespace {

const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736";
const std::string parent = "00f067aa0ba902b7";
const std::string sampled = "00-" + trace + "-" + parent + "-01";

class spans_of : public ::testing::Test {
protected:
  void take(event what, micros seen_us = 900,
            std::map<item_id, std::string> traceparents = {}) {
    record x;
    x.user = "ann";
    x.events.push_back(std::move(what));
    maker.take(x, {seen_us, std::move(traceparents)});
    for (auto& one : maker.spans())
      all.push_back(std::move(one));
  }

  void receive(const std::string& traceparent = sampled) {
    submission_received x;
    x.id = 7;
    x.queue = "metadata";
    x.received_us = 100;
    x.submission.trace = traceparent;
    take(x);
  }

  void claim(micros at, std::uint32_t attempt = 1,
             const std::string& queue = "metadata") {
    item_claimed x;
    x.id = 7;
    x.queue = queue;
    x.claimed_us = at;
    x.attempt = attempt;
    x.processor = "rack";
    take(x);
  }

  void finish(ending how = ending::done) {
    item_finished x;
    x.id = 7;
    x.queue = "metadata";
    x.how = how;
    x.finished_us = 500;
    take(x);
  }

  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& x : all)
      out.push_back(x.name);
    return out;
  }

  static std::string attribute(const span& x, const std::string& name) {
    for (const auto& [key, value] : x.attributes)
      if (key == name)
        return value;
    return {};
  }

  span_maker maker{3};
  std::vector<span> all;
};

using words = std::vector<std::string>;

TEST_F(spans_of, a_deposit_hang_below_its_senders) {
  receive();
  claim(200);
  finish();
  ASSERT_EQ(names(), (words{"received", "queued", "handed_out", "published"}));
  EXPECT_EQ(all[0].parent, parent);
  EXPECT_EQ(all[0].kind, span_kind::server);
  for (const auto& x : all) {
    EXPECT_EQ(x.trace, trace);
    EXPECT_EQ(attribute(x, "messaging.system"), "depositd");
    EXPECT_EQ(attribute(x, "messaging.destination.name"), "metadata");
    EXPECT_EQ(attribute(x, "messaging.message.id"), "7");
    EXPECT_EQ(attribute(x, "depositd.user"), "ann");
  }
  for (std::size_t i = 1; i < all.size(); ++i)
    EXPECT_EQ(all[i].parent, all[0].id);
  EXPECT_EQ(all[1].start_us, 100);
  EXPECT_EQ(all[1].end_us, 200);
  EXPECT_EQ(all[2].start_us, 200);
  EXPECT_EQ(all[2].end_us, 500);
  EXPECT_EQ(attribute(all[2], "depositd.processor"), "rack");
  EXPECT_EQ(attribute(all[3], "depositd.outcome"), "done");
  EXPECT_EQ(maker.under_way(), 0u);
}

TEST_F(spans_of, a_deposit_without_a_sender_have_a_trace_of_their_own) {
  receive("");
  claim(200);
  EXPECT_EQ(all[0].trace, trace_of("", 7, 100).trace);
  EXPECT_EQ(all[0].parent, "");
  EXPECT_EQ(all[1].parent, all[0].id);
}

TEST_F(spans_of, the_same_events_are_the_same) {
  receive();
  claim(200);
  finish();
  const auto before = std::exchange(all, {});
  receive();
  claim(200);
  finish();
  EXPECT_EQ(all, before);
}

TEST_F(spans_of, further_attempts_have_ids_of_their_own) {
  receive();
  claim(200);
  item_released back;
  back.id = 7;
  back.reason = "registry away";
  take(back, 250);
  claim(300, 2);
  finish(ending::failed);
  ASSERT_EQ(names(), (words{"received", "queued", "handed_out", "queued",
                            "handed_out", "published"}));
  EXPECT_TRUE(all[2].failed);
  EXPECT_EQ(all[2].reason, "registry away");
  EXPECT_EQ(all[2].end_us, 250);
  EXPECT_EQ(all[3].start_us, 250);
  EXPECT_NE(all[2].id, all[4].id);
  EXPECT_NE(all[1].id, all[3].id);
  EXPECT_TRUE(all[5].failed);
}

TEST_F(spans_of, a_lost_claim_end_with_the_next_one) {
  receive();
  claim(200);
  claim(400, 2);
  ASSERT_EQ(names(), (words{"received", "queued", "handed_out", "queued"}));
  EXPECT_TRUE(all[2].failed);
  EXPECT_EQ(all[2].end_us, 400);
}

TEST_F(spans_of, what_its_sender_does_not_sample_are_not_made) {
  receive(sampled.substr(0, 53) + "00");
  claim(200);
  finish();
  EXPECT_TRUE(all.empty());
}

TEST_F(spans_of, a_synchronous_deposit_come_at_once) {
  submission_recorded x;
  x.id = 9;
  x.queue = "metadata";
  x.received_us = 10;
  x.finished_us = 30;
  x.failed = true;
  x.submission.trace = sampled;
  take(x);
  EXPECT_EQ(names(), (words{"received", "handed_out", "published"}));
  EXPECT_TRUE(all[2].failed);
  EXPECT_EQ(maker.under_way(), 0u);
}

TEST_F(spans_of, jobs_hang_below_their_batch) {
  batch_received batch;
  batch.id = 6;
  batch.queue = "merritt.batch";
  batch.received_us = 50;
  batch.info.uuid = "bid-00000000-0000-4000-8000-00000000000a";
  take(batch, 900, {{6, sampled}});
  job_created job;
  job.id = 7;
  job.queue = "merritt.download";
  job.batch = 6;
  job.created_us = 60;
  take(job);
  claim(200, 1, "merritt.download");
  job_moved moved;
  moved.id = 7;
  moved.queue = "merritt.download";
  moved.place.queue = "merritt.store";
  moved.status.state = job_state::storing;
  moved.status.changed_us = 400;
  take(moved);
  claim(450, 1, "merritt.store");
  moved.queue = "merritt.store";
  moved.place.queue.clear();
  moved.status.state = job_state::completed;
  moved.status.changed_us = 470;
  take(moved);
  ASSERT_EQ(names(), (words{"received", "received", "queued", "stage:download",
                            "queued", "stage:store", "published"}));
  EXPECT_EQ(all[0].parent, parent);
  EXPECT_EQ(all[1].parent, all[0].id);
  EXPECT_EQ(all[1].trace, trace);
  EXPECT_EQ(all[4].start_us, 400);
  EXPECT_EQ(all[5].parent, all[1].id);
  EXPECT_EQ(maker.under_way(), 1u); // the batch
}

TEST_F(spans_of, a_job_tell_of_its_end_once) {
  batch_received batch;
  batch.id = 6;
  take(batch, 900, {{6, sampled}});
  job_created job;
  job.id = 7;
  job.queue = "merritt.notify";
  job.batch = 6;
  take(job);
  job_moved moved;
  moved.id = 7;
  moved.place.queue = "merritt.cleanup";
  moved.status.state = job_state::completed;
  take(moved);
  claim(200, 1, "merritt.cleanup");
  moved.place.queue.clear();
  take(moved);
  EXPECT_EQ(names(), (words{"received", "received", "published", "queued",
                            "stage:cleanup"}));
  EXPECT_EQ(maker.under_way(), 1u); // the batch
}

TEST_F(spans_of, a_batch_without_a_sender_have_its_number_for_a_trace) {
  batch_received batch;
  batch.id = 6;
  batch.info.uuid = "bid-00000000-0000-4000-8000-00000000000a";
  take(batch);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].trace, "0000000000004000800000000000000a");
}

TEST_F(spans_of, more_than_are_remembered_are_counted) {
  for (item_id id = 1; id <= 5; ++id) {
    submission_received x;
    x.id = id;
    x.received_us = 1;
    take(x);
  }
  EXPECT_EQ(all.size(), 3u);
  EXPECT_EQ(maker.under_way(), 3u);
  EXPECT_EQ(maker.passed(), 2u);
}

TEST(spans_of_messages, begin_at_the_first_claim_of_one_with_a_trace) {
  const std::map<item_id, noted_trace> known{
    {7, {trace, sampled, 100}},
    {8, {trace, "", never}}, // a deposit from before
    {9, {trace, sampled.substr(0, sampled.size() - 2) + "00", 100}}};
  span_maker maker{10, [&](item_id id) -> std::optional<noted_trace> {
                     const auto at = known.find(id);
                     return at == known.end() ? std::nullopt
                                              : std::optional{at->second};
                   }};
  record x;
  x.user = "ann";
  for (const item_id id : {7, 8, 9, 10}) {
    item_claimed claimed;
    claimed.id = id;
    claimed.queue = "q";
    claimed.claimed_us = 300;
    claimed.attempt = 1;
    x.events.emplace_back(std::move(claimed));
    item_finished over;
    over.id = id;
    over.queue = "q";
    over.finished_us = 500;
    x.events.emplace_back(std::move(over));
  }
  maker.take(x, {900, {}});
  const auto all = maker.spans();
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].name, "received");
  EXPECT_EQ(all[0].parent, parent);
  EXPECT_EQ(all[0].start_us, 100);
  EXPECT_EQ(all[1].name, "queued");
  EXPECT_EQ(all[1].start_us, 100);
  EXPECT_EQ(all[1].end_us, 300);
  EXPECT_EQ(all[2].name, "handed_out");
  EXPECT_EQ(all[3].name, "published");
  for (const auto& one : all)
    EXPECT_EQ(one.trace, trace);
  EXPECT_EQ(maker.under_way(), 0u);
}

} // namespace
} // namespace depositd::rules
