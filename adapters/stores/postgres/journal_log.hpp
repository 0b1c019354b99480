#pragma once

// What the journal knows of its tables, and how a group is written there.

#include "adapters/stores/postgres/connection.hpp"
#include "messages/ports/journal_store.hpp"

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace depositd::postgres {

/// Watermarks as a group carries them.
std::string encode(const std::vector<watermark>& watermarks);

/// `ec::store_damaged` if that is not what `encode` makes.
caf::error decode(std::string_view bytes, std::vector<watermark>& out);

/// Of a group with its place in the log; `watermarks` are encoded.
std::uint64_t group_checksum(std::uint32_t shard, const stored_group& group,
                             std::string_view watermarks);

/// The segments of one shard as they are in the database, in memory: the owner
/// is the only one who changes them. Thread-safe. Bodies are placed by the
/// first sequence of their group.
class journal_segments {
public:
  void assign(std::vector<segment> all);

  /// Oldest first; an open one that is empty is not shown.
  std::vector<segment> list() const;

  /// Of the segment that holds the sequence.
  std::optional<std::uint64_t> holding(sequence where) const;

  /// The one that is written to; none in an empty log.
  std::optional<segment> open() const;

  std::optional<segment> find(std::uint64_t number) const;

  /// A group went into the open segment.
  void grow(sequence last, std::uint64_t bytes);

  /// Closes the open segment, if there is one, and begins this one.
  void begin(std::uint64_t number, sequence first);

  void erase(std::uint64_t number);

private:
  mutable std::mutex mutex_;
  std::map<std::uint64_t, segment> segments_;
};

/// What the database says of a shard's log.
struct journal_contents {
  std::vector<segment> segments;
  std::map<std::string, std::int64_t> watermarks;
  sequence last = 0;
};

/// `ec::store_damaged` if groups of the open segment are missing.
caf::expected<journal_contents> load_journal(connection& from,
                                             std::uint32_t shard);

} // namespace depositd::postgres
