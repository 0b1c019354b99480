#include "adapters/doors/nsq/identify.hpp"

#include "adapters/doors/kit/json_reader.hpp"
#include "adapters/doors/kit/json_text.hpp"
#include "adapters/doors/nsq/clients.hpp"
#include "messages/values/cut_text.hpp"
#include "messages/values/lower_case.hpp"
#include "messages/values/utf8.hpp"

#include <algorithm>
#include <charconv>
#include <utility>
#include <variant>
#include <vector>

namespace depositd::nsq {

namespace {

/// The document's members as nsqd knows them; 0 and false are as good as none.
struct wishes {
  std::string client_id;
  std::string hostname;
  std::string short_id; ///< old names of the two
  std::string long_id;
  std::string user_agent;
  std::string topology_region; ///< these two must be texts, and change nothing
  std::string topology_zone;
  std::int64_t heartbeat_interval = 0;
  std::int64_t output_buffer_size = 0;
  std::int64_t output_buffer_timeout = 0;
  std::int64_t deflate_level = 0;
  std::int64_t sample_rate = 0;
  std::int64_t msg_timeout = 0;
  bool feature_negotiation = false;
  bool tls_v1 = false;
  bool deflate = false;
  bool snappy = false;
};

using member =
  std::variant<std::string wishes::*, std::int64_t wishes::*, bool wishes::*>;

const std::vector<std::pair<std::string_view, member>>& members() {
  static const std::vector<std::pair<std::string_view, member>> all{
    {"client_id", &wishes::client_id},
    {"hostname", &wishes::hostname},
    {"short_id", &wishes::short_id},
    {"long_id", &wishes::long_id},
    {"user_agent", &wishes::user_agent},
    {"topology_region", &wishes::topology_region},
    {"topology_zone", &wishes::topology_zone},
    {"heartbeat_interval", &wishes::heartbeat_interval},
    {"output_buffer_size", &wishes::output_buffer_size},
    {"output_buffer_timeout", &wishes::output_buffer_timeout},
    {"deflate_level", &wishes::deflate_level},
    {"sample_rate", &wishes::sample_rate},
    {"msg_timeout", &wishes::msg_timeout},
    {"feature_negotiation", &wishes::feature_negotiation},
    {"tls_v1", &wishes::tls_v1},
    {"deflate", &wishes::deflate},
    {"snappy", &wishes::snappy},
  };
  return all;
}

bool read_value(kit::json_reader& from, std::string& to) {
  to.clear();
  return from.text(to);
}

bool read_value(kit::json_reader& from, std::int64_t& to) {
  std::string token;
  if (!from.copy(token))
    return false;
  const auto* end = token.data() + token.size();
  const auto [stop, wrong] = std::from_chars(token.data(), end, to);
  return wrong == std::errc{} && stop == end;
}

bool read_value(kit::json_reader& from, bool& to) {
  std::string token;
  if (!from.copy(token) || (token != "true" && token != "false"))
    return false;
  to = token == "true";
  return true;
}

bool read_member(kit::json_reader& from, const std::string& name, wishes& to) {
  // As Go compares names of members.
  const auto known = std::find_if(
    members().begin(), members().end(),
    [&](const auto& x) { return same_but_for_case(x.first, name); });
  if (known == members().end() || from.look() == 'n')
    return from.skip();
  return std::visit([&](auto at) { return read_value(from, to.*at); },
                    known->second);
}

/// As Go reads documents: a byte that belongs to no character is one that is
/// not known, and the others stay.
std::string with_characters_only(std::string_view text) {
  constexpr char32_t unknown = 0xfffd;
  std::string out;
  for (;;) {
    const auto end = std::min(find_invalid_utf8(text), text.size());
    out += text.substr(0, end);
    if (end == text.size())
      return out;
    append_utf8(out, unknown);
    text.remove_prefix(end + 1);
  }
}

bool read_wishes(std::string_view given, wishes& to) {
  const auto document = with_characters_only(given);
  kit::json_reader from{document};
  if (from.look() == 'n')
    return from.skip() && from.at_end() && from.finish();
  if (!from.open('{'))
    return false;
  std::string name;
  for (bool first = true; from.next('}', first);)
    if (!from.key(name) || !read_member(from, name, to))
      return false;
  return from.fault() == kit::json_fault::none && from.at_end()
         && from.finish();
}

refusal bad(std::string_view what, std::int64_t value) {
  return refusal::of("E_BAD_BODY", "IDENTIFY " + std::string{what} + " ("
                                     + std::to_string(value) + ") is invalid");
}

bool within(std::int64_t value, std::int64_t least, terms::ms most) {
  return value >= least && value <= most.count();
}

std::optional<refusal> set_heartbeat(std::int64_t wanted,
                                     const protocol_limits& limits, terms& to) {
  if (wanted == 0)
    return std::nullopt;
  if (wanted != -1 && !within(wanted, 1'000, limits.heartbeat_max))
    return bad("heartbeat interval", wanted);
  to.heartbeat = terms::ms{wanted == -1 ? 0 : wanted};
  return std::nullopt;
}

std::optional<refusal> set_output(const wishes& x,
                                  const protocol_limits& limits, terms& to) {
  const auto timeout = x.output_buffer_timeout;
  const auto size = x.output_buffer_size;
  if (timeout != 0) {
    if (timeout != -1
        && !within(timeout, limits.output_timeout_min.count(),
                   limits.output_timeout_max))
      return bad("output buffer timeout", timeout);
    to.output_timeout = terms::ms{timeout == -1 ? 0 : timeout};
    to.waits_for_more = true;
  }
  if (size == -1) {
    to.output_buffer = 1;
    to.output_timeout = terms::ms{0};
  } else if (size != 0) {
    if (size < 64 || size > limits.output_buffer_max)
      return bad("output buffer size", size);
    to.output_buffer = static_cast<std::uint32_t>(size);
  }
  return std::nullopt;
}

std::optional<refusal> set_rest(const wishes& x, const protocol_limits& limits,
                                terms& to) {
  if (x.sample_rate < 0 || x.sample_rate > 99)
    return bad("sample rate", x.sample_rate);
  to.sample_rate = static_cast<std::uint32_t>(x.sample_rate);
  if (x.msg_timeout == 0)
    return std::nullopt;
  if (!within(x.msg_timeout, 1'000, limits.msg_timeout_max))
    return bad("msg timeout", x.msg_timeout);
  to.msg_timeout = terms::ms{x.msg_timeout};
  return std::nullopt;
}

std::string shortened(std::string text) {
  constexpr std::size_t bytes_max = 1'024; // it is kept, and shown
  text.resize(beginning_of(text, bytes_max).size());
  return text;
}

void take_names(wishes& x, terms& to) {
  to.client_id = shortened(x.client_id.empty() ? std::move(x.short_id)
                                               : std::move(x.client_id));
  to.hostname = shortened(x.hostname.empty() ? std::move(x.long_id)
                                             : std::move(x.hostname));
  to.user_agent = shortened(std::move(x.user_agent));
}

/// Writes a JSON object in nsqd's order of members.
class object_text {
public:
  object_text& add(std::string_view name, std::int64_t value) {
    return raw(name, std::to_string(value));
  }

  object_text& add(std::string_view name, bool value) {
    return raw(name, value ? "true" : "false");
  }

  object_text& add(std::string_view name, std::string_view value) {
    std::string text;
    kit::append_json_string(text, value);
    return raw(name, text);
  }

  std::string finish() {
    return out_ + '}';
  }

private:
  object_text& raw(std::string_view name, std::string_view value) {
    out_ += out_.empty() ? '{' : ',';
    kit::append_json_string(out_, name);
    out_ += ':';
    out_ += value;
    return *this;
  }

  std::string out_;
};

std::string answer_text(const negotiated& x, const protocol_limits& limits,
                        const server_facts& server, const terms& now) {
  const auto number = [](auto y) { return static_cast<std::int64_t>(y); };
  return object_text{}
    .add("max_rdy_count", number(limits.rdy_max))
    .add("version", std::string_view{server_version})
    .add("max_msg_timeout", number(limits.msg_timeout_max.count()))
    .add("msg_timeout", number(now.msg_timeout.count()))
    .add("tls_v1", x.tls)
    .add("deflate", x.deflate)
    .add("deflate_level", number(x.deflate_level))
    .add("max_deflate_level", number(limits.deflate_level_max))
    .add("snappy", x.snappy)
    .add("sample_rate", number(now.sample_rate))
    .add("auth_required", server.auth_required)
    .add("output_buffer_size", number(now.output_buffer))
    .add("output_buffer_timeout", number(now.output_timeout.count()))
    .finish();
}

std::optional<refusal> set_all(const wishes& x, const protocol_limits& limits,
                               terms& to) {
  if (auto wrong = set_heartbeat(x.heartbeat_interval, limits, to))
    return wrong;
  if (auto wrong = set_output(x, limits, to))
    return wrong;
  return set_rest(x, limits, to);
}

} // namespace

negotiated identify(std::string_view document, const protocol_limits& limits,
                    const server_facts& server, terms& to) {
  negotiated out;
  wishes x;
  if (!read_wishes(document, x)) {
    out.wrong =
      refusal::of("E_BAD_BODY", "IDENTIFY failed to decode JSON body");
    return out;
  }
  out.wrong = set_all(x, limits, to);
  if (out.wrong)
    return out;
  take_names(x, to);
  if (!x.feature_negotiation)
    return out;
  out.tls = server.tls && x.tls_v1;
  out.snappy = limits.snappy && x.snappy;
  out.deflate = limits.deflate && x.deflate;
  if (out.deflate && x.deflate_level > 0)
    out.deflate_level = static_cast<int>(
      std::min<std::int64_t>(x.deflate_level, limits.deflate_level_max));
  out.deflate_level = std::min(out.deflate_level, limits.deflate_level_max);
  if (out.deflate && out.snappy)
    out.wrong = refusal::of(
      "E_IDENTIFY_FAILED", "cannot enable both deflate and snappy compression");
  else
    out.answer = answer_text(out, limits, server, to);
  return out;
}

} // namespace depositd::nsq
