#pragma once

// Digests as manifests and forms name them. Who computes them is an adapter.

#include "messages/values/errors.hpp"
#include "messages/values/fields.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace depositd {

enum class digest_algorithm : std::uint8_t {
  adler32,
  crc32,
  md2,
  md5,
  sha1,
  sha256,
  sha384,
  sha512,
  sha224, ///< of bags only: forms and manifests do not know it
};

/// "sha-256" for people.
std::string_view digest_name(digest_algorithm x);

/// Of forms and manifests, so not sha224. Case and hyphens do not matter:
/// "SHA-256", "sha256".
std::optional<digest_algorithm> find_digest_algorithm(std::string_view name);

/// How many hexadecimal digits a value has.
std::size_t digest_digits(digest_algorithm x);

/// What a file must be.
struct digest {
  digest_algorithm algorithm = digest_algorithm::sha256;
  std::string value; ///< hexadecimal, lower case

  friend bool operator==(const digest&, const digest&) = default;
};
DEPOSITD_FIELDS(digest, algorithm, value);

/// Of a name and digits of either case; the short checksums may lack leading
/// zeros. `ec::malformed` says what is wrong.
caf::expected<digest> make_digest(std::string_view algorithm,
                                  std::string_view value);

} // namespace depositd
