#include "config/setting_remarks.hpp"

#include "messages/values/endpoint.hpp"

#include <algorithm>

namespace depositd {

namespace {

bool is_elsewhere(const endpoint& x) {
  return !is_loopback(x);
}

} // namespace

std::vector<std::string> remarks_on(const depositd_settings& x) {
  std::vector<std::string> out;
  const auto& http = x.http;
  if (is_elsewhere(http.listen) && http.tls.certificate.empty())
    out.emplace_back("http.listen: without http.tls passwords and keys cross "
                     "the network as they are, unless a proxy on this machine "
                     "takes them");
  if (is_elsewhere(http.listen) && x.emodb.anonymous)
    out.emplace_back("emodb.anonymous: whoever reaches http.listen may send, "
                     "take and purge messages");
  if (x.store.kind != store_kind::postgres && !x.store.url.empty())
    out.emplace_back("store.url: counts for nothing without store.kind "
                     "postgres");
  const auto& nsq = x.nsq;
  const bool tcp = nsq.is_open() && is_elsewhere(nsq.listen);
  const bool api = nsq.http.is_open() && is_elsewhere(nsq.http.listen);
  if (nsq.anonymous && (tcp || api))
    out.emplace_back("nsq.anonymous: whoever reaches NSQ's doors may publish, "
                     "read and delete topics");
  const auto is_all = [](const std::string& y) { return y.ends_with("/0"); };
  if (std::any_of(http.trusted_proxies.begin(), http.trusted_proxies.end(),
                  is_all))
    out.emplace_back("http.trusted_proxies: everybody is one, so everybody may "
                     "say to come from any address");
  return out;
}

} // namespace depositd
