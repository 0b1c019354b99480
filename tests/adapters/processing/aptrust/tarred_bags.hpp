#pragma once

// Bags for tests: right ones, and such that are wrong in one way.

#include "adapters/digests/digester.hpp"

#include <archive.h>
#include <archive_entry.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace depositd::aptrust::testing {

using file_map = std::map<std::string, std::string>;

inline std::string hex_of(std::string_view bytes, digest_algorithm by) {
  digester sum{by};
  sum.add(bytes);
  return sum.finish().value;
}

/// A tar file of these, in this order; a name that ends with a slash is a
/// folder.
inline std::string
tar_of(const std::vector<std::pair<std::string, std::string>>& files) {
  std::string out;
  const std::unique_ptr<archive, int (*)(archive*)> to{archive_write_new(),
                                                       &archive_write_free};
  archive_write_set_format_ustar(to.get());
  const auto write = [](archive*, void* where, const void* bytes,
                        std::size_t count) {
    static_cast<std::string*>(where)->append(static_cast<const char*>(bytes),
                                             count);
    return static_cast<la_ssize_t>(count);
  };
  archive_write_open(to.get(), &out, nullptr, write, nullptr);
  for (const auto& [name, bytes] : files) {
    const std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry{
      archive_entry_new(), &archive_entry_free};
    archive_entry_set_pathname(entry.get(), name.c_str());
    archive_entry_set_filetype(entry.get(),
                               name.ends_with('/') ? AE_IFDIR : AE_IFREG);
    archive_entry_set_perm(entry.get(), 0644);
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(bytes.size()));
    archive_write_header(to.get(), entry.get());
    archive_write_data(to.get(), bytes.data(), bytes.size());
  }
  archive_write_close(to.get());
  return out;
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
