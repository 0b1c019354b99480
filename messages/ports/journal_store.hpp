#pragma once

// Port: the durable log of one shard. Adapters: segments (embedded), memory,
// postgres; all pass tests/contract/journal_store_suite.hpp.

#include "messages/values/errors.hpp"
#include "messages/values/types.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace depositd {

/// The last offset of an ingress partition whose effects a group contains.
struct watermark {
  std::string partition; ///< "topic/number"
  std::int64_t offset = 0;

  friend bool operator==(const watermark&, const watermark&) = default;
};
DEPOSITD_FIELDS(watermark, partition, offset);

/// A group as it is read back.
struct stored_group {
  sequence first = 0;
  sequence last = 0;
  epoch_number epoch = 0;
  std::uint64_t group = 0; ///< for `body_location::group`
  std::string_view bytes;  ///< only valid during the call that shows it
  std::vector<watermark> watermarks;
};

/// A part of the log that is dropped as a whole: a segment file, a table.
struct segment {
  std::uint64_t number = 0; ///< rises with the log
  sequence first = 0;
  sequence last = 0;             ///< highest sequence in it
  std::uint64_t group_first = 0; ///< holds bodies with place.group in
  std::uint64_t group_last = 0;  ///< [group_first, group_last]
  std::uint64_t bytes = 0;
  bool open = false; ///< still written to; cannot be dropped
};

/// One writer thread calls `append`; any thread may call the rest at the same
/// time. None of them waits for another longer than a single read or write.
class journal_store {
public:
  virtual ~journal_store() = default;

  /// Epoch under which this instance may append.
  virtual epoch_number epoch() const = 0;

  /// Last durable sequence; 0 for an empty log. Never waits.
  virtual sequence last() const = 0;

  /// No room was found for the next segment: what is left of this one is for
  /// what frees space. Never waits.
  virtual bool nearly_full() const {
    return false;
  }

  /// Writes one group of `events` events durably: when it returns without an
  /// error, the bytes survive a crash and a power cut. Returns the number for
  /// body places. `ec::fenced` if a later epoch has written; `ec::store_failed`
  /// leaves the log as it was before the call.
  virtual caf::expected<std::uint64_t>
  append(std::string_view bytes, std::uint32_t events,
         const std::vector<watermark>& watermarks) = 0;

  /// Shows groups in order, starting with the one that contains `from`, until
  /// `show` returns false or the end as of this call is reached.
  /// `ec::store_damaged` names the part that does not match its checksum;
  /// `ec::not_found` if `from` was dropped already.
  virtual caf::error
  read(sequence from, const std::function<bool(const stored_group&)>& show) = 0;

  /// The bytes of a body. `ec::not_found` if its segment was dropped.
  virtual caf::expected<std::string> read_body(const body_location& place) = 0;

  /// Last watermark of every partition, over the whole log.
  virtual std::vector<watermark> watermarks() = 0;

  /// All segments, oldest first.
  virtual std::vector<segment> segments() = 0;

  /// Gives a segment's space back. `ec::invalid_argument` for an open one.
  virtual caf::error drop(std::uint64_t number) = 0;

  /// Bytes that the log takes on disk, spare space for reuse included.
  virtual std::uint64_t disk_bytes() = 0;

  /// Copies the log as of this call into the folder, while appends go on; the
  /// caller makes sure that nothing is dropped meanwhile.
  virtual caf::error backup(const std::filesystem::path& folder) = 0;
};

} // namespace depositd
