#pragma once

// Where intake goes on, and by which names the journal knows that.

#include "actors/records/intake.hpp"
#include "messages/ports/log_identity.hpp"
#include "messages/ports/record_log.hpp"
#include "messages/records.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace depositd::records {

std::string partition_name(const intake_options& options, std::int32_t number);

/// Where the journal keeps how far a partition was read. With one shard that is
/// what the shard has applied.
std::string cursor_name(const intake_options& options, std::int32_t number);

/// Which record was the last that was read. It may be of a later batch than the
/// cursor, which was not taken any more.
std::string mark_name(const intake_options& options, std::int32_t number);

/// Which record was the last when the log was known to be the one that is read.
std::string anchor_name(const intake_options& options, std::int32_t number);

/// Of the partitions that are ours; `from_oldest` of those of which nothing was
/// read.
caf::expected<std::vector<partition_position>>
positions(const intake_state& state, const watermarks_read& known);

/// Has the source read from there on, and says by its number where a partition
/// begins of which nothing was read.
caf::error read_from(record_source& source,
                     std::vector<partition_position>& positions);

/// Of these positions those before which there were records that nobody has
/// read, and nobody can: of partitions of which nothing was ever read.
std::vector<partition_position>
begun_late(const intake_state& state, const watermarks_read& known,
           const std::vector<partition_position>& read);

/// Whether the topic has partitions that are ours and are not read. What
/// cannot be asked is not known yet: no.
bool has_more(const intake_state& state);

/// By which these are known again: the last records that were read, where these
/// are before the position.
std::vector<partition_mark> marks(const intake_state& state,
                                  const watermarks_read& known,
                                  const std::vector<partition_position>& read);

/// Likewise: older ones, which are of the log whatever happened since.
std::vector<partition_mark>
anchors(const intake_state& state, const watermarks_read& known,
        const std::vector<partition_position>& read);

/// From now on those that the journal has are ours: none that is kept later is
/// of an earlier record.
void know_marks(intake_state& state, const watermarks_read& known,
                const std::vector<partition_position>& read);

/// The same of the partitions that are read, by what was read of them here.
std::vector<partition_mark> marks(const intake_state& state);
std::vector<partition_mark> anchors(const intake_state& state);

} // namespace depositd::records
