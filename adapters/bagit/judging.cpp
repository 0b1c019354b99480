#include "adapters/bagit/facts.hpp"
#include "adapters/bagit/lines.hpp"
#include "adapters/bagit/paths.hpp"
#include "messages/values/payload_paths.hpp"

#include <algorithm>
#include <span>

#include <xxhash.h>

namespace depositd::bagit {

namespace {

/// "sha256", as manifests are called.
std::string plain_name(digest_algorithm x) {
  std::string out{digest_name(x)};
  std::erase(out, '-');
  return out;
}

/// A file that has the name of another one for those who ignore case and how
/// accents are composed.
struct name_key {
  std::uint64_t hash = 0;
  file_index index = 0;

  friend auto operator<=>(const name_key&, const name_key&) = default;
};

/// Judges files one by one.
class file_judge {
public:
  explicit file_judge(bag_facts& x) : x_(x), files_(x.files) {
    // nop
  }

  void run() {
    mark_folders();
    std::vector<name_key> keys;
    keys.reserve(files_.size());
    for (file_index i = 0; i < files_.size(); ++i) {
      if (!is_file(i))
        continue;
      const auto key = collision_key(files_.path_of(i));
      keys.push_back({XXH3_64bits(key.data(), key.size()), i});
    }
    std::sort(keys.begin(), keys.end());
    for (std::size_t i = 0; i < keys.size();) {
      auto end = i + 1;
      while (end < keys.size() && keys[end].hash == keys[i].hash)
        ++end;
      if (end - i > 1)
        judge_similar({keys.begin() + static_cast<std::ptrdiff_t>(i), end - i});
      i = end;
    }
    for (file_index i = 0; i < files_.size(); ++i)
      if (is_file(i))
        judge(i);
  }

private:
  /// Names that others are below.
  void mark_folders() {
    std::string_view before;
    for (file_index i = 0; i < files_.size(); ++i) {
      const auto path = files_.path_of(i);
      // What the two share is marked.
      const auto fresh =
        std::mismatch(path.begin(), path.end(), before.begin(), before.end());
      auto end =
        path.find('/', static_cast<std::size_t>(fresh.first - path.begin()));
      for (; end != path.npos; end = path.find('/', end + 1))
        if (const auto above = files_.find(path.substr(0, end));
            above != file_table::none)
          files_.set(above, file_table::folder);
      before = path;
    }
  }

  /// In the bag, or promised; an archive may have folders as well.
  bool is_file(file_index i) const {
    const auto& all = manifests_for(i);
    return present(i) || files_.has(i, file_table::fetched)
           || std::any_of(all.begin(), all.end(),
                          [&](auto x) { return is_listed(i, x); });
  }

  bool present(file_index i) const {
    return files_.has(i, file_table::present);
  }

  const std::vector<digest_algorithm>& manifests_for(file_index i) const {
    return is_payload(files_.path_of(i)) ? x_.report.manifests
                                         : x_.report.tag_manifests;
  }

  /// Names that are one for some systems. A file that is missing only because
  /// its name was written otherwise on the way is none in older bags.
  void judge_similar(std::span<const name_key> same) {
    for (const auto& y : same.subspan(1)) {
      const auto path = files_.path_of(y.index);
      const auto first = files_.path_of(same[0].index);
      if (collision_key(path) == collision_key(first))
        x_.warn(finding_code::same_but_case, path,
                "differs only by case or composition from \""
                  + std::string{first} + "\"");
    }
    if (x_.strict)
      return;
    // Nobody has more by accident, and every one is compared with every other.
    const auto few = same.first(std::min<std::size_t>(same.size(), 16));
    for (const auto& y : few)
      for (const auto& other : few)
        if (!present(y.index) && present(other.index)
            && is_same_file(y.index, other.index))
          files_.set(y.index, file_table::forgiven);
  }

  bool is_same_file(file_index i, file_index j) const {
    if (collision_key(files_.path_of(i)) != collision_key(files_.path_of(j)))
      return false;
    const auto& all = manifests_for(i);
    return std::all_of(all.begin(), all.end(), [&](auto x) {
      return !is_listed(i, x) || files_.same_digest(i, j, x);
    });
  }

  bool is_listed(file_index i, digest_algorithm x) const {
    const auto state = files_.state(i, x);
    return state != digest_state::unknown && state != digest_state::computed;
  }

