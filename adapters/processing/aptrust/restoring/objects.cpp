// An object as a bag: what is stored of its tag files is given back as it is,
// manifests and bagit.txt are made anew, and the whole is checked.

#include "adapters/bagit/checking.hpp"
#include "adapters/bagit/lines.hpp"
#include "adapters/bagit/paths.hpp"
#include "adapters/bagit/writing.hpp"
#include "adapters/processing/aptrust/restoring/giving_back.hpp"
#include "adapters/processing/aptrust/restoring/restoring.hpp"
#include "adapters/stores/files/file.hpp"
#include "messages/values/clock.hpp"

#include <algorithm>
#include <utility>

namespace depositd::aptrust {

namespace {

namespace fs = std::filesystem;
using merritt::ended;
using merritt::in_quotes;

/// An object that was no bag has no such files: then all of it is payload.
bool is_bag(const std::vector<stored_file>& files) {
  return std::any_of(files.begin(), files.end(), [](const stored_file& x) {
    return bagit::is_payload(x.path);
  });
}

class making_bag {
public:
  explicit making_bag(order_work& x)
    : x_(x), name_(name_of_object(x.object.identifier)),
      scratch_(x.job.folder.root / "restoring") {
    // nop
  }

  outcome run() {
    if (scratch_.failure())
      return ended(verdict::retry, render(scratch_.failure()));
    auto files = files_of(x_);
    if (!files)
      return ended(files.error(), verdict::failed, "the inventory");
    files_ = std::move(*files);
    if (files_.empty())
      return ended(verdict::failed,
                   in_quotes(x_.object.identifier) + " has no files");
    if (const auto failure = write())
      return ended(failure, verdict::failed, "the bag");
    if (auto ending = check())
      return *ending;
    return give_back(x_, name_ + ".tar", bag());
  }

private:
  fs::path bag() const {
    return scratch_.path() / "bag.tar";
  }

  /// Digests and tags of the bag that was deposited, where it was one.
  caf::expected<bagit::new_bag> plan() {
    bagit::new_bag out;
    out.name = name_;
    out.created_s = engine_clock::system().now() / 1'000'000;
    std::vector<digest_algorithm> had;
    for (const auto& file : files_) {
      const auto kind = bagit::kind_of_file(file.path);
      if (kind == bagit::file_kind::manifest)
        if (const auto algorithm = bagit::manifest_algorithm(file.path))
          had.push_back(*algorithm);
      if (kind != bagit::file_kind::bag_info)
        continue;
      auto tags = read_tags(file);
      if (!tags)
        return std::move(tags.error());
      out.info = std::move(*tags);
    }
    if (!had.empty())
      out.digests = std::move(had);
    if (out.info.empty())
      out.info = {{"External-Identifier", x_.object.identifier},
                  {"Source-Organization", x_.object.owner}};
    return out;
  }

  caf::expected<std::vector<bagit::tag>> read_tags(const stored_file& file) {
    const auto copy = scratch_.path() / "tags";
    if (auto failure = fetch_whole(x_, file, copy))
      return failure;
    const auto text = read_file(copy);
    std::error_code ignored;
    fs::remove(copy, ignored);
    if (!text)
      return text.error();
    bagit::tag_reader reader;
    for (std::string_view rest = *text; !rest.empty();) {
      const auto end = std::min(rest.find_first_of("\r\n"), rest.size());
      if (end > 0)
        reader.add(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return std::move(reader.tags);
  }

  /// The writer's own are made anew; what fetch.txt named is in the bag.
  static bool is_made_anew(bagit::file_kind x) {
    return x == bagit::file_kind::bagit_txt || x == bagit::file_kind::bag_info
           || x == bagit::file_kind::manifest
           || x == bagit::file_kind::tag_manifest
           || x == bagit::file_kind::fetch;
  }

  caf::error write() {
    auto what = plan();
    if (!what)
      return std::move(what.error());
    auto to = bagit::bag_writer::open(bag(), std::move(*what));
    if (!to)
      return std::move(to.error());
    const bool whole = is_bag(files_);
    for (const auto& file : files_) {
      if (whole && is_made_anew(bagit::kind_of_file(file.path)))
        continue;
      if (auto failure = add(*to, file, whole))
        return failure;
    }
    const auto written = to->finish();
    return written ? caf::error{} : written.error();
  }

  /// One copy at a time is on the disk beside the bag.
  caf::error add(bagit::bag_writer& to, const stored_file& file, bool whole) {
    const auto copy = scratch_.path() / "file";
    if (auto failure = fetch_whole(x_, file, copy))
      return failure;
    bagit::bag_member member;
    member.path = (whole ? "" : std::string{bagit::payload_folder}) + file.path;
    member.source = copy;
    member.expected = {{digest_algorithm::sha512, file.sha512}};
    auto failure = to.add(member);
    std::error_code ignored;
    fs::remove(copy, ignored);
    return failure;
  }

  std::optional<outcome> check() {
    const auto report =
      bagit::check_bag({.path = bag(), .name = name_ + ".tar"}, {});
    if (!report)
      return ended(report.error(), verdict::failed, "the bag that was made");
    if (report->valid())
      return std::nullopt;
    return ended(verdict::failed, "the bag that was made is not valid: "
                                    + render(report->faults.kept().front()));
  }

  order_work& x_;
  const std::string name_;
  const scratch_folder scratch_;
  std::vector<stored_file> files_;
};

} // namespace

outcome restore_object(order_work& x) {
  if (auto refused = refuse_cold(x))
    return *refused;
  return making_bag{x}.run();
}

} // namespace depositd::aptrust
