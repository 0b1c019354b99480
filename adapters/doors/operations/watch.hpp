#pragma once

// What operators look at, asked again and again, and told when it has changed.

#include "adapters/doors/http/body_stream.hpp"
#include "messages/actor_with.hpp"
#include "messages/actors.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace depositd {

/// One more who looks at the answer of a command that reads.
struct watch_document {
  std::string operator_name;
  std::string from; ///< the address
  std::string command;
  std::string arguments; ///< JSON
  std::string first;     ///< what it answered just now
  std::chrono::seconds patience{30};
  std::shared_ptr<http::body_stream> to;
  std::chrono::steady_clock::time_point until; ///< then it ends
  std::string proof = {};                      ///< of `logged_in`
};

/// To itself.
struct look_again {};

using watcher_actor = caf::typed_actor<caf::reacts_to<watch_document>>;
using watcher_self = watcher_actor::extend<caf::reacts_to<look_again>>;

/// All who look at the same.
struct watched {
  using event = std::shared_ptr<const std::string>;

  struct reader {
    std::shared_ptr<http::body_stream> to;
    std::chrono::steady_clock::time_point until;
    std::chrono::steady_clock::time_point written; ///< something, last
    event has; ///< the newest that it was given
  };

  std::string from; ///< of the first reader
  std::chrono::seconds patience{30};
  std::vector<reader> readers;
  event newest;
  bool asking = false;
};

struct watcher_state {
  using interface = watcher_self;

  /// By operator and proof, command and arguments.
  using key = std::tuple<std::string, std::string, std::string, std::string>;

  std::map<key, watched> all; // first: CAF gives a state what fits this
  admin_actor whom;
  bool looking = false;

  static inline const char* name = "watcher";
};

inline constexpr std::chrono::seconds watch_step{1};
inline constexpr std::chrono::seconds watch_silence_max{15};

/// Asks each command once a second, for all who look at it. Who reads slowly
/// gets the newest only.
watcher_self::behavior_type watcher(actor_with<watcher_state>* self,
                                    admin_actor whom);

/// One event of a stream; a name other than "message" is said.
std::string event_text(const std::string& name, const std::string& data);

} // namespace depositd

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::watch_document)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::look_again)
