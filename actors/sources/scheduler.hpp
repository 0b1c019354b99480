#pragma once

#include "actors/rules/sources/marks.hpp"
#include "actors/rules/sources/progress.hpp"
#include "actors/rules/sources/replenishing.hpp"
#include "actors/rules/sources/strategy.hpp"
#include "actors/sources/schedulers.hpp"
#include "messages/actor_with.hpp"
#include "messages/actors.hpp"
#include "messages/sources.hpp"
#include "messages/values/control.hpp"

#include <caf/message.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace depositd::sources {

/// To itself: look what is due.
struct look_at_sources {
  micros due_us = never;
};

/// An actor that reads a source, and what it is at. Ends with its owner: a
/// batch that is under way is cancelled and counts for nothing.
class puller {
public:
  puller() = default;
  puller(source_actor who, std::shared_ptr<reader_handle> reader);
  ~puller();

  puller(puller&& other) noexcept;
  puller& operator=(puller&& other) noexcept;

  const source_actor& actor() const noexcept {
    return actor_;
  }
  void cancel() const noexcept;
  /// It is gone by itself.
  void lose() noexcept;

  std::uint64_t busy = 0; ///< number of the replenish; 0: none
  /// When its replenish was given up, from which on it should return.
  micros cancelled_us = never;

private:
  source_actor actor_; ///< null: none
  std::shared_ptr<reader_handle> reader_;
};

/// Records on their way to the queue's shard, in one message that is sent until
/// it is answered.
struct sent_records {
  caf::message what; ///< a `feed_records`, shared with whoever handles it
  std::vector<std::uint64_t> batches; ///< of each record
  std::size_t bad = 0;
  /// When it is answered, all up to here is applied, with its bad records.
  std::optional<std::string> position;
  bool waits = false; ///< for an answer; else to be sent again
};

/// Those that were picked and go with the next message.
struct picked_records {
  std::vector<feed_records::one> records;
  std::vector<std::uint64_t> batches; ///< of each record
  std::vector<bad_record> bad;
  std::size_t bytes = 0;
};

/// A source of the scheduler.
struct fed_source {
  fed_source(const source_changed& as_set, std::uint64_t its_number,
             std::uint64_t body_bytes_max);

  std::uint64_t number; ///< tells it from earlier ones of its name
  source_changed set;
  rules::replenishing records;
  rules::feed_rate rate;

  puller reading;
  std::vector<puller> left_behind; ///< cancelled, and have not returned

  picked_records next;
  std::optional<sent_records> sent;
  std::uint32_t failures = 0; ///< of `sent`, in a row
  micros again_us = never;    ///< when it is sent again
  std::string trouble;        ///< why it could not be fed; empty: it could
  micros trouble_us = never;
  bool replaced = false; ///< its queue knows a later one of its name

  std::optional<std::string> position; ///< applied, and not stored
  bool keeping = false;                ///< a position is being stored
  bool end_kept = false;               ///< that it has ended is stored
  micros keep_again_us = never;

  /// By user: records that were set aside and may be fed now, which nobody
  /// else's may be in their stead.
  std::unordered_map<std::string, std::uint64_t> brought_back;
};

/// A user under `high_per_user`.
struct marked_user {
  bool known = false; ///< how many of its items there are; else not fed
  std::uint64_t picked = 0;
  std::uint64_t resolved = 0; ///< of these: durable, or let go
  std::uint64_t reserved = 0; ///< that sources have brought back
};

/// What is known of users under `high_per_user`.
struct user_marks {
  std::unordered_map<std::string, marked_user> all;
  std::size_t prune_at = 0;      ///< users; then those of no interest go
  std::set<std::string> fresh;   ///< set aside, as they are not known
  std::set<std::string> at_mark; ///< set aside
  std::string asked_last;        ///< of `at_mark`
  bool asking = false;
  std::uint64_t number = 0; ///< older answers mean nothing
  micros asked_us = never;
  micros pause_us = 0;      ///< until those at their mark are asked for again
  micros not_before_us = 1; ///< after an error
};

/// How much is left, and when that is asked next.
struct measuring {
  bool under_way = false;
  /// Nothing is picked until all is answered, so that the number is exact.
  bool calls_for_quiet = false;
  std::uint64_t number = 0; ///< of the question; older answers mean nothing
  std::uint32_t failures = 0;
  micros asked_us = never;
  micros pause_us = 0;
  std::uint64_t left_last = 0;
  std::string trouble; ///< why nobody says; empty: somebody did
  micros trouble_us = never;
  micros told_us = never; ///< when the log had it last
};

using scheduler_self = scheduler_actor::extend<caf::reacts_to<look_at_sources>>;

struct scheduler_actor_state {
  using interface = scheduler_self;

  ~scheduler_actor_state();

  std::shared_ptr<const schedulers_options> options;
  std::string called;
  std::shared_ptr<void> counted;
  bool begun = false; ///< the settings are known
  scheduler_settings settings;
  bool suspended = false;    ///< the server or the queue is
  std::string strategy_text; ///< in its usual spelling
  std::optional<rules::strategy> strategy;
  rules::marks marks{scheduler_settings{}};
  rules::feed_rate rate;
  std::uint64_t fed = 0;      ///< items made
  std::uint64_t picked = 0;   ///< records
  std::uint64_t resolved = 0; ///< of these: durable, or let go
  std::uint64_t number_last = 0;
  std::vector<std::unique_ptr<fed_source>> sources; ///< by name
  std::vector<std::uint64_t> ready; ///< of each, as the strategy is told
  user_marks users;
  measuring measure;
  gauge_actor gauge;                     ///< null: none was asked yet
  std::map<std::uint64_t, puller> tests; ///< dry runs, by number
  std::set<micros> wakes;                ///< when a `look_at_sources` comes

  static inline const char* name = "scheduler";
};

/// Feeds a queue from its sources. Picks are handed on in messages of one
/// source each, one of each source at a time, so its records keep their order;
/// what is picked meanwhile goes with the next. Proportions of the strategy are
/// those of the picks.
scheduler_self::behavior_type
scheduler(actor_with<scheduler_actor_state>* self, const std::string& called,
          std::shared_ptr<const schedulers_options> options);

} // namespace depositd::sources

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::sources::look_at_sources)
