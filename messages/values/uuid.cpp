#include "messages/values/uuid.hpp"

#include "messages/values/hex.hpp"

#include <cassert>
#include <stdexcept>

#include <sodium.h>

namespace depositd {

std::string random_uuid() {
  // Costs nothing once it is done.
  if (sodium_init() < 0)
    throw std::runtime_error("no randomness");
  unsigned char bytes[16];
  randombytes_buf(bytes, sizeof(bytes));
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0f) | 0x40);
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3f) | 0x80);
  auto out = to_hex({reinterpret_cast<const char*>(bytes), sizeof(bytes)});
  for (const auto at : {8u, 13u, 18u, 23u})
    out.insert(at, 1, '-');
  return out;
}

std::string uuid_of_digest(std::string_view hex) {
  constexpr std::size_t digits = 32;
  assert(hex.size() >= digits);
  std::string out{hex.substr(0, digits)};
  out[12] = '8';
  out[16] = "89ab"[static_cast<unsigned char>(out[16]) & 3];
  for (const auto at : {8u, 13u, 18u, 23u})
    out.insert(at, 1, '-');
  return out;
}

bool legal_uuid(std::string_view x) noexcept {
  constexpr std::size_t size = 36;
  if (x.size() != size)
    return false;
  for (std::size_t i = 0; i < size; ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    const auto digit = (x[i] >= '0' && x[i] <= '9')
                       || (x[i] >= 'a' && x[i] <= 'f')
                       || (x[i] >= 'A' && x[i] <= 'F');
    if (dash ? x[i] != '-' : !digit)
      return false;
  }
  return true;
}

} // namespace depositd
