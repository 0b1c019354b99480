#pragma once

// Up to where a source may say that it was read. Records are applied by their
// shards in any order, so the position that is stored follows behind the one
// that is read from.

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

namespace depositd::rules {

class cursor_book {
public:
  /// A batch was read up to `cursor` (none: the source has none), and `records`
  /// of it are to be handed on. Returns its number, which rises.
  std::uint64_t opened(std::optional<std::string> cursor,
                       std::uint64_t records);

  /// The number that the next batch will have.
  std::uint64_t next_number() const noexcept {
    return first_ + open_.size();
  }

  /// The shard of one record of the batch has committed or refused it, or
  /// known it already; or the record was dropped for good.
  void applied(std::uint64_t batch, std::uint64_t records = 1);

  /// The position up to which all is applied, if it moved since the last call.
  std::optional<std::string> moved();

  /// Records handed on and not yet applied, over all batches.
  std::uint64_t outstanding() const noexcept {
    return outstanding_;
  }

private:
  struct batch {
    std::optional<std::string> cursor;
    std::uint64_t left = 0;
  };
  void advance();

  std::deque<batch> open_;
  std::uint64_t first_ = 1; ///< number of the first of `open_`
  std::uint64_t outstanding_ = 0;
  std::optional<std::string> moved_;
};

} // namespace depositd::rules
