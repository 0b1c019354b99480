#include "adapters/doors/nsq/http/bodies.hpp"

#include <algorithm>

namespace depositd::nsq_http {

namespace {

/// False if there are not as many bytes.
bool take_length(std::string_view& from, std::int32_t& out) {
  if (from.size() < 4)
    return false;
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i)
    value = value << 8
            | static_cast<unsigned char>(from[static_cast<std::size_t>(i)]);
  from.remove_prefix(4);
  out = static_cast<std::int32_t>(value);
  return true;
}

} // namespace

bodies_read read_lines(std::string_view from, const body_limits& limits) {
  bodies_read out;
  while (!from.empty()) {
    const auto end = std::min(from.find('\n'), from.size());
    const auto line = from.substr(0, end);
    from.remove_prefix(std::min(end + 1, from.size()));
    if (line.size() > limits.message_bytes_max)
      return {{}, "MSG_TOO_BIG"};
    if (line.empty())
      continue;
    if (out.bodies.size() >= limits.messages_max)
      return {{}, "BODY_TOO_BIG"};
    out.bodies.emplace_back(line);
  }
  return out;
}

bodies_read read_binary(std::string_view from, const body_limits& limits) {
  constexpr std::size_t head = 4;
  constexpr std::size_t shortest = 5; // a length and one byte
  const auto count_max =
    std::min((std::max(limits.body_bytes_max, head) - head) / shortest,
             limits.messages_max);
  std::int32_t count = 0;
  if (!take_length(from, count) || count <= 0
      || static_cast<std::size_t>(count) > count_max)
    return {{}, "BAD_BODY"};
  bodies_read out;
  out.bodies.reserve(
    std::min(static_cast<std::size_t>(count), from.size() / shortest));
  for (; count > 0; --count) {
    std::int32_t size = 0;
    if (!take_length(from, size) || size <= 0
        || static_cast<std::size_t>(size) > limits.message_bytes_max
        || static_cast<std::size_t>(size) > from.size())
      return {{}, "BAD_MESSAGE"};
    out.bodies.emplace_back(from.substr(0, static_cast<std::size_t>(size)));
    from.remove_prefix(static_cast<std::size_t>(size));
  }
  return out;
}

} // namespace depositd::nsq_http
