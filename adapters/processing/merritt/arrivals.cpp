#include "adapters/processing/merritt/arrivals.hpp"

#include "adapters/stores/files/file.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace depositd::merritt {

namespace {

namespace fs = std::filesystem;

caf::error move_to(const fs::path& from, const fs::path& to) {
  if (auto failure = make_folders(system_disk(), to.parent_path()))
    return failure;
  std::error_code code;
  fs::rename(from, to, code);
  if (code)
    return file_failed("rename to", to, code.value());
  return sync_folder(system_disk(), to.parent_path());
}

} // namespace

caf::expected<std::uint64_t> fetch_to(downloader& by, const job_folder& folder,
                                      const arrival& x,
                                      download_request request) {
  if (auto failure = make_folders(system_disk(), folder.incoming()))
    return failure;
  request.to = folder.incoming() / x.part;
  auto got = by.fetch(request);
  if (!got)
    return std::move(got.error());
  if (auto failure = move_to(request.to, x.to))
    return failure;
  return got->bytes;
}

caf::error write_to(const job_folder& folder, const arrival& x,
                    std::string_view bytes) {
  if (auto failure = make_folders(system_disk(), folder.incoming()))
    return failure;
  const auto part = folder.incoming() / x.part;
  if (auto failure = replace_file(system_disk(), part, bytes))
    return failure;
  return move_to(part, x.to);
}

caf::error end_arrivals(const job_folder& folder) {
  std::error_code code;
  fs::remove_all(folder.incoming(), code);
  return code ? file_failed("remove", folder.incoming(), code.value())
              : caf::error{};
}

void each_row(std::size_t count, std::size_t threads,
              const std::function<bool(std::size_t)>& act) {
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> stopped = false;
  std::mutex mutex;
  std::exception_ptr thrown;
  const auto work = [&] {
    try {
      for (;;) {
        const auto at = next++;
        if (stopped || at >= count)
          return;
        if (!act(at))
          stopped = true;
      }
    } catch (...) {
      stopped = true;
      const std::lock_guard guard{mutex};
      thrown = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    try {
      while (others.size() + 1 < std::min(threads, count))
        others.emplace_back(work);
    } catch (const std::system_error&) {
      // As many as the machine has threads for.
    }
    work();
  }
  if (thrown)
    std::rethrow_exception(thrown);
}

} // namespace depositd::merritt
