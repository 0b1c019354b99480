#include "adapters/shell/connection.hpp"

#include "adapters/node/gate/node_port.hpp"
#include "messages/actors.hpp"
#include "messages/cluster.hpp"
#include "messages/message_types.hpp"
#include "messages/operators.hpp"
#include "messages/values/node_options.hpp"

#include <caf/io/all.hpp>

#include <atomic>
#include <fstream>
#include <future>
#include <optional>
#include <set>
#include <thread>

namespace depositd::shell {

namespace {

using namespace std::chrono_literals;

caf::error unreachable(std::string text) {
  return caf::make_error(caf::sec::cannot_connect_to_node, std::move(text));
}

caf::error not_in_time(const char* text = "the engine did not answer in time") {
  return caf::make_error(caf::sec::request_timeout, std::string{text});
}

/// An answer that an actor gives and a thread waits for. Only the first counts.
template <class T>
class answer {
public:
  void give(caf::expected<T> x) {
    if (!given_.exchange(true))
      promise_.set_value(std::move(x));
  }

  /// Nothing if the time is up or somebody wants to stop.
  std::optional<caf::expected<T>> wait(std::chrono::milliseconds within,
                                       const interrupted& stop) {
    auto result = promise_.get_future();
    const auto until = std::chrono::steady_clock::now() + within;
    while (result.wait_for(20ms) != std::future_status::ready)
      if (std::chrono::steady_clock::now() >= until || (stop && stop()))
        return std::nullopt;
    return result.get();
  }

private:
  std::promise<caf::expected<T>> promise_;
  std::atomic<bool> given_ = false;
};

template <class T>
using answer_ptr = std::shared_ptr<answer<T>>;

struct link_config : caf::actor_system_config {
  link_config() {
    add_depositd_messages(*this);
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", std::size_t{1});
    load<caf::io::middleman>();
    apply_node_options(*this);
  }
};

/// Asks the middleman to connect; runs until it has answered.
caf::behavior connector(caf::event_based_actor* self,
                        const caf::io::middleman_actor& middleman,
                        const endpoint& engine,
                        const answer_ptr<admin_actor>& out) {
  const auto finish = [=](caf::expected<admin_actor> x) {
    out->give(std::move(x));
    self->quit();
  };
  self
    ->request(middleman, caf::infinite, caf::connect_atom_v, engine.host,
              engine.port)
    .then(
      [=](const caf::node_id&, const caf::strong_actor_ptr& found,
          const std::set<std::string>& interface) {
        if (!found)
          finish(unreachable("nothing is published at this port"));
        else if (!self->system().assignable<admin_actor>(interface))
          finish(unreachable("this is no depositd of our version"));
        else
          finish(caf::actor_cast<admin_actor>(found));
      },
      [=](const caf::error& problem) { finish(problem); });
  return {};
}

/// Asks the engine; runs until it has answered or is gone.
template <class Reply, class Question>
caf::behavior asker(caf::event_based_actor* self, const admin_actor& engine,
                    const Question& what, std::chrono::seconds within,
                    const answer_ptr<Reply>& out) {
  const auto finish = [=](caf::expected<Reply> x) {
    out->give(std::move(x));
    self->quit();
  };
  self->set_down_handler([=](const caf::down_msg&) {
    finish(unreachable("the engine went away before it answered"));
  });
  self->monitor(engine);
  self->request(engine, within, what)
    .then([=](const Reply& x) { finish(x); },
          [=](const caf::error& problem) {
            finish(problem == caf::sec::request_timeout ? not_in_time()
                                                        : problem);
          });
  return {};
}

/// The system lives on the heap, because closing one that hangs would hang.
struct open_system {
  link_config config;
  caf::actor_system system{config};
  std::unique_ptr<gate::node_port> port;
};

class middleman_link : public engine_link {
public:
  middleman_link(std::unique_ptr<open_system> open, admin_actor engine,
                 interrupted stop)
    : open_(std::move(open)), engine_(std::move(engine)), stop_(stop) {
    // nop
  }

  ~middleman_link() override {
    engine_ = nullptr;
    if (broken_)
      open_.release();
  }

