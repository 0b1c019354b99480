#include "adapters/bagit/facts.hpp"
#include "adapters/bagit/paths.hpp"
#include "messages/values/lower_case.hpp"

#include <algorithm>
#include <array>

namespace depositd::bagit {

namespace {

using texts = std::vector<std::string>;

bool has(const texts& list, std::string_view x) {
  return std::find(list.begin(), list.end(), x) != list.end();
}

bool matches_one(const texts& patterns, std::string_view path) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const auto& x) { return matches_pattern(x, path); });
}

std::string joined(const texts& list) {
  std::string out;
  for (const auto& x : list)
    out += (out.empty() ? "" : ", ") + x;
  return out;
}

texts plain_names(const std::vector<digest_algorithm>& list) {
  texts out;
  for (const auto x : list) {
    out.emplace_back(digest_name(x));
    std::erase(out.back(), '-');
  }
  return out;
}

struct media_type {
  std::string_view ending;
  std::array<std::string_view, 3> names;
};

/// What an archive of that name may be called in a profile.
constexpr std::array<media_type, 8> media_types = {{
  {".tar", {"application/tar", "application/x-tar", ""}},
  {".tar.gz",
   {"application/gzip", "application/x-gzip", "application/x-tar+gzip"}},
  {".tgz",
   {"application/gzip", "application/x-gzip", "application/x-tar+gzip"}},
  {".tarz", {"application/x-compress", "", ""}},
  {".tar.z", {"application/x-compress", "", ""}},
  {".tar.bz2", {"application/x-bzip2", "application/bzip2", ""}},
  {".tbz2", {"application/x-bzip2", "application/bzip2", ""}},
  {".zip", {"application/zip", "application/x-zip-compressed", ""}},
}};

bool is_accepted(const texts& accepted, std::string_view name) {
  const auto lower = lower_case(name);
  for (const auto& x : media_types)
    if (lower.ends_with(x.ending))
      return std::any_of(x.names.begin(), x.names.end(), [&](auto y) {
        return !y.empty() && has(accepted, y);
      });
  return false;
}

class profile_judge {
public:
  profile_judge(bag_facts& x, const profile& rules) : x_(x), rules_(rules) {
    // nop
  }

  void run() {
    const auto& report = x_.report;
    if (!rules_.bagit_versions.empty()
        && !has(rules_.bagit_versions, report.version))
      x_.fault(finding_code::profile_version, "bagit.txt",
               "the profile accepts " + joined(rules_.bagit_versions) + ", not "
                 + report.version);
    judge_serialization();
    judge_manifests(report.manifests, rules_.manifests_required,
                    rules_.manifests_allowed, false);
    judge_manifests(report.tag_manifests, rules_.tag_manifests_required,
                    rules_.tag_manifests_allowed, true);
    judge_fetch();
    judge_files();
    judge_tags("bag-info.txt", report.info(), rules_.bag_info);
    for (const auto& x : rules_.other_info)
      judge_tags(x.path, report.tags_of(x.path), x.tags);
  }

private:
  bool is_present(std::string_view path) const {
    const auto i = x_.files.find(path);
    return i != file_table::none && x_.files.has(i, file_table::present);
  }

  void judge_serialization() {
    const auto& report = x_.report;
    const auto fault = [&](std::string text) {
      x_.fault(finding_code::profile_serialization, report.name, text);
    };
    if (!report.serialized) {
      if (rules_.serialization == serialization_rule::required)
        fault("the profile requires an archive");
    } else if (rules_.serialization == serialization_rule::forbidden) {
      fault("the profile forbids archives");
    } else if (!rules_.media_types.empty()
               && !is_accepted(rules_.media_types, report.name)) {
      fault("the profile accepts " + joined(rules_.media_types));
    }
  }

  void judge_manifests(const std::vector<digest_algorithm>& there,
                       const texts& required, const texts& allowed,
                       bool of_tags) {
    const auto names = plain_names(there);
    const std::string prefix = of_tags ? "tagmanifest-" : "manifest-";
    for (const auto& x : required)
      if (!has(names, x))
        x_.fault(finding_code::profile_manifest, prefix + x + ".txt",
                 "the profile requires it");
    for (const auto& x : names)
      if (!allowed.empty() && !has(allowed, x))
        x_.fault(finding_code::profile_manifest, prefix + x + ".txt",
                 "the profile allows only " + joined(allowed));
  }

