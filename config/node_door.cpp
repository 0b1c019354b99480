#include "config/node_door.hpp"

#include <algorithm>

namespace depositd {

namespace {

kit::arrival_limits limits_of(const node_limits_settings& settings,
                              const descriptor_shares& shares) {
  kit::arrival_limits out;
  out.connections_max = shares.node;
  out.connections_per_address_max =
    std::min(settings.connections_per_address_max, shares.node);
  out.unfinished_max = shares.node_unfinished;
  // Else one address could have all of what few there are.
  const auto half = std::max(shares.node_unfinished / 2, 1U);
  out.unfinished_per_address_max = std::min(
    settings.unfinished_per_address_max,
    shares.node_unfinished < settings.unfinished_max ? half
                                                     : shares.node_unfinished);
  out.handshake = std::chrono::seconds{settings.handshake_s};
  return out;
}

} // namespace

caf::expected<std::unique_ptr<gate::node_port>>
open_node_port(caf::actor_system& system, const depositd_settings& settings,
               const descriptor_shares& shares, admission admit,
               std::function<void(const gate::certificate_facts&)> taken) {
  gate::node_port_options options;
  options.admit = std::move(admit);
  options.taken = std::move(taken);
  const auto& tls = settings.node.tls;
  options.tls = {tls.certificate, tls.key, tls.ca};
  options.limits = limits_of(settings.node.limits, shares);
  auto out = gate::node_port::open(system, std::move(options));
  if (!out)
    return caf::make_error(ec::bad_setting, "node.tls: " + render(out.error()));
  return out;
}

} // namespace depositd
