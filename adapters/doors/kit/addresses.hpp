#pragma once

// Numeric addresses of clients, and of proxies that speak for them.

#include "messages/values/errors.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::kit {

/// Addresses and networks that somebody has listed.
class address_list {
public:
  /// Each an address or a network: "10.0.0.1", "10.0.0.0/8", "fd00::/8".
  /// `ec::bad_setting` names the first that is neither.
  static caf::expected<address_list> of(const std::vector<std::string>& texts);

  /// Whether a numeric address is one of them. An IPv4 address is the same when
  /// it comes inside an IPv6 one.
  bool has(std::string_view address) const;

  bool empty() const noexcept {
    return networks_.empty();
  }

private:
  using bytes = std::array<unsigned char, 16>;

  struct network {
    bytes address;
    unsigned bits; ///< of the address that count
  };

  std::vector<network> networks_;
};

/// Who is behind proxies: the last address of `forwarded` (the values of
/// `X-Forwarded-For` in their order, joined by commas) that is none of
/// `proxies`. `peer` if it is no proxy itself, or if what it says is no
/// address.
std::string client_behind(const address_list& proxies, const std::string& peer,
                          std::string_view forwarded);

} // namespace depositd::kit
