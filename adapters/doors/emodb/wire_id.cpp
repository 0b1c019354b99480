#include "adapters/doors/emodb/wire_id.hpp"

#include "messages/values/hex.hpp"

#include <array>

#include <xxhash.h>

namespace depositd::emodb {

namespace {

std::uint64_t checksum(const item_name& name, std::string_view queue) {
  const auto seed = XXH3_64bits_withSeed(queue.data(), queue.size(), name.id);
  return XXH3_64bits_withSeed(&seed, sizeof seed, name.user);
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
  std::uint64_t sum = 0;
  if (text.size() != wire_id_size || !take_hex(text.substr(0, 16), out.id)
      || !take_hex(text.substr(16, 8), out.user)
      || !take_hex(text.substr(24), sum))
    return id_fault::malformed;
  return sum == checksum(out, queue) ? id_fault::none : id_fault::foreign;
}

} // namespace depositd::emodb
