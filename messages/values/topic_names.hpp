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

/// Where what a topic itself holds waits. No other door reaches such names.
inline std::string topic_queue(std::string_view topic) {
  return "nsq/" + std::string{topic};
}

inline std::string channel_queue(std::string_view topic,
                                 std::string_view channel) {
  return topic_queue(topic) + "/" + std::string{channel};
}

} // namespace depositd
