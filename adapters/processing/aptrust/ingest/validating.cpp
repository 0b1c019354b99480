// ingest02_bag_validation: whether the bag is valid.

#include "adapters/bagit/checking.hpp"
#include "adapters/processing/aptrust/ingest/steps.hpp"
#include "adapters/stores/files/file.hpp"
#include "messages/values/payload_paths.hpp"

#include <algorithm>

namespace depositd::aptrust {

namespace {

using merritt::ended;

constexpr std::size_t faults_told = 5;

/// What the names of its files say of a bag before it is read.
struct names_say {
  /// That manifests are likely to have, so that the bag is read once.
  std::vector<digest_algorithm> algorithms;
  /// Files that no storage keeps, although bags may have them.
  bagit::finding_list faults;
  bool has_content = false; ///< more than what describes a bag
};

/// What all storage of the collection takes.
std::size_t path_bytes_max(const bag_in_hand& x) {
  auto out = payload_path_bytes_max;
  for (const auto& name : x.work.task.collection->storage)
    if (const auto at = x.work.tools.storage.find(name);
        at != x.work.tools.storage.end())
      out = std::min(out, at->second->path_bytes_max());
  return out;
}

caf::expected<names_say> look_at_names(const bag_in_hand& x) {
  names_say out;
  const auto bytes_max = path_bytes_max(x);
  auto failure = each_file(x.files, [&](const listed_file& file) -> caf::error {
    auto& all = out.algorithms;
    const auto known = bagit::manifest_algorithm(file.path);
    if (known && std::find(all.begin(), all.end(), *known) == all.end())
      all.push_back(*known);
    if (!is_kept(file.path))
      return {};
    out.has_content = true;
    if (const auto fault = payload_path_fault(file.path); !fault.empty())
      out.faults.add(bagit::finding_code::odd_name, file.path, fault);
    else if (file.path.size() > bytes_max)
      out.faults.add(bagit::finding_code::odd_name, file.path,
                     "has more bytes than the collection's storage takes, "
                       + std::to_string(bytes_max));
    return {};
  });
  if (failure)
    return failure;
  return out;
}

std::string told(std::string out, const bagit::finding_list& faults) {
  const auto& kept = faults.kept();
  const auto count = std::min(kept.size(), faults_told);
  for (std::size_t i = 0; i < count; ++i)
    out += (i == 0 ? "" : "; ") + bagit::render(kept[i]);
  if (faults.count() > count)
    out += "; and " + std::to_string(faults.count() - count) + " more";
  return out;
}

/// Of aptrust-info.txt or of bag-info.txt, whichever has it.
std::string tag_of(const bagit::bag_report& x, std::string_view label) {
  const auto own = bagit::value_of(x.tags_of("aptrust-info.txt"), label);
  return own.empty() ? bagit::value_of(x.info(), label) : own;
}

void take_tags(bag_in_hand& x, const bagit::bag_report& report) {
  auto& bag = x.work.job.more[left_by_ingest::bag];
  bag = nlohmann::json::object();
  const auto put = [&](const char* name, const std::string& value) {
    if (!value.empty())
      bag[name] = value;
  };
  put("profile", report.profile);
  put("version", report.version);
  put("encoding", report.encoding);
  put("title", tag_of(report, "Title"));
  put("access", tag_of(report, "Access"));
  put("description", tag_of(report, "Description"));
  put("storage_option", tag_of(report, "Storage-Option"));
  put("source_organization", tag_of(report, "Source-Organization"));
  put("internal_sender_identifier",
      tag_of(report, "Internal-Sender-Identifier"));
  if (bag.contains("title"))
    x.work.job.what.title = bag["title"].get<std::string>();
}

} // namespace

outcome validate(bag_in_hand& x) {
  const auto names = look_at_names(x);
  if (!names)
    return ended_by_lists(names.error(), "the list of files");
  const auto bag = bag_to_read(x);
  give_back_room(x);
  if (!bag)
    return ended_reading(bag.error());
  bagit::check_options options;
  options.digests = names->algorithms;
  options.profile.known = x.with.profiles.get();
  options.profile.otherwise = x.with.profile_otherwise;
  const auto report = bagit::check_bag({bag->path, x.item.name}, options);
  if (!report)
    return ended_reading(report.error());
  // A verdict on another bag would be none.
  if (auto failure = check_same_bag(x))
    return ended_reading(failure);
  if (auto failure = replace_file(system_disk(), x.files.report(),
                                  bagit::report_json(*report)))
    return ended_for_now(failure, "the report");
  if (!report->valid()) {
    forget_copies(x);
    return ended(verdict::rejected,
                 told("the bag is not valid: ", report->faults));
  }
  if (!names->faults.empty()) {
    forget_copies(x);
    return ended(verdict::rejected,
                 told("the bag cannot be stored: ", names->faults));
  }
  if (!names->has_content) {
    forget_copies(x);
    return ended(verdict::rejected, "the bag cannot be stored: it has no file "
                                    "but those that describe a bag");
  }
  take_tags(x, *report);
  return ended(verdict::done);
}

} // namespace depositd::aptrust
