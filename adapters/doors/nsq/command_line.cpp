// Lines: words, names and numbers, and what the state of a connection allows.

#include "adapters/doors/nsq/commands.hpp"

#include "adapters/doors/kit/json_text.hpp"
#include "adapters/doors/nsq/frames.hpp"
#include "messages/values/topic_names.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace depositd::nsq {

namespace {

using words = std::vector<std::string_view>;

struct verb_word {
  verb what;
  std::string_view word;
};

constexpr std::array<verb_word, 12> verbs{{
  {verb::fin, "FIN"},
  {verb::rdy, "RDY"},
  {verb::req, "REQ"},
  {verb::pub, "PUB"},
  {verb::mpub, "MPUB"},
  {verb::dpub, "DPUB"},
  {verb::nop, "NOP"},
  {verb::touch, "TOUCH"},
  {verb::sub, "SUB"},
  {verb::cls, "CLS"},
  {verb::auth, "AUTH"},
  {verb::identify, "IDENTIFY"},
}};

words split(std::string_view line) {
  words out;
  for (;;) {
    const auto end = line.find(' ');
    out.push_back(line.substr(0, end));
    if (end == line.npos)
      return out;
    line.remove_prefix(end + 1);
  }
}

/// As nsqd reads it: no digits are 0; what is too large stays the largest.
std::optional<std::uint64_t> number_of(std::string_view text) {
  constexpr auto most = std::numeric_limits<std::uint32_t>::max();
  std::uint64_t out = 0;
  for (const char c : text) {
    if (c < '0' || c > '9')
      return std::nullopt;
    out = std::min<std::uint64_t>(
      out * 10 + static_cast<std::uint64_t>(c - '0'), most);
  }
  return out;
}

std::string text_of(std::string_view x) {
  return std::string{x};
}

refusal in_this_state(verb what) {
  return refusal::invalid("cannot " + text_of(word_of(what))
                          + " in current state");
}

refusal too_few(verb what, std::string_view words) {
  return refusal::invalid(text_of(word_of(what)) + " insufficient number of "
                          + text_of(words));
}

std::optional<refusal> read_topic(command& to, const words& all) {
  to.topic = all[1];
  if (is_topic_name(to.topic))
    return std::nullopt;
  // nsqd says it twice here.
  const auto twice = to.what == verb::mpub ? "E_BAD_TOPIC " : "";
  return refusal::of("E_BAD_TOPIC", twice + text_of(word_of(to.what))
                                      + " topic name " + nsq::quoted(to.topic)
                                      + " is not valid");
}

std::optional<refusal> read_id(command& to, const words& all) {
  if (all[1].size() != message_id_bytes)
    return refusal::invalid("invalid message ID");
  to.id_text = all[1];
  return std::nullopt;
}

std::optional<refusal> read_sub(command& to, const words& all,
                                const command_context& in) {
  if (in.subscribed)
    return in_this_state(to.what);
  if (!in.heartbeats)
    return refusal::invalid("cannot SUB with heartbeats disabled");
  if (all.size() < 3)
    return too_few(to.what, "parameters");
  if (auto wrong = read_topic(to, all))
    return wrong;
  to.channel = all[2];
  if (!is_topic_name(to.channel))
    return refusal::of("E_BAD_CHANNEL", "SUB channel name "
                                          + nsq::quoted(to.channel)
                                          + " is not valid");
  return std::nullopt;
}

std::optional<refusal> read_rdy(command& to, const words& all,
                                const command_context& in,
                                const protocol_limits& limits) {
  if (in.closing) {
    to.what = verb::nop; // too late, but no fault
    return std::nullopt;
  }
  if (!in.subscribed)
    return in_this_state(to.what);
  to.count = 1;
  if (all.size() > 1) {
    const auto count = number_of(all[1]);
    if (!count)
      return refusal::invalid("RDY could not parse count " + text_of(all[1]));
    to.count = *count;
  }
  if (to.count > limits.rdy_max)
    return refusal::invalid("RDY count " + std::to_string(to.count)
                            + " out of range 0-"
                            + std::to_string(limits.rdy_max));
  return std::nullopt;
}

/// FIN and TOUCH; REQ has a time, too.
std::optional<refusal> read_ending(command& to, const words& all,
                                   const command_context& in,
                                   const protocol_limits& limits) {
  if (!in.subscribed)
    return in_this_state(to.what);
  const bool timed = to.what == verb::req;
  if (all.size() < (timed ? 3 : 2))
    return too_few(to.what, "params");
  if (auto wrong = read_id(to, all))
    return wrong;
  if (!timed)
    return std::nullopt;
  const auto time = number_of(all[2]);
  if (!time)
    return refusal::invalid("REQ could not parse timeout " + text_of(all[2]));
  to.count = std::min<std::uint64_t>(
    *time, static_cast<std::uint64_t>(limits.req_timeout_max.count()));
  return std::nullopt;
}

std::optional<refusal> read_publish(command& to, const words& all,
                                    const protocol_limits& limits) {
  const bool timed = to.what == verb::dpub;
  if (all.size() < (timed ? 3 : 2))
    return too_few(to.what, "parameters");
  if (auto wrong = read_topic(to, all))
    return wrong;
  if (!timed)
    return std::nullopt;
  const auto time = number_of(all[2]);
  if (!time)
    return refusal::invalid("DPUB could not parse timeout " + text_of(all[2]));
  const auto most = static_cast<std::uint64_t>(limits.req_timeout_max.count());
  if (*time > most)
    return refusal::invalid("DPUB timeout " + text_of(all[2])
                            + " out of range 0-" + std::to_string(most));
  to.count = *time;
  return std::nullopt;
}

std::optional<refusal> read_rest(command& to, const words& all,
                                 const command_context& in,
                                 const protocol_limits& limits) {
  switch (to.what) {
    case verb::identify:
      if (in.subscribed)
        return in_this_state(to.what);
      return std::nullopt;
    case verb::auth:
      if (in.subscribed)
        return in_this_state(to.what);
      if (all.size() != 1)
        return refusal::invalid("AUTH invalid number of parameters");
      return std::nullopt;
    case verb::sub:
      return read_sub(to, all, in);
    case verb::rdy:
      return read_rdy(to, all, in, limits);
    case verb::fin:
    case verb::req:
    case verb::touch:
      return read_ending(to, all, in, limits);
    case verb::cls:
      if (!in.subscribed || in.closing)
        return in_this_state(to.what);
      return std::nullopt;
    case verb::nop:
      return std::nullopt;
    case verb::pub:
    case verb::mpub:
    case verb::dpub:
      return read_publish(to, all, limits);
  }
  return std::nullopt;
}

} // namespace

