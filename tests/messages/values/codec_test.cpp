#include "messages/values/codec.hpp"

#include "messages/values/events.hpp"
#include "tests/messages/values/arbitrary_events.hpp"
#include "tests/messages/values/pipeline_events.hpp"
#include "tests/messages/values/source_events.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace depositd {
namespace {

using testing::draw_event;
using testing::draw_record;
using testing::events_of_pipelines;

constexpr auto kinds = std::variant_size_v<event_kinds>;

std::string encoded(const record& x) {
  std::string out;
  std::vector<body_slot> slots;
  encode(x, out, slots);
  return out;
}

std::string encoded(const event& x) {
  std::string out;
  encode(x, out);
  return out;
}

/// What only a reader knows taken away, for comparison with what was written.
record without_places(record x) {
  for (auto& e : x.events)
    std::visit(
      [](auto& fields) {
        if constexpr (requires { fields.place.group; })
          fields.place = {};
      },
      e);
  return x;
}

/// One event of every kind, with fields that take more than one byte.
void add_later_kinds(std::vector<event>& events) {
  for (auto& x : events_of_pipelines())
    events.push_back(std::move(x));
  events.emplace_back(
    topic_changed{"t", true, {"a", "b"}, {"b"}, {"c"}, true, true});
  events.emplace_back(item_copied{
    302, "nsq/t/a", 1, 70'000, 50, body_kind::blob, 0, {300, 400, 500}, {}});
  events.emplace_back(item_delayed{302, "nsq/t/a", 1'000});
  events.emplace_back(processor_placed{"sp", {"node-1", "node-2"}});
  events.emplace_back(
    deletion_changed{"del-1",
                     "INST",
                     {{"inst/bag", "maps"}, {"inst/b", "maps"}},
                     "operator=ann",
                     900,
                     "why",
                     "operator=bob",
                     1'000,
                     "operator=root",
                     1'100,
                     "operator=eve",
                     1'200,
                     1'300,
                     true});
  for (auto& x : testing::events_of_sources())
    events.push_back(std::move(x));
  events.emplace_back(
    operator_token_changed{"ann", "page", "00ff", 400, true});
}

record one_of_each() {
  record out;
  out.user = "ALICE";
  out.events = {
    item_enqueued{300,
                  "metadata",
                  7,
                  70'000,
                  1'700'000'000'000'000,
                  0xfeed'face'cafe'beef,
                  body_kind::blob,
                  "the body",
                  {}},
    submission_received{
      300,
      "metadata",
      5,
      {"a.xml", "doMDUpload", "a/b", "http", "00ff", 999, "00-4bf9"}},
    item_claimed{300, "metadata", 1u << 20, 2, 10, 20, 30, 4,
                 pick_kind::required, true, "sp-1"},
    claim_renewed{300, "metadata", 1u << 20, 40},
    item_released{300, "metadata", 2, 50, "later"},
    item_finished{300, "metadata", ending::purged, -60, "why", "b-1", "<x/>"},
    item_parked{300, "metadata", true},
    body_compacted{300, "metadata", "the body", {}},
    submission_recorded{301,
                        "query",
                        70,
                        80,
                        true,
                        {"q", "doQueryUpload", "l", "v2", "", 3, ""},
                        "b",
                        "<y/>"},
    queue_changed{"metadata", deposit_queue_defaults()},
    user_limits_changed{"metadata", "ALICE", true, 3, true, 9},
    user_eligibility_changed{"ALICE", true, false},
    account_changed{"ALICE", "$argon2id$...", {"10.5555", "10.1000.10"}},
    processor_changed{{"sp-1", {"metadata"}, 2, {500, {"A"}, {"B"}, {}}},
                      false},
    server_changed{true, false},
    configuration_seen{{{"metadata", deposit_queue_defaults()}}, 4, {"EVE"}},
    key_changed{"ALICE", "00ff", {{queue_right::get_status, "q*"}}},
    move_changed{"0a0b", "q", "r", move_status::error, 90, true, 300},
    item_moved{300, "q", "r", 100},
    record_rejected{"in/1",
                    300,
                    "why",
                    "key",
                    "value",
                    {{"traceparent", "00-4bf9"}, {"", ""}}},
    operator_changed{
      "ann", operator_role::operate, "$argon2id$...", {"A", "B"}, {"c"}, true},
    queue_founded{"q", "ALICE"},
    queue_retired{"q", {"ALICE", "BOB"}},
    quota_changed{"q", "ALICE", true, 1u << 30, true, 100},
    key_terms_changed{"ALICE~2", "ALICE", 400, 20},
    key_used{"ALICE~2", 500},
  };
  add_later_kinds(out.events);
  return out;
}

std::string hexadecimal(const std::string& bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (const auto c : bytes) {
    out += digits[static_cast<unsigned char>(c) >> 4];
    out += digits[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

RC_GTEST_PROP(codec, reads_back_every_kind_of_event, ()) {
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    const auto written = draw_event(kind);
    RC_ASSERT(written.index() == kind);
    auto read = decode_event(encoded(written));
    RC_ASSERT(static_cast<bool>(read));
    RC_ASSERT((without_places({"", {*read}}).events.front() == written));
  }
}

RC_GTEST_PROP(codec, reads_back_a_group_of_records, ()) {
  std::vector<record> written;
  std::string bytes;
  std::vector<body_slot> slots;
  const auto count = *rc::gen::inRange(0, 5);
  for (int i = 0; i < count; ++i)
    encode(written.emplace_back(draw_record()), bytes, slots);
  record_reader reader{bytes, 17, bodies::copied};
  record read; // one for all, as recovery does
  for (const auto& x : written) {
    RC_ASSERT(!reader.at_end());
    RC_ASSERT(!reader.next(read));
    RC_ASSERT(without_places(read) == x);
  }
  RC_ASSERT(reader.at_end());
}

RC_GTEST_PROP(codec, knows_where_each_body_is_without_reading_it, ()) {
  std::string bytes{"whatever stood before"};
  const auto base = bytes.size();
  const auto written = draw_record();
  std::vector<body_slot> slots;
  encode(written, bytes, slots);
  record read;
  RC_ASSERT(
    !record_reader(std::string_view{bytes}.substr(base), 5, bodies::skipped)
       .next(read));
  std::size_t slot = 0;
  for (std::size_t i = 0; i < written.events.size(); ++i)
    std::visit(
      [&](const auto& x) {
        if constexpr (testing::carries_body<std::decay_t<decltype(x)>>) {
          const auto& y = std::get<std::decay_t<decltype(x)>>(read.events[i]);
          RC_ASSERT(y.body.empty());
          RC_ASSERT(y.place.length == x.body.size());
          if (x.body.empty()) {
            RC_ASSERT(y.place == body_location{});
            return;
          }
          RC_ASSERT(y.place.group == 5u);
          RC_ASSERT(slots.at(slot).id == x.id);
          RC_ASSERT(slots[slot].length == x.body.size());
          RC_ASSERT(slots[slot].offset == base + y.place.offset);
          RC_ASSERT(bytes.substr(slots[slot].offset, slots[slot].length)
                    == x.body);
          ++slot;
        }
      },
      written.events[i]);
  RC_ASSERT(slot == slots.size());
}

TEST(codec, writes_the_body_of_copies_once) {
  item_enqueued first;
  first.id = 7;
  first.queue = "a";
  first.body = "the body";
  item_copied second;
  second.id = 8;
  second.queue = "b";
  second.of = 7;
  auto third = second;
  third.id = 9;
  item_copied elsewhere;
  elsewhere.id = 10;
  elsewhere.at = {3, 4, 5};
  std::string bytes;
  std::vector<body_slot> slots;
  encode({"U", {first, second, third, elsewhere}}, bytes, slots);
  const auto at = bytes.find("the body");
  EXPECT_EQ(bytes.find("the body", at + 1), std::string::npos);
  ASSERT_EQ(slots.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(slots[i].id, 7 + i);
    EXPECT_EQ(slots[i].offset, at);
    EXPECT_EQ(slots[i].length, 8u);
  }
  record read;
  ASSERT_FALSE(record_reader(bytes, 5, bodies::skipped).next(read));
  const body_location place{5, static_cast<std::uint32_t>(at), 8};
  EXPECT_EQ(std::get<item_copied>(read.events[1]).place, place);
  EXPECT_EQ(std::get<item_copied>(read.events[2]).place, place);
  EXPECT_EQ(std::get<item_copied>(read.events[3]).place,
            (body_location{3, 4, 5}));
}

TEST(codec, refuses_a_copy_of_what_did_not_come_with_it) {
  item_copied lost;
  lost.id = 8;
  lost.of = 7;
  const auto bytes = encoded(record{"U", {lost}});
  record read;
  EXPECT_EQ(record_reader(bytes, 5, bodies::skipped).next(read),
            ec::store_damaged);
}

RC_GTEST_PROP(codec, takes_flipped_bits_as_damage_or_as_another_record, ()) {
  auto bytes = encoded(draw_record());
  const auto flips = *rc::gen::inRange(1, 4);
  for (int i = 0; i < flips; ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, bytes.size());
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << *rc::gen::inRange(0, 8)));
  }
  record read;
  record_reader reader{bytes, 1, bodies::copied};
  if (const auto error = reader.next(read)) {
    RC_ASSERT(error == ec::store_damaged);
    return;
  }
  // Whatever was accepted is a record that can be written and read again.
  record again;
  const auto rewritten = encoded(read);
  RC_ASSERT(!record_reader(rewritten, 1, bodies::copied).next(again));
  RC_ASSERT(without_places(again) == without_places(read));
}

RC_GTEST_PROP(codec, survives_any_bytes, ()) {
  const auto noise = *rc::gen::arbitrary<std::string>();
  (void)decode_event(noise);
  record read;
  for (const auto how : {bodies::skipped, bodies::copied}) {
    const auto bytes = '\1' + noise;
    record_reader reader{bytes, 1, how};
    while (!reader.at_end() && !reader.next(read))
      ; // until it objects
  }
}

TEST(codec, refuses_a_record_cut_at_any_byte) {
  const auto bytes = encoded(one_of_each());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    // A copy of its own, so that a read beyond it is seen.
    const std::string cut{bytes.data(), size};
    for (const auto how : {bodies::skipped, bodies::copied}) {
      record read;
      record_reader reader{cut, 42, how};
      const auto error = reader.next(read);
      ASSERT_EQ(error, ec::store_damaged) << "cut at " << size;
      ASSERT_NE(render(error).find("group 42"), std::string::npos);
    }
  }
}

TEST(codec, refuses_each_event_cut_at_any_byte_or_with_bytes_to_spare) {
  for (const auto& x : one_of_each().events) {
    const auto bytes = encoded(x);
    for (std::size_t size = 0; size < bytes.size(); ++size)
      ASSERT_FALSE(decode_event(std::string{bytes.data(), size}))
        << "kind " << x.index() << " cut at " << size;
    ASSERT_FALSE(decode_event(bytes + '\0')) << "kind " << x.index();
    ASSERT_TRUE(decode_event(bytes)) << "kind " << x.index();
  }
}

TEST(codec, survives_every_single_bit_flip) {
  const auto bytes = encoded(one_of_each());
  record read;
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    auto flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    record_reader reader{flipped, 1, bodies::copied};
    if (const auto error = reader.next(read)) {
      ASSERT_EQ(error, ec::store_damaged) << "bit " << bit;
    }
  }
}

TEST(codec, refuses_an_unknown_format) {
  auto bytes = encoded(one_of_each());
  bytes[0] = 3;
  record read;
  const auto why = record_reader(bytes, 1, bodies::copied).next(read);
  EXPECT_EQ(why, ec::store_damaged);
  EXPECT_NE(render(why).find("format 3"), std::string::npos) << render(why);
}

TEST(codec, refuses_an_unknown_kind_of_event) {
  EXPECT_FALSE(decode_event(std::string(1, static_cast<char>(kinds))));
  EXPECT_FALSE(decode_event("\xff"));
}

TEST(codec, refuses_a_value_that_its_enumeration_does_not_have) {
  auto bytes = encoded(event{server_changed{true, false}});
  ASSERT_TRUE(decode_event(bytes));
  bytes.back() = 2; // neither true nor false
  EXPECT_FALSE(decode_event(bytes));
  bytes = encoded(event{queue_changed{"q", {}}});
  const auto kind_at = bytes.find('q') + 1;
  ASSERT_EQ(bytes[kind_at], static_cast<char>(queue_kind::message));
  bytes[kind_at] = static_cast<char>(queue_kind::outbox) + 1;
  EXPECT_FALSE(decode_event(bytes));
}

TEST(codec, refuses_numbers_that_do_not_fit) {
  // A claim_renewed: kind, id, queue, token, deadline.
  const std::string head{"\x03"};
  const std::string nines(9, '\xff');
  const std::string rest{"\0\0\0", 3};
  EXPECT_TRUE(decode_event(head + nines + '\x01' + rest));
  EXPECT_FALSE(decode_event(head + nines + '\x02' + rest)) << "65 bits";
  EXPECT_FALSE(decode_event(head + nines + "\x81\x01" + rest)) << "11 bytes";
  // An item_released: kind, id, queue, attempt (32 bits), available, reason.
  const std::string released{"\x04\0\0", 3};
  const std::string end{"\0\0", 2};
  EXPECT_TRUE(decode_event(released + "\xff\xff\xff\xff\x0f" + end));
  EXPECT_FALSE(decode_event(released + "\xff\xff\xff\xff\x1f" + end));
}

TEST(codec, refuses_counts_and_lengths_beyond_the_bytes) {
  record read;
  const std::string many_events{"\x01\x00\xff\xff\xff\xff\xff\xff\xff\x7f", 10};
  EXPECT_TRUE(record_reader(many_events, 1, bodies::copied).next(read));
  const std::string long_user{"\x01\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10};
  EXPECT_TRUE(record_reader(long_user, 1, bodies::copied).next(read));
  const std::string many_prefixes{"\x0c\0\0\xff\x7f", 5};
  EXPECT_FALSE(decode_event(many_prefixes));
}

TEST(codec, reserves_nothing_for_events_that_are_not_there) {
  // A count that the bytes could hold, of events that they do not hold.
  std::string bytes{"\x01\x00\x80\x80\x40", 5}; // 1 Mi events
  bytes.append(std::size_t{1} << 20, '\xee');
  record read;
  EXPECT_TRUE(record_reader(bytes, 1, bodies::copied).next(read));
  EXPECT_LE(read.events.capacity(), 16u);
}

TEST(codec, keeps_the_bytes_that_journals_are_full_of) {
  // A change here means that no older journal can be read any more.
  const record x{
    "ALICE",
    {item_enqueued{300, "q", 1, 2, -3, 4, body_kind::blob, "body", {}},
     item_parked{300, "q", true}}};
  EXPECT_EQ(hexadecimal(encoded(x)), "02"
                                     "05414c494345"
                                     "02"
                                     "00ac0201710102050401"
                                     "04626f6479"
                                     "06ac02017101");
}

TEST(codec, reads_what_was_written_before_submissions_had_a_trace) {
  const std::string bytes{"\x01" "\x01" "A" "\x02"
                          "\x01\x02" "\x01q" "\x06"
                          "\x01" "f" "\x01o" "\x01l" "\x01s" "\x01" "b" "\x09"
                          "\x13" "\x04in/1" "\x08" "\x01r" "\x01k" "\x01v",
                          33};
  record read;
  record_reader reader{bytes, 1, bodies::copied};
  ASSERT_FALSE(reader.next(read));
  EXPECT_TRUE(reader.at_end());
  const record expected{
    "A",
    {submission_received{2, "q", 3, {"f", "o", "l", "s", "b", 9, ""}},
     record_rejected{"in/1", 4, "r", "k", "v", {}}}};
  EXPECT_EQ(read, expected);
}

TEST(codec, keeps_the_numbers_of_the_kinds_of_events) {
  const auto events = one_of_each().events;
  ASSERT_EQ(events.size(), kinds);
  for (std::size_t kind = 0; kind < kinds; ++kind)
    EXPECT_EQ(events[kind].index(), kind);
}

} // namespace
} // namespace depositd
