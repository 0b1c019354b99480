#pragma once

// A batch becomes jobs: one for each file, container or object manifest that
// was submitted, and one for each row of a batch manifest.

#include "adapters/processing/merritt/fetching_turns.hpp"
#include "adapters/processing/stages/stage_tools.hpp"

#include <memory>
#include <string>

namespace depositd::merritt {

inline constexpr std::size_t slice_jobs_max = 1'000;
inline constexpr std::size_t slice_bytes_max = 8u * 1024 * 1024;

/// Answers `done` with the next `split_slice` of the batch. Rows are not
/// fetched. Rejected: a corrupt manifest, with its line. A manifest that is
/// fetched for longer than `slow_from` is put back if another one is, too.
stages::stage_handler
make_splitter(std::shared_ptr<const stages::stage_tools> tools,
              std::chrono::milliseconds slow_from = slow_fetch_from);

/// "jid-" and a UUID (version 8) that only this number in this batch has; the
/// first is 1.
std::string job_uuid(const std::string& batch_uuid, std::uint64_t number);

} // namespace depositd::merritt
