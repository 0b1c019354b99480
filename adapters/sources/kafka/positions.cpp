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

bool is_number(const nlohmann::json& x, std::int64_t& out) {
  if (!x.is_number_unsigned()
      || x.get<std::uint64_t>() > std::uint64_t{INT64_MAX})
    return false;
  out = x.get<std::int64_t>();
  return true;
}

/// Texts of earlier versions have no marks.
bool is_place(const nlohmann::json& x, topic_place& out) {
  if (x.is_array())
    return x.size() == 2 && is_number(x[0], out.next)
           && is_number(x[1], out.mark);
  return is_number(x, out.next);
}

} // namespace

std::string to_text(const topic_position& x) {
  std::string out;
  for (const auto& [partition, place] : x) {
    out += out.empty() ? '{' : ',';
    out += '"' + std::to_string(partition) + "\":";
    const auto next = std::to_string(place.next);
    out += place.mark == no_record_mark
             ? next
             : '[' + next + ',' + std::to_string(place.mark) + ']';
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
    if (!is_partition(name, partition) || !is_place(value, out[partition]))
      return no_position();
  }
  return out;
}

} // namespace depositd::sources
