#pragma once

// Turns of those who are told something, or for whom something is fetched: a
// server that answers late or not at all must not take all workers, which
// others need.

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <limits>
#include <list>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace depositd::stages {

/// Host and port of a URL, as it names them; what a call is counted by.
std::string receiver_of(std::string_view url);

/// Mail has one receiver: the relay.
inline constexpr const char* mail_relay = "mail";

/// How many calls may be under way at once.
struct turn_limits {
  static constexpr std::size_t no_limit
    = std::numeric_limits<std::size_t>::max();

  std::size_t most = no_limit; ///< to one receiver
  /// To all together that are slow, but for who has none: they are even once
  /// calls are ended for others. None: as in the options, for all.
  std::optional<std::size_t> slow_most = std::nullopt;
};

struct receiver_turns_options {
  /// Calls at once to all receivers together that are slow.
  std::size_t slow_most = 1;
  /// Whoever has needed so long for the last call, or for one that is under
  /// way, is slow.
  std::chrono::milliseconds slow_from{10'000};
  /// The same of a call that failed: as where nobody knows its name in time.
  std::chrono::milliseconds slow_failure_from{1'000};
  /// Bytes a second: what comes as fast does not end for others, however long
  /// it takes.
  std::uint64_t fast_from = std::numeric_limits<std::uint64_t>::max();
  /// How long to wait for a turn, so that those who are told "later" do not
  /// come too fast.
  std::chrono::milliseconds wait{250};
  /// Null: the steady clock.
  std::function<std::chrono::steady_clock::time_point()> now;
};

/// May be used from several threads; outlives the turns that it gives.
class receiver_turns {
  struct call {
    std::string receiver;
    std::chrono::steady_clock::time_point begun;
    std::uint64_t bytes = 0; ///< that have come
    bool ends = false; ///< it is to end for others
    bool failed = false;
  };
  using calls = std::list<call>;

public:
  /// Of slow receivers, as many as are remembered.
  static constexpr std::size_t slow_known_max = 10'000;

  /// A call that is under way; ends with it.
  class turn {
  public:
    turn(receiver_turns& of, calls::iterator which) : of_(&of), which_(which) {
      // nop
    }
    turn(turn&& other) noexcept : of_(other.of_), which_(other.which_) {
      other.of_ = nullptr;
    }
    turn& operator=(turn&&) = delete;

    /// Before it ends: nobody has answered.
    void has_failed() {
      of_->note_failure(which_);
    }

    /// Whether the call is to be cut short for others: so many are under way,
    /// all for long, and of those that are not fast this is the newest of
    /// whoever has the most. True stays true, and until the call has ended no
    /// other is to. `more` bytes have come since it was asked last.
    bool is_to_end(std::size_t workers, std::uint64_t more = 0) {
      return of_->is_to_end(which_, workers, more);
    }

    ~turn() {
      if (of_ != nullptr)
        of_->end(which_);
    }

  private:
    receiver_turns* of_;
    calls::iterator which_;
  };

  explicit receiver_turns(receiver_turns_options options = {});

  /// Before a call. Nothing if as many calls to this receiver are under way as
  /// may be, or if it is slow and as many of slow ones: it is to be called
  /// later. Blocks for `wait` at most.
  std::optional<turn> enter(const std::string& receiver,
                            const turn_limits& limits = {});

  /// The same, one by one, for what is dropped rather than called later: waits
  /// until it is known whether the receiver is slow.
  std::optional<turn> enter_in_turn(const std::string& receiver);

  bool is_slow(const std::string& receiver);

private:
  std::optional<turn> enter(const std::string& receiver,
                            const turn_limits& limits,
                            std::chrono::milliseconds wait);
  void end(calls::iterator which);
  void note_failure(calls::iterator which);
  bool is_to_end(calls::iterator which, std::size_t workers,
                 std::uint64_t more);
  bool is_fast(const call& x) const;
  bool is_slow_now(const std::string& receiver) const;
  bool may_enter(const std::string& receiver, const turn_limits& limits) const;
  std::chrono::steady_clock::time_point now() const;

  const receiver_turns_options options_;
  std::mutex mutex_;
  std::condition_variable ended_;
  calls under_way_;
  std::set<std::string> slow_; ///< as their last calls showed
};

} // namespace depositd::stages
