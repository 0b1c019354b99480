#include "messages/id_block.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace depositd {
namespace {

/// CAF 0.17 names types to other processes; the numbers are for this one.
template <caf::type_id_t... Is>
std::string names(std::integer_sequence<caf::type_id_t, Is...>) {
  std::string out;
  for (const std::string name :
       {caf::type_name_by_id<caf::first_custom_type_id + Is>::value...}) {
    EXPECT_EQ(name.rfind("depositd::", 0), 0u) << name;
    out += (out.empty() ? "" : " ") + name.substr(name.find("::") + 2);
  }
  return out;
}

const std::string expected =
  "enqueue enqueued open_queue done settle_and_request renew_claims "
  "attached detach deliver admin_request admin_reply connect_native "
  "attach outcome submission_query processor_actor queue_port_actor "
  "native_actor cancel_credit held_claim open_ports ports_opened ingest "
  "ingested read_watermarks watermarks_read propose control_changed "
  "adopt_control watch_control submit forget_submissions "
  "submissions_forgotten id_reserved count_pending pending_counted "
  "receive_items items_received settle_items items_settled renew_items "
  "release_queue count_queue "
  "queue_counted move_queue move_begun park_matching matching_parked "
  "purge_queue explain_item item_explained list_queues queues_listed "
  "list_users users_listed await_ready check_intake drain "
  "submissions_found peek_items items_found report_store store_report "
  "report_slots slots_report put_blob blob_put join_node node_joined "
  "meet_engine engine_met shard_actor projector_actor "
  "processor_manager_actor store_server_actor read_blob blob_piece "
  "record_dois dois_recorded find_dois dois_found find_submission "
  "submission_found carry_items items_carried shard_processors_actor "
  "sign_in signed_in submit_batch batch_accepted order_job job_ordered "
  "order_batch batch_ordered order_jobs jobs_ordered forget_batches "
  "batches_forgotten batch_query batches_found job_query jobs_found "
  "cancel_deposit cancel_matching matching_cancelled wake_items "
  "find_objects objects_found find_object_files object_files_found "
  "find_local_id local_id_found bind_object record_object lock_object "
  "object_locked unlock_objects measure_collections collections_measured "
  "mint_identifier identifier_minted measure_recorded recorded_measured "
  "publish published order_topic note_consumers list_topics topics_listed "
  "record_premis find_premis premis_found failed_query failed_found "
  "feed_records records_fed measure_queue queue_measured count_records "
  "records_counted look_up_record record_found report_schedulers "
  "schedulers_reported find_record explain_strategy strategy_explained "
  "test_source source_tested feed_by_hand fed_by_hand show_rings rings_shown";

TEST(id_block, knows_messages_by_names_and_numbers) {
  using block = caf::id_block::depositd;
  ASSERT_EQ(block::begin, 200);
  ASSERT_EQ(block::end, 200 + 153);
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
  EXPECT_EQ(caf::type_id<store_server_actor>::value, 274);
  EXPECT_EQ(caf::type_id<submission_found>::value, 282);
}

} // namespace
} // namespace depositd
