#pragma once

// Which files of a folder are ready to be taken. No I/O, no clock.

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::drop {

/// What changes when somebody writes or replaces a file.
struct file_stamp {
  std::uint64_t inode = 0;
  std::uint64_t size = 0;      ///< bytes
  std::int64_t written_ns = 0; ///< mtime, which writers can set
  std::int64_t changed_ns = 0; ///< ctime, which only the system sets

  friend bool operator==(const file_stamp&, const file_stamp&) = default;
};

/// A regular file that was found in a user's folder.
struct listed_file {
  std::string name; ///< as it is in the folder, any bytes
  file_stamp stamp;
};

/// Whether a file of this name is meant to be taken: not hidden, and no
/// `*.part` or `*.tmp`, which is how programs name what is not whole.
bool meant_to_be_taken(std::string_view name) noexcept;

/// Remembers one folder from look to look.
class ready_files {
public:
  using time_point = std::chrono::steady_clock::time_point;

  /// The files, in the order of the list, that are the same as at an earlier
  /// look at least `still_for` ago and at every look since. An empty file is
  /// never ready: its bytes may be on their way. Forgets what is not listed.
  std::vector<listed_file> observe(const std::vector<listed_file>& listed,
                                   time_point now,
                                   std::chrono::milliseconds still_for);

  /// As if this file had not been seen yet.
  void forget(const std::string& name);

  /// As if nothing had been seen yet.
  void forget_all();

private:
  struct sight {
    file_stamp stamp;
    time_point since;
  };

  std::map<std::string, sight> seen_; // by name
};

} // namespace depositd::drop
