#include "messages/values/time_text.hpp"

#include <chrono>
#include <cstdio>
#include <utility>

namespace depositd {

namespace {

/// Reads exactly `digits` digits, or nothing at all.
bool take_number(std::string_view& text, int digits, int& out) {
  if (text.size() < static_cast<std::size_t>(digits))
    return false;
  out = 0;
  for (int i = 0; i < digits; ++i) {
    if (text[i] < '0' || text[i] > '9')
      return false;
    out = out * 10 + (text[i] - '0');
  }
  text.remove_prefix(digits);
  return true;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c)
    return false;
  text.remove_prefix(1);
  return true;
}

/// Up to six digits after the point, as microseconds.
bool take_fraction(std::string_view& text, int& out) {
  out = 0;
  int scale = 100'000;
  std::size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') {
    out += (text[digits] - '0') * scale;
    scale /= 10;
    ++digits;
  }
  text.remove_prefix(digits);
  return digits >= 1 && digits <= 9;
}

struct clock_time {
  int hour = 0;
  int minute = 0;
  int second = 0;
  int micro = 0;
};

bool take_clock(std::string_view& text, clock_time& out) {
  if (!take_number(text, 2, out.hour) || !take(text, ':')
      || !take_number(text, 2, out.minute))
    return false;
  if (take(text, ':')) {
    if (!take_number(text, 2, out.second))
      return false;
    if (take(text, '.') && !take_fraction(text, out.micro))
      return false;
  }
  return out.hour < 24 && out.minute < 60 && out.second < 60;
}

} // namespace

std::string format_utc(micros at) {
  using namespace std::chrono;
  if (at == never)
    return {};
  const sys_time<microseconds> time{microseconds{at}};
  const auto day = floor<days>(time);
  const year_month_day date{day};
  const hh_mm_ss clock{time - day};
  char out[64];
  std::snprintf(
    out, sizeof(out), "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ",
    static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
    static_cast<unsigned>(date.day()), static_cast<int>(clock.hours().count()),
    static_cast<int>(clock.minutes().count()),
    static_cast<int>(clock.seconds().count()),
    static_cast<int>(clock.subseconds().count() / 1000));
  return out;
}

caf::expected<micros> parse_utc(std::string_view text) {
  using namespace std::chrono;
  const auto whole = text;
  int y = 0;
  int m = 0;
  int d = 0;
  clock_time clock;
  bool good = take_number(text, 4, y) && take(text, '-')
              && take_number(text, 2, m) && take(text, '-')
              && take_number(text, 2, d);
  if (good && (take(text, 'T') || take(text, ' ')))
    good = take_clock(text, clock);
  take(text, 'Z');
  const year_month_day date{year{y}, month(m), day(d)};
  if (!good || !text.empty() || !date.ok()) {
    std::string why = "\"";
    why += whole.substr(0, 40);
    why += "\" is no time like 2026-03-01T09:30:00Z";
    return caf::make_error(ec::invalid_argument, std::move(why));
  }
  const auto at = sys_days{date} + hours{clock.hour} + minutes{clock.minute}
                  + seconds{clock.second} + microseconds{clock.micro};
  return duration_cast<microseconds>(at.time_since_epoch()).count();
}

} // namespace depositd
