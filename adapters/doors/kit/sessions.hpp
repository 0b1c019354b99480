#pragma once

// Who has logged in with a browser and is still there.

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace depositd::kit {

struct session {
  using time_point = std::chrono::steady_clock::time_point;

  std::string name;   ///< who logged in
  std::string csrf;   ///< what a request that changes something has to show
  time_point expires; ///< however busy it is
  /// What let it in, say the hash of the password then: whoever keeps the
  /// sessions may end it when that has changed.
  std::string proof;
  std::string role = {}; ///< when they logged in; rights are asked for anew
};

/// Whether a request shows what its session told its page; takes as long
/// whatever is shown.
bool shows_csrf(const session& x, std::string_view shown);

struct session_limits {
  std::chrono::seconds age_max{12 * 3600};
  std::chrono::seconds idle_max{2 * 3600};
  std::size_t per_name_max = 10; ///< the one used longest ago makes room
  std::size_t all_max = 1000;
};

/// Sessions by id. Ids are known to browsers only: a hash of each is kept.
/// Not for several threads.
class sessions {
public:
  using time_point = session::time_point;

  /// For the browser; never logged.
  struct opened {
    std::string id; ///< 64 hex digits
    session what;
  };

  explicit sessions(session_limits limits = {}) : limits_(limits) {
    // nop
  }

  /// Nothing: there are too many.
  std::optional<opened> open(std::string name, time_point now,
                             std::string proof = {}, std::string role = {});

  /// Null: unknown, or it is over. It is in use from now on. Valid until the
  /// next call.
  const session* find(std::string_view id, time_point now);

  /// Whether there was one.
  bool close(std::string_view id);

  /// Those that are over count until they are swept by `open`.
  std::size_t size() const {
    return known_.size();
  }

private:
  struct entry {
    session what;
    time_point used;
  };

  bool is_over(const entry& x, time_point now) const;
  void make_room(const std::string& name, time_point now);

  const session_limits limits_;
  std::unordered_map<std::string, entry> known_; ///< by hash of the id
};

} // namespace depositd::kit
