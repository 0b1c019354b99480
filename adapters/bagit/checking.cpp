#include "adapters/bagit/checking.hpp"

#include "adapters/bagit/digesting.hpp"
#include "adapters/bagit/facts.hpp"
#include "adapters/bagit/paths.hpp"
#include "adapters/bagit/tag_texts.hpp"
#include "adapters/bagit/walking.hpp"
#include "messages/values/payload_paths.hpp"

#include <algorithm>
#include <utility>

namespace depositd::bagit {

namespace {

/// Takes what the bag is made of, for its judges.
class collector : public walk_client {
public:
  collector(bag_facts& facts, const check_options& options)
    : facts_(facts), options_(options), texts_(facts, options.limits) {
    for (const auto x : options.digests)
      add_algorithm(wanted_, x);
  }

  caf::expected<bool> begin(const bag_file& x) override {
    return second_ ? begin_again(x) : begin_first(x);
  }

  caf::error bytes(std::string_view part) override {
    digests_.add(part);
    texts_.add(part);
    return visitor() ? visitor()->bytes(part) : caf::error{};
  }

  caf::error end(bag_file& x) override {
    x.digests = digests_.finish();
    for (const auto& value : x.digests)
      facts_.files.add_computed(index_, value);
    texts_.end();
    return visitor() ? visitor()->end(x) : caf::error{};
  }

  void folder(const std::string& path) override {
    facts_.has_data_folder |= path == "data" || is_payload(path);
    if (const auto i = facts_.files.add(path); i != file_table::none)
      facts_.files.set(i, file_table::folder);
  }

  /// Whether something could not be understood the first time.
  bool must_read_again() const {
    const auto& files = facts_.files;
    for (file_index i = 0; i < files.size(); ++i)
      if (files.has(i, file_table::present)
          && (files.has(i, file_table::deferred) || lacks_listed(i)))
        return true;
    return false;
  }

  void read_again() {
    second_ = true;
  }

  /// Once all is read.
  void finish() {
    texts_.finish();
  }

  /// Why the collector itself ended the walk, if it did.
  std::optional<finding> refused;

private:
  bag_visitor* visitor() const {
    return second_ ? nullptr : options_.visitor;
  }

  caf::error refuse(finding_code code, const std::string& path,
                    std::string text) {
    refused = finding{code, path, std::move(text)};
    return caf::make_error(ec::malformed, render(*refused));
  }

  const std::vector<digest_algorithm>& listed_for(bool payload) const {
    return payload ? facts_.report.manifests : facts_.report.tag_manifests;
  }

  bool lacks_listed(file_index i) const {
    const auto& files = facts_.files;
    const auto& all = listed_for(is_payload(files.path_of(i)));
    return std::any_of(all.begin(), all.end(), [&](auto x) {
      return files.state(i, x) == digest_state::listed;
    });
  }

  caf::expected<bool> begin_first(const bag_file& x) {
    auto& files = facts_.files;
    index_ = files.add(x.path);
    if (index_ == file_table::none)
      return refuse(finding_code::too_large, x.path, "is one file too many");
    if (files.has(index_, file_table::present))
      return refuse(finding_code::duplicate_entry, x.path, "is there twice");
    files.set(index_, file_table::present);
    note_name(x);
    auto algorithms = wanted_;
    for (const auto y : facts_.report.manifests)
      add_algorithm(algorithms, y);
    if (x.kind != file_kind::payload)
      for (const auto y : facts_.report.tag_manifests)
        add_algorithm(algorithms, y);
    digests_.begin(std::move(algorithms));
    texts_.begin(x, index_);
    if (visitor())
      if (auto failure = visitor()->begin(x))
        return failure;
    return true;
  }

  caf::expected<bool> begin_again(const bag_file& x) {
    auto& files = facts_.files;
    index_ = files.find(x.path);
    if (index_ == file_table::none)
      return refuse(finding_code::changed, x.path,
                    "was not there a moment ago");
    std::vector<digest_algorithm> lacking;
    for (const auto y : listed_for(x.kind == file_kind::payload)) {
      const auto state = files.state(index_, y);
      if (state == digest_state::listed || state == digest_state::unknown)
        lacking.push_back(y);
    }
    const bool text = files.has(index_, file_table::deferred);
    files.clear(index_, file_table::deferred);
    if (lacking.empty() && !text)
      return false;
    digests_.begin(std::move(lacking));
    texts_.begin({.path = x.path, .kind = text ? x.kind : file_kind::payload},
                 index_);
    return true;
  }

