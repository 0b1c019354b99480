#include "messages/values/password_hash.hpp"

namespace depositd {

namespace {

constexpr std::string_view parameters = "$argon2id$v=19$m=19456,t=2,p=1$";

bool is_base64(std::string_view text, std::size_t length) {
  return text.size() == length
         && text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnop"
                                   "qrstuvwxyz0123456789+/")
              == std::string_view::npos;
}

} // namespace

bool legal_password_hash(std::string_view hash) noexcept {
  if (hash.substr(0, parameters.size()) != parameters)
    return false;
  hash.remove_prefix(parameters.size());
  const auto dollar = hash.find('$');
  if (dollar == std::string_view::npos)
    return false;
  // 16 bytes of salt, 32 bytes of hash, unpadded.
  return is_base64(hash.substr(0, dollar), 22)
         && is_base64(hash.substr(dollar + 1), 43);
}

} // namespace depositd
