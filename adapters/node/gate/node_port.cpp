#include "adapters/node/gate/node_port.hpp"

#include "adapters/doors/kit/listen.hpp"
#include "adapters/node/gate/connector.hpp"
#include "adapters/node/gate/doorman.hpp"
#include "adapters/node/gate/overrides.hpp"
#include "adapters/node/gate/port_core.hpp"

#include <caf/io/basp_broker.hpp>
#include <caf/io/middleman.hpp>
#include <caf/send.hpp>

#include <spdlog/spdlog.h>

#include <csignal>
#include <utility>

namespace depositd::gate {

namespace {

/// OpenSSL writes to sockets that the other end may have closed.
void ignore_broken_pipes() {
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
}

constexpr std::chrono::milliseconds look_every{250};

} // namespace

caf::expected<std::unique_ptr<node_port>>
node_port::open(caf::actor_system& system, node_port_options options) {
  tls_context tls;
  if (options.tls.configured()) {
    auto loaded = load_tls(options.tls);
    if (!loaded)
      return std::move(loaded.error());
    tls = std::move(*loaded);
    if (options.taken)
      options.taken(own_facts(tls));
  }
  return std::unique_ptr<node_port>{
    new node_port(system, std::move(options), std::move(tls))};
}

node_port::node_port(caf::actor_system& system, node_port_options options,
                     tls_context tls)
  : system_(system), options_(std::move(options)),
    core_(std::make_shared<port_core>(system, options_.limits, options_.admit,
                                      std::move(tls))),
    middleman_(spawn_connector(core_)) {
  watch_routes(system_, &core_->peers());
  system_.middleman().backend().post(ignore_broken_pipes);
  if (options_.tls.configured()) {
    tried_ = look_of(options_.tls);
    life_->take(options_.tls.certificate);
  }
  clock_ = std::thread{[this] { tick(); }};
}

node_port::~node_port() {
  {
    const std::lock_guard locked{guard_};
    ending_ = true;
  }
  wake_.notify_all();
  clock_.join();
  watch_routes(system_, nullptr);
  caf::anon_send_exit(middleman_, caf::exit_reason::kill);
}

caf::expected<std::uint16_t>
node_port::publish(const caf::strong_actor_ptr& whom,
                   std::set<std::string> interface, const endpoint& at) {
  auto bound = kit::listen_at(at);
  if (!bound)
    return std::move(bound.error());
  core_->publish(whom->id());
  auto& mm = system_.middleman();
  auto& loop =
    static_cast<caf::io::network::default_multiplexer&>(mm.backend());
  caf::io::doorman_ptr door =
    caf::make_counted<doorman>(loop, bound->socket, core_);
  const auto port = bound->port;
  caf::anon_send(mm.named_broker<caf::io::basp_broker>(caf::atom("BASP")),
                 caf::publish_atom_v, std::move(door), port, whom,
                 std::move(interface));
  return port;
}

std::optional<peer> node_port::peer_of(const caf::node_id& node) const {
  return core_->peers().peer_of(node);
}

const port_counts& node_port::counts() const {
  return core_->counts;
}

void node_port::reload() {
  load_if(false);
}

void node_port::load_if(bool changed_only) {
  if (!options_.tls.configured())
    return;
  const std::lock_guard locked{guard_};
  const auto look = look_of(options_.tls);
  if (changed_only && look == tried_) {
    life_->look(kit::seconds_since_1970());
    return;
  }
  tried_ = look;
  auto loaded = load_tls(options_.tls);
  if (!loaded) {
    spdlog::warn("node_certificate_kept reason=\"{}\"", render(loaded.error()));
    return;
  }
  if (options_.taken)
    options_.taken(own_facts(*loaded));
  core_->use(std::move(*loaded));
  spdlog::info("node_certificate_taken file={}", options_.tls.certificate);
  life_->take(options_.tls.certificate);
}

void node_port::tick() {
  auto files_at = std::chrono::steady_clock::now() + options_.files_every;
  for (;;) {
    {
      std::unique_lock locked{guard_};
      if (wake_.wait_for(locked, look_every, [this] { return ending_; }))
        return;
    }
    system_.middleman().backend().post([core = std::weak_ptr{core_}] {
      if (const auto x = core.lock())
        x->look(std::chrono::steady_clock::now());
    });
    const auto now = std::chrono::steady_clock::now();
    if (now < files_at)
      continue;
    files_at = now + options_.files_every;
    load_if(true);
  }
}

} // namespace depositd::gate
