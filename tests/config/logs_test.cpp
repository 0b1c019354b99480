#include "config/logs.hpp"

#include "messages/values/trace_book.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <chrono>
#include <string>

namespace depositd {
namespace {

std::string line_of(const std::string& message, spdlog::formatter& by) {
  spdlog::details::log_msg x{"audit", spdlog::level::warn, message};
  x.time = spdlog::log_clock::time_point{std::chrono::milliseconds{1'500'007}};
  spdlog::memory_buf_t out;
  by.format(x, out);
  return {out.data(), out.size()};
}

std::string line_of(const std::string& message) {
  return line_of(message, *make_json_formatter());
}

TEST(json_log, is_an_object_a_line) {
  EXPECT_EQ(line_of("claim_lost item=5"),
            R"({"ts":"1970-01-01T00:25:00.007Z","level":"warning",)"
            R"("logger":"audit","message":"claim_lost item=5"})"
            "\n");
}

TEST(json_log, has_the_trace_of_a_message) {
  const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  auto read = [](const std::string& x) {
    return nlohmann::json::parse(line_of(x)).value("trace", "");
  };
  EXPECT_EQ(read("item_in_work item=5 trace=" + trace), trace);
  EXPECT_EQ(read("item_in_work item=5 trace=" + trace + " more"), trace);
  EXPECT_EQ(read("item_in_work item=5 trace=short"), "");
  EXPECT_EQ(read("item_in_work item=5 trace=" + std::string(32, 'G')), "");
}

TEST(json_log, finds_the_trace_of_a_number) {
  open_trace_book();
  const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  note_trace(71, trace);
  auto read = [](const std::string& x) {
    return nlohmann::json::parse(line_of(x)).value("trace", "");
  };
  EXPECT_EQ(read("claim_lost sp=a item=71"), trace);
  EXPECT_EQ(read("notification_failed submission=71 reason=\"x\""), trace);
  EXPECT_EQ(read("claim_lost sp=a item=711"), "");
  EXPECT_EQ(read("claim_lost sp=a item=none"), "");
  EXPECT_EQ(read("claim_lost sp=a item=71 trace=" + std::string(32, 'a')),
            std::string(32, 'a'));
}

TEST(json_log, stays_an_object_whatever_a_stranger_is_called) {
  const std::string odd = "file=\"a\"\n\t\x01 \xff\xfe end";
  const auto line = line_of(odd);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const auto message = nlohmann::json::parse(line).at("message");
  EXPECT_EQ(message.get<std::string>().substr(0, 10), odd.substr(0, 10));
}

TEST(text_log, is_a_line_for_each_event) {
  EXPECT_EQ(line_of("claim_lost item=5", *make_text_formatter()),
            "1970-01-01T00:25:00.007Z warning claim_lost item=5\n");
  EXPECT_EQ(line_of("x reason=\"\"a\nb\" is\r\"", *make_text_formatter()),
            "1970-01-01T00:25:00.007Z warning "
            R"(x reason="\"a\x0ab\" is\x0d")"
            "\n");
}

} // namespace
} // namespace depositd
