#pragma once

// What one queue must be like after what its only client was answered. A call
// that was not answered may have happened or not; the model allows both until
// it sees which.

#include "tests/adapters/doors/emodb/acceptance_fixture.hpp"

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace depositd::testing {

using moment = std::chrono::steady_clock::time_point;

/// When a call was sent, and when its answer (or failure) was there. What the
/// engine did, it did in between.
struct call_time {
  moment sent;
  moment answered;
};

class queue_model {
public:
  explicit queue_model(bool dedup) : dedup_(dedup) {
    // nop
  }

  /// What was seen and must not be. Empty: all is well.
  std::vector<std::string> complaints;

  // -- what was done; `known`: it was answered
  void send(const std::string& payload, bool known);
  void poll(const std::vector<message>& found, std::size_t limit,
            std::chrono::seconds ttl, call_time when);
  void poll_unanswered(std::chrono::seconds ttl, call_time when);
  void ack(const std::vector<message>& messages, bool known);

  /// A ttl of 0 releases.
  void renew(const std::vector<message>& messages, std::chrono::seconds ttl,
             call_time when, bool known);
  void unclaim_all(call_time when, bool known);
  void purge(bool known);

  // -- what was seen
  void peek(const std::vector<message>& found);
  void size(std::int64_t seen);
  void claims(std::int64_t seen, call_time when);

  /// After everything was polled and acked.
  void end();

  /// Messages that were handed out and, as far as is known, live.
  std::vector<message> handed_out() const;

private:
  /// A message that was handed out at least once.
  struct copy {
    std::string payload;
    moment held_until;   ///< it surely is held before this
    moment free_after;   ///< and surely is not after this
    bool gone = false;   ///< perhaps: an ack was not answered
  };

  /// Copies of one payload of which no poll was seen.
  struct waiting {
    int least = 0;      ///< ids that must come
    int most = 0;       ///< ids that may come
    bool open = false;  ///< an equal message would collapse with one
  };

  void complain(const std::string& what);
  void hand_out_known(copy& x, const message& got, std::chrono::seconds ttl,
                      call_time when);
  void hand_out_new(const message& got, std::chrono::seconds ttl,
                    call_time when);
  std::size_t surely_free(moment when) const;

  bool dedup_;
  std::map<std::string, copy> copies_; ///< by id
  std::map<std::string, waiting> waiting_;
  std::set<std::string> dead_;         ///< ids
  moment unseen_claims_until_{};       ///< of polls without an answer
};

} // namespace depositd::testing
