#include "adapters/sources/kafka/positions.hpp"

#include "messages/values/json_text.hpp"

#include <nlohmann/json.hpp>

#include <charconv>
#include <cstdint>

namespace depositd::sources {

namespace {

caf::error no_position() {
  return caf::make_error(ec::malformed, "the cursor is none of a topic");
}

bool is_partition(const std::string& text, std::int32_t& out) {
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, out);
  return read.ec == std::errc{} && read.ptr == end && out >= 0;
}

} // namespace

std::string to_text(const topic_position& x) {
  std::string out;
  for (const auto& [partition, next] : x) {
    out += out.empty() ? '{' : ',';
    out += '"' + std::to_string(partition) + "\":" + std::to_string(next);
  }
  return out.empty() ? out : out + '}';
}

caf::expected<topic_position> read_topic_position(std::string_view text) {
  topic_position out;
  if (text.empty())
    return out;
  const auto read = json_of(text);
  if (!read.is_object())
    return no_position();
  for (const auto& [name, value] : read.items()) {
    std::int32_t partition = 0;
    if (!is_partition(name, partition) || !value.is_number_unsigned())
      return no_position();
    const auto next = value.get<std::uint64_t>();
    if (next > std::uint64_t{INT64_MAX})
      return no_position();
    out[partition] = static_cast<std::int64_t>(next);
  }
  return out;
}

} // namespace depositd::sources
