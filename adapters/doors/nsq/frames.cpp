#include "adapters/doors/nsq/frames.hpp"

namespace depositd::nsq {

namespace {

constexpr std::string_view digits = "0123456789abcdef";

template <class Number>
void append_number(std::string& to, Number x) {
  for (int shift = 8 * (static_cast<int>(sizeof x) - 1); shift >= 0; shift -= 8)
    to += static_cast<char>(x >> shift & 0xff);
}

void append_head(std::string& to, frame_type type, std::size_t size) {
  append_number(to, static_cast<std::uint32_t>(size + 4));
  append_number(to, static_cast<std::uint32_t>(type));
}

void append_id(std::string& to, item_id id) {
  for (int shift = 60; shift >= 0; shift -= 4)
    to += digits[id >> shift & 0xf];
}

} // namespace

void append_frame(std::string& to, frame_type type, std::string_view data) {
  append_head(to, type, data.size());
  to += data;
}

void append_message(std::string& to, const wire_message& what) {
  append_head(to, frame_type::message,
              message_frame_bytes - 8 + what.body.size());
  append_number(to, static_cast<std::uint64_t>(what.timestamp_ns));
  append_number(to, static_cast<std::uint16_t>(what.attempts));
  append_id(to, what.id);
  to += what.body;
}

std::string message_id_text(item_id id) {
  std::string out;
  append_id(out, id);
  return out;
}

std::optional<item_id> read_message_id(std::string_view text) {
  if (text.size() != message_id_bytes)
    return std::nullopt;
  item_id out = 0;
  for (const char c : text) {
    const auto digit = digits.find(c);
    if (digit == digits.npos)
      return std::nullopt;
    out = out << 4 | digit;
  }
  return out;
}

} // namespace depositd::nsq