  caf::expected<std::string> ask(const std::string& command,
                                 const std::string& arguments,
                                 std::chrono::seconds within) override {
    auto out = std::make_shared<answer<admin_reply>>();
    open_->system.spawn(asker<admin_reply, admin_request>, engine_,
                        admin_request{command, arguments}, within, out);
    // The asker's own timeout comes first, unless its thread hangs too.
    auto reply = out->wait(within + 2s, stop_);
    if (!reply) {
      broken_ = true;
      return stop_ && stop_() ? not_in_time("stopped waiting") : not_in_time();
    }
    if (*reply)
      return std::move((*reply)->document);
    broken_ = broken_ || !is_refusal(reply->error());
    return std::move(reply->error());
  }

private:
  std::unique_ptr<open_system> open_;
  admin_actor engine_;
  interrupted stop_;
  bool broken_ = false;
};

caf::error check_files(const link_files& tls) {
  const bool given =
    !tls.certificate.empty() || !tls.key.empty() || !tls.ca.empty();
  for (const auto& [option, file] :
       {std::pair{"--tls-certificate", tls.certificate},
        std::pair{"--tls-key", tls.key}, std::pair{"--tls-ca", tls.ca}})
    if (given && !std::ifstream{file})
      return caf::make_error(ec::bad_setting, std::string{option}
                                                + ": cannot read \"" + file
                                                + "\"");
  return caf::none;
}

/// CAF drops a connection whose handshake meets a heartbeat: worth a retry.
bool cut_short(const caf::error& x) {
  return x == caf::sec::connection_timeout
         || x == caf::sec::disconnect_during_handshake;
}

constexpr auto pause_between_tries = 100ms;

using found_engine = std::optional<caf::expected<admin_actor>>;

/// Tries until there is an answer that counts or the time is up.
found_engine find_engine(open_system& open, const connection_options& options,
                         const interrupted& stop) {
  using std::chrono::steady_clock;
  auto& system = open.system;
  const auto& middleman = open.port->middleman();
  const auto until = steady_clock::now() + options.connect_within;
  found_engine found;
  const auto again = [&] {
    if (!found || *found || !cut_short(found->error()))
      return false;
    // Who closes at once would be called again some hundred times.
    std::this_thread::sleep_for(pause_between_tries);
    return steady_clock::now() < until && !(stop && stop());
  };
  do {
    auto out = std::make_shared<answer<admin_actor>>();
    system.spawn(connector, middleman, options.engine, out);
    auto left = until - steady_clock::now();
    found = out->wait(std::chrono::ceil<std::chrono::milliseconds>(left), stop);
  } while (again());
  return found;
}

/// The password is checked by the engine, which takes its time.
caf::error sign_in_to(open_system& open, const admin_actor& engine,
                      const operator_token& token, const interrupted& stop) {
  constexpr auto within = 20s;
  auto out = std::make_shared<answer<signed_in>>();
  open.system.spawn(asker<signed_in, sign_in>, engine,
                    sign_in{token.name, token.password}, within, out);
  auto reply = out->wait(within + 2s, stop);
  if (!reply)
    return not_in_time();
  return *reply ? caf::error{} : std::move(reply->error());
}

} // namespace

caf::expected<std::unique_ptr<engine_link>>
connect(const connection_options& options, const interrupted& stop) {
  if (auto problem = check_files(options.tls))
    return problem;
  auto open = std::make_unique<open_system>();
  gate::node_port_options wanted;
  wanted.tls = {options.tls.certificate, options.tls.key, options.tls.ca};
  auto port = gate::node_port::open(open->system, std::move(wanted));
  if (!port)
    return std::move(port.error());
  open->port = std::move(*port);
  auto found = find_engine(*open, options, stop);
  const auto where = to_string(options.engine);
  if (found && *found && options.token)
    if (auto refused = sign_in_to(*open, **found, *options.token, stop)) {
      **found = nullptr;
      open.release();
      return refused;
    }
  if (found && *found)
    return std::unique_ptr<engine_link>{std::make_unique<middleman_link>(
      std::move(open), std::move(**found), stop)};
  open.release();
  // Handshakes that fail look like an engine that says nothing.
  const std::string hint =
    options.tls.certificate.empty()
      ? "; if its node port has TLS, give --tls-certificate, --tls-key, "
        "--tls-ca"
      : "; if it is there, TLS failed: are both certificates of this CA, and "
        "does its node port have TLS?";
  const std::string advice = "; start one with depositd (depositd --demo to "
                             "try it), or say where it is: --connect HOST:PORT";
  if (!found)
    return unreachable("no engine answers at " + where + hint + advice);
  const auto why = render(found->error());
  const bool is_of_tls =
    cut_short(found->error()) || why.find(gate::speaks_tls) != why.npos;
  return unreachable("no engine at " + where + " (" + why + ")"
                     + (is_of_tls ? hint : "") + advice);
}

} // namespace depositd::shell
