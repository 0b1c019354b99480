#include "messages/values/hex.hpp"

#include <sodium.h>

namespace depositd {

std::string to_hex(std::string_view bytes) {
  std::string out(2 * bytes.size() + 1, '\0');
  sodium_bin2hex(out.data(), out.size(),
                 reinterpret_cast<const unsigned char*>(bytes.data()),
                 bytes.size());
  out.pop_back(); // the library's end of text
  return out;
}

void append_hex(std::string& out, char byte) {
  out.resize(out.size() + 2);
  put_hex(&out[out.size() - 2], static_cast<unsigned char>(byte), 2);
}

} // namespace depositd
