// What the engine tells of itself.

#include "adapters/doors/nsq/http/parts.hpp"
#include "adapters/doors/nsq/http/stats.hpp"
#include "messages/values/clock.hpp"
#include "messages/values/json_text.hpp"

#include <nlohmann/json.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <utility>

namespace depositd::nsq_http {

namespace {

using json = nlohmann::ordered_json;

std::string text_of(const json& x) {
  return json_text(x);
}

/// "true", "1", "false" and "0"; what is something else counts as not given.
bool flag(const call& x, std::string_view name, bool otherwise) {
  const auto* value = x.argument(name);
  if (!value)
    return otherwise;
  if (*value == "true" || *value == "1")
    return true;
  return *value == "false" || *value == "0" ? false : otherwise;
}

std::string value_of(const call& x, std::string_view name) {
  const auto* value = x.argument(name);
  return value ? *value : std::string{};
}

stats_known known_of(const call& x, const stats_asked& what,
                     topics_listed topics) {
  const auto& options = x.core->options;
  stats_known out;
  out.topics = std::move(topics);
  if (options.consumers)
    out.consumers = options.consumers();
  if (options.producers)
    out.producers = options.producers();
  keep_published(out, what, [&](const std::string& topic) {
    return may_see(x.who, topic);
  });
  std::sort(out.consumers.begin(), out.consumers.end(), by_channel);
  out.version = x.core->where.load()->self.version;
  out.health = x.core->health.text(std::chrono::steady_clock::now());
  out.start_s = x.core->start_s;
  out.now_s = engine_clock::system().now() / 1'000'000;
  out.memory_bytes = options.memory_used ? options.memory_used() : 0;
  return out;
}

struct log_word {
  const char* text;
  spdlog::level::level_enum level;
};

/// nsqd's words; its numbers begin with 1.
constexpr std::array<log_word, 5> log_words{
  {{"debug", spdlog::level::debug},
   {"info", spdlog::level::info},
   {"warn", spdlog::level::warn},
   {"error", spdlog::level::err},
   {"fatal", spdlog::level::critical}}};

int log_number() {
  const auto level = spdlog::get_level();
  for (std::size_t i = 0; i < log_words.size(); ++i)
    if (level <= log_words[i].level)
      return static_cast<int>(i) + 1;
  return static_cast<int>(log_words.size());
}

bool set_log_level(std::string word) {
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  for (const auto& x : log_words)
    if (word == x.text) {
      spdlog::set_level(x.level);
      return true;
    }
  return false;
}

/// A JSON list of HOST:PORT.
std::optional<std::vector<endpoint>> read_addresses(const std::string& text) {
  const auto list = json_of(text);
  if (!list.is_array())
    return std::nullopt;
  std::vector<endpoint> out;
  for (const auto& one : list) {
    auto where =
      one.is_string()
        ? parse_endpoint(one.get_ref<const std::string&>())
        : caf::expected<endpoint>{caf::make_error(ec::invalid_argument)};
    if (!where)
      return std::nullopt;
    out.push_back(std::move(*where));
  }
  return out;
}

json lookupds_of(const call& x) {
  auto out = json::array();
  if (const auto lookupds = x.core->where.load()->lookupds)
    for (const auto& one : lookupds->lookupds())
      out.push_back(to_string(one));
  return out;
}

json nanoseconds(std::chrono::milliseconds x) {
  return std::chrono::nanoseconds{x}.count();
}

/// By nsqd's name of the option; null if there is none. Texts are answered as
/// they are, all else as JSON.
json option(const call& x, const std::string& name) {
  const auto& limits = x.core->options.limits;
  const auto where = x.core->where.load();
  const auto& self = where->self;
  const std::map<std::string_view, json> all{
    {"nsqlookupd_tcp_addresses", lookupds_of(x)},
    {"log_level", log_number()},
    {"broadcast_address", self.broadcast_address},
    {"broadcast_tcp_port", self.tcp_port},
    {"broadcast_http_port", self.http_port},
    {"max_msg_size", limits.message_bytes_max},
    {"max_body_size", limits.body_bytes_max},
    {"max_rdy_count", limits.rdy_max},
    {"msg_timeout", nanoseconds(limits.msg_timeout)},
    {"max_msg_timeout", nanoseconds(limits.msg_timeout_max)},
    {"max_req_timeout", nanoseconds(limits.req_timeout_max)},
    {"max_heartbeat_interval", nanoseconds(limits.heartbeat_max)},
    {"max_output_buffer_size", limits.output_buffer_max},
    {"output_buffer_timeout", nanoseconds(limits.output_timeout)},
    {"min_output_buffer_timeout", nanoseconds(limits.output_timeout_min)},
    {"max_output_buffer_timeout", nanoseconds(limits.output_timeout_max)},
    {"max_channel_consumers", limits.channel_consumers_max},
    {"deflate", limits.deflate},
    {"max_deflate_level", limits.deflate_level_max},
    {"snappy", limits.snappy},
  };
  const auto found = all.find(name);
  return found == all.end() ? json(nullptr) : found->second;
}

} // namespace

void tell_stats(call x) {
  if (x.is_unreadable())
    return;
  const bool as_json = value_of(x, "format") == "json";
  const stats_asked what{value_of(x, "topic"), value_of(x, "channel"),
                         flag(x, "include_clients", true),
                         flag(x, "include_mem", true)};
  const auto tell = [what, as_json](call y, topics_listed found) {
    keep(found, what);
    const auto known = known_of(y, what, std::move(found));
    y.answer.send(as_json ? document(stats_document(known, what))
                          : text(stats_page(known, what)));
  };
  if (what.topic.empty())
    with_topics(std::move(x), {}, tell);
  else
    with_topic(std::move(x), what.topic, tell);
}

void tell_info(call x) {
  const auto where = x.core->where.load();
  const auto& limits = x.core->options.limits;
  const json out{
    {"version", where->self.version},
    {"broadcast_address", where->self.broadcast_address},
    {"hostname", where->self.hostname},
    {"http_port", where->self.http_port},
    {"tcp_port", where->self.tcp_port},
    {"start_time", x.core->start_s},
    {"max_heartbeat_interval", nanoseconds(limits.heartbeat_max)},
    {"max_output_buffer_size", limits.output_buffer_max},
    {"max_output_buffer_timeout", nanoseconds(limits.output_timeout_max)},
    {"max_deflate_level", limits.deflate_level_max},
  };
  x.answer.send(document(text_of(out)));
}

void tell_option(call x) {
  const auto found = option(x, x.from.captured[0]);
  if (found.is_null())
    return x.fail(400, "INVALID_OPTION");
  x.answer.send(found.is_string() ? text(found.get<std::string>())
                                  : document(text_of(found)));
}

void set_option(call x) {
  const auto& name = x.from.captured[0];
  if (x.forbids(topic_right::administer, {}))
    return;
  if (x.from.body.empty())
    return x.fail(413, "INVALID_VALUE");
  if (name == "log_level") {
    if (!set_log_level(x.from.body))
      return x.fail(400, "INVALID_VALUE");
  } else if (name == "nsqlookupd_tcp_addresses") {
    auto all = read_addresses(x.from.body);
    const auto lookupds = x.core->where.load()->lookupds;
    if (!all || !lookupds || lookupds->tell(std::move(*all)))
      return x.fail(400, "INVALID_VALUE");
  } else {
    return x.fail(400, "INVALID_OPTION");
  }
  tell_option(std::move(x));
}

} // namespace depositd::nsq_http
