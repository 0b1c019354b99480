// Commands from bytes, wherever these are cut, and what is refused in which
// words.

#include "adapters/doors/nsq/commands.hpp"
#include "adapters/doors/nsq/frames.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace depositd::testing {

namespace {

using namespace nsq;

std::string number(std::uint32_t x) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8)
    out += static_cast<char>(x >> shift & 0xff);
  return out;
}

std::string sized(const std::string& body) {
  return number(static_cast<std::uint32_t>(body.size())) + body;
}

std::string mpub(const std::string& topic,
                 const std::vector<std::string>& bodies) {
  auto all = number(static_cast<std::uint32_t>(bodies.size()));
  for (const auto& x : bodies)
    all += sized(x);
  return "MPUB " + topic + "\n" + sized(all);
}

/// What a reader makes of the bytes, given to it in pieces.
struct outcome_of {
  std::vector<command> commands;
  std::string refused;
  bool fatal = false;
};

outcome_of read(const std::vector<std::string>& pieces,
                const command_context& in = {},
                const protocol_limits& limits = {}) {
  outcome_of out;
  command_reader reader{limits};
  for (const auto& piece : pieces) {
    std::string_view left{piece};
    for (;;) {
      const auto step = reader.read(left, in);
      if (step == command_reader::step::more)
        break;
      if (step == command_reader::step::refused) {
        out.refused = reader.why().text;
        out.fatal = reader.why().fatal;
        return out;
      }
      out.commands.push_back(reader.take());
    }
    EXPECT_TRUE(left.empty());
  }
  return out;
}

const command_context consuming{.subscribed = true};

std::string refused(const std::string& bytes, const command_context& in = {},
                    const protocol_limits& limits = {}) {
  return read({bytes}, in, limits).refused;
}

