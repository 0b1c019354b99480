#include "config/logs.hpp"

#include "config/log_sink.hpp"
#include "messages/values/json_text.hpp"
#include "messages/values/log_text.hpp"
#include "messages/values/trace_book.hpp"

#include <nlohmann/json.hpp>

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/spdlog.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <unistd.h>

namespace depositd {

namespace {

constexpr std::string_view trace_mark = " trace=";
constexpr std::size_t trace_digits = 32;

std::string time_text_of(spdlog::log_clock::time_point at) {
  using namespace std::chrono;
  const auto ms =
    duration_cast<milliseconds>(at.time_since_epoch()).count() % 1000;
  const auto seconds = spdlog::log_clock::to_time_t(at);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  std::array<char, 8> rest{};
  std::snprintf(rest.data(), rest.size(), ".%03dZ", static_cast<int>(ms));
  return std::string{text.data()} + rest.data();
}

std::string trace_in(std::string_view message) {
  const auto at = message.rfind(trace_mark);
  if (at == message.npos)
    return {};
  const auto out = message.substr(at + trace_mark.size(), trace_digits);
  return out.size() == trace_digits
             && out.find_first_not_of("0123456789abcdef") == out.npos
           ? std::string{out}
           : std::string{};
}

/// Of the deposit, batch, job or message whose number the line has.
std::string trace_by_number(std::string_view message) {
  for (const std::string_view mark : {" item=", " submission=", " job="}) {
    const auto at = message.find(mark);
    if (at == message.npos)
      continue;
    const auto digits = message.substr(at + mark.size());
    item_id id = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), id).ec
        == std::errc{})
      if (auto found = trace_noted(id))
        return std::move(found->trace);
  }
  return {};
}

class json_formatter final : public spdlog::formatter {
public:
  void format(const spdlog::details::log_msg& from,
              spdlog::memory_buf_t& to) override {
    const std::string message{from.payload.data(), from.payload.size()};
    const auto level = spdlog::level::to_string_view(from.level);
    nlohmann::ordered_json line = {
      {"ts", time_text_of(from.time)},
      {"level", std::string{level.data(), level.size()}},
      {"logger", std::string{from.logger_name.data(), from.logger_name.size()}},
      {"message", message}};
    auto trace = trace_in(message);
    if (trace.empty())
      trace = trace_by_number(message);
    if (!trace.empty())
      line["trace"] = std::move(trace);
    // Names that strangers give may be no UTF-8.
    const auto text = json_text(line) + "\n";
    to.append(text.data(), text.data() + text.size());
  }

  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<json_formatter>();
  }
};

class text_formatter final : public spdlog::formatter {
public:
  void format(const spdlog::details::log_msg& from,
              spdlog::memory_buf_t& to) override {
    const auto line = log_line({from.payload.data(), from.payload.size()});
    auto as_line = from;
    as_line.payload = line;
    with_.format(as_line, to);
  }

  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<text_formatter>();
  }

private:
  spdlog::pattern_formatter with_{"%Y-%m-%dT%H:%M:%S.%eZ %l %v",
                                  spdlog::pattern_time_type::utc};
};

} // namespace

std::unique_ptr<spdlog::formatter> make_text_formatter() {
  return std::make_unique<text_formatter>();
}

std::unique_ptr<spdlog::formatter> make_json_formatter() {
  return std::make_unique<json_formatter>();
}

void start_log(const log_settings& settings) {
  spdlog::set_default_logger(std::make_shared<spdlog::logger>(
    "depositd", std::make_shared<log_sink>(STDERR_FILENO)));
  if (settings.format == "json") {
    open_trace_book();
    spdlog::set_formatter(make_json_formatter());
  } else {
    spdlog::set_formatter(make_text_formatter());
  }
  spdlog::set_level(spdlog::level::from_str(settings.level));
}

} // namespace depositd