std::string_view word_of(verb x) {
  for (const auto& each : verbs)
    if (each.what == x)
      return each.word;
  return {};
}

std::string quoted(std::string_view text) {
  constexpr std::string_view hex = "0123456789abcdef";
  const bool readable = kit::is_utf8(text);
  std::string out{'"'};
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (const auto at = std::string_view{"\a\b\f\n\r\t\v"}.find(c);
               at != std::string_view::npos) {
      out += '\\';
      out += "abfnrtv"[at];
    } else if (byte < 0x20 || byte == 0x7f || (byte > 0x7f && !readable)) {
      out += "\\x";
      out += hex[byte >> 4];
      out += hex[byte & 0xf];
    } else {
      out += c;
    }
  }
  return out + '"';
}

namespace {

/// Commands that nsqd serves after AUTH only, where it asks for that.
bool needs_login(verb x) {
  return x == verb::sub || x == verb::pub || x == verb::mpub || x == verb::dpub;
}

} // namespace

line_read read_line(std::string_view line, const command_context& in,
                    const protocol_limits& limits) {
  line_read out;
  const auto all = split(line);
  const auto known =
    std::find_if(verbs.begin(), verbs.end(),
                 [&](const auto& x) { return x.word == all[0]; });
  const bool identifies = known != verbs.end() && known->what == verb::identify;
  if (in.needs_tls && !identifies) {
    out.wrong = refusal::invalid("cannot " + text_of(all[0])
                                 + " in current state (TLS required)");
  } else if (known == verbs.end()) {
    out.wrong = refusal::invalid("invalid command " + text_of(all[0]));
  } else {
    out.what.what = known->what;
    out.wrong = read_rest(out.what, all, in, limits);
    if (!out.wrong && in.needs_login && needs_login(known->what))
      out.wrong = refusal::of("E_AUTH_FIRST",
                              "AUTH required before " + text_of(known->word));
  }
  return out;
}

} // namespace depositd::nsq
