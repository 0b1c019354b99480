#pragma once

// One nsqlookupd that is told which topics and channels this engine has. All in
// the thread of its loop.

#include "adapters/doors/nsq/lookup/protocol.hpp"
#include "adapters/doors/nsq/lookup/resolver.hpp"

#include <chrono>
#include <deque>
#include <memory>
#include <string>

namespace depositd::nsq_lookup {

/// How long things take at most, and how often they are done.
struct peer_times {
  std::chrono::milliseconds ping{15'000};
  std::chrono::milliseconds connect{5'000};
  std::chrono::milliseconds answer{5'000}; ///< to what was sent
  std::chrono::milliseconds retry{1'000};  ///< doubles with each failure
  std::chrono::milliseconds retry_max{30'000};
};

class peer : public std::enable_shared_from_this<peer> {
public:
  peer(kit::loop& where, resolver& names, endpoint to, announced self,
       const peer_times& times);

  peer(const peer&) = delete;
  peer& operator=(const peer&) = delete;

  ~peer();

  const endpoint& where() const {
    return to_;
  }

  /// All that is to be registered from now on.
  void want(std::shared_ptr<const registrations> all);

  /// Connects, pings and gives up, when it is time to. To be called now and
  /// then.
  void look();

private:
  enum class state : unsigned char { waiting, resolving, connecting, talking };

  /// Commands that wait for their answers at one time.
  static constexpr std::size_t unanswered_max = 1'000;

  void try_next();
  void connected();
  void ready();
  bool receive();
  bool take_answers();
  void say(std::string_view bytes);
  void plan();
  void go_on();
  void send_out();
  void shut();
  void drop(const std::string& why);

  kit::loop& loop_;
  resolver& names_;
  const endpoint to_;
  const announced self_;
  const peer_times times_;

  state doing_ = state::waiting;
  kit::loop::time due_{}; ///< of what is being done; then it has failed
  kit::loop::time next_ping_{};
  std::chrono::milliseconds delay_;
  std::deque<address> untried_;
  int socket_ = -1;
  std::string out_; ///< that the socket has not taken yet
  answer_reader in_;
  std::size_t unanswered_ = 0;
  bool known_there_ = false; ///< it has answered who we are

  std::shared_ptr<const registrations> wanted_;
  registrations told_;
  std::deque<std::pair<bool, registration>> todo_; ///< true: register
};

} // namespace depositd::nsq_lookup
