#include "config/places_apart.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace depositd {

namespace {

namespace fs = std::filesystem;

/// The same for all names of a folder, also of one that is not there yet.
fs::path real_path(const fs::path& x) {
  std::error_code wrong;
  auto out = fs::weakly_canonical(fs::absolute(x, wrong), wrong);
  if (wrong)
    out = x.lexically_normal();
  return out.has_filename() ? out : out.parent_path();
}

bool is_within(const fs::path& inner, const fs::path& outer) {
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end())
           .first
         == outer.end();
}

enum class use { storage, receiving, restoration };

struct folder {
  std::string key;
  fs::path path;
  use what = use::storage;
};

/// Two targets in one folder would be one copy that counts as two, and what is
/// given back into a receiving place would come in again. Receiving places may
/// share a folder with each other, and so may those of restoration.
bool meet(const folder& x, const folder& y) {
  return (x.what != y.what || x.what == use::storage)
         && (is_within(x.path, y.path) || is_within(y.path, x.path));
}

struct bucket {
  std::string key;
  const s3_settings& at;
};

/// Whether keys of one could be keys of the other.
bool meet(const bucket& x, const bucket& y) {
  const auto above = [](const std::string& upper, const std::string& lower) {
    return upper.empty() || lower == upper || lower.starts_with(upper + "/");
  };
  return x.at.endpoint == y.at.endpoint && x.at.bucket == y.at.bucket
         && (above(x.at.prefix, y.at.prefix)
             || above(y.at.prefix, x.at.prefix));
}

template <class Place>
setting_fault check_each_two(const std::vector<Place>& places) {
  for (auto one = places.begin(); one != places.end(); ++one)
    for (auto other = places.begin(); other != one; ++other)
      if (meet(*one, *other))
        return {one->key, "is not apart from " + other->key};
  return {};
}

std::vector<folder> folders_of(const depositd_settings& x) {
  std::vector<folder> out;
  for (const auto& [name, target] : x.storage)
    if (target.kind == storage_kind::folder)
      out.push_back({"storage." + name + ".path",
                     real_path(target.path.empty() ? x.data.folder / "objects"
                                                   : fs::path{target.path})});
  // One without a path is refused for that.
  for (const auto& [name, place] : x.aptrust.receiving)
    if (place.kind == receiving_kind::folder && !place.path.empty())
      out.push_back({"aptrust.receiving." + name + ".path",
                     real_path(place.path), use::receiving});
  for (const auto& [name, place] : x.restoration)
    if (place.kind == storage_kind::folder)
      out.push_back({"restoration." + name + ".path",
                     real_path(place.path.empty() ? x.data.folder / "restored"
                                                  : fs::path{place.path}),
                     use::restoration});
  return out;
}

std::vector<bucket> buckets_of(const depositd_settings& x) {
  std::vector<bucket> out;
  if (x.blobs.kind == blobs_kind::s3)
    out.push_back({"blobs.prefix", x.blobs.s3});
  const auto add = [&](const std::string& of, const auto& places, auto s3) {
    for (const auto& [name, place] : places)
      if (place.kind == s3)
        out.push_back({of + name + ".prefix", place.s3});
  };
  add("storage.", x.storage, storage_kind::s3);
  add("restoration.", x.restoration, storage_kind::s3);
  add("aptrust.receiving.", x.aptrust.receiving, receiving_kind::s3);
  return out;
}

} // namespace

setting_fault check_apart(const depositd_settings& x) {
  auto out = check_each_two(folders_of(x));
  return out.key.empty() ? check_each_two(buckets_of(x)) : out;
}

} // namespace depositd
