// What operators' engines, the read model and slots say across processes, byte
// for byte as nodes of earlier versions write and read it. A literal here
// changes only with a version of the wire.

#include "messages/operators.hpp"
#include "messages/processors.hpp"
#include "messages/projection.hpp"
#include "messages/shard.hpp"
#include "tests/messages/written.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace depositd {
namespace {

using testing::passed_on;
using testing::submission;
using testing::wants;
using testing::written;

const eligibility_report eligibility{.state = {},
                                     .turn = 1,
                                     .length = 2,
                                     .in_flight = 3,
                                     .ready = 4,
                                     .turns_taken = 5,
                                     .credit = 6,
                                     .stamp = 7,
                                     .limits = {8, 9, true, false},
                                     .ahead = 10,
                                     .charge = 11};

TEST(operators_wire, of_control_is_as_it_was) {
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
  state.operators["o"] = {"o", operator_role::node, "h", {"u"}, {"c"}, false};
  const auto snapshot = std::make_shared<const control_state>(state);
  EXPECT_WIRE((control_changed{snapshot, 7}),
              "0101'q0100000001ffffffffffffffff0000ffffffff000003e8000927c0"
              "00000010000101'q01'u01'q01'u010000000100000000020101'u010001"
              "01'u01'u01'h0107'1'0'.'5'5'5'50101'p01'p0101'q00000003000000"
              "00000000020101'r0101'p0101'e0101'k01'k01'd010101'q0101'm01'm"
              "01'a01'b01000000000000000401000000000000000500010101'q010000"
              "0001ffffffffffffffff0000ffffffff000003e8000927c0000000100000"
              "0000060101'x0101'o01'o0301'h0101'u0101'c000000000000000000"
              "00000000000000000000000000000000000007");
  EXPECT_WIRE((adopt_control{snapshot, 7}),
              "0101'q0100000001ffffffffffffffff0000ffffffff000003e8000927c0"
              "00000010000101'q01'u01'q01'u010000000100000000020101'u010001"
              "01'u01'u01'h0107'1'0'.'5'5'5'50101'p01'p0101'q00000003000000"
              "00000000020101'r0101'p0101'e0101'k01'k01'd010101'q0101'm01'm"
              "01'a01'b01000000000000000401000000000000000500010101'q010000"
              "0001ffffffffffffffff0000ffffffff000003e8000927c0000000100000"
              "0000060101'x0101'o01'o0301'h0101'u0101'c000000000000000000"
              "00000000000000000000000000000000000007");
}

TEST(operators_wire, of_what_operators_ask_is_as_it_was) {
  EXPECT_WIRE((admin_request{.command = "c", .arguments = "{}"}), "01'c02'{'}");
  EXPECT_WIRE((sign_in{.name = "n", .password = "p"}), "01'n01'p");
  EXPECT_WIRE((signed_in{.role = "r"}), "01'r");
  EXPECT_WIRE((park_matching{.queue = "q",
                             .users = {"u"},
                             .from_us = 1,
                             .to_us = 2,
                             .parked = false,
                             .count_only = true}),
              "01'q0101'u000000000000000100000000000000020001");
  EXPECT_WIRE((cancel_deposit{.id = 7, .user = "u", .reason = "r"}),
              "000000000000000701'u01'r");
  EXPECT_WIRE((cancel_matching{.queue = "q",
                               .users = {"u"},
                               .from_us = 1,
                               .to_us = 2,
                               .reason = "r",
                               .count_only = true}),
              "01'q0101'u0000000000000001000000000000000201'r01");
  EXPECT_WIRE((matching_cancelled{.matched = 2, .moved = 1}),
              "00000000000000020000000000000001");
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
              "000000050000000600000000000000070000000800000009010000000000"
              "0000000a000000000000000b01000000000a0000000b");
  EXPECT_WIRE((queues_listed{.queues = {{.name = "q",
                                         .settings = {},
                                         .server_suspended = true,
                                         .ready = 1,
                                         .in_flight = 2,
                                         .users = 3,
                                         .eligible_users = 4,
                                         .processors = 5,
                                         .handed_out = 6,
                                         .finished = 7,
                                         .items = 8,
                                         .requeued = 9,
                                         .timed_out = 10}},
                             .suspended = true}),
              "0101'q0100000001ffffffffffffffff0000ffffffff000003e8000927c0"
              "000000100001000000000000000100000000000000020000000300000004"
              "000000050000000000000006000000000000000700000000000000080000"
              "000000000009000000000000000a01");
  EXPECT_WIRE((users_listed{{{"q", {{"u", eligibility}}}}}),
              "0101'q0101'u000000000100000002000000030000000000000004000000"
              "000000000500000006000000000000000700000008000000090100000000"
              "000000000a000000000000000b");
  EXPECT_WIRE((drain{300}), "000001',");
}

TEST(operators_wire, of_rings_is_of_depositd_7) {
  EXPECT_WIRE((show_rings{.queue = "q", .user = "u", .count_max = 1}),
              "01'q01'u00000001");
  EXPECT_WIRE((rings_shown{{{.queue = "q",
                             .suspended = true,
                             .server_suspended = false,
                             .processors = 1,
                             .eligible_users = 2,
                             .ready = 3,
                             .in_flight = 4,
                             .turns_taken = 5,
                             .finished_per_hour = 6,
                             .in_turn = {{"u", eligibility}},
                             .out_of_turn = {}}}}),
              "0101'q01000000000100000002000000000000000300000000000000040000"
              "000000000005000000000000000601"
              "01'u000000000100000002000000030000000000000004000000"
              "000000000500000006000000000000000700000008000000090100000000"
              "000000000a000000000000000b00");
}

TEST(operators_wire, of_the_read_model_is_as_it_was) {
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
                                .ids = {3},
                                .with_contents = true}),
              "000000000000000101'u01'q01'f01'b0102000000000200010000000000"
              "00000300000000000000000001");
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
                                   .attempt = 5,
                                   .contents = "c"}}}),
              "01000000000000000101'u01'q01'f01'o01'l01's01'b00000000000000"
              "0101't01010001'b01'p01'r01'd00000000000000020000000000000003"
              "00000000000000040000000501'c00");
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
                          .with_bodies = false,
                          .users = {"u"}}),
              "01'q0000000101000101'u");
  EXPECT_WIRE(
    (store_report{
      .journalled = 1, .projected = 2, .journal_bytes = 3, .segments = 4}),
    "000000000000000100000000000000020000000000000003000000000000"
    "0004");
}

TEST(operators_wire, of_slots_elsewhere_is_as_it_was) {
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

} // namespace
} // namespace depositd
