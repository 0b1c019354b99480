// What a stranger says to the node port before anybody knows who it is.

#include "tests/fuzz/target.hpp"

#include "adapters/node/gate/wire_guard.hpp"
#include "messages/message_types.hpp"

#include <caf/actor_system_config.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/io/basp/header.hpp>
#include <caf/io/middleman.hpp>

namespace depositd::fuzz {

namespace {

using caf::io::basp::header;

caf::actor_system& a_system() {
  struct config : caf::actor_system_config {
    config() {
      add_depositd_messages(*this);
      load<caf::io::middleman>();
      set("scheduler.max-threads", 1u);
      set("middleman.workers", 0u);
    }
  };
  // Never ended: its threads would outlive what they log to.
  static auto* how = new config;
  static auto* out = new caf::actor_system{*how};
  return *out;
}

void listen(std::string_view bytes) {
  gate::peer_table peers{admission{}};
  gate::wire_options options;
  options.system = &a_system();
  options.peers = &peers;
  options.connection = 1;
  options.identify = [] {
    peer out;
    out.kind = peer_kind::account;
    return out;
  };
  gate::wire_guard guard{std::move(options)};
  while (bytes.size() >= caf::io::basp::header_size) {
    const auto head = bytes.substr(0, caf::io::basp::header_size);
    bytes.remove_prefix(head.size());
    auto said = guard.see_header(head.data(), head.size());
    if (said == gate::wire_verdict::close || said == gate::wire_verdict::mute)
      return;
    promise(guard.announced() <= gate::payload_bytes_max, "sizes are bounded");
    const auto payload =
      bytes.substr(0, std::min<std::size_t>(guard.announced(), bytes.size()));
    bytes.remove_prefix(payload.size());
    if (payload.empty() || said == gate::wire_verdict::skip)
      continue;
    said = guard.see_payload(payload.data(), payload.size());
    if (said == gate::wire_verdict::close || said == gate::wire_verdict::mute)
      return;
  }
}

std::string bytes_of(caf::io::basp::message_type kind, std::uint32_t size) {
  header x;
  x.operation = kind;
  x.payload_len = size;
  std::vector<char> out;
  caf::binary_serializer to{a_system(), out};
  (void)to(x);
  return {out.data(), out.size()};
}

} // namespace

std::vector<target> node_targets() {
  using kind = caf::io::basp::message_type;
  std::vector<std::string> seeds;
  for (const auto x :
       {kind::server_handshake, kind::client_handshake, kind::direct_message,
        kind::routed_message, kind::monitor_message, kind::down_message,
        kind::heartbeat})
    seeds.push_back(bytes_of(x, 40) + std::string(40, 'x'));
  return {{"node_wire", listen, std::move(seeds)}};
}

} // namespace depositd::fuzz
