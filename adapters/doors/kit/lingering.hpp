#pragma once

// Keeps sockets whose clients were refused early open until these have read
// the answer: closing them at once would reset them, and the answer be lost.

#include "adapters/doors/kit/loop.hpp"

#include <cstdint>
#include <unordered_map>

namespace depositd::kit {

/// Reads what still comes and forgets it, for a few seconds at most. In the
/// loop's thread only, and the loop must have ended before it goes.
class lingering {
public:
  explicit lingering(loop& where);
  ~lingering();

  /// Goes on with a copy of the socket, unless there are too many. The copy
  /// says that nothing more is sent.
  void add(int socket);

private:
  struct one {
    loop::time until;
    std::uint64_t bytes = 0;
  };

  void drain(int socket);
  void end(int socket);

  loop& where_;
  std::unordered_map<int, one> open_; ///< by the copy
};

/// Whether closing the socket now would reset it.
bool has_unread_bytes(int socket);

} // namespace depositd::kit
