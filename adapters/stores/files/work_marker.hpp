#pragma once

// What shows that a working folder is the one that all share: a file with the
// id that the store knows it by.

#include "adapters/stores/files/disk.hpp"
#include "messages/values/errors.hpp"

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>

namespace depositd {

/// In the working folder.
inline constexpr const char* work_marker_name = ".depositd-store";

/// The id in the folder's marker; nothing if it has none. `ec::store_damaged`
/// for a marker that holds no id.
caf::expected<std::optional<std::string>>
read_work_marker(const std::filesystem::path& folder);

/// Marks a folder that has no marker, or another; durable.
caf::error write_work_marker(disk& io, const std::filesystem::path& folder,
                             const std::string& id);

/// No error if the folder has a marker, whosever; `ec::store_failed` if not, as
/// while its disk is not mounted.
caf::error look_for_work_marker(const std::filesystem::path& folder);

/// For whoever needs a folder to begin in, and no marker; may be used from
/// several threads.
class work_folder_watch {
public:
  explicit work_folder_watch(std::filesystem::path folder);

  /// No error if the folder is one; but where a marker was, it has to be still:
  /// else its disk is away, with all that is in it. `ec::store_failed`.
  caf::error look();

private:
  const std::filesystem::path folder_;
  std::atomic<bool> was_marked_ = false;
};

/// No error if the folder has this marker and files can be made in it, or could
/// be if its disk were not full; else one line that says what is wrong. Blocks
/// as long as the file system does.
caf::error prove_work_folder(const std::filesystem::path& folder,
                             const std::string& id);

/// The id that is kept in a file of a folder that is ours alone; the proposed
/// one if there was none. Durable.
caf::expected<std::string> agree_on_work_id(disk& io,
                                            const std::filesystem::path& path,
                                            const std::string& proposed);

} // namespace depositd
