#pragma once

// Port: where objects are kept for good, each as a row of versions that never
// change. Adapters: adapters/stores/objects.

#include "messages/values/digests.hpp"
#include "messages/values/errors.hpp"
#include "messages/values/fields.hpp"
#include "messages/values/payload_paths.hpp"
#include "messages/values/types.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace depositd {

/// A file of an object as one version has it.
struct stored_file {
  std::string path; ///< inside the object, '/' between parts
  std::uint64_t bytes = 0;
  std::string sha512; ///< hexadecimal, lower case

  friend bool operator==(const stored_file&, const stored_file&) = default;
};
DEPOSITD_FIELDS(stored_file, path, bytes, sha512);

struct new_file {
  std::string path;             ///< inside the object
  std::filesystem::path source; ///< read once; stays the caller's
};

/// A version that is to be: exactly these files.
struct new_version {
  std::string object; ///< its identifier
  std::vector<new_file> files;
  micros created_us = never;
  std::string message; ///< why
  std::string user;    ///< who
};

struct object_version {
  std::uint32_t number = 0; ///< the first is 1
  micros created_us = never;
  std::string message;
  std::string user;
  std::vector<stored_file> files; ///< by path
};

struct put_result {
  std::uint32_t version = 0;
  bool added = true; ///< false: the last version is the same already
};

/// Whether bytes can be read that storage may have put far away.
enum class recall {
  at_hand,  ///< they can be read now
  begun,    ///< they are on their way from now on
  on_way,   ///< as they were before
  too_busy, ///< the storage wants to be asked again later
};

/// Every function may be called from any thread; all of them block on I/O. Two
/// writers of one object must not be there at once. Errors: `ec::not_found`,
/// `ec::store_damaged` names the file, `ec::store_failed`,
/// `ec::invalid_argument` for names that cannot be kept.
class storage_target {
public:
  virtual ~storage_target() = default;

  /// Makes a version, durably, all or nothing. What was put already and is the
  /// last version (the same paths with the same bytes) makes no second one, so
  /// a repeat after a crash is safe.
  virtual caf::expected<put_result> put(const new_version& x) = 0;

  /// The last version, or the one of that number.
  virtual caf::expected<object_version> show(const std::string& object,
                                             std::uint32_t version = 0) = 0;

  /// The last version that has this path with these bytes. What an inventory
  /// says may be behind of what is stored, or ahead: by digests it is found in
  /// either. `ec::not_found` if there is no such object, `ec::store_damaged` if
  /// no version of it has the file so.
  virtual caf::expected<std::uint32_t>
  version_with(const std::string& object, const stored_file& file) = 0;

  /// Writes one file of a version to a path that is not there yet, and checks
  /// its digest on the way.
  virtual caf::error get(const std::string& object, std::uint32_t version,
                         const std::string& path,
                         const std::filesystem::path& to) = 0;

  /// Gives every byte of one file of a version, in order, and compares nothing.
  /// An error of `sink` ends it.
  virtual caf::error
  read(const std::string& object, std::uint32_t version,
       const std::string& path,
       const std::function<caf::error(std::string_view)>& sink) = 0;

  /// Has an object, or one file of it as any version has it, brought to where
  /// it can be read, for so many days; says how far that is. Asking again does
  /// no harm. `ec::not_found`. Where everything is at hand, it is so at once.
  virtual caf::expected<recall> bring_back(const std::string& object,
                                           const std::string& path,
                                           std::uint32_t days) {
    const auto shown = show(object);
    if (!shown)
      return shown.error();
    static_cast<void>(days);
    for (const auto& file : shown->files)
      if (path.empty() || file.path == path)
        return recall::at_hand;
    return caf::make_error(ec::not_found, object + " has no file " + path);
  }

  /// Reads every byte of one version (0: of every version), and compares.
  virtual caf::error verify(const std::string& object,
                            std::uint32_t version = 0) = 0;

  /// Compares what the object keeps of these bytes, whichever version brought
  /// them, and puts them anew where they are damaged or gone: what its
  /// inventory says is true again. Files that the object does not have are
  /// passed over. How many were mended; `ec::not_found`.
  virtual caf::expected<std::uint64_t>
  mend(const std::string& object, const std::vector<new_file>& files) = 0;

  /// Of a path inside an object: longer ones are refused by `put`.
  virtual std::size_t path_bytes_max() const {
    return payload_path_bytes_max;
  }

  /// Removes an object with all its versions; nothing to remove is done.
  virtual caf::error remove(const std::string& object) = 0;
};

} // namespace depositd
