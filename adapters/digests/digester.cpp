#include "adapters/digests/digester.hpp"

#include "messages/values/hex.hpp"

#include <array>
#include <cstdlib>

#include <nettle/md2.h>
#include <openssl/evp.h>
#include <zlib.h>

namespace depositd {

namespace {

using evp_context = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

/// Null for what OpenSSL does not have.
const EVP_MD* openssl_digest(digest_algorithm x) {
  switch (x) {
    case digest_algorithm::md5:
      return EVP_md5();
    case digest_algorithm::sha1:
      return EVP_sha1();
    case digest_algorithm::sha224:
      return EVP_sha224();
    case digest_algorithm::sha256:
      return EVP_sha256();
    case digest_algorithm::sha384:
      return EVP_sha384();
    case digest_algorithm::sha512:
      return EVP_sha512();
    case digest_algorithm::adler32:
    case digest_algorithm::crc32:
    case digest_algorithm::md2:
      break;
  }
  return nullptr;
}

/// Fails only when OpenSSL has no memory or no such digest: nothing can be
/// checked then.
void require(bool done) {
  if (!done)
    std::abort();
}

} // namespace

struct digester::state {
  digest_algorithm algorithm;
  evp_context evp{nullptr, &EVP_MD_CTX_free};
  md2_ctx md2{};
  uLong sum = 0;
};

digester::digester(digest_algorithm algorithm)
  : state_(std::make_unique<state>()) {
  state_->algorithm = algorithm;
  if (const auto* kind = openssl_digest(algorithm)) {
    state_->evp.reset(EVP_MD_CTX_new());
    require(state_->evp
            && EVP_DigestInit_ex(state_->evp.get(), kind, nullptr) == 1);
  }
  md2_init(&state_->md2);
  state_->sum = algorithm == digest_algorithm::adler32
                  ? adler32_z(0, nullptr, 0)
                  : crc32_z(0, nullptr, 0);
}

digester::digester(digester&&) noexcept = default;
digester& digester::operator=(digester&&) noexcept = default;
digester::~digester() = default;

void digester::restart() {
  auto& x = *state_;
  // Without a kind: looking that up again costs more than a small file.
  if (x.evp)
    require(EVP_DigestInit_ex(x.evp.get(), nullptr, nullptr) == 1);
  md2_init(&x.md2);
  x.sum = x.algorithm == digest_algorithm::adler32 ? adler32_z(0, nullptr, 0)
                                                   : crc32_z(0, nullptr, 0);
}

void digester::add(std::string_view bytes) {
  auto& x = *state_;
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  if (bytes.empty())
    return;
  if (x.evp)
    require(EVP_DigestUpdate(x.evp.get(), data, bytes.size()) == 1);
  else if (x.algorithm == digest_algorithm::md2)
    md2_update(&x.md2, bytes.size(), data);
  else if (x.algorithm == digest_algorithm::adler32)
    x.sum = adler32_z(x.sum, data, bytes.size());
  else
    x.sum = crc32_z(x.sum, data, bytes.size());
}

digest digester::finish() {
  auto& x = *state_;
  std::array<unsigned char, EVP_MAX_MD_SIZE> raw{};
  std::size_t size = digest_digits(x.algorithm) / 2;
  if (x.evp) {
    require(EVP_DigestFinal_ex(x.evp.get(), raw.data(), nullptr) == 1);
  } else if (x.algorithm == digest_algorithm::md2) {
    md2_digest(&x.md2, size, raw.data());
  } else {
    for (std::size_t i = 0; i < size; ++i)
      raw[i] = static_cast<unsigned char>(x.sum >> (8 * (size - 1 - i)));
  }
  return {x.algorithm,
          to_hex({reinterpret_cast<const char*>(raw.data()), size})};
}

} // namespace depositd
