#pragma once

// The HTTP API of operators: every command of the table, for whoever has logged
// in or shows a token. What they may do the engine says, command by command.

#include "adapters/doors/http/responder.hpp"
#include "adapters/doors/http/router.hpp"
#include "adapters/doors/kit/login_throttle.hpp"
#include "adapters/doors/kit/sessions.hpp"
#include "adapters/doors/operations/watch.hpp"
#include "messages/actor_with.hpp"
#include "messages/actors.hpp"
#include "messages/values/clock.hpp"
#include "messages/values/command_table.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>

namespace depositd {

enum class api_question : std::uint8_t {
  log_in,
  who,
  log_out,
  commands,
  description, ///< OpenAPI
  history,
  metrics, ///< off the loopback
  clients, ///< of NSQ's door
  call,
  watch,
};

/// A request at the API.
struct api_request {
  api_question question = api_question::call;
  std::shared_ptr<const http::request> what;
  std::shared_ptr<http::responder> answer;
  /// Of a path that is an example of a command; empty: the path is its words.
  std::string command;
  std::string arguments; ///< of such a command, JSON
  bool open = false;     ///< answered without a login, too
};

/// The head of a request whose body is still to come.
struct api_head {
  std::shared_ptr<const http::request> what;
  std::shared_ptr<http::gatekeeper> gate;
};

/// To itself: a watcher has gone.
struct api_stream_gone {
  std::string whose;
};

/// To itself: what is kept in place of a password.
struct api_password_hashed {
  std::function<void(const std::string&)> use;
  std::string hash; ///< empty: there was no memory
};

using api_door_actor =
  caf::typed_actor<caf::reacts_to<api_request>, caf::reacts_to<api_head>>;
using api_door_self =
  api_door_actor::extend<caf::reacts_to<api_stream_gone>,
                         caf::reacts_to<api_password_hashed>>;

struct api_options {
  admin_actor admin;
  watcher_actor watcher;
  std::chrono::seconds session_age_max{12 * 3600};
  std::size_t streams_max = 200;
  std::size_t streams_each_max = 6; ///< of a session or token
  /// Answers with the last hour; null: nobody knows it.
  std::function<void(std::shared_ptr<http::responder>)> history;
  /// Answers with what Prometheus reads; null: nobody measures.
  std::function<void(std::shared_ptr<http::responder>)> metrics;
  /// Who is connected to NSQ's door, as JSON; null: nobody can be.
  std::function<std::string()> nsq_clients;
  std::string version;
  engine_clock clock = engine_clock::system();
};

/// The table of commands, as the engine has published it.
struct published_table {
  std::string text;
  command_table table;
  std::map<std::string, const command_spec*> by_words; ///< and aliases

  const command_spec* find(const std::string& words) const;
};

struct api_state {
  using interface = api_door_self;

  api_options options;
  std::optional<kit::sessions> sessions; ///< once it runs
  kit::login_throttle throttle;                    ///< of addresses
  std::unordered_set<std::string> right; ///< logins and tokens, by address
  std::shared_ptr<const published_table> commands; ///< null: not asked yet
  std::string description;                         ///< empty: not made yet
  std::map<std::string, std::size_t> streams;      ///< by whose they are
  std::size_t streams_all = 0;
  std::size_t hashing = 0;

  static inline const char* name = "api_door";
};

api_door_self::behavior_type api_door(actor_with<api_state>* self,
                                      api_options options);

/// All of /api/v1 but for what has routes of its own, and off the loopback
/// /metrics, which needs a login there. On the loopback what scripts ask of
/// sources and schedulers needs none.
void add_api_routes(http::router& routes, const api_door_actor& whom,
                    bool on_loopback);

} // namespace depositd

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::api_request)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::api_head)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::api_stream_gone)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::api_password_hashed)
