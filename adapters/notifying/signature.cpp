#include "adapters/notifying/signature.hpp"

#include "messages/values/hex.hpp"

#include <array>

#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace depositd {

std::string hmac_sha256_hex(std::string_view key, std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
       out.data(), &size);
  return to_hex({reinterpret_cast<const char*>(out.data()), size});
}

std::string signature_of(std::string_view key, std::int64_t unix_s,
                         std::string_view body) {
  const auto time = std::to_string(unix_s);
  return "t=" + time
         + ",v1=" + hmac_sha256_hex(key, time + "." + std::string{body});
}

} // namespace depositd
