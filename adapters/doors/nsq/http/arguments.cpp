// What requests name, checked in nsqd's order.

#include "adapters/doors/nsq/http/parts.hpp"
#include "messages/values/topic_names.hpp"

namespace depositd::nsq_http {

namespace {

bool is_hexadecimal(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')
         || (c >= 'A' && c <= 'F');
}

/// By nsqd's rule: no ';', and two digits behind each '%'.
bool is_query(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ';')
      return false;
    if (text[i] == '%'
        && (text.size() - i < 3 || !is_hexadecimal(text[i + 1])
            || !is_hexadecimal(text[i + 2])))
      return false;
  }
  return true;
}

} // namespace

bool call::is_unreadable() {
  if (is_query(from.query_text))
    return false;
  fail(400, "INVALID_REQUEST");
  return true;
}

const std::string* call::topic_named() {
  if (is_unreadable())
    return nullptr;
  const auto* topic = argument("topic");
  if (!topic)
    fail(400, "MISSING_ARG_TOPIC");
  return topic;
}

const std::string* call::topic_to_make() {
  const auto* topic = topic_named();
  if (topic && !is_topic_name(*topic)) {
    fail(400, "INVALID_TOPIC");
    return nullptr;
  }
  return topic;
}

std::optional<std::pair<std::string, std::string>> call::topic_and_channel() {
  const auto* topic = topic_named();
  if (!topic)
    return std::nullopt;
  const auto* channel = argument("channel");
  if (!is_topic_name(*topic))
    fail(400, "INVALID_ARG_TOPIC");
  else if (!channel)
    fail(400, "MISSING_ARG_CHANNEL");
  else if (!is_topic_name(*channel))
    fail(400, "INVALID_ARG_CHANNEL");
  else
    return std::pair{*topic, *channel};
  return std::nullopt;
}

bool call::forbids(topic_right what, std::string_view topic,
                   std::string_view channel) {
  if (may(who, what, topic, channel))
    return false;
  core->refuse(from, "without_right");
  answer.send(forbidden());
  return true;
}

bool call::asks_too_often(std::string_view topic) {
  if (core->within_quota(*ring, topic, who.user))
    return false;
  fail(caf::make_error(ec::quota_reached));
  return true;
}

bool call::makes_too_many(const std::string& topic,
                          const std::string& channel) {
  if (core->options.makers->may_make(ring->control(), who.user, topic, channel,
                                     std::chrono::steady_clock::now()))
    return false;
  fail(413, "LIMIT_REACHED");
  return true;
}

} // namespace depositd::nsq_http
