#pragma once

// What is known of records of sources in the shard that has their items: which
// of them live, which are over and remembered, and how many there were.

#include "actors/rules/sources/fifo_set.hpp"
#include "messages/values/rows.hpp"
#include "messages/values/source_events.hpp"
#include "messages/values/sources.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace depositd::rules {

/// Exact for all that live and for the newest `known_max` that are over of each
/// source. Every call on a key is O(1); a key takes at most 200 bytes and its
/// own. A source is told from an earlier one of its name by when it was made:
/// of that nothing is known any more, and nothing of it counts.
class record_register {
public:
  /// Bad records that are kept of each source.
  static constexpr std::size_t refused_max = 10'000;

  /// What is known of a key. The user lives as long as nothing is changed.
  struct finding {
    record_state state = record_state::unknown; ///< queued: its item lives
    std::string_view user;
    item_id id = 0; ///< of its item, while that lives
  };

  struct counts {
    std::uint64_t queued = 0; ///< live and not claimed
    std::uint64_t claimed = 0;
    std::uint64_t finished = 0; ///< since the source was made
    std::uint64_t failed = 0;   ///< likewise
    std::uint64_t remembered = 0;
  };

  // -- sources

  /// The source is known from now on, and so many of its keys that are over.
  /// False if a later one of its name is known: then nothing changes.
  bool begin(const std::string& source, micros made_us,
             std::uint64_t known_max);

  /// The source is no more.
  void end_source(const std::string& source);

  /// All that are known, and when they were made.
  std::vector<std::pair<std::string, micros>> sources() const;

  counts count(const std::string& source, micros made_us) const;

  // -- records

  finding find(const std::string& source, micros made_us,
               std::string_view key) const;

  /// A record has become an item, whatever was known of its key: an item that
  /// has it goes on, and its end counts, but says nothing of the key.
  void take(const record_taken& x, const std::string& user);

  /// A record's item is over; it was in the queue that `x` names.
  void end(const record_ended& x, const std::string& user);

  /// A bad record is kept. False if it is already.
  bool refuse(const std::string& source, micros made_us, std::uint64_t digest);

  /// What is to be journalled as forgotten, in pieces: of each source of which
  /// there is that much.
  std::vector<records_forgotten> take_forgotten(std::size_t keys_min = 1);

  // -- their items

  /// More or fewer of a source's items are claimed.
  void change_claims(const std::string& source, micros made_us,
                     std::int32_t by);

  /// So many items of the user came into the queue from another one.
  void move(const std::string& queue, const std::string& user, std::int64_t by);

  /// Of records of whatever source: how many of the user's live in the queue.
  std::uint64_t of_user(const std::string& queue,
                        const std::string& user) const;

  // -- after a crash: first rows, then what the journal has behind them

  void restore(const record_row& x);
  void restore(const record_totals& x);
  void forget(const records_forgotten& x);

  /// Counts of items begin anew: each that lives is counted.
  void begin_items();
  void count_item(const record_taken& x, const std::string& user, bool claimed);

private:
  struct of_source {
    micros made_us = never;
    std::uint64_t known_max = std::numeric_limits<std::uint64_t>::max();
    fifo_set live; ///< tag: id of the item
    fifo_set over; ///< tag: how it ended
    std::uint64_t items = 0;
    std::int64_t claimed = 0;
    std::uint64_t finished = 0;
    std::uint64_t failed = 0;
    std::deque<std::uint64_t> refused; ///< digests, the oldest first
    std::unordered_set<std::uint64_t> refused_known;
    // -- to be journalled as forgotten
    std::vector<std::string> keys;
    std::vector<std::uint64_t> digests;
  };

  const of_source* source_of(std::string_view name, micros made_us) const;
  of_source* source_of(std::string_view name, micros made_us);
  /// Null if a later one of its name is known.
  of_source* reach(const std::string& name, micros made_us);
  void forget_all(const std::string& name, micros made_us);
  static void cut(of_source& x);

  std::map<std::string, of_source, std::less<>> sources_;
  /// By queue, then user; none is zero.
  std::unordered_map<std::string,
                     std::unordered_map<std::string, std::uint64_t>>
    users_;
  /// To be journalled as forgotten: these and all before them.
  std::map<std::string, micros> ended_;
};

} // namespace depositd::rules
