#include "adapters/doors/emodb/parameters.hpp"

#include "adapters/doors/emodb/answers.hpp"
#include "messages/values/blanks.hpp"
#include "messages/values/names.hpp"

#include <charconv>
#include <cstdlib>

namespace depositd::emodb {

namespace {

/// Exactly one number, a plus sign allowed.
bool read_number(std::string_view text, std::int64_t& out) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-'))
      return false;
  }
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, out);
  return parsed.ec == std::errc{} && parsed.ptr == end;
}

std::string_view cut(std::string_view& rest, char at) {
  const auto end = rest.find(at);
  const auto out = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return trimmed(out);
}

/// Whether `q=0` is among the parameters of an accepted type.
bool is_refused(std::string_view parameters) {
  while (!parameters.empty()) {
    const auto one = cut(parameters, ';');
    if (one.size() > 2 && (one[0] == 'q' || one[0] == 'Q') && one[1] == '=')
      return std::atof(std::string{one.substr(2)}.c_str()) <= 0;
  }
  return false;
}

/// How exactly a media range names JSON: 0 not at all.
int closeness(std::string_view range) {
  if (http::same_token(range, "application/json"))
    return 3;
  if (http::same_token(range, "application/*"))
    return 2;
  return range == "*/*" || range == "*" ? 1 : 0;
}

} // namespace

std::int64_t query_reader::read(std::string_view name, std::int64_t otherwise,
                                std::int64_t min, std::int64_t max) {
  const auto* given = http::find(from_.query, name);
  if (!given || given->empty())
    return otherwise;
  std::int64_t out = 0;
  if (read_number(*given, out) && out >= min && out <= max)
    return out;
  if (!wrong_)
    wrong_ = not_a_number(*given);
  return otherwise;
}

void query_reader::flag(std::string_view name) {
  const auto* given = http::find(from_.query, name);
  if (given && !given->empty() && !wrong_ && !http::same_token(*given, "true")
      && !http::same_token(*given, "false"))
    wrong_ = not_a_boolean(*given);
}

std::optional<http::response> check_limit(std::int64_t limit) {
  if (limit <= 0)
    return illegal_argument("Limit must be >0");
  if (limit > limit_max)
    return illegal_argument("Limit must be <=1000");
  return std::nullopt;
}

std::optional<http::response> check_ttl(std::int64_t ttl_s) {
  if (ttl_s < 0)
    return illegal_argument("ClaimTtl must be >=0");
  if (ttl_s > ttl_max_s)
    return illegal_argument("ClaimTtl must be <=1 hour");
  return std::nullopt;
}

std::optional<http::response>
check_wait(std::int64_t wait_s, std::int64_t wait_max_s, bool claims) {
  if (wait_s < 0)
    return illegal_argument("Wait must be >=0");
  if (wait_s > wait_max_s)
    return illegal_argument("Wait must be <=" + std::to_string(wait_max_s)
                            + " seconds");
  if (wait_s > 0 && !claims)
    return illegal_argument("Wait needs a ClaimTtl >0");
  return std::nullopt;
}

std::optional<http::response> check_queue_name(std::string_view name) {
  if (legal_message_queue_name(name))
    return std::nullopt;
  return illegal_argument(
    "Queue name must be a lowercase ASCII string of 1 to 255 letters, digits "
    "and - . : @ _ that begins with no single underscore");
}

bool sends_json(const http::request& x) {
  const auto* type = x.header("content-type");
  return type
         && http::same_token(
           trimmed(std::string_view{*type}.substr(0, type->find(';'))),
           "application/json");
}

bool accepts_json(const http::request& x) {
  int closest = -1;
  bool welcome = true;
  for (const auto& [name, value] : x.headers) {
    if (!http::same_token(name, "accept"))
      continue;
    std::string_view rest = value;
    if (closest < 0 && !trimmed(rest).empty()) {
      closest = 0;
      welcome = false;
    }
    while (!rest.empty()) {
      auto one = cut(rest, ',');
      const auto range = cut(one, ';');
      const auto how = closeness(range);
      // The most exact range decides.
      if (how > closest || (how == closest && how > 0 && !welcome)) {
        closest = how;
        welcome = !is_refused(one);
      }
    }
  }
  return welcome;
}

const std::string& key_of(const http::request& x) {
  static const std::string none;
  const auto* key = x.header("x-bv-api-key");
  if (!key || key->empty())
    key = http::find(x.query, "APIKey");
  return key ? *key : none;
}

} // namespace depositd::emodb
