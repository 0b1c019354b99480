#include "adapters/doors/emodb/wire_id.hpp"

#include <array>

#include <xxhash.h>

namespace depositd::emodb {

namespace {

std::uint64_t checksum(const item_name& name, std::string_view queue) {
  const auto seed = XXH3_64bits_withSeed(queue.data(), queue.size(), name.id);
  return XXH3_64bits_withSeed(&seed, sizeof seed, name.user);
}

void put_hex(char* to, std::uint64_t value, int digits) {
  constexpr std::string_view hex = "0123456789abcdef";
  while (digits-- > 0) {
    to[digits] = hex[value & 15];
    value >>= 4;
  }
}

bool take_hex(const char* from, int digits, std::uint64_t& out) {
  out = 0;
  for (int i = 0; i < digits; ++i) {
    const char c = from[i];
    std::uint64_t value = 0;
    if (c >= '0' && c <= '9')
      value = static_cast<std::uint64_t>(c - '0');
    else if (c >= 'a' && c <= 'f')
      value = static_cast<std::uint64_t>(c - 'a' + 10);
    else if (c >= 'A' && c <= 'F')
      value = static_cast<std::uint64_t>(c - 'A' + 10);
    else
      return false;
    out = out << 4 | value;
  }
  return true;
}

} // namespace

void append_wire_id(std::string& out, const item_name& name,
                    std::string_view queue) {
  std::array<char, wire_id_size> text;
  put_hex(text.data(), name.id, 16);
  put_hex(text.data() + 16, name.user, 8);
  put_hex(text.data() + 24, checksum(name, queue), 16);
  out.append(text.data(), text.size());
}

void begin_message(std::string& out, const item_name& name,
                   std::string_view queue) {
  out += out.size() == 1 ? R"({"id":")" : R"(,{"id":")";
  append_wire_id(out, name, queue);
  out += R"(","payload":)";
}

id_fault read_wire_id(std::string_view text, std::string_view queue,
                      item_name& out) {
  std::uint64_t user = 0;
  std::uint64_t sum = 0;
  if (text.size() != wire_id_size || !take_hex(text.data(), 16, out.id)
      || !take_hex(text.data() + 16, 8, user)
      || !take_hex(text.data() + 24, 16, sum))
    return id_fault::malformed;
  out.user = static_cast<user_digest>(user);
  return sum == checksum(out, queue) ? id_fault::none : id_fault::foreign;
}

} // namespace depositd::emodb
