#pragma once

// Where strangers' URLs may lead: to the public web, and to what the operator
// has named.

#include "adapters/doors/kit/addresses.hpp"
#include "adapters/fetching/url.hpp"
#include "messages/values/endpoint.hpp"

#include <functional>
#include <string>
#include <vector>

namespace depositd {

/// Numeric addresses of a host; an error if it has none.
using host_resolver =
  std::function<caf::expected<std::vector<std::string>>(const std::string&)>;

/// Asks the system. Blocks.
caf::expected<std::vector<std::string>> resolve_host(const std::string& host);

/// May be used from any thread at once.
class address_guard {
public:
  /// `allowed` are hosts and ports as URLs name them; they may be private and
  /// have any port.
  explicit address_guard(std::vector<endpoint> allowed,
                         host_resolver resolve = &resolve_host);

  /// The addresses that may be connected to for this URL, of those that its
  /// host has now. They must be the only ones, or the next look-up decides
  /// otherwise. `ec::malformed`: refused, for ever; `ec::overloaded`: the host
  /// cannot be found now.
  caf::expected<std::vector<std::string>> admit(const web_url& url) const;

private:
  bool is_allowed(const web_url& url) const;

  std::vector<endpoint> allowed_;
  host_resolver resolve_;
  kit::address_list never_;
  kit::address_list private_;
};

/// Whether a redirect may be followed: to the web, and never from TLS to none.
/// `ec::malformed`.
caf::expected<web_url> check_redirect(const web_url& from,
                                      const std::string& to);

} // namespace depositd
