// When an order may come, and what is due becomes.

#include "actors/rules/orders/due.hpp"
#include "actors/rules/orders/orders.hpp"
#include "actors/rules/work/decide.hpp"

#include <gtest/gtest.h>

#include <set>

namespace depositd::rules {
namespace {

constexpr micros day = micros{86'400} * 1'000'000;

preservation_order an_order(order_kind kind, const std::string& object,
                            const std::string& file = "") {
  preservation_order out;
  out.kind = kind;
  out.object = object;
  out.file = file;
  out.asked_by = "operator=ann";
  return out;
}

batch_info info_of(const preservation_order& x, const std::string& uuid) {
  return make_order(x, {.uuid = uuid,
                        .user = "INST",
                        .collection = "photos",
                        .source = "shell",
                        .now_us = day})
    .info;
}

/// A user who has this batch, in this state.
work with(const batch_info& x, batch_state state = batch_state::processing,
          job_counts jobs = {}) {
  work out;
  out.apply(batch_received{7, x.pipeline + ".batch", 1, x});
  batch_moved move;
  move.id = 7;
  move.queue = x.pipeline + ".batch";
  move.place.queue = x.pipeline + ".report";
  move.status.state = state;
  move.jobs = jobs;
  out.apply(move);
  return out;
}

std::string refusal(order_kind is, order_kind wanted,
                    const std::string& file_is = "",
                    const std::string& file_wanted = "") {
  return order_refusal(
    with(info_of(an_order(is, "inst/bag", file_is), "bid-1")),
    info_of(an_order(wanted, "inst/bag", file_wanted), "bid-2"));
}

TEST(orders, of_one_object_wait_for_each_other) {
  using k = order_kind;
  EXPECT_NE(refusal(k::restore_object, k::restore_object), "");
  EXPECT_NE(refusal(k::restore_object, k::delete_item), "");
  EXPECT_NE(refusal(k::delete_item, k::restore_file, "", "data/x"), "");
  EXPECT_NE(refusal(k::restore_file, k::delete_item, "data/x"), "");
  EXPECT_NE(refusal(k::restore_file, k::restore_file, "data/x", "data/x"), "");
  EXPECT_EQ(refusal(k::restore_file, k::restore_file, "data/x", "data/y"), "");
  EXPECT_EQ(refusal(k::fixity_check, k::restore_object), "");
  EXPECT_NE(refusal(k::fixity_check, k::fixity_check), "");
}

TEST(orders, of_another_object_or_no_order_at_all_come) {
  const auto has =
    with(info_of(an_order(order_kind::restore_object, "inst/bag"), "bid-1"));
  EXPECT_EQ(order_refusal(
              has, info_of(an_order(order_kind::restore_object, "inst/other"),
                           "bid-2")),
            "");
  batch_info deposit;
  deposit.uuid = "bid-3";
  deposit.pipeline = "aptrust";
  deposit.title = "inst/bag";
  EXPECT_EQ(order_refusal(has, deposit), "");
  deposit.type = "restore_object"; // what a form says makes no order
  EXPECT_EQ(order_refusal(has, deposit), "");
}

TEST(orders, come_again_once_the_one_before_is_finished) {
  const auto wanted =
    info_of(an_order(order_kind::restore_object, "inst/bag"), "bid-2");
  const auto is =
    info_of(an_order(order_kind::restore_object, "inst/bag"), "bid-1");
  EXPECT_EQ(order_refusal(with(is, batch_state::failed), wanted), "");
  EXPECT_EQ(order_refusal(with(is, batch_state::reporting), wanted), "");
  job_counts requeued;
  requeued.split = true;
  requeued.open = 1;
  EXPECT_NE(order_refusal(with(is, batch_state::failed, requeued), wanted), "");
  EXPECT_NE(order_refusal(with(is, batch_state::failed), is), "")
    << "the same order is there, whatever has become of it";
}

TEST(orders, a_restoration_follows_what_brought_it_back) {
  const auto glacier =
    info_of(an_order(order_kind::restore_glacier, "inst/bag"), "bid-1");
  const auto next = info_of(an_order(order_kind::restore_object, "inst/bag"),
                            next_order_uuid("bid-1"));
  EXPECT_EQ(order_refusal(with(glacier), next), "");
  const auto other =
    info_of(an_order(order_kind::restore_object, "inst/bag"), "bid-9");
  EXPECT_NE(order_refusal(with(glacier), other), "");
}

TEST(orders, are_read_as_they_were_written) {
  auto x = an_order(order_kind::delete_item, "inst/bag", "data/x");
  x.inst_approver = "operator=bob";
  x.aptrust_approver = "operator=root";
  x.deletion = "del-1";
  x.follows = "bid-1";
  x.anyway = true;
  x.files = {{"inst/bag", "data/x"}, {"inst/b", "data/y"}};
  nlohmann::json more;
  put_order(more, x);
  const auto read = order_in(more);
  ASSERT_TRUE(read && *read) << render(read.error());
  EXPECT_EQ(**read, x);
  more[order_member]["kind"] = "burn";
  EXPECT_FALSE(order_in(more));
  more[order_member] = {{"kind", "delete_item"}, {"files", {1, 2}}};
  EXPECT_FALSE(order_in(more));
  more[order_member] = 7;
  EXPECT_FALSE(order_in(more));
}

// -- due ----------------------------------------------------------------------

std::vector<checked_file> files(std::size_t count, const std::string& owner) {
  std::vector<checked_file> out;
  for (std::size_t i = 0; i < count; ++i)
    out.push_back({owner + "/bag" + std::to_string(i / 10),
                   "data/" + std::to_string(i), owner, "c-" + owner,
                   static_cast<micros>(i + 1)});
  return out;
}

reconciler_settings every_hour() {
  reconciler_settings out;
  out.name = "fixity";
  return out;
}

TEST(due, files_become_batches_that_a_document_has_room_for) {
  auto all = files(20'000, "A");
  for (auto& one : all)
    one.path += std::string(40, 'x');
  const auto groups = fixity_orders(all, every_hour(), day);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].files, 20'000u);
  EXPECT_GT(groups[0].orders.size(), 1u);
  std::size_t count = 0;
  std::set<std::string> uuids;
  for (const auto& one : groups[0].orders) {
    EXPECT_LE(encode(one.document).size(), inline_body_bytes_max);
    const auto order = order_in(one.document.more);
    ASSERT_TRUE(order && *order);
    count += (**order).files.size();
    uuids.insert(one.info.uuid);
    EXPECT_FALSE(orders_meet(groups[0].orders[0].info, one.info))
      << "batches of one run";
  }
  EXPECT_EQ(count, 20'000u);
  EXPECT_EQ(uuids.size(), groups[0].orders.size());
}

TEST(due, each_owner_has_a_batch_and_the_oldest_come_first) {
  auto all = files(3, "A");
  for (auto& one : files(2, "B"))
    all.push_back(one);
  const auto groups = fixity_orders(all, every_hour(), day);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].user, "A");
  EXPECT_EQ(groups[1].collection, "c-B");
  const auto order = order_in(groups[0].orders[0].document.more);
  ASSERT_TRUE(order && *order);
  EXPECT_EQ((**order).files.front().path, "data/0");
}

TEST(due, a_run_has_the_same_names_whoever_begins_it) {
  const auto of = every_hour();
  const auto all = files(3, "A");
  const auto now = slot_of(of, day) * 3'600'000'000;
  const auto one = fixity_orders(all, of, now);
  const auto again = fixity_orders(all, of, now + 3'599'000'000);
  const auto next = fixity_orders(all, of, now + 3'600'000'000);
  EXPECT_EQ(one[0].orders[0].info.uuid, again[0].orders[0].info.uuid);
  EXPECT_NE(one[0].orders[0].info.uuid, next[0].orders[0].info.uuid);
  EXPECT_TRUE(orders_meet(one[0].orders[0].info, next[0].orders[0].info))
    << "the next run waits for this one";
  EXPECT_EQ(begin_of_next(of, now), now + 3'600'000'000);
}

TEST(due, each_owner_has_one_object_back_in_a_span) {
  const auto of = every_hour();
  const auto a = spot_order({"A/x", "A", "c", 7}, of, day);
  const auto b = spot_order({"A/y", "A", "c", 9}, of, day);
  EXPECT_EQ(a.orders[0].info.uuid, b.orders[0].info.uuid);
  EXPECT_EQ(order_kind_of(a.orders[0].info), order_kind::restore_object);
  EXPECT_EQ(a.orders[0].info.title, "A/x");
}

// -- requeueing ---------------------------------------------------------------

/// A failed job of a deletion.
job_wanted requeue_of(const std::string& to) {
  pipeline stages;
  stages.name = order_pipeline(order_kind::delete_item);
  stages.stages.push_back({.name = "delete_item", .state = job_state::pending});
  job_wanted out;
  out.job.id = 9;
  out.job.queue = stage_queue_name(stages.name, "delete_item");
  out.job.attempt = 3;
  out.job.status.state = job_state::failed;
  out.job.status.needs_review = true;
  out.action = work_action::requeue;
  out.stage = to;
  out.stages = std::make_shared<const pipeline>(stages);
  return out;
}

TEST(row_a13, a_deletion_is_requeued_to_its_one_stage_only) {
  for (const auto* to : {"", "delete_item"}) {
    const auto step = as_wanted(requeue_of(to));
    ASSERT_TRUE(step) << render(step.error());
    EXPECT_EQ(step->move.place.queue, "aptrust_delete_item.delete_item");
    EXPECT_FALSE(step->move.place.parked);
    EXPECT_EQ(step->move.place.attempt, 0u) << "attempts are fresh";
    EXPECT_FALSE(step->move.status.needs_review);
  }
  for (const auto* to : {"restore_object", "ingest06_storage"}) {
    const auto step = as_wanted(requeue_of(to));
    ASSERT_FALSE(step);
    EXPECT_EQ(step.error(), ec::invalid_argument);
  }
}

} // namespace
} // namespace depositd::rules
