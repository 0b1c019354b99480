#pragma once

// A source with its buffer: when it is read, and what becomes of what it
// brings. Answers from the buffer at once; one replenish at a time goes on
// beside that, and its end is never missed, because it has a number and a
// deadline. Time is given from outside.

#include "actors/rules/sources/cursor_book.hpp"
#include "actors/rules/sources/fifo_set.hpp"
#include "actors/rules/sources/known_keys.hpp"
#include "messages/values/sources.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace depositd::rules {

/// Bad records of a source that are told apart. Were the first ones forgotten
/// for more, a source that is read from its beginning would have all of them
/// kept anew with each pass.
inline constexpr std::size_t bad_seen_max = 200'000;

/// To be asked of the source now.
struct replenish {
  std::uint64_t number = 0; ///< of this replenish; rises
  std::uint64_t limit = 0;
  std::string cursor;
  micros deadline_us = never;
};

/// What became of a batch.
struct batch_taken {
  std::uint64_t added = 0;
  std::uint64_t duplicates = 0;
  std::vector<bad_record> bad; ///< those that are new
  /// Keys that are over already: the source may forget them.
  std::vector<std::string> applied_again;
};

/// What is told of a source; counts since the engine started.
struct source_facts {
  std::uint64_t replenishes = 0; ///< ended, with or without success
  std::uint64_t replenish_us_last = 0;
  std::uint64_t replenish_records_last = 0; ///< that it brought
  std::uint64_t failures = 0;               ///< in a row
  std::uint64_t duplicates = 0;
  std::uint64_t bad = 0;
  std::string bad_last; ///< NAME: KEY: reason; empty: none yet
  std::string error;    ///< NAME: reason; empty: the last one went well
  micros error_us = never;
  std::optional<std::uint64_t> total;
};

class replenishing {
public:
  /// `body_bytes_max`: larger bodies are bad records.
  replenishing(std::string name, const source_settings& by,
               std::uint64_t body_bytes_max);

  /// New settings count from now on; what waits stays.
  void set(const source_settings& by);

  /// Goes on where it stood before a restart.
  void restore(std::optional<std::string> cursor, bool paused, bool ended);

  // -- replenishing

  /// What to ask of the source, if anything now. It is on its way until
  /// `brought`, `failed` or `expire` say otherwise.
  std::optional<replenish> start(micros now_us);

  /// When `start` or `expire` has to be asked again, if nothing happens before;
  /// `never`: not before something does.
  micros due_us() const noexcept;

  /// Takes what the replenish brought; nothing if that one has ended (it took
  /// too long), and then nothing of it counts.
  std::optional<batch_taken> brought(std::uint64_t number, pulled_batch batch,
                                     micros now_us);

  /// False if that one has ended.
  bool failed(std::uint64_t number, const std::string& reason, micros now_us);

  /// The number of the replenish that is to be cancelled: it took longer than
  /// it may, and has failed by this.
  std::optional<std::uint64_t> expire(micros now_us);

  // -- its operator

  void pause() noexcept;
  /// Also ends the state `ended`.
  void resume() noexcept;
  source_state state() const noexcept;

  // -- records

  /// The next record, unless it is paused. It is in flight from now on; its
  /// `tag` is the batch for `applied`.
  std::optional<taken_record> take();

  /// Records that `take` would give: none while it is paused.
  std::uint64_t ready() const noexcept {
    return paused_ ? 0 : buffer_.ready();
  }

  /// Sets records of users at their mark aside (see `fifo_set`).
  fifo_set& buffer() noexcept {
    return buffer_;
  }
  known_keys& known() noexcept {
    return known_;
  }

  /// The record's shard has committed it, or knew it.
  void applied(std::uint64_t batch) {
    positions_.applied(batch);
  }

  /// The position that may be stored, if it moved.
  std::optional<std::string> moved() {
    return positions_.moved();
  }

  /// Makes room for a record of this key that is fed by hand.
  void forget(std::string_view key);

  /// `queued` if it is in flight.
  record_state record(std::string_view key) const noexcept;

  // -- looking

  bool on_its_way() const noexcept {
    return on_its_way_.has_value();
  }
  /// Up to where it was read.
  const std::optional<std::string>& cursor() const noexcept {
    return cursor_;
  }
  const source_facts& facts() const noexcept {
    return facts_;
  }

private:
  struct running {
    std::uint64_t number = 0;
    std::uint64_t limit = 0;
    micros since_us = never;
    micros deadline_us = never;
  };
  enum class taken : std::uint8_t { added, waits, over, bad, no_room };

  taken take_in(pulled_record& x, batch_taken& out);
  void note_bad(bad_record x, batch_taken& out);
  void end_one(micros now_us);
  void fail(const std::string& reason, micros now_us);

  std::string name_;
  source_settings by_;
  std::uint64_t body_bytes_max_;
  fifo_set buffer_;
  known_keys known_;
  /// Digests: the same ones are read again and again.
  std::unordered_set<std::uint64_t> bad_seen_;
  cursor_book positions_;
  std::optional<std::string> cursor_;
  std::optional<running> on_its_way_;
  std::uint64_t number_last_ = 0;
  micros not_before_us_ = never;
  bool paused_ = false;
  bool ended_ = false;
  bool pass_brought_ = false; ///< anything new since it last began anew
  source_facts facts_;
};

/// Why a record cannot be scheduled; empty if it can.
std::string fault_of(const pulled_record& x, std::uint64_t body_bytes_max);

/// Microseconds to wait after so many failures in a row, at least one.
micros retry_wait_us(const source_settings& by, std::uint64_t failures);

} // namespace depositd::rules
