#pragma once

// Gets segments ready before they are needed, so that no append waits for
// space to be found or zeros to be written, and keeps dropped ones for reuse.

#include "adapters/stores/segments/manifest.hpp"
#include "adapters/stores/segments/segment_file.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace depositd::segments {

struct pool_options {
  std::filesystem::path folder;
  std::uint32_t shard = 0;
  std::uint64_t segment_bytes = 0; ///< whole pages
  std::uint32_t spares_max = 0;
  /// Size of the log's first segment; each of the next is twice as large, up to
  /// `segment_bytes`. So a new log soon comes to segments that were filled with
  /// zeros before. Whole pages; 0: all are of one size.
  std::uint64_t first_bytes = 0;

  /// Of the segment with this number, unless a group needs more or the disk
  /// has less.
  std::uint64_t bytes_of(std::uint64_t number) const;

  /// Of a segment on a disk that is nearly full.
  std::uint64_t least_bytes() const;
};

/// A dropped file. It is not written to while a reader still has it open.
struct spare_file {
  std::filesystem::path path;
  segment_ptr former; ///< null: nobody can be reading it
};

/// `take` and `put_back` are for the appending thread, the rest for any.
class segment_pool {
public:
  /// `ready` are segments of the log that hold nothing yet, by number.
  segment_pool(disk& io, manifest_file& names, pool_options options,
               std::deque<segment_ptr> ready, std::vector<spare_file> spares);

  /// Stops the preparing thread.
  ~segment_pool();

  /// Asks for a segment to be made ready; never waits. What fails is tried
  /// again each second.
  void prepare();

  /// A segment was asked for, and there is no space for it yet.
  bool lacks_space() const {
    return lacks_space_.load(std::memory_order_relaxed);
  }

  /// Of the segment that was made ready last, if the disk had no room for one
  /// of the usual size; else 0.
  std::uint64_t small_bytes() const {
    return small_bytes_.load(std::memory_order_relaxed);
  }

  /// The next segment, with at least this capacity. Waits for it if it is not
  /// ready. Nobody but the caller writes to it from then on.
  caf::expected<segment_ptr> take(std::uint64_t capacity_min);

  /// Takes a segment back that was taken and holds nothing yet.
  void put_back(segment_ptr segment);

  /// Takes over the file of a segment that is in the log no longer.
  caf::error give_back(segment_ptr segment);

  /// Of ready and spare segments.
  std::uint64_t disk_bytes();

private:
  using lock = std::unique_lock<std::mutex>;

  void run();
  bool has_work() const;
  bool has_fill() const;
  void wait_for_work(lock& held);
  caf::error make_ready(lock& held);
  caf::error grow_ready(lock& held);
  void fill(lock& held);
  caf::expected<std::filesystem::path>
  find_file(std::uint64_t number, bool& fresh, lock& held);
  caf::expected<segment_ptr> create(std::uint64_t number,
                                    const std::filesystem::path& path);

  disk& io_;
  manifest_file& names_;
  const pool_options options_;
  std::atomic<bool> lacks_space_ = false;
  std::atomic<std::uint64_t> small_bytes_ = 0;

  std::mutex mutex_; // guards all below; never held over I/O
  std::condition_variable changed_;
  std::deque<segment_ptr> ready_;
  std::vector<spare_file> spares_;
  caf::error failed_;         // of the last attempt
  bool asked_ = false;        // for a segment ahead
  std::chrono::steady_clock::time_point again_at_; // after a failure
  bool named_ = false;        // the file of the next has its name, no more
  std::uint64_t wanted_ = 0;  // capacity that `take` waits for
  std::uint64_t fill_at_ = 0; // in the first ready one; 0: no zeros due
  std::chrono::steady_clock::duration fill_pause_; // after the last piece
  bool busy_ = false;         // the thread works on a ready segment
  bool stopping_ = false;
  std::thread thread_;
};

} // namespace depositd::segments
