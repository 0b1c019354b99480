#include "messages/values/time_text.hpp"

#include <chrono>
#include <cstdio>
#include <sstream>

#include <date/date.h>

namespace depositd {

namespace {

/// The pattern that a time of so many characters has.
const char* pattern_of(std::size_t size) {
  switch (size) {
    case 10:
      return "%F";
    case 16:
      return "%FT%H:%M";
    default:
      return size == 19 || (size > 20 && size <= 26) ? "%FT%T" : nullptr;
  }
}

} // namespace

// By hand: the library takes five times as long, and every outcome that is
// published has two of these.
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
  std::string plain{text};
  if (plain.ends_with('Z'))
    plain.pop_back();
  if (plain.size() > 10 && plain[10] == ' ')
    plain[10] = 'T';
  // Nanoseconds are read and forgotten.
  if (plain.size() > 26 && plain.size() < 30
      && plain.find_first_not_of("0123456789", 26) == plain.npos)
    plain.resize(26);
  date::sys_time<std::chrono::microseconds> at;
  std::istringstream from{plain};
  const auto* pattern = pattern_of(plain.size());
  // The library is content with fewer digits, signs, and seconds like 60: what
  // it has read must be written as it stands here.
  if (pattern && from >> date::parse(pattern, at)
      && date::format("%FT%T", at).starts_with(plain))
    return at.time_since_epoch().count();
  return caf::make_error(ec::invalid_argument,
                         '"' + std::string{text.substr(0, 40)}
                           + "\" is no time like 2026-03-01T09:30:00Z");
}

std::string format_http_date(micros at) {
  using namespace std::chrono;
  static constexpr const char* week[] = {"Sun", "Mon", "Tue", "Wed",
                                         "Thu", "Fri", "Sat"};
  static constexpr const char* year[] = {"Jan", "Feb", "Mar", "Apr",
                                         "May", "Jun", "Jul", "Aug",
                                         "Sep", "Oct", "Nov", "Dec"};
  const sys_time<microseconds> time{microseconds{at}};
  const auto day = floor<days>(time);
  const year_month_day date{day};
  const hh_mm_ss clock{floor<seconds>(time - day)};
  char out[64];
  std::snprintf(
    out, sizeof(out), "%s, %02u %s %04d %02d:%02d:%02d GMT",
    week[weekday{day}.c_encoding()], static_cast<unsigned>(date.day()),
    year[static_cast<unsigned>(date.month()) - 1],
    static_cast<int>(date.year()), static_cast<int>(clock.hours().count()),
    static_cast<int>(clock.minutes().count()),
    static_cast<int>(clock.seconds().count()));
  return out;
}

} // namespace depositd