  void judge(file_index i) {
    if (files_.has(i, file_table::folder))
      x_.fault(finding_code::file_and_folder, files_.path_of(i),
               "is a file, and the folder of others");
    if (present(i))
      judge_present(i);
    else
      judge_missing(i);
  }

  void judge_present(file_index i) {
    const auto path = files_.path_of(i);
    const bool payload = is_payload(path);
    bool listed = false;
    for (const auto x : manifests_for(i)) {
      listed |= is_listed(i, x);
      if (files_.state(i, x) == digest_state::different)
        x_.fault(payload ? finding_code::wrong_digest
                         : finding_code::wrong_tag_digest,
                 path, "is not what " + manifest_name(x, !payload) + " says");
    }
    if (payload)
      judge_listing(i, listed);
    else if (!listed && kind_of_file(path) == file_kind::manifest
             && !x_.report.tag_manifests.empty())
      x_.warn(finding_code::unlisted_manifest, path, "is in no tag manifest");
  }

  void judge_listing(file_index i, bool listed) {
    const auto path = files_.path_of(i);
    if (!listed) {
      x_.fault(finding_code::unlisted_file, path, "is in no manifest");
      return;
    }
    // Since 1.0 every manifest has to have every file.
    for (const auto x : x_.report.manifests)
      if (!is_listed(i, x))
        x_.fault_if_strict(finding_code::unlisted_file, path,
                           "is not in " + manifest_name(x));
  }

  void judge_missing(file_index i) {
    const auto path = files_.path_of(i);
    if (files_.has(i, file_table::fetched)) {
      x_.fault(finding_code::fetch, path,
               "is not in the bag: fetch.txt says where it is, and nothing is "
               "fetched here");
      return;
    }
    const auto& all = manifests_for(i);
    const auto by = std::find_if(all.begin(), all.end(),
                                 [&](auto x) { return is_listed(i, x); });
    const auto text =
      "is in " + manifest_name(*by, !is_payload(path)) + ", but not in the bag";
    if (files_.has(i, file_table::forgiven)) {
      ++x_.forgiven;
    } else if (!x_.strict && is_system_file(path)) {
      ++x_.forgiven;
      x_.warn(finding_code::system_file, path, text);
    } else {
      x_.fault(finding_code::missing_file, path, text);
    }
  }

  bag_facts& x_;
  file_table& files_;
};

void judge_oxum(bag_facts& x) {
  const auto values = values_of(x.report.info(), "Payload-Oxum");
  const auto path = info_name(x.report.version);
  if (values.size() > 1)
    x.warn(finding_code::odd_tag, path, "has Payload-Oxum more than once");
  const auto& is = x.report.totals;
  for (const auto& value : values) {
    const auto says = read_oxum(value);
    if (!says) {
      x.fault_if_strict(finding_code::payload_oxum, path,
                        "Payload-Oxum is not BYTES.FILES: " + value);
      continue;
    }
    if (says->bytes == is.payload_bytes && says->files == is.payload_files)
      continue;
    const auto text = "Payload-Oxum is " + value + ", the payload has "
                      + std::to_string(is.payload_bytes) + "."
                      + std::to_string(is.payload_files);
    // Files that are missing without a fault are in it.
    const bool excused = x.forgiven > 0 && says->bytes >= is.payload_bytes
                         && says->files <= is.payload_files + x.forgiven;
    if (excused)
      x.warn(finding_code::payload_oxum, path, text);
    else
      x.fault(finding_code::payload_oxum, path, text);
  }
}

} // namespace

std::string_view info_name(std::string_view version) {
  return version < "0.95" ? "package-info.txt" : "bag-info.txt";
}

std::string manifest_name(digest_algorithm x, bool of_tags) {
  return (of_tags ? "tagmanifest-" : "manifest-") + plain_name(x) + ".txt";
}

void judge_bag(bag_facts& x) {
  if (x.report.manifests.empty()
      && !x.report.faults.has(finding_code::unknown_algorithm))
    x.fault(finding_code::no_manifest, {}, "there is no manifest-ALG.txt");
  if (!x.has_data_folder)
    x.fault(finding_code::no_payload_folder, "data", "is missing");
  file_judge{x}.run();
  judge_oxum(x);
}

} // namespace depositd::bagit
