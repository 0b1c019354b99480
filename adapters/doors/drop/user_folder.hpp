#pragma once

// One user's folder on the disk. Everything is done relative to its open
// handle and without following links, so that no name leads out of it.

#include "adapters/doors/drop/ready_files.hpp"
#include "adapters/stores/files/file.hpp"
#include "messages/values/errors.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace depositd::drop {

enum class reading_state : std::uint8_t {
  whole,   ///< all bytes of a file that nobody is writing
  not_now, ///< gone, changed or being written: left alone
  unread,  ///< the disk does not give it: no fault of the file's
  unfit,   ///< may not be read or is too large: to be refused
};

/// What it means that opening a file has failed so.
reading_state after_open_failed(int code);

struct reading {
  reading_state state = reading_state::not_now;
  std::string text; ///< whole: the bytes; unread, unfit: why
};

/// The names of the folders in `root`; links and hidden ones are left out.
caf::expected<std::vector<std::string>> list_folders(const unique_fd& root);

class user_folder {
public:
  /// `ec::store_failed` if there is no folder of this name in `root`.
  static caf::expected<user_folder> open(const unique_fd& root,
                                         const std::string& name);

  /// The regular files that are meant to be taken, oldest first; after
  /// `count_max` of them the rest waits for another look.
  caf::expected<std::vector<listed_file>> list(std::size_t count_max) const;

  /// The bytes, if the file still is what was listed, has at most `bytes_max`
  /// bytes and, as far as the system tells, nobody has it open for writing.
  reading read(const listed_file& file, std::size_t bytes_max) const;

  /// Makes sure that `finish` and `refuse` have somewhere to put files.
  caf::error prepare() const;

  /// Moves an accepted file to `.done/ID-NAME`, or removes it. False: what has
  /// the name now is another file, which stays.
  caf::expected<bool> finish(const listed_file& file, std::uint64_t id,
                             bool keep) const;

  /// Moves the file to `.refused/NAME` and writes the reason beside it, into
  /// `NAME.reason`; a number is added to a name that is taken. False: what has
  /// the name now is another file, which stays.
  caf::expected<bool> refuse(const listed_file& file,
                             const std::string& reason) const;

private:
  user_folder(unique_fd fd, std::string name)
    : fd_(std::move(fd)), name_(std::move(name)) {
    // nop
  }

  caf::expected<unique_fd> subfolder(const char* name) const;
  caf::error failed(const char* verb, const std::string& name, int code) const;
  bool unchanged(const listed_file& file) const;
  int move(const listed_file& file, const unique_fd& to,
           const std::string& name) const;

  unique_fd fd_;
  std::string name_;
};

} // namespace depositd::drop
