// What crosses to another process, byte for byte as nodes of earlier versions
// write and read it. A literal here changes only with a version of the wire.

#include "messages/actors.hpp"

#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace depositd {
namespace {

/// Hexadecimal; printable characters stand for themselves after a quote.
template <class T>
std::string written(T x) {
  std::vector<char> bytes;
  caf::binary_serializer sink{nullptr, bytes};
  EXPECT_FALSE(sink(x));
  std::string out;
  for (const char c : bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    if (byte > ' ' && byte < 0x7f && byte != '\'') {
      out += '\'';
      out += c;
    } else {
      out += digits[byte >> 4];
      out += digits[byte & 15];
    }
  }
  return out;
}

/// What a reader makes of it, written again.
template <class T>
std::string passed_on(T x) {
  std::vector<char> bytes;
  caf::binary_serializer sink{nullptr, bytes};
  EXPECT_FALSE(sink(x));
  T read{};
  caf::binary_deserializer source{nullptr, bytes};
  EXPECT_FALSE(source(read));
  EXPECT_EQ(source.remaining(), 0u);
  return written(std::move(read));
}

#define EXPECT_WIRE(value, literal)                                            \
  EXPECT_EQ(written(value), literal);                                          \
  EXPECT_EQ(passed_on(value), literal)

const submission submission{.file_name = "f",
                            .operation = "o",
                            .login = "l",
                            .source = "s",
                            .blob = "b",
                            .size = 1,
                            .trace = "t"};

const criteria wants{
  .size_max = 2, .required = {"r"}, .preferred = {"p"}, .excluded = {"e"}};

const eligibility_report eligibility{.state = {},
                                     .turn = 1,
                                     .length = 2,
                                     .in_flight = 3,
                                     .ready = 4,
                                     .turns_taken = 5,
                                     .credit = 6,
                                     .stamp = 7,
                                     .limits = {8, 9, true, false}};

TEST(wire, of_the_native_door_is_as_it_was) {
  EXPECT_WIRE((enqueue{.queue = "q", .items = {{"u", 7, "body"}}}),
              "01'q0101'u0704'b'o'd'y");
  EXPECT_WIRE((enqueued{.ids = {1, 300}, .refused = 2}),
              "02000000000000000100000000000001',00000002");
  EXPECT_WIRE(open_queue{"q"}, "01'q");
  EXPECT_WIRE(done{}, "");
}

TEST(wire, of_processors_is_as_it_was) {
  const outcome ended{.id = 1,
                      .token = 2,
                      .member = 3,
                      .says = verdict::retry,
                      .delay_ms = 4,
                      .reason = "r",
                      .batch_id = "b",
                      .document = "d"};
  EXPECT_WIRE((settle_and_request{.processor = 5,
                                  .credit = 6,
                                  .outcomes = {ended},
                                  .waits = false,
                                  .counts = true}),
              "000000050000000601000000000000000100000000000000020000000302"
              "0000000401'r01'b01'd0001");
  EXPECT_WIRE((renew_claims{.processor = 1, .claims = {{2, 3, 4}}}),
              "00000001010000000000000002000000000000000300000004");
  EXPECT_WIRE(cancel_credit{9}, "00000009");
  EXPECT_WIRE((held_claim{.id = 1, .token = 2, .user = "u"}),
              "0000000000000001000000000000000201'u");
  EXPECT_WIRE((attached{.processor = 1, .members = {2, no_member}}),
              "000000010200000002ffffffff");
  EXPECT_WIRE(detach{8}, "00000008");
  const claimed_item item{.id = 1,
                          .token = 2,
                          .member = 3,
                          .attempt = 4,
                          .priority = 5,
                          .kind = body_kind::blob,
                          .received_us = 6,
                          .deadline_us = 7,
                          .user = "u",
                          .body = "b"};
  EXPECT_WIRE((deliver{.settled = {{9, true}},
                       .items = {item},
                       .eligible = 10,
                       .counted = true}),
              "010000000000000009010100000000000000010000000000000002000000"
              "030000000405010000000000000006000000000000000701'u01'b000000"
              "0a01");
}

TEST(wire, of_what_shards_are_asked_is_as_it_was) {
  EXPECT_WIRE((submit{"q", "u", 3, submission}),
              "01'q01'u0301'f01'o01'l01's01'b000000000000000101't");
  EXPECT_WIRE((record_submission{.what = {.id = 1,
                                          .queue = "q",
                                          .received_us = 2,
                                          .finished_us = 3,
                                          .failed = true,
                                          .submission = submission,
                                          .batch_id = "b",
                                          .document = "d"},
                                 .user = "u"}),
              "000000000000000101'q000000000000000200000000000000030101'f01"
              "'o01'l01's01'b000000000000000101't01'b01'd01'u");
  EXPECT_WIRE((count_pending{.queue = "q", .user = "u"}), "01'q01'u");
  EXPECT_WIRE((pending_counted{.pending = 1, .limit = 2}),
              "00000000000000010000000000000002");
  EXPECT_WIRE(
    (receive_items{
      .queue = "q", .taker = "t", .count = 1, .lease_ms = 2, .claims_max = 3}),
    "01'q01't000000010000000200000003");
  EXPECT_WIRE((settle_items{.queue = "q",
                            .items = {{.name = {1, 2},
                                       .says = verdict::failed,
                                       .delay_ms = 3,
                                       .reason = "r",
                                       .batch_id = "b",
                                       .document = "d"}}}),
              "01'q01000000000000000100000002010000000301'r01'b01'd");
  EXPECT_WIRE((items_settled{.accepted = {1, 0}}), "020100");
  EXPECT_WIRE(
    (renew_items{.queue = "q", .taker = "t", .lease_ms = 1, .items = {{2, 3}}}),
    "01'q01't0000000101000000000000000200000003");
  EXPECT_WIRE((queue_counted{.items = 1, .claims = 2}),
              "00000000000000010000000000000002");
  EXPECT_WIRE((move_queue{.from = "a", .to = "b"}), "01'a01'b");
}

TEST(wire, of_items_taken_tells_no_body_from_an_empty_one) {
  received_item without{.name = {1, 2},
                        .attempt = 3,
                        .kind = body_kind::blob,
                        .received_us = 4,
                        .user = "u",
                        .body = nullptr};
  EXPECT_WIRE(items_received{{without}},
              "010000000000000001000000020000000301000000000000000401'u0000");
  auto with = without;
  with.body = std::make_shared<const std::string>("b");
  EXPECT_WIRE(items_received{{with}},
              "010000000000000001000000020000000301000000000000000401'u0101"
              "'b");
}

TEST(wire, of_records_is_as_it_was) {
  EXPECT_WIRE((ingest{.partition = "t/0",
                      .last = 9,
                      .deposits = {{.offset = 8,
                                    .queue = "q",
                                    .user = "u",
                                    .priority = 7,
                                    .submission = submission,
                                    .post = "p"}},
                      .rejected = {{.offset = 6,
                                    .reason = "r",
                                    .key = "k",
                                    .value = "v",
                                    .headers = {{"n", "h"}},
                                    .user = "x"}}}),
              "03't'/'0000000000000000901000000000000000801'q01'u0701'f01'o"
              "01'l01's01'b000000000000000101't01'p01000000000000000601'r01"
              "'k01'v0101'n01'h01'x");
  EXPECT_WIRE(
    (ingested{
      .accepted = 1, .rejected = 2, .skipped = 3, .refused = {{4, "r"}}}),
    "00000001000000020000000301000000000000000401'r");
  EXPECT_WIRE((watermarks_read{{{"t/0", 5}}}), "0103't'/'00000000000000005");
}

TEST(wire, of_control_is_as_it_was) {
  EXPECT_WIRE((propose{{server_changed{true, false},
                        user_eligibility_changed{"u", true, false}}}),
              "02030e0100050b01'u0100");
  control_state state;
  state.queues["q"] = queue_settings{};
  state.limits[{"q", "u"}] = {"q", "u", true, 1, false, 2};
  state.eligibilities["u"] = {true, false};
  state.accounts["u"] = {"u", "h", {"10.5555"}};
  state.processors["p"] = {"p", {"q"}, 3, wants};
  state.keys["k"] = {"k", "d", {{queue_right::poll, "q"}}};
  state.moves["m"] = {"m", "a", "b", move_status::complete, 4, true, 5};
  state.configured = {{{"q", queue_settings{}}}, 6, {"x"}};
  const auto snapshot = std::make_shared<const control_state>(state);
  EXPECT_WIRE((control_changed{snapshot, 7}),
              "0101'q0100000001ffffffffffffffff0000ffffffff000003e8000927c0"
              "00000010000101'q01'u01'q01'u010000000100000000020101'u010001"
              "01'u01'u01'h0107'1'0'.'5'5'5'50101'p01'p0101'q00000003000000"
              "00000000020101'r0101'p0101'e0101'k01'k01'd010101'q0101'm01'm"
              "01'a01'b01000000000000000401000000000000000500010101'q010000"
              "0001ffffffffffffffff0000ffffffff000003e8000927c0000000100000"
              "0000060101'x0000000000000007");
  EXPECT_WIRE((adopt_control{snapshot, 7}),
              "0101'q0100000001ffffffffffffffff0000ffffffff000003e8000927c0"
              "00000010000101'q01'u01'q01'u010000000100000000020101'u010001"
              "01'u01'u01'h0107'1'0'.'5'5'5'50101'p01'p0101'q00000003000000"
              "00000000020101'r0101'p0101'e0101'k01'k01'd010101'q0101'm01'm"
              "01'a01'b01000000000000000401000000000000000500010101'q010000"
              "0001ffffffffffffffff0000ffffffff000003e8000927c0000000100000"
              "0000060101'x0000000000000007");
}

TEST(wire, of_what_operators_ask_is_as_it_was) {
  EXPECT_WIRE((admin_request{.command = "c", .arguments = "{}"}), "01'c02'{'}");
  EXPECT_WIRE((park_matching{.queue = "q",
                             .users = {"u"},
                             .from_us = 1,
                             .to_us = 2,
                             .parked = false,
                             .count_only = true}),
              "01'q0101'u000000000000000100000000000000020001");
  EXPECT_WIRE((item_explained{.live = true,
                              .queue = "q",
                              .user = "u",
                              .item = {.id = 1,
                                       .state = item_state::delayed,
                                       .priority = 2,
                                       .attempt = 3,
                                       .size = 4,
                                       .received_us = 5,
                                       .available_us = 6,
                                       .deadline_us = 7,
                                       .token = 8,
                                       .processor = "p",
                                       .ahead = 9},
                              .member = {.report = eligibility,
                                         .suspended = true,
                                         .server_suspended = false,
                                         .processors = 10,
                                         .processors_matching = 11}}),
              "0101'q01'u00000000000000010202000000030000000000000004000000"
              "000000000500000000000000060000000000000007000000000000000801"
              "'p0000000900000000010000000200000003000000000000000400000000"
              "000000050000000600000000000000070000000800000009010001000000"
              "000a0000000b");
  EXPECT_WIRE((queues_listed{.queues = {{.name = "q",
                                         .settings = {},
                                         .server_suspended = true,
                                         .ready = 1,
                                         .in_flight = 2,
                                         .users = 3,
                                         .eligible_users = 4,
                                         .processors = 5,
                                         .handed_out = 6,
                                         .finished = 7}},
                             .suspended = true}),
              "0101'q0100000001ffffffffffffffff0000ffffffff000003e8000927c0"
              "000000100001000000000000000100000000000000020000000300000004"
              "000000050000000000000006000000000000000701");
  EXPECT_WIRE((users_listed{{{"q", {{"u", eligibility}}}}}),
              "0101'q0101'u000000000100000002000000030000000000000004000000"
              "000000000500000006000000000000000700000008000000090100");
  EXPECT_WIRE((drain{300}), "000001',");
}

TEST(wire, of_the_read_model_is_as_it_was) {
  EXPECT_WIRE((submission_query{.id = 1,
                                .user = "u",
                                .queue = "q",
                                .file_name = "f",
                                .batch_id = "b",
                                .has_status = true,
                                .status = submission_status::completed,
                                .newest_first = false,
                                .count_max = 2,
                                .with_documents = false,
                                .ids = {3}}),
              "000000000000000101'u01'q01'f01'b0102000000000200010000000000"
              "000003");
  EXPECT_WIRE((submissions_found{{{.id = 1,
                                   .user = "u",
                                   .queue = "q",
                                   .submission = submission,
                                   .status = submission_status::in_process,
                                   .failed = true,
                                   .parked = false,
                                   .batch_id = "b",
                                   .processor = "p",
                                   .reason = "r",
                                   .document = "d",
                                   .received_us = 2,
                                   .started_us = 3,
                                   .finished_us = 4,
                                   .attempt = 5}}}),
              "01000000000000000101'u01'q01'f01'o01'l01's01'b00000000000000"
              "0101't01010001'b01'p01'r01'd00000000000000020000000000000003"
              "000000000000000400000005");
  EXPECT_WIRE((items_found{.rows = {{.id = 1,
                                     .queue = "q",
                                     .user = "u",
                                     .priority = 2,
                                     .size = 3,
                                     .received_us = 4,
                                     .digest = 5,
                                     .kind = body_kind::blob,
                                     .place = {6, 7, 8},
                                     .state = item_state::claimed,
                                     .attempt = 9,
                                     .available_us = 10,
                                     .token = 11,
                                     .deadline_us = 12,
                                     .local = true,
                                     .processor = "p"}},
                           .bodies = {"b"}}),
              "01000000000000000101'q01'u0200000000000000030000000000000004"
              "000000000000000501000000000000000600000007000000080100000009"
              "000000000000000a000000000000000b000000000000000c0101'p0101'b");
  EXPECT_WIRE((peek_items{.queue = "q",
                          .count_max = 1,
                          .pending_only = true,
                          .with_bodies = false}),
              "01'q000000010100");
  EXPECT_WIRE(
    (store_report{
      .journalled = 1, .projected = 2, .journal_bytes = 3, .segments = 4}),
    "000000000000000100000000000000020000000000000003000000000000"
    "0004");
}

TEST(wire, of_slots_elsewhere_is_as_it_was) {
  EXPECT_WIRE((slots_report{{{.node = "n",
                              .processor = "p",
                              .slot = 1,
                              .queue = "q",
                              .item = 2,
                              .user = "u",
                              .since_us = 3,
                              .wants = wants}}}),
              "0101'n01'p0000000101'q000000000000000201'u000000000000000300"
              "000000000000020101'r0101'p0101'e");
}

// -- names and numbers --------------------------------------------------------

/// CAF 0.17 names types to other processes; the numbers are for this one.
template <caf::type_id_t... Is>
std::vector<std::string_view>
names(std::integer_sequence<caf::type_id_t, Is...>) {
  return {caf::type_name_by_id<caf::first_custom_type_id + Is>::value...};
}

TEST(wire, knows_messages_by_the_names_and_numbers_that_they_had) {
  using block = caf::id_block::depositd;
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
  ASSERT_EQ(block::begin, 200);
  ASSERT_EQ(block::end, 200 + expected.size());
  EXPECT_EQ(
    names(
      std::make_integer_sequence<caf::type_id_t, block::end - block::begin>{}),
    expected);
}

TEST(wire, gives_each_message_its_number) {
  EXPECT_EQ(caf::type_id<enqueue>::value, 200);
  EXPECT_EQ(caf::type_id<attach>::value, 212);
  EXPECT_EQ(caf::type_id<queue_port_actor>::value, 216);
  EXPECT_EQ(caf::type_id<engine_met>::value, 270);
  EXPECT_EQ(caf::type_id<effects_actor>::value, 274);
}

} // namespace
} // namespace depositd