  void judge_fetch() {
    if (x_.has_fetch && !rules_.fetch_allowed)
      x_.fault(finding_code::profile_fetch, "fetch.txt",
               "the profile does not allow it");
    if (!x_.has_fetch && rules_.fetch_required)
      x_.fault(finding_code::profile_fetch, "fetch.txt",
               "the profile requires it");
  }

  void judge_files() {
    for (const auto& path : rules_.tag_files_required)
      if (!is_present(path))
        x_.fault(finding_code::profile_tag_file, path,
                 "the profile requires it");
    for (const auto& path : rules_.payload_required)
      if (!is_there(path))
        x_.fault(finding_code::profile_payload, path,
                 "the profile requires it");
    const auto& totals = x_.report.totals;
    if (rules_.data_empty
        && (totals.payload_files > 1 || totals.payload_bytes > 0))
      x_.fault(finding_code::profile_payload, "data",
               "the profile allows no payload but one empty file");
    if (rules_.tag_files_allowed.empty() && rules_.payload_allowed.empty())
      return;
    for (file_index i = 0; i < x_.files.size(); ++i)
      if (x_.files.has(i, file_table::present))
        judge_allowed(x_.files.path_of(i));
  }

  /// A file, or for "data/x/" something in that folder.
  bool is_there(const std::string& path) const {
    if (!path.ends_with('/'))
      return is_present(path);
    for (file_index i = 0; i < x_.files.size(); ++i)
      if (x_.files.has(i, file_table::present)
          && x_.files.path_of(i).starts_with(path))
        return true;
    return false;
  }

  void judge_allowed(std::string_view path) {
    const auto kind = kind_of_file(path);
    const auto& payload = rules_.payload_allowed;
    const auto& tags = rules_.tag_files_allowed;
    if (kind == file_kind::payload && !payload.empty()
        && !matches_one(payload, path))
      x_.fault(finding_code::profile_payload, path,
               "the profile does not allow it");
    // BagIt's own files are allowed without a word.
    if (kind == file_kind::tag_file && !tags.empty() && !matches_one(tags, path)
        && !has(rules_.tag_files_required, path))
      x_.fault(finding_code::profile_tag_file, path,
               "the profile does not allow it");
  }

  void judge_tags(const std::string& file, const std::vector<tag>& tags,
                  const std::vector<tag_rule>& rules) {
    for (const auto& rule : rules) {
      const auto values = values_of(tags, rule.label);
      if (values.empty() && rule.required)
        x_.fault(finding_code::profile_tag_missing, file,
                 "the profile requires " + rule.label);
      if (values.size() > 1 && !rule.repeatable)
        x_.fault(finding_code::profile_tag_value, file,
                 rule.label + " is there more than once");
      for (const auto& value : values)
        judge_value(file, rule, value);
    }
  }

  void judge_value(const std::string& file, const tag_rule& rule,
                   const std::string& value) {
    if (value.empty()) {
      if (!rule.empty_ok || (rule.required && !rule.values.empty()))
        x_.fault(finding_code::profile_tag_value, file,
                 rule.label + " is empty");
      return;
    }
    if (!rule.values.empty() && !has(rule.values, value))
      x_.fault(finding_code::profile_tag_value, file,
               rule.label + " is \"" + value + "\", the profile allows "
                 + joined(rule.values));
  }

  bag_facts& x_;
  const profile& rules_;
};

} // namespace

caf::error judge_profile(bag_facts& x, const profile_choice& choice) {
  if (choice.known == nullptr)
    return {};
  const auto named = value_of(x.report.info(), "BagIt-Profile-Identifier");
  const auto& ours = choice.of_collection.empty() && named.empty()
                       ? choice.otherwise
                       : choice.of_collection;
  const auto& name = ours.empty() ? named : ours;
  if (name.empty())
    return {};
  const auto* rules = choice.known->find(name);
  x.report.profile = rules == nullptr ? name : rules->identifier;
  if (rules != nullptr)
    profile_judge{x, *rules}.run();
  else if (ours.empty())
    x.fault(finding_code::profile_unknown, "bag-info.txt",
            "the profile \"" + name + "\" is not known here");
  else
    return caf::make_error(ec::invalid_argument,
                           "there is no BagIt profile \"" + name + "\"");
  return {};
}

} // namespace depositd::bagit
