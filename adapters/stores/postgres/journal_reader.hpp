#pragma once

// The side of the journal that reads, and drops what was read.

#include "adapters/stores/postgres/channel.hpp"
#include "adapters/stores/postgres/journal_log.hpp"
#include "adapters/stores/postgres/postgres_options.hpp"

#include <atomic>

namespace depositd::postgres {

/// What writer and reader share.
struct journal_view {
  std::atomic<sequence> last = 0;
  journal_segments segments;
};

/// Any thread may call it. Groups and bodies come over connections of their
/// own, so that neither waits for the other.
class journal_reader {
public:
  journal_reader(const postgres_options& options,
                 std::shared_ptr<journal_view> log);

  caf::error read(sequence from,
                  const std::function<bool(const stored_group&)>& show);

  caf::expected<std::string> read_body(const body_location& place);

  /// `ec::fenced` if the epoch is not the shard's any more.
  caf::error drop(std::uint64_t number, epoch_number epoch);

  /// 0 if the server does not answer.
  std::uint64_t disk_bytes();

private:
  /// Some groups of a segment, beginning with the one that contains `next`.
  caf::expected<result> batch(std::uint64_t segment, sequence next,
                              sequence end);

  /// Takes a row that must begin at or, the first one shown, before `next`.
  caf::error take(const result& rows, int row, sequence next, bool is_first,
                  stored_group& out);

  caf::error gone(sequence where) const;

  postgres_options options_;
  std::shared_ptr<journal_view> log_;
  channel groups_;
  channel bodies_;
};

} // namespace depositd::postgres
