#pragma once

// Manifests for tests.

#include "adapters/processing/merritt/manifest.hpp"

#include <string>

namespace depositd::merritt::testing {

inline std::string header(const std::string& profile) {
  return "#%checkm_0.7\n"
         "#%profile | http://uc3.cdlib.org/registry/ingest/manifest/"
         + profile
         + "\n"
           "#%prefix | mrt: | http://merritt.cdlib.org/terms#\n"
           "#%prefix | nfo: | "
           "http://www.semanticdesktop.org/ontologies/2007/03/22/nfo#\n"
           "#%fields | nfo:fileUrl | nfo:hashAlgorithm | nfo:hashValue\n";
}

inline const std::string object_header = header("mrt-ingest-manifest");
inline const std::string eof = "#%eof\n";

inline const std::string first_row =
  "https://example.org/blocks/one.jpg | md5 | "
  "900150983cd24fb0d6963f7d28e17f72 | 12 | 2020-01-01 | one.jpg | image/jpeg\n";
inline const std::string second_row =
  "https://example.org/blocks/two.txt | md5 | "
  "0cc175b9c0f1b6a831c399e269772661 | | | two.txt\n";

/// An object manifest with these rows.
inline std::string object(const std::string& rows) {
  return object_header + rows + eof;
}

/// Why it is corrupt, or one of its rows hopeless; empty if neither.
inline std::string fault_of(const std::string& text) {
  const auto fault = judge(read_manifest(text));
  return fault ? render(*fault) : "";
}

/// Why the whole is corrupt.
inline std::string corruption_of(const std::string& text) {
  const auto read = read_manifest(text);
  return read.fault ? render(*read.fault) : "";
}

} // namespace depositd::merritt::testing
