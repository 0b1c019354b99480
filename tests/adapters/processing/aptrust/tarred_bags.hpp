#pragma once

// Bags for tests: right ones, and such that are wrong in one way.

#include "adapters/digests/digester.hpp"
#include "tests/support/packed.hpp"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace depositd::aptrust::testing {

using depositd::testing::tar_of;

using file_map = std::map<std::string, std::string>;

inline std::string hex_of(std::string_view bytes, digest_algorithm by) {
  digester sum{by};
  sum.add(bytes);
  return sum.finish().value;
}

/// What a bag consists of; change it before it is packed to spoil it.
struct bag_parts {
  std::string name; ///< without ".tar"
  file_map payload; ///< below data/
  file_map tags;
  std::string manifest; ///< manifest-sha256.txt
};

inline bag_parts parts_of(const std::string& name, const file_map& payload,
                          const std::string& title = "Photos of Ghent") {
  bag_parts out{name, payload, {}, {}};
  std::size_t bytes = 0;
  for (const auto& [path, text] : payload) {
    out.manifest +=
      hex_of(text, digest_algorithm::sha256) + "  data/" + path + "\n";
    bytes += text.size();
  }
  out.tags["bagit.txt"] =
    "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n";
  out.tags["bag-info.txt"] = "Source-Organization: Test University\n"
                             "Payload-Oxum: "
                             + std::to_string(bytes) + "."
                             + std::to_string(payload.size()) + "\n";
  out.tags["aptrust-info.txt"] = "Title: " + title + "\nAccess: Institution\n";
  return out;
}

inline std::string packed(const bag_parts& x) {
  std::vector<std::pair<std::string, std::string>> files;
  for (const auto& [path, text] : x.tags)
    files.emplace_back(x.name + "/" + path, text);
  files.emplace_back(x.name + "/manifest-sha256.txt", x.manifest);
  for (const auto& [path, text] : x.payload)
    files.emplace_back(x.name + "/data/" + path, text);
  return tar_of(files);
}

} // namespace depositd::aptrust::testing
