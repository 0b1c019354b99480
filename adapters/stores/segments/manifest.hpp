#pragma once

// The file `journal.meta`: which segments make up the log. It is what tells a
// segment that was dropped from one that is missing.

#include "adapters/stores/files/disk.hpp"
#include "messages/values/errors.hpp"
#include "messages/values/types.hpp"

#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::segments {

inline constexpr const char* manifest_name = "journal.meta";

/// A segment that was dropped while older ones were not.
struct gap {
  std::uint64_t number = 0;
  sequence first = 0;
  sequence last = 0;
};

struct manifest {
  std::uint32_t shard = 0;
  epoch_number epoch = 0;   ///< highest that was ever opened
  std::uint64_t oldest = 1; ///< segment
  sequence first = 1;       ///< of the oldest segment
  std::uint64_t newest = 0; ///< segment; may hold nothing yet
  std::vector<gap> gaps;    ///< by number

  /// Takes a segment out of the log.
  void drop(const gap& segment);
};

/// Lines of text with a checksum at the end.
std::string encode(const manifest& x);

/// `ec::store_damaged`, or `ec::store_failed` for a later format; the text
/// lacks the name of the file.
caf::expected<manifest> decode_manifest(std::string_view text);

/// The manifest and its file, which always holds a whole one. Any thread.
class manifest_file {
public:
  manifest_file(disk& io, std::filesystem::path path, manifest now);

  manifest now();

  /// Durable when it returns; changes nothing if it fails.
  caf::error change(const std::function<void(manifest&)>& edit);

private:
  disk& io_;
  std::filesystem::path path_;
  std::mutex mutex_;
  manifest now_;
};

} // namespace depositd::segments
