#include "adapters/stores/files/sha256.hpp"

#include "messages/values/hex.hpp"

#include <array>
#include <cstdlib>

#include <openssl/evp.h>

namespace depositd {

std::string sha256_hex(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  // Fails only when OpenSSL has no memory or no SHA-256: nothing can be kept.
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(),
                 nullptr)
      != 1)
    std::abort();
  return to_hex({reinterpret_cast<const char*>(digest.data()), size});
}

} // namespace depositd