  /// What the name alone says.
  void note_name(const bag_file& x) {
    facts_.has_fetch |= x.kind == file_kind::fetch;
    facts_.has_data_folder |= x.kind == file_kind::payload;
    if (is_system_file(x.path))
      facts_.warn(finding_code::system_file, x.path,
                  "is of somebody's system, not of the payload");
    if (auto odd = payload_path_fault(x.path); !odd.empty())
      facts_.warn(finding_code::odd_name, x.path, odd);
    if (x.kind != file_kind::manifest && x.kind != file_kind::tag_manifest)
      return;
    const bool of_tags = x.kind == file_kind::tag_manifest;
    const auto algorithm = manifest_algorithm(x.path);
    if (!algorithm) {
      facts_.fault(finding_code::unknown_algorithm, x.path,
                   "its algorithm is not known, so it cannot be checked");
      return;
    }
    if (x.path != manifest_name(*algorithm, of_tags))
      facts_.warn(finding_code::manifest_name, x.path,
                  "is usually called " + manifest_name(*algorithm, of_tags));
    add_algorithm(of_tags ? facts_.report.tag_manifests
                          : facts_.report.manifests,
                  *algorithm);
  }

  bag_facts& facts_;
  const check_options& options_;
  std::vector<digest_algorithm> wanted_;
  digest_run digests_;
  tag_texts texts_;
  file_index index_ = file_table::none;
  bool second_ = false;
};

/// One reading; false if the bag's fault ended it.
caf::expected<bool> read_through(const bag_source& from, collector& to,
                                 const check_options& options, bag_facts& facts,
                                 bag_totals& totals) {
  auto stop = walk({from, options.limits}, to, totals);
  if (!stop)
    return true;
  auto found = to.refused ? std::move(to.refused) : std::move(stop->found);
  if (!found)
    return std::move(stop->error);
  facts.fault(found->code, found->file, found->text);
  return false;
}

void note_folder(bag_facts& facts) {
  const auto& report = facts.report;
  const auto& folder = report.totals.folder;
  if (report.serialized && !report.name.starts_with(folder + "."))
    facts.warn(finding_code::top_folder, folder,
               "the archive is not called like the folder in it");
}

/// False if there is nothing to judge.
caf::expected<bool> collect(const bag_source& from,
                            const check_options& options, bag_facts& facts) {
  collector to{facts, options};
  auto whole = read_through(from, to, options, facts, facts.report.totals);
  if (!whole || !*whole)
    return whole;
  if (!facts.declared) {
    if (facts.report.faults.empty())
      facts.fault(finding_code::bagit_txt, "bagit.txt", "is missing");
    return false;
  }
  if (to.must_read_again()) {
    bag_totals again;
    to.read_again();
    whole = read_through(from, to, options, facts, again);
    if (!whole || !*whole)
      return whole;
  }
  to.finish();
  return true;
}

} // namespace

const std::vector<tag>& bag_report::info() const {
  const auto& found = tags_of("bag-info.txt");
  return found.empty() ? tags_of("package-info.txt") : found;
}

const std::vector<tag>& bag_report::tags_of(std::string_view path) const {
  static const std::vector<tag> none;
  for (const auto& x : tag_files)
    if (x.path == path)
      return x.tags;
  return none;
}

caf::expected<bag_report> check_bag(const bag_source& from,
                                    const check_options& options) {
  bag_facts facts;
  std::error_code ignored;
  facts.report.name = from.shown_name();
  facts.report.serialized = !std::filesystem::is_directory(from.path, ignored);
  auto judgeable = collect(from, options, facts);
  if (!judgeable)
    return std::move(judgeable.error());
  note_folder(facts);
  if (*judgeable) {
    judge_bag(facts);
    if (auto failure = judge_profile(facts, options.profile))
      return failure;
  }
  return std::move(facts.report);
}

} // namespace depositd::bagit
