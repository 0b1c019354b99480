#pragma once

// Goes through a bag, file by file: what reading and checking have in common.

#include "adapters/bagit/findings.hpp"
#include "adapters/bagit/reading.hpp"

#include <optional>

namespace depositd::bagit {

/// Whom a walk tells. Errors end the walk.
class walk_client {
public:
  virtual ~walk_client() = default;

  /// False: its bytes are of no interest, and `end` does not come.
  virtual caf::expected<bool> begin(const bag_file& x) = 0;

  virtual caf::error bytes(std::string_view part) = 0;

  /// `bytes` is what there really was.
  virtual caf::error end(bag_file& x) = 0;

  /// A folder below the bag's own.
  virtual void folder(const std::string&) {
    // nop
  }
};

/// Why a walk ended early.
struct walk_stop {
  caf::error error;
  /// What is wrong with the bag; nothing if it is not the bag's fault.
  std::optional<finding> found;
};

struct walk_request {
  const bag_source& from;
  const bag_limits& limits;
};

/// Nothing if it came to the end. Counts into `totals`.
std::optional<walk_stop> walk(const walk_request& x, walk_client& client,
                              bag_totals& totals);

/// Counts against the limits of a bag while it is walked through.
class walk_costs {
public:
  /// `own_bytes` of the archive; 0: a folder, without a ratio.
  walk_costs(const bag_limits& limits, std::uint64_t own_bytes);

  /// An entry of any kind.
  std::optional<walk_stop> add_entry();

  /// A file that will have so many bytes, or has them so far.
  std::optional<walk_stop> check_file(const std::string& path,
                                      std::uint64_t bytes) const;

  void add_file(std::uint64_t bytes) {
    bytes_ += bytes;
  }

private:
  const bag_limits& limits_;
  const std::uint64_t bytes_allowed_;
  std::uint64_t entries_ = 0;
  std::uint64_t bytes_ = 0;
};

/// A stop for which the bag is to blame.
walk_stop stop_for(finding_code code, const std::string& file,
                   std::string text);

/// A stop that says nothing about the bag.
walk_stop disk_failed(const char* verb, const std::filesystem::path& path,
                      int reason);

/// Refuses names that are dangerous.
std::optional<walk_stop> check_name(const std::string& path);

/// The two kinds of sources; the file or folder is there.
std::optional<walk_stop> walk_archive(const walk_request& x,
                                      walk_client& client, bag_totals& totals);
std::optional<walk_stop> walk_folder(const walk_request& x, walk_client& client,
                                     bag_totals& totals);

/// Counts a file that was gone through.
void count_file(const bag_file& x, bag_totals& totals);

} // namespace depositd::bagit
