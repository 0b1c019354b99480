// ingest02_bag_validation: whether the bag is valid.

#include "adapters/bagit/checking.hpp"
#include "adapters/processing/aptrust/ingest/steps.hpp"
#include "adapters/stores/files/file.hpp"

#include <algorithm>
#include <system_error>

namespace depositd::aptrust {

namespace {

namespace fs = std::filesystem;
using merritt::ended;

constexpr std::size_t faults_told = 5;

/// The algorithms that manifests are likely to have, so that the bag is read
/// once.
caf::expected<std::vector<digest_algorithm>>
algorithms_of(const interim_folder& files) {
  std::vector<digest_algorithm> out;
  auto failure = each_file(files, [&](const listed_file& file) -> caf::error {
    const auto known = bagit::manifest_algorithm(file.path);
    if (known && std::find(out.begin(), out.end(), *known) == out.end())
      out.push_back(*known);
    return {};
  });
  if (failure)
    return failure;
  return out;
}

std::string told(const bagit::bag_report& x) {
  std::string out = "the bag is not valid: ";
  const auto& kept = x.faults.kept();
  const auto count = std::min(kept.size(), faults_told);
  for (std::size_t i = 0; i < count; ++i)
    out += (i == 0 ? "" : "; ") + bagit::render(kept[i]);
  if (x.faults.count() > count)
    out += "; and " + std::to_string(x.faults.count() - count) + " more";
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
  const auto algorithms = algorithms_of(x.files);
  if (!algorithms)
    return ended(verdict::failed, render(algorithms.error()));
  const auto path = bag_path(x);
  if (!path)
    return ended_reading(path.error());
  bagit::check_options options;
  options.digests = *algorithms;
  options.profile.known = x.with.profiles.get();
  options.profile.otherwise = x.with.profile_otherwise;
  const auto report = bagit::check_bag({*path, x.item.name}, options);
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
    return ended(verdict::rejected, told(*report));
  }
  take_tags(x, *report);
  return ended(verdict::done);
}

} // namespace depositd::aptrust
