#include "messages/values/digests.hpp"

#include "messages/values/lower_case.hpp"

#include <array>

namespace depositd {

namespace {

struct known_digest {
  digest_algorithm algorithm;
  std::string_view name;
  std::size_t digits;
};

constexpr std::array<known_digest, 9> known = {{
  {digest_algorithm::adler32, "adler-32", 8},
  {digest_algorithm::crc32, "crc-32", 8},
  {digest_algorithm::md2, "md2", 32},
  {digest_algorithm::md5, "md5", 32},
  {digest_algorithm::sha1, "sha-1", 40},
  {digest_algorithm::sha256, "sha-256", 64},
  {digest_algorithm::sha384, "sha-384", 96},
  {digest_algorithm::sha512, "sha-512", 128},
  {digest_algorithm::sha224, "sha-224", 56},
}};

std::string plain(std::string_view name) {
  auto out = lower_case(name);
  std::erase(out, '-');
  return out;
}

const known_digest& of(digest_algorithm x) {
  return known[static_cast<std::size_t>(x)];
}

} // namespace

std::string_view digest_name(digest_algorithm x) {
  return of(x).name;
}

std::optional<digest_algorithm> find_digest_algorithm(std::string_view name) {
  for (const auto& x : known)
    if (x.algorithm != digest_algorithm::sha224
        && plain(x.name) == plain(name))
      return x.algorithm;
  return std::nullopt;
}

std::size_t digest_digits(digest_algorithm x) {
  return of(x).digits;
}

caf::expected<digest> make_digest(std::string_view algorithm,
                                  std::string_view value) {
  const auto refuse = [](std::string text) {
    return caf::make_error(ec::malformed, std::move(text));
  };
  const auto found = find_digest_algorithm(algorithm);
  if (!found)
    return refuse("there is no digest algorithm \""
                  + std::string{algorithm.substr(0, 40)} + "\"");
  auto hex = lower_case(value);
  const auto digits = digest_digits(*found);
  if (digits == 8 && !hex.empty() && hex.size() < digits)
    hex.insert(0, digits - hex.size(), '0');
  if (hex.size() != digits
      || hex.find_first_not_of("0123456789abcdef") != hex.npos)
    return refuse("a " + std::string{digest_name(*found)} + " has "
                  + std::to_string(digits) + " hexadecimal digits, not \""
                  + std::string{value.substr(0, 140)} + "\"");
  return digest{*found, std::move(hex)};
}

} // namespace depositd
