#pragma once

// Names of topics and channels, and of the queues that they are.

#include <string>
#include <string_view>

namespace depositd {

/// 1 to 64 letters, digits, '.', '_' and '-', of which "#ephemeral" at the end
/// may be a part. Topics and channels alike.
constexpr bool is_topic_name(std::string_view name) noexcept {
  constexpr std::string_view ephemeral = "#ephemeral";
  if (name.empty() || name.size() > 64)
    return false;
  if (name.ends_with(ephemeral))
    name.remove_suffix(ephemeral.size());
  for (const char c : name)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
          || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-'))
      return false;
  return !name.empty();
}

/// Kept in memory only, and gone with its last consumer.
constexpr bool is_ephemeral(std::string_view name) noexcept {
  return name.ends_with("#ephemeral");
}

/// Queues of topics and channels have names of their own, which no other door
/// reaches.
inline constexpr std::string_view topic_queue_prefix = "nsq/";

/// Where what a topic itself holds waits.
inline std::string topic_queue(std::string_view topic) {
  return std::string{topic_queue_prefix} + std::string{topic};
}

inline std::string channel_queue(std::string_view topic,
                                 std::string_view channel) {
  return topic_queue(topic) + "/" + std::string{channel};
}

constexpr bool is_topic_queue(std::string_view queue) noexcept {
  return queue.starts_with(topic_queue_prefix);
}

/// What the name of such a queue says; views into it.
struct topic_place {
  std::string_view topic;   ///< empty: it is no such queue
  std::string_view channel; ///< empty: the topic itself
};

constexpr topic_place topic_of_queue(std::string_view queue) noexcept {
  if (!is_topic_queue(queue))
    return {};
  queue.remove_prefix(topic_queue_prefix.size());
  const auto end = queue.find('/');
  if (end == queue.npos)
    return {queue, {}};
  return {queue.substr(0, end), queue.substr(end + 1)};
}

} // namespace depositd
