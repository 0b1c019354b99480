// What doors, processors and logs of records say across processes, byte for
// byte as nodes of earlier versions write and read it. A literal here changes
// only with a version of the wire.

#include "messages/processors.hpp"
#include "messages/receiving.hpp"
#include "messages/records.hpp"
#include "messages/shard.hpp"
#include "tests/messages/written.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace depositd {
namespace {

using testing::passed_on;
using testing::submission;
using testing::written;

TEST(wire, of_the_native_door_is_as_it_was) {
  EXPECT_WIRE((enqueue{.queue = "q", .items = {{"u", 7, "body"}}}),
              "01'q0101'u0704'b'o'd'y0000");
  EXPECT_WIRE((enqueue{.queue = "q",
                       .items = {{"u", 7, "b"}},
                       .whole = true,
                       .also = {{"r", {{"u", 0, "c"}}}}}),
              "01'q0101'u0701'b010101'r0101'u0001'c");
  EXPECT_WIRE((enqueued{.ids = {1, 300}, .refused = 2}),
              "02000000000000000100000000000001',0000000200");
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
                      .document = "d",
                      .tell = true};
  EXPECT_WIRE((settle_and_request{.processor = 5,
                                  .credit = 6,
                                  .outcomes = {ended},
                                  .waits = false,
                                  .counts = true}),
              "000000050000000601000000000000000100000000000000020000000302"
              "0000000401'r01'b01'd010001");
  EXPECT_WIRE(
    (renew_claims{.processor = 1, .claims = {{2, 3, 4}}, .lease_ms = 5}),
    "0000000101000000000000000200000000000000030000000400000005");
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
                       .counted = true,
                       .purged = {11}}),
              "010000000000000009010100000000000000010000000000000002000000"
              "030000000405010000000000000006000000000000000701'u01'b000000"
              "0a0101000000000000000b");
}

TEST(wire, of_what_shards_are_asked_is_as_it_was) {
  EXPECT_WIRE((submit{"q", "u", 3, submission, "<a/>"}),
              "01'q01'u0301'f01'o01'l01's01'b000000000000000101't04'<'a'/'>");
  EXPECT_WIRE((count_pending{.queue = "q", .user = "u"}), "01'q01'u");
  EXPECT_WIRE(
    (pending_counted{.pending = 1, .limit = 2, .running = 3, .running_max = 4}),
    "000000000000000100000000000000020000000300000004"
    "0000000000000000ffffffffffffffff");
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
    "01'q01't0000000101000000000000000200000003ffffffff");
  EXPECT_WIRE((queue_counted{.items = 1, .claims = 2}),
              "00000000000000010000000000000002");
  EXPECT_WIRE((move_queue{.from = "a", .to = "b"}), "01'a01'b00");
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
                                    .body = "p"}},
                      .rejected = {{.offset = 6,
                                    .reason = "r",
                                    .key = "k",
                                    .value = "v",
                                    .headers = {{"n", "h"}},
                                    .user = "x"}}}),
              "03't'/'0000000000000000901000000000000000801'q01'u0701'f01'o"
              "01'l01's01'b000000000000000101't01'p01000000000000000601'r01"
              "'k01'v0101'n01'h01'x00");
  EXPECT_WIRE(
    (ingested{
      .accepted = 1, .rejected = 2, .skipped = 3, .refused = {{4, "r"}}}),
    "00000001000000020000000301000000000000000401'r");
  EXPECT_WIRE((watermarks_read{{{"t/0", 5}}}), "0103't'/'00000000000000005");
}

} // namespace
} // namespace depositd
