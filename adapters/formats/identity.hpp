#pragma once

// What kind of file something is: MIME by libmagic, PRONOM's id by siegfried,
// a program of somebody else's whose answers are read here.

#include "messages/values/errors.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::formats {

struct format_identity {
  std::string mime;   ///< "text/plain"; never empty
  std::string puid;   ///< "x-fmt/111"; empty: not known
  std::string method; ///< "libmagic", "siegfried: byte match at 0, 4"
};

/// Of so many first bytes libmagic's answer is as good as of the whole.
inline constexpr std::size_t first_bytes = std::size_t{64} * 1024;

/// libmagic with its own list. Not for several threads.
class mime_reader {
public:
  /// `ec::store_failed`: the list of the system cannot be read.
  static caf::expected<mime_reader> open();

  /// "application/octet-stream" for what nobody knows. `ec::store_failed`.
  caf::expected<std::string> of_bytes(std::string_view first);

private:
  explicit mime_reader(void* cookie);

  std::unique_ptr<void, void (*)(void*)> cookie_;
};

/// What siegfried says about one file.
struct siegfried_file {
  std::string file; ///< as it was asked for
  std::uint64_t bytes = 0;
  std::string puid; ///< empty: unknown
  std::string format;
  std::string mime;
  std::string basis;   ///< what it was known by
  std::string warning; ///< of siegfried, or its error with the file
};

/// The command that has siegfried print what `read_siegfried` reads.
/// `program`: "sf", or its path.
std::vector<std::string>
siegfried_command(std::string program,
                  const std::vector<std::filesystem::path>& files);

/// Of `sf -json`; the best match of each file. `ec::malformed`.
caf::expected<std::vector<siegfried_file>>
read_siegfried(std::string_view json);

/// Both in one: siegfried's MIME where it is sure, else libmagic's. `known`
/// null: siegfried did not run, or not on this file.
format_identity join(std::string mime, const siegfried_file* known);

} // namespace depositd::formats
