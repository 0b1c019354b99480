#pragma once

// What lines of tag files say.

#include "adapters/bagit/tags.hpp"
#include "messages/values/digests.hpp"
#include "messages/values/errors.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace depositd::bagit {

/// A line of a manifest.
struct manifest_line {
  digest value;
  std::string path;    ///< decoded, without "./"
  bool binary = false; ///< there was md5sum's "*"
  bool dotted = false; ///< there was "./"
};

/// `ec::malformed`. `percent_too`: as BagIt 1.0 encodes names.
caf::expected<manifest_line> read_manifest_line(std::string_view line,
                                                digest_algorithm algorithm,
                                                bool percent_too);

/// A line of fetch.txt.
struct fetch_line {
  std::string url;
  std::optional<std::uint64_t> bytes;
  std::string path; ///< decoded, without "./"
};

caf::expected<fetch_line> read_fetch_line(std::string_view line,
                                          bool percent_too);

/// What bagit.txt says.
struct declaration {
  std::string version;  ///< "1.0"
  std::string encoding; ///< as it is written there
  std::string odd;      ///< what 1.0 would refuse; empty: nothing
};

/// Of the whole file. `ec::malformed`.
caf::expected<declaration> read_declaration(std::string_view text);

/// Of "12.3": bytes and files; nothing if it is something else.
struct oxum {
  std::uint64_t bytes = 0;
  std::uint64_t files = 0;
};
std::optional<oxum> read_oxum(std::string_view text);

/// Collects tags from lines.
class tag_reader {
public:
  /// False if the line is none.
  bool add(std::string_view line);

  std::vector<tag> tags;
};

} // namespace depositd::bagit
