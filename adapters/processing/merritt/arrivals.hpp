#pragma once

// Files on their way into a job's folder: begun in "incoming", so that no file
// of a payload is taken for the beginning of another one.

#include "adapters/processing/merritt/working_folder.hpp"
#include "messages/ports/blob_store.hpp"
#include "messages/ports/downloader.hpp"

#include <filesystem>
#include <functional>
#include <string>

namespace depositd::merritt {

struct arrival {
  std::string part;         ///< name of the begun file in "incoming"
  std::filesystem::path to; ///< its place in the job's folder
};

/// Fetches a file and moves it to its place, where it replaces what is there.
/// Errors are the downloader's. `request.to` is set here.
caf::expected<std::uint64_t> fetch_to(downloader& by, const job_folder& folder,
                                      const arrival& x,
                                      download_request request);

/// The same of bytes that are at hand.
caf::error write_to(const job_folder& folder, const arrival& x,
                    std::string_view bytes);

/// Removes "incoming".
caf::error end_arrivals(const job_folder& folder);

/// Calls with every number below `count`, from up to `threads` threads at once,
/// until all are done or one call has answered false. What is thrown ends it,
/// too, and comes out here.
void each_row(std::size_t count, std::size_t threads,
              const std::function<bool(std::size_t)>& act);

inline constexpr std::size_t row_threads = 4;

} // namespace depositd::merritt
