#include "adapters/shell/api_keys.hpp"

#include "adapters/shell/passwords.hpp"
#include "messages/values/hex.hpp"

#include <nlohmann/json.hpp>
#include <sodium.h>

#include <algorithm>
#include <array>

namespace depositd::shell {

namespace {

caf::error refuse(const char* text) {
  return caf::make_error(ec::invalid_argument, std::string{text});
}

std::string text_of(const std::array<unsigned char, 32>& bytes) {
  return to_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

caf::error check(const std::string& key) {
  if (key.size() < api_key_bytes_min)
    return refuse("the key is shorter than 16 characters");
  if (key.size() > api_key_bytes_max)
    return refuse("the key is longer than 256 characters");
  if (!std::all_of(key.begin(), key.end(),
                   [](char c) { return c > ' ' && c < '\x7f'; }))
    return refuse("the key has other characters than printable ASCII");
  return {};
}

} // namespace

caf::expected<std::string> make_api_key() {
  if (sodium_init() < 0)
    return caf::make_error(ec::overloaded,
                           std::string{"there is nothing random for a key"});
  std::array<unsigned char, 32> bytes;
  randombytes_buf(bytes.data(), bytes.size());
  return text_of(bytes);
}

caf::expected<std::string> read_api_key(terminal& where) {
  const auto read = read_secret(where, "key");
  if (!read)
    return read.error();
  if (auto wrong = check(*read))
    return wrong;
  return *read;
}

std::string digest_of_api_key(const std::string& key) {
  std::array<unsigned char, crypto_hash_sha256_BYTES> out;
  crypto_hash_sha256(
    out.data(), reinterpret_cast<const unsigned char*>(key.data()), key.size());
  return text_of(out);
}

std::string with_api_key(const std::string& document, const std::string& key) {
  using json = nlohmann::ordered_json;
  auto out = json::parse(document, nullptr, false);
  if (!out.is_object())
    out = json::object();
  out["key"] = key;
  return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace depositd::shell
