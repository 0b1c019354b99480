// ingest02_bag_validation: whether the bag is valid.

#include "adapters/bagit/checking.hpp"
#include "adapters/processing/aptrust/ingest/steps.hpp"
#include "adapters/stores/files/file.hpp"
#include "messages/values/payload_paths.hpp"

#include <algorithm>
#include <system_error>

namespace depositd::aptrust {

namespace {

namespace fs = std::filesystem;
using merritt::ended;

constexpr std::size_t faults_told = 5;

/// What the names of its files say of a bag before it is read.
struct names_say {
  /// That manifests are likely to have, so that the bag is read once.
  std::vector<digest_algorithm> algorithms;
  /// Files that no storage keeps, although bags may have them.
  bagit::finding_list faults;
};

caf::expected<names_say> look_at_names(const interim_folder& files) {
  names_say out;
  auto failure = each_file(files, [&](const listed_file& file) -> caf::error {
    auto& all = out.algorithms;
    const auto known = bagit::manifest_algorithm(file.path);
    if (known && std::find(all.begin(), all.end(), *known) == all.end())
      all.push_back(*known);
    if (!is_kept(file.path))
      return {};
    if (const auto fault = payload_path_fault(file.path); !fault.empty())
      out.faults.add(bagit::finding_code::odd_name, file.path, fault);
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

/// Files that nobody needs of a bag that will not be stored. Its copy goes; the
/// list and the report stay for whoever looks into it.
void forget_copies(const bag_in_hand& x) {
  std::error_code ignored;
  fs::remove(x.files.bag(), ignored);
  fs::remove_all(x.files.staged(), ignored);
}

} // namespace

outcome validate(bag_in_hand& x) {
  const auto names = look_at_names(x.files);
  if (!names)
    return ended_by_lists(names.error(), "the list of files");
  const auto bag = bag_to_read(x);
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
  take_tags(x, *report);
  return ended(verdict::done);
}

} // namespace depositd::aptrust
