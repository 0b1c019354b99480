#pragma once

// The settings of sources and schedulers, one line each.

#include "messages/values/sources.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace depositd::rules {

/// One setting: a text, a number within bounds, or something of its own.
template <class Settings>
struct setting_line {
  std::string_view name;
  std::uint32_t kinds = 0; ///< of sources: one bit each
  bool required = false;
  std::string& (*text)(Settings&) = nullptr;
  std::uint64_t& (*number)(Settings&) = nullptr;
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  std::string_view word = {}; ///< for the largest number of all
};

constexpr std::uint32_t bit_of(source_kind kind) noexcept {
  return 1u << static_cast<std::uint32_t>(kind);
}

template <std::string source_settings::*Member>
std::string& text_of(source_settings& x) {
  return x.*Member;
}
template <std::uint64_t source_settings::*Member>
std::uint64_t& number_of(source_settings& x) {
  return x.*Member;
}
template <std::string source_origin::*Member>
std::string& origin_text(source_settings& x) {
  return x.from.*Member;
}
template <std::uint64_t source_origin::*Member>
std::uint64_t& origin_number(source_settings& x) {
  return x.from.*Member;
}
template <std::string scheduler_settings::*Member>
std::string& text_of(scheduler_settings& x) {
  return x.*Member;
}
template <std::uint64_t scheduler_settings::*Member>
std::uint64_t& number_of(scheduler_settings& x) {
  return x.*Member;
}

inline constexpr std::uint64_t day_ms = 86'400'000;
inline constexpr std::uint64_t records_max = 10'000'000;

/// `kind` and `ends` are neither texts nor numbers: `settings.cpp` has them.
inline constexpr auto source_lines = [] {
  using s = source_settings;
  using o = source_origin;
  constexpr std::uint32_t sql = bit_of(source_kind::sql);
  constexpr std::uint32_t sqs = bit_of(source_kind::sqs);
  constexpr std::uint32_t kafka = bit_of(source_kind::kafka);
  constexpr std::uint32_t s3 = bit_of(source_kind::s3);
  constexpr std::uint32_t folder = bit_of(source_kind::folder);
  constexpr std::uint32_t queue = bit_of(source_kind::queue);
  constexpr std::uint32_t exec = bit_of(source_kind::exec);
  constexpr std::uint32_t all = (exec << 1) - 1;
  using line = setting_line<s>;
  return std::array{
    line{"kind", all, true},
    line{"scheduler", all, true, text_of<&s::scheduler>},
    line{"key", all, false, text_of<&s::key>},
    line{"user_field", all, false, text_of<&s::user_field>},
    line{"capacity", all, false, nullptr, number_of<&s::capacity>, 1,
         records_max},
    line{"replenish_threshold", all, false, nullptr,
         number_of<&s::replenish_threshold>, 0, records_max, "half"},
    line{"timeout_ms", all, false, nullptr, number_of<&s::timeout_ms>, 1,
         day_ms},
    line{"poll_interval_ms", all, false, nullptr,
         number_of<&s::poll_interval_ms>, 1, day_ms},
    line{"retry_delay_ms", all, false, nullptr, number_of<&s::retry_delay_ms>,
         1, day_ms},
    line{"retry_delay_ms_max", all, false, nullptr,
         number_of<&s::retry_delay_ms_max>, 1, day_ms},
    line{"known_max", all, false, nullptr, number_of<&s::known_max>, 0,
         10 * records_max},
    line{"ends", all, false},
    line{"url", sql | sqs | queue, true, origin_text<&o::url>},
    line{"query", sql, true, origin_text<&o::query>},
    line{"cursor", sql | exec, false, origin_text<&o::cursor>},
    line{"cursor_start", sql | exec, false, origin_text<&o::cursor_start>},
    line{"total_query", sql, false, origin_text<&o::total_query>},
    line{"region", sqs | s3, false, origin_text<&o::region>},
    line{"access_key_file", sqs | s3, false, origin_text<&o::access_key_file>},
    line{"secret_key_file", sqs | s3, false, origin_text<&o::secret_key_file>},
    line{"visibility_timeout_s", sqs, false, nullptr,
         origin_number<&o::visibility_timeout_s>, 1, 43'200},
    line{"topic", kafka, true, origin_text<&o::topic>},
    line{"brokers", kafka, false, origin_text<&o::brokers>},
    line{"bucket", s3, true, origin_text<&o::bucket>},
    line{"prefix", s3, false, origin_text<&o::prefix>},
    line{"endpoint", s3, false, origin_text<&o::endpoint>},
    line{"path", folder, true, origin_text<&o::path>},
    line{"key_file", queue, false, origin_text<&o::key_file>},
    line{"claim_ttl_s", queue, false, nullptr, origin_number<&o::claim_ttl_s>,
         1, 3'600},
    line{"command", exec, true, origin_text<&o::command>},
  };
}();

inline constexpr auto scheduler_lines = [] {
  using s = scheduler_settings;
  using line = setting_line<s>;
  return std::array{
    line{"queue", 0, true, text_of<&s::queue>},
    line{"strategy", 0, true, text_of<&s::strategy>},
    line{"high", 0, false, nullptr, number_of<&s::high>, 1, 100 * records_max},
    line{"low", 0, false, nullptr, number_of<&s::low>, 0, 100 * records_max,
         "half"},
    line{"high_per_user", 0, false, nullptr, number_of<&s::high_per_user>, 1,
         100 * records_max, "none"},
    line{"downstream", 0, false, text_of<&s::downstream>},
    line{"downstream_query", 0, false, text_of<&s::downstream_query>},
  };
}();

} // namespace depositd::rules
