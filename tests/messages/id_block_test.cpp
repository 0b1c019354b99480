#include "messages/id_block.hpp"

#include <gtest/gtest.h>

#include <string_view>
#include <utility>
#include <vector>

namespace depositd {
namespace {

/// CAF 0.17 names types to other processes; the numbers are for this one.
template <caf::type_id_t... Is>
std::vector<std::string_view>
names(std::integer_sequence<caf::type_id_t, Is...>) {
  return {caf::type_name_by_id<caf::first_custom_type_id + Is>::value...};
}

const std::vector<std::string_view> expected{
  "depositd::enqueue",
  "depositd::enqueued",
  "depositd::open_queue",
  "depositd::done",
  "depositd::work",
  "depositd::touch_claims",
  "depositd::attached",
  "depositd::detach",
  "depositd::handed",
  "depositd::admin_request",
  "depositd::admin_reply",
  "depositd::connect_native",
  "depositd::attach",
  "depositd::outcome",
  "depositd::submission_query",
  "depositd::processor_actor",
  "depositd::queue_door_actor",
  "depositd::native_actor",
  "depositd::withdraw",
  "depositd::held_claim",
  "depositd::open_doors",
  "depositd::doors_opened",
  "depositd::ingest",
  "depositd::ingested",
  "depositd::read_watermarks",
  "depositd::watermarks_read",
  "depositd::propose",
  "depositd::control_changed",
  "depositd::adopt_control",
  "depositd::watch_control",
  "depositd::submit",
  "depositd::record_submission",
  "depositd::reserve_id",
  "depositd::id_reserved",
  "depositd::count_pending",
  "depositd::pending_counted",
  "depositd::take_items",
  "depositd::items_taken",
  "depositd::end_items",
  "depositd::items_ended",
  "depositd::extend_items",
  "depositd::release_queue",
  "depositd::count_queue",
  "depositd::queue_counted",
  "depositd::move_queue",
  "depositd::move_begun",
  "depositd::park_matching",
  "depositd::matching_parked",
  "depositd::purge_queue",
  "depositd::explain_item",
  "depositd::item_explained",
  "depositd::list_queues",
  "depositd::queues_listed",
  "depositd::list_users",
  "depositd::users_listed",
  "depositd::await_ready",
  "depositd::check_intake",
  "depositd::drain",
  "depositd::submissions_found",
  "depositd::peek_items",
  "depositd::items_found",
  "depositd::report_store",
  "depositd::store_report",
  "depositd::report_slots",
  "depositd::slots_report",
  "depositd::effect_call",
  "depositd::effect_result",
  "depositd::join_node",
  "depositd::node_joined",
  "depositd::meet_engine",
  "depositd::engine_met",
  "depositd::shard_actor",
  "depositd::projector_actor",
  "depositd::processor_manager_actor",
  "depositd::effects_actor",
};

TEST(id_block, knows_messages_by_the_names_and_numbers_that_they_had) {
  using block = caf::id_block::depositd;
  ASSERT_EQ(block::begin, 200);
  ASSERT_EQ(block::end, 200 + expected.size());
  EXPECT_EQ(
    names(
      std::make_integer_sequence<caf::type_id_t, block::end - block::begin>{}),
    expected);
}

TEST(id_block, gives_each_message_its_number) {
  EXPECT_EQ(caf::type_id<enqueue>::value, 200);
  EXPECT_EQ(caf::type_id<attach>::value, 212);
  EXPECT_EQ(caf::type_id<queue_port_actor>::value, 216);
  EXPECT_EQ(caf::type_id<engine_met>::value, 270);
  EXPECT_EQ(caf::type_id<effects_actor>::value, 274);
}

} // namespace
} // namespace depositd
