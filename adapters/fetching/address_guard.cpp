#include "adapters/fetching/address_guard.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <memory>

#include <netdb.h>
#include <sys/socket.h>

namespace depositd {

namespace {

/// Services of clouds that tell a machine its own secrets.
const std::vector<std::string> metadata_addresses = {
  "169.254.169.254", "169.254.170.2", "169.254.170.23", "100.100.100.200",
  "168.63.129.16",   "fd00:ec2::254", "fd00:ec2::23",   "fd20:ce::254"};

constexpr std::array<std::string_view, 3> metadata_hosts = {
  "metadata", "metadata.google.internal", "metadata.goog"};

/// What is not the public web: RFC 6890 and its successors.
const std::vector<std::string> private_networks = {
  "0.0.0.0/8",       "10.0.0.0/8",     "100.64.0.0/10",  "127.0.0.0/8",
  "169.254.0.0/16",  "172.16.0.0/12",  "192.0.0.0/24",   "192.0.2.0/24",
  "192.88.99.0/24",  "192.168.0.0/16", "198.18.0.0/15",  "198.51.100.0/24",
  "203.0.113.0/24",  "224.0.0.0/4",    "240.0.0.0/4",    "::/96",
  "::ffff:0:0:0/96", "64:ff9b::/96",   "64:ff9b:1::/48", "100::/64",
  "2001::/23",       "2001:db8::/32",  "2002::/16",      "3fff::/20",
  "5f00::/16",       "fc00::/7",       "fe80::/10",      "fec0::/10",
  "ff00::/8"};

kit::address_list list_of(const std::vector<std::string>& texts) {
  auto out = kit::address_list::of(texts);
  assert(out);
  return std::move(*out);
}

caf::error refused(const web_url& url, const std::string& reason) {
  return caf::make_error(ec::malformed, "\"" + url.host + ":"
                                          + std::to_string(url.port) + "\" "
                                          + reason);
}

} // namespace

caf::expected<std::vector<std::string>> resolve_host(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const auto code = ::getaddrinfo(host.c_str(), nullptr, &hints, &found);
  if (code != 0)
    return caf::make_error(ec::overloaded, "\"" + host + "\" cannot be found: "
                                             + ::gai_strerror(code));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner{
    found, &::freeaddrinfo};
  std::vector<std::string> out;
  for (const auto* x = found; x != nullptr; x = x->ai_next) {
    std::array<char, NI_MAXHOST> text{};
    if (::getnameinfo(x->ai_addr, x->ai_addrlen, text.data(), text.size(),
                      nullptr, 0, NI_NUMERICHOST)
        == 0)
      out.emplace_back(text.data());
  }
  return out;
}

address_guard::address_guard(std::vector<endpoint> allowed,
                             host_resolver resolve)
  : allowed_(std::move(allowed)), resolve_(std::move(resolve)),
    never_(list_of(metadata_addresses)), private_(list_of(private_networks)) {
  // nop
}

bool address_guard::is_allowed(const web_url& url) const {
  return std::any_of(allowed_.begin(), allowed_.end(), [&](const auto& x) {
    return x.host == url.host && x.port == url.port;
  });
}

caf::expected<std::vector<std::string>>
address_guard::admit(const web_url& url) const {
  const bool allowed = is_allowed(url);
  if (std::find(metadata_hosts.begin(), metadata_hosts.end(), url.host)
      != metadata_hosts.end())
    return refused(url, "is never fetched from");
  if (!allowed && url.port != 80 && url.port != 443)
    return refused(url, "has a port that fetch.allow does not name");
  auto found = resolve_(url.host);
  if (!found)
    return found;
  std::vector<std::string> out;
  for (auto& address : *found)
    if (!never_.has(address) && (allowed || !private_.has(address))
        && address.find('%') == address.npos)
      out.push_back(std::move(address));
  if (out.empty())
    return refused(url, "is not on the public web, and fetch.allow does not "
                        "name it");
  return out;
}

caf::expected<web_url> check_redirect(const web_url& from,
                                      const std::string& to) {
  auto out = parse_url(to);
  if (out && from.secure() && !out->secure())
    return refused(*out, "is where https is redirected to http");
  return out;
}

} // namespace depositd
