#pragma once

// Requests on their way to whichever engine has the shard that they are for.
// Without an owner they wait, for a bounded time; those that were sent to an
// engine which is gone fail at once, or go to the next one if that does no
// harm. Knows nothing of what is asked (ask_shard.hpp does).

#include "actors/rules/routing/table.hpp"
#include "messages/ask.hpp"
#include "messages/cluster.hpp"
#include "messages/values/sharding.hpp"

#include <caf/actor_addr.hpp>
#include <caf/actor_clock.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/error.hpp>
#include <caf/message.hpp>
#include <caf/response_promise.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace depositd::cluster {

/// To itself, now and then: refuse what has waited too long.
struct request_tick {};

inline constexpr std::chrono::milliseconds tick_interval{250};

struct forwarding_options {
  shard_number count = 1;
  /// How long requests wait for a shard to get an owner.
  std::chrono::milliseconds owner_wait{20'000};
  std::chrono::milliseconds request_timeout{30'000};
  /// For what is done to very many items. An owner that dies is noticed anyhow.
  std::chrono::milliseconds bulk_timeout{3'600'000};
  /// How long an owner of the past may still answer what it was sent.
  std::chrono::milliseconds last_answer{2'000};
  /// Tells the keeper that somebody we took for an owner is none.
  std::function<void()> lost = [] {};
};

using rules::routing::repeats;

/// What the owner of a shard is asked as soon as there is one.
struct shard_question {
  shard_number shard = 0;
  caf::message what;
  repeats may = repeats::never;
  caf::actor_clock::time_point until; ///< nobody waits longer for an owner
  answer_wait within{caf::infinite};  ///< for its answer
  asker_ptr asking;
};

/// Owners of shards and what they are asked. Part of an actor's state, and used
/// in that actor's turns.
class forwarding {
public:
  struct place {
    epoch_number epoch = 0;
    std::string engine;
    caf::strong_actor_ptr who; ///< null: nobody
    bool here = false;
  };

  /// `self` has this in its state.
  void begin(caf::scheduled_actor* self, forwarding_options options);

  const forwarding_options& options() const {
    return options_;
  }

  /// By shard.
  const std::vector<place>& places() const {
    return places_;
  }

  bool all_placed() const;

  /// Takes news of an owner. What was sent to the one before goes to the next
  /// if that does no harm; else there may be an answer yet, as the old owner
  /// ends what it has begun before it hands over.
  void set_place(const shard_placed& x, const caf::strong_actor_ptr& who);

  /// Whoever went was perhaps an owner.
  void owner_down(const caf::actor_addr& whom);

  /// Now and then: what has waited too long ends.
  void tick();

  /// Of what still waits for an owner.
  void refuse_all(const caf::error& why);

  /// Waits for an owner, and for its answer, as long as the options say.
  shard_question question(shard_number shard, caf::message what, repeats may,
                          bool takes_long) const;

  /// Who asks gets the answer, once.
  void ask(shard_question x);

  /// Keeps the promise with what the owner answers to `x`, which has nobody who
  /// asks; an owner that is here keeps it itself.
  void forward(shard_question x, caf::response_promise promise);

private:
  friend class owner_asked;

  using time_point = caf::actor_clock::time_point;
  using failing = std::function<void(const caf::error&)>;
  using question_ptr = std::shared_ptr<const shard_question>;

  struct waiting {
    question_ptr question;
    /// This one has turned it away and, if it still is the owner, is asked
    /// again when some time has passed.
    caf::actor_addr turned_away_by;
  };

  struct sent {
    question_ptr question;
    caf::actor_addr whom;
    /// When an owner that has been replaced is not waited for any longer.
    time_point until = time_point::max();
  };

  void ask_owner(const question_ptr& question);
  void owner_failed(const question_ptr& question, const caf::actor_addr& owner,
                    const caf::error& why);
  void fail_open(const std::function<bool(sent&)>& fits);
  void let_go(shard_number shard);
  void let_go_again();
  void refuse_late(time_point now);

  caf::scheduled_actor* self_ = nullptr;
  forwarding_options options_;
  std::vector<place> places_;              ///< by shard
  std::vector<std::vector<waiting>> held_; ///< by shard
  std::unordered_map<std::uint64_t, sent> open_;
  std::uint64_t open_last_ = 0;
};

} // namespace depositd::cluster

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::cluster::request_tick)
