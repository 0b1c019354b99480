#pragma once

// What the journalled events of a history say of items and settings, kept apart
// from the rules that the engines use.

#include "messages/values/scheduling.hpp"
#include "tests/simulation/history.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace depositd::simulation {

enum class life : std::uint8_t { pending, claimed, delayed, parked, gone };

/// Counts of one user in one queue.
struct tracked_counts {
  std::uint32_t pending = 0; ///< ready at once
  std::uint32_t claimed = 0;
};

struct tracked_item {
  shard_number shard = 0;
  std::string queue;
  std::string user;
  std::string body;
  life now = life::pending;
  claim_token token = 0;      ///< of the last claim
  std::uint32_t attempt = 0;
  micros available_us = never; ///< delayed until then
  bool local = false;          ///< the last claim's
  tracked_counts* among = nullptr; ///< its user's in its queue
};

/// Items by what the journal says of them so far.
class item_book {
public:
  using user_key = std::pair<std::string, std::string>; ///< {queue, user}

  item_book() = default;
  item_book(item_book&&) = default;
  item_book& operator=(item_book&&) = default;

  /// The item before the event; null if there never was one.
  const tracked_item* find(item_id id) const {
    const auto at = items_.find(id);
    return at == items_.end() ? nullptr : &at->second;
  }

  tracked_counts counts(const std::string& queue,
                        const std::string& user) const {
    const auto at = counts_.find({queue, user});
    return at == counts_.end() ? tracked_counts{} : at->second;
  }

  /// Takes the event in. What does not fit is taken as it says.
  void apply(const journalled& x);

  const std::unordered_map<item_id, tracked_item>& items() const {
    return items_;
  }

private:
  static void become(tracked_item& x, life next);
  void move(tracked_item& x, const item_place& to);

  std::unordered_map<item_id, tracked_item> items_;
  std::map<user_key, tracked_counts> counts_;
};

/// The id that an event of an item names; 0 if it names none.
item_id id_in(const event& x);

/// A value with those that were in force shortly before it.
template <class T>
class lenient {
public:
  lenient() = default;
  explicit lenient(T x) : now_(std::move(x)) {
    // nop
  }

  void set(T x, micros at_us, micros slack_us) {
    if (x == now_)
      return;
    before_.emplace_back(std::move(now_), at_us + slack_us);
    now_ = std::move(x);
  }

  /// What was meant then may be meant for longer.
  void hold_up(micros from_us, micros until_us) {
    for (auto& [x, last_us] : before_)
      if (last_us >= from_us)
        last_us = std::max(last_us, until_us);
  }

  const T& now() const {
    return now_;
  }

  /// Whether any value that may be in force still fulfils the predicate.
  template <class Predicate>
  bool any(micros at_us, Predicate fits) const {
    if (fits(now_))
      return true;
    for (const auto& [x, until_us] : before_)
      if (at_us <= until_us && fits(x))
        return true;
    return false;
  }

private:
  T now_{};
  std::vector<std::pair<T, micros>> before_; ///< until when it may be meant
};

/// What operators have set in one shard, by its journal.
class settings_book {
public:
  explicit settings_book(micros slack_us) : slack_us_(slack_us) {
    // nop
  }

  void apply(const event& x, micros at_us);

  /// Who decides here was stopped from one time to another: what it has decided
  /// and not written before it stopped comes with what was in force then.
  void hold_up(micros from_us, micros until_us);

  /// Whether so many claims may be the user's in the queue.
  bool may_hold(const std::string& queue, const std::string& user,
                std::uint32_t claims, micros at_us) const;
  bool may_be_served(const std::string& user, micros at_us) const;
  bool may_be_prohibited_no_more(const std::string& user, micros at_us) const;
  bool may_hand_out(const std::string& queue, micros at_us) const;

  /// Plainly in force now, for fairness.
  bool plain(const std::string& queue, const std::string& user) const;
  std::uint32_t cap(const std::string& queue, const std::string& user) const;
  std::uint32_t allocation(const std::string& queue,
                           const std::string& user) const;
  bool across_users(const std::string& queue) const;

private:
  struct eligibility {
    bool held = false;
    bool prohibited = false;

    friend bool operator==(const eligibility&, const eligibility&) = default;
  };

  void refresh(const std::string& queue, const std::string& user,
               micros at_us);

  micros slack_us_;
  std::map<std::string, queue_settings> queues_;
  std::map<std::string, lenient<bool>> suspended_;
  lenient<bool> server_suspended_;
  std::map<item_book::user_key, user_limits_changed> limits_;
  std::map<item_book::user_key, lenient<std::uint32_t>> own_caps_;
  std::map<std::string, lenient<std::uint32_t>> caps_;
  std::map<std::string, lenient<eligibility>> eligibilities_;
};

} // namespace depositd::simulation
