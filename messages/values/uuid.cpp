#include "messages/values/uuid.hpp"

#include "messages/values/hex.hpp"

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

} // namespace depositd
