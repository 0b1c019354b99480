// Messages on their way in.

#include "adapters/doors/kit/joint_answer.hpp"
#include "adapters/doors/nsq/http/bodies.hpp"
#include "adapters/doors/nsq/http/parts.hpp"
#include "messages/values/trace_context.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>
#include <vector>

namespace depositd::nsq_http {

namespace {

/// What a message takes beside the copies of its bytes, on its way through
/// door, shard, user and journal: some ten small objects.
constexpr std::size_t message_overhead_bytes = 640;

/// The delay in `defer`; nothing if it is none, or too long.
std::optional<std::uint32_t> read_delay(std::string_view text,
                                        std::chrono::milliseconds max) {
  if (text.starts_with('+') && !text.starts_with("+-"))
    text.remove_prefix(1);
  std::int64_t out = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, wrong] = std::from_chars(text.data(), end, out);
  if (wrong != std::errc{} || stop != end || out < 0 || out > max.count()
      || out > std::numeric_limits<std::uint32_t>::max())
    return std::nullopt;
  return static_cast<std::uint32_t>(out);
}

/// Whether /mpub brings lengths; what is no truth value means yes, as ever.
bool is_binary(const std::string* value) {
  return value && *value != "false" && *value != "0";
}

/// What a request is told whose messages are durable, or are not.
void tell(call& x, const caf::error& wrong) {
  if (wrong)
    return x.fail(wrong);
  x.core->health.worked();
  if (const auto lookupds = x.core->where.load()->lookupds)
    lookupds->saw(*x.argument("topic"));
  x.answer.send(ok());
}

/// Cuts what is more than one message to the shard can hold.
std::vector<publish> requests_of(const std::string& topic,
                                 const std::string& user,
                                 std::uint32_t delay_ms,
                                 std::vector<std::string> bodies) {
  std::vector<publish> out;
  if (bodies.size() <= publish_messages_max) {
    out.push_back({topic, user, delay_ms, std::move(bodies)});
    return out;
  }
  for (std::size_t i = 0; i < bodies.size(); i += publish_messages_max) {
    const auto begin = bodies.begin() + static_cast<std::ptrdiff_t>(i);
    const auto size = std::min(publish_messages_max, bodies.size() - i);
    const auto end = begin + static_cast<std::ptrdiff_t>(size);
    out.push_back(
      {topic,
       user,
       delay_ms,
       {std::make_move_iterator(begin), std::make_move_iterator(end)}});
  }
  return out;
}

void hand_in(call x, const std::string& topic, std::uint32_t delay_ms,
             std::vector<std::string> bodies) {
  if (!x.answer.hold(bodies.size() * message_overhead_bytes)) {
    x.answer.send(failure(caf::make_error(ec::overloaded)));
    return;
  }
  const auto core = x.core;
  x.from.body = {}; // all of it is in the messages
  const auto* trace = x.from.header(traceparent_header);
  const auto traceparent = trace == nullptr ? std::string{} : *trace;
  auto requests = requests_of(topic, x.who.user, delay_ms, std::move(bodies));
  // An answer that comes too late gives no memory back: the messages have it.
  for (auto& one : requests)
    one.charge = x.answer.keep();
  auto joint = kit::make_joint_answer<caf::error>(
    requests.size(),
    [x = std::move(x)](const caf::error& wrong) mutable { tell(x, wrong); });
  for (auto& one : requests) {
    one.traceparent = traceparent;
    core->asked.ask(
      core->options.shard, std::move(one), [joint](kit::core_answer said) {
        const bool durable = said.as<published>() != nullptr;
        joint->take(durable ? caf::error{} : said.why(), !durable);
      });
  }
}

} // namespace

void publish_one(call x) {
  if (x.from.body.empty())
    return x.fail(400, "MSG_EMPTY");
  const auto* topic = x.topic_to_make();
  if (!topic || x.forbids(topic_right::publish, *topic)
      || x.asks_too_often(*topic) || x.makes_too_many(*topic))
    return;
  std::uint32_t delay_ms = 0;
  if (const auto* given = x.argument("defer")) {
    const auto delay =
      read_delay(*given, x.core->options.limits.req_timeout_max);
    if (!delay)
      return x.fail(400, "INVALID_DEFER");
    delay_ms = *delay;
  }
  const auto name = *topic;
  std::vector<std::string> bodies;
  bodies.push_back(std::move(x.from.body));
  hand_in(std::move(x), name, delay_ms, std::move(bodies));
}

void publish_several(call x) {
  const auto* topic = x.topic_to_make();
  if (!topic || x.forbids(topic_right::publish, *topic)
      || x.asks_too_often(*topic) || x.makes_too_many(*topic))
    return;
  const body_limits limits{x.core->options.limits.message_bytes_max,
                           x.core->options.limits.body_bytes_max,
                           x.core->options.limits.mpub_messages_max};
  auto read = is_binary(x.argument("binary")) ? read_binary(x.from.body, limits)
                                              : read_lines(x.from.body, limits);
  if (read.wrong)
    return x.fail(413, read.wrong);
  const auto name = *topic;
  if (read.bodies.empty())
    return publish_nothing(std::move(x), name);
  hand_in(std::move(x), name, 0, std::move(read.bodies));
}

} // namespace depositd::nsq_http