TEST(nsq_commands, are_the_same_wherever_they_are_cut) {
  const auto all = "NOP\nPUB a.b\r\n" + sized("hello") + mpub("t", {"1", "22"})
                   + "DPUB t 15\n" + sized("later") + "RDY 3\n"
                   + "FIN 0123456789abcdef\nREQ 0123456789abcdef 0\n"
                   + "TOUCH 0123456789abcdef\nCLS\n";
  for (std::size_t first = 0; first <= all.size(); ++first)
    for (const std::size_t length : {1, 3, 1'000}) {
      const auto got = read({all.substr(0, first), all.substr(first, length),
                             all.substr(std::min(first + length, all.size()))},
                            consuming);
      ASSERT_EQ(got.refused, "") << first << ' ' << length;
      ASSERT_EQ(got.commands.size(), 9U) << first << ' ' << length;
      EXPECT_EQ(got.commands[1].topic, "a.b");
      EXPECT_EQ(got.commands[1].bodies, std::vector<std::string>{"hello"});
      EXPECT_EQ(got.commands[2].bodies, (std::vector<std::string>{"1", "22"}));
      EXPECT_EQ(got.commands[3].count, 15U);
      EXPECT_EQ(got.commands[4].count, 3U);
      EXPECT_EQ(got.commands[5].id_text, "0123456789abcdef");
      EXPECT_EQ(got.commands[8].what, verb::cls);
    }
}

TEST(nsq_commands, row_q3_unknown_words_and_q4_empty_lines_are_refused) {
  EXPECT_EQ(refused("ASDF\n"), "E_INVALID invalid command ASDF");
  EXPECT_EQ(refused("\n\n"), "E_INVALID invalid command ");
  EXPECT_EQ(refused(std::string(20'000, 'x')),
            "E_INVALID command line longer than 16384 bytes");
}

TEST(nsq_commands, row_q7_heartbeats_are_needed_to_subscribe_only) {
  const command_context silent{.heartbeats = false};
  EXPECT_EQ(refused("SUB t c\n", silent),
            "E_INVALID cannot SUB with heartbeats disabled");
  EXPECT_EQ(read({"PUB t\n" + sized("x")}, silent).commands.size(), 1U);
}

TEST(nsq_commands, rows_q8_and_q9_come_only_in_their_states) {
  EXPECT_EQ(refused("SUB t c\n", consuming),
            "E_INVALID cannot SUB in current state");
  EXPECT_EQ(refused("IDENTIFY\n", consuming),
            "E_INVALID cannot IDENTIFY in current state");
  EXPECT_EQ(refused("AUTH\n", consuming),
            "E_INVALID cannot AUTH in current state");
  EXPECT_EQ(refused("RDY 1\n"), "E_INVALID cannot RDY in current state");
  EXPECT_EQ(refused("FIN 0123456789abcdef\n"),
            "E_INVALID cannot FIN in current state");
  EXPECT_EQ(refused("CLS\n"), "E_INVALID cannot CLS in current state");
  const command_context closing{.subscribed = true, .closing = true};
  EXPECT_EQ(refused("CLS\n", closing), "E_INVALID cannot CLS in current state");
  EXPECT_EQ(read({"RDY 9\n"}, closing).commands.at(0).what, verb::nop);
}

TEST(nsq_commands, row_q10_names_are_judged) {
  const std::string longest(64, 'a');
  EXPECT_EQ(refused("SUB " + longest + " c\n"), "");
  EXPECT_EQ(refused("SUB t#ephemeral c#ephemeral\n"), "");
  EXPECT_EQ(refused("SUB " + longest + "a c\n"),
            "E_BAD_TOPIC SUB topic name \"" + longest + "a\" is not valid");
  EXPECT_EQ(refused("SUB t $\n"),
            "E_BAD_CHANNEL SUB channel name \"$\" is not valid");
  EXPECT_EQ(refused("PUB  \n"), "E_BAD_TOPIC PUB topic name \"\" is not valid");
  EXPECT_EQ(refused("PUB a\"b\\\n"),
            "E_BAD_TOPIC PUB topic name \"a\\\"b\\\\\" is not valid");
  EXPECT_EQ(refused("PUB \x01\xff\n"),
            "E_BAD_TOPIC PUB topic name \"\\x01\\xff\" is not valid");
  EXPECT_EQ(refused("MPUB $\n"),
            "E_BAD_TOPIC E_BAD_TOPIC MPUB topic name \"$\" is not valid");
  EXPECT_EQ(refused("SUB t\n"),
            "E_INVALID SUB insufficient number of parameters");
  EXPECT_EQ(refused("PUB\n"),
            "E_INVALID PUB insufficient number of parameters");
}

TEST(nsq_commands, row_q13_a_window_has_a_range) {
  const protocol_limits limits{.rdy_max = 50};
  EXPECT_EQ(refused("RDY 51\n", consuming, limits),
            "E_INVALID RDY count 51 out of range 0-50");
  EXPECT_EQ(read({"RDY 50\nRDY\n"}, consuming, limits).commands.size(), 2U);
  EXPECT_EQ(read({"RDY\n"}, consuming, limits).commands.at(0).count, 1U);
  EXPECT_EQ(refused("RDY -1\n", consuming, limits),
            "E_INVALID RDY could not parse count -1");
}

TEST(nsq_commands, row_q16_an_id_has_16_characters) {
  EXPECT_EQ(refused("FIN 0123\n", consuming), "E_INVALID invalid message ID");
  EXPECT_EQ(refused("TOUCH 0123456789abcdef0\n", consuming),
            "E_INVALID invalid message ID");
  EXPECT_EQ(refused("FIN\n", consuming),
            "E_INVALID FIN insufficient number of params");
  EXPECT_EQ(refused("REQ 0123456789abcdef\n", consuming),
            "E_INVALID REQ insufficient number of params");
}

TEST(nsq_commands, row_q23_a_delay_is_clamped_and_a_sign_refused) {
  const protocol_limits limits{.req_timeout_max = std::chrono::seconds{1}};
  const std::string req = "REQ 0123456789abcdef ";
  EXPECT_EQ(read({req + "2000\n"}, consuming, limits).commands.at(0).count,
            1'000U);
  EXPECT_EQ(
    read({req + "99999999999999999999\n"}, consuming, limits).commands[0].count,
    1'000U);
  EXPECT_EQ(refused(req + "-1\n", consuming, limits),
            "E_INVALID REQ could not parse timeout -1");
}

TEST(nsq_commands, row_q24_a_delay_of_dpub_has_a_range) {
  const protocol_limits limits{.req_timeout_max = std::chrono::seconds{1}};
  EXPECT_EQ(refused("DPUB t 1100\n", {}, limits),
            "E_INVALID DPUB timeout 1100 out of range 0-1000");
  EXPECT_EQ(refused("DPUB t x\n", {}, limits),
            "E_INVALID DPUB could not parse timeout x");
}

TEST(nsq_commands, row_q25_sizes_are_judged_before_the_bodies_come) {
  const protocol_limits limits{.message_bytes_max = 100,
                               .body_bytes_max = 1'000};
  const auto of = [&](const std::string& x) { return refused(x, {}, limits); };
  EXPECT_EQ(of("PUB t\n" + sized(std::string(95, 'x'))), "");
  EXPECT_EQ(of("PUB t\n" + number(105)),
            "E_BAD_MESSAGE PUB message too big 105 > 100");
  EXPECT_EQ(of("PUB t\n" + number(0)),
            "E_BAD_MESSAGE PUB invalid message body size 0");
  EXPECT_EQ(of("PUB t\n" + number(0xffffffff)),
            "E_BAD_MESSAGE PUB invalid message body size -1");
  const std::string full(100, 'x');
  EXPECT_EQ(of(mpub("t", std::vector<std::string>(5, full))), "");
  EXPECT_EQ(of("MPUB t\n" + number(1'148)),
            "E_BAD_BODY MPUB body too big 1148 > 1000");
  EXPECT_EQ(of(mpub("t", {"a", ""})),
            "E_BAD_MESSAGE MPUB invalid message(1) body size 0");
  EXPECT_EQ(of(mpub("t", {full + "x"})),
            "E_BAD_MESSAGE MPUB message too big 101 > 100");
  EXPECT_EQ(of("MPUB t\n" + number(8) + number(0)),
            "E_BAD_BODY MPUB invalid message count 0");
  EXPECT_EQ(of("MPUB t\n" + number(8) + number(200)),
            "E_BAD_BODY MPUB invalid message count 200");
}

TEST(nsq_commands, documents_of_strangers_are_short) {
  const auto most = number(64 << 10);
  const auto more = number((64 << 10) + 1);
  EXPECT_EQ(refused("IDENTIFY\n" + most), "");
  EXPECT_EQ(refused("IDENTIFY\n" + more),
            "E_BAD_BODY IDENTIFY body too big 65537 > 65536");
  EXPECT_EQ(refused("AUTH\n" + most), "");
  EXPECT_EQ(refused("AUTH\n" + more),
            "E_BAD_BODY AUTH body too big 65537 > 65536");
}

TEST(nsq_commands, strangers_are_refused_before_their_bodies_come) {
  const command_context stranger{.needs_login = true};
  const auto of = [&](const std::string& x) { return refused(x, stranger); };
  EXPECT_EQ(of("PUB t\n"), "E_AUTH_FIRST AUTH required before PUB");
  EXPECT_EQ(of("MPUB t\n"), "E_AUTH_FIRST AUTH required before MPUB");
  EXPECT_EQ(of("DPUB t 1\n"), "E_AUTH_FIRST AUTH required before DPUB");
  EXPECT_EQ(of("SUB t c\n"), "E_AUTH_FIRST AUTH required before SUB");
  EXPECT_EQ(of("PUB $\n"), "E_BAD_TOPIC PUB topic name \"$\" is not valid");
  EXPECT_EQ(of("IDENTIFY\n" + sized("{}")), "");
  EXPECT_EQ(of("NOP\n"), "");
}

TEST(nsq_commands, messages_of_mpub_fill_its_body_and_no_more) {
  const auto inside = "MPUB t\n" + number(15) + number(2) + sized("a");
  EXPECT_EQ(refused(inside + number(3)),
            "E_BAD_BODY MPUB messages do not fit into the body");
  // Not even the size of the next one: what follows is another command.
  EXPECT_EQ(refused("MPUB t\n" + number(14) + number(2) + sized("abcde")),
            "E_BAD_BODY MPUB messages do not fit into the body");
  EXPECT_EQ(refused("MPUB t\n" + number(12) + number(1) + sized("a") + "abc"),
            "E_BAD_BODY MPUB messages do not fill the body");
  EXPECT_EQ(refused("MPUB t\n" + number(9) + number(2)),
            "E_BAD_BODY MPUB invalid message count 2");
  EXPECT_EQ(refused("MPUB t\n" + number(3)),
            "E_BAD_BODY MPUB invalid body size 3");
}

TEST(nsq_commands, an_mpub_of_too_many_messages_is_refused_before_they_come) {
  const auto head = [](std::uint32_t count) {
    return "MPUB t\n" + number(4 + 5 * count) + number(count);
  };
  EXPECT_EQ(refused(head(1'000'000)),
            "E_BAD_BODY MPUB too many messages 1000000 > 200000");
  EXPECT_EQ(refused(head(200'000)), "");
}

TEST(nsq_commands, hold_no_more_than_what_has_come) {
  const protocol_limits limits;
  command_reader reader{limits};
  const std::string part(100'000, 'x');
  const auto head = "PUB t\n" + number(1 << 20) + part;
  std::string_view left{head};
  EXPECT_EQ(reader.read(left, {}), command_reader::step::more);
  EXPECT_EQ(reader.reading(), verb::pub);
  EXPECT_GE(reader.held(), part.size());
  EXPECT_LE(reader.held(), 2 * part.size() + 1'000);
}

TEST(nsq_commands, row_q35_nothing_comes_before_tls_where_it_is_required) {
  const command_context plain{.needs_tls = true};
  EXPECT_EQ(refused("PUB t\n", plain),
            "E_INVALID cannot PUB in current state (TLS required)");
  EXPECT_EQ(refused("IDENTIFY\n" + number(0), plain),
            "E_BAD_BODY IDENTIFY invalid body size 0");
}

TEST(nsq_commands, of_auth_have_no_parameters) {
  EXPECT_EQ(refused("AUTH secret\n"),
            "E_INVALID AUTH invalid number of parameters");
  EXPECT_EQ(read({"AUTH\n" + sized("s")}).commands.at(0).bodies.at(0), "s");
}

TEST(nsq_frames, are_as_clients_read_them) {
  std::string out;
  append_frame(out, frame_type::response, "OK");
  EXPECT_EQ(out, number(6) + number(0) + "OK");
  out.clear();
  append_message(out, {.timestamp_ns = 0x0102030405060708,
                       .attempts = 0x10002,
                       .id = 0xab,
                       .body = "hi"});
  const auto numbers = number(32) + number(2);
  const std::string times{"\x01\x02\x03\x04\x05\x06\x07\x08\x00\x02", 10};
  EXPECT_EQ(out, numbers + times + "00000000000000ab" + "hi");
  EXPECT_EQ(read_message_id(message_id_text(~item_id{0} - 5)), ~item_id{0} - 5);
  EXPECT_FALSE(read_message_id("00000000000000aG"));
  EXPECT_FALSE(read_message_id("0"));
}

} // namespace

} // namespace depositd::testing
