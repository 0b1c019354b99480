#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace depositd::kit {

/// Logins that were right, so that a client that sends its password with every
/// request does not pay for Argon2id each time. Kept are keyed digests under a
/// key of this process: no password can be read from memory. A changed
/// password has another stored hash and so another digest. With each are kept
/// the addresses that it has come from.
class login_cache {
public:
  login_cache();

  /// What stands for this login.
  std::string digest(std::string_view user, std::string_view hash,
                     std::string_view password) const;

  bool knows(const std::string& digest) const {
    return known_.count(digest) > 0;
  }

  /// Whether it was right from this address.
  bool knows(const std::string& digest, const std::string& peer) const;

  void remember(const std::string& digest, const std::string& peer);

private:
  static constexpr std::size_t entries_max = 10'000;
  static constexpr std::size_t peers_max = 16; ///< of one login, the newest

  std::string key_;
  std::unordered_map<std::string, std::vector<std::string>> known_;
};

} // namespace depositd::kit
