// An object as a bag: what is stored of its tag files is given back as it is,
// manifests and bagit.txt are made anew, and the whole is checked.

#include "adapters/bagit/checking.hpp"
#include "adapters/bagit/lines.hpp"
#include "adapters/bagit/paths.hpp"
#include "adapters/bagit/text_decoding.hpp"
#include "adapters/bagit/text_encoding.hpp"
#include "adapters/bagit/writing.hpp"
#include "adapters/processing/aptrust/restoring/giving_back.hpp"
#include "adapters/processing/aptrust/restoring/restoring.hpp"
#include "adapters/stores/files/file.hpp"
#include "messages/values/clock.hpp"
#include "messages/values/utf8.hpp"

#include <algorithm>
#include <utility>

namespace depositd::aptrust {

namespace {

namespace fs = std::filesystem;
using merritt::ended;
using merritt::in_quotes;

constexpr std::string_view utf8 = "UTF-8";
/// What 0.94 and older call bag-info.txt.
constexpr std::string_view old_info = "package-info.txt";

/// An object that was no bag has no such files.
bool has_payload(const std::vector<stored_file>& files) {
  return std::any_of(files.begin(), files.end(), [](const stored_file& x) {
    return bagit::is_payload(x.path);
  });
}

/// Of versions that were recorded before anybody wrote it down.
std::string guessed_encoding(std::string_view text) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")
      || text.substr(0, 2).find('\0') != text.npos)
    return "UTF-16";
  return std::string{find_invalid_utf8(text) == text.npos ? utf8
                                                          : "ISO-8859-1"};
}

/// None of a text that is not in the encoding: then it was no file of the bag's
/// own tags, which are judged when a bag comes.
std::vector<bagit::tag> tags_in(std::string_view text,
                                const std::string& encoding) {
  const auto known = bagit::find_encoding(encoding);
  if (!known)
    return {};
  bagit::tag_reader tags;
  bagit::line_decoder lines{*known};
  const auto take = [&](std::string_view line, std::uint64_t) {
    tags.add(line);
  };
  if (!lines.add(text, take) || !lines.finish(take))
    return {};
  return std::move(tags.tags);
}

class making_bag {
public:
  explicit making_bag(order_work& x)
    : x_(x), name_(name_of_object(x.object)),
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
    auto encoding = recorded_encoding();
    if (!encoding)
      return ended(encoding.error(), verdict::failed, "the inventory");
    encoding_ = std::move(*encoding);
    whole_ = !encoding_.empty() || has_payload(files_);
    if (auto waiting = wait_for_room(x_, bytes_needed()))
      return *waiting;
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

  /// The bag, and beside it one of its files at a time.
  std::uint64_t bytes_needed() const {
    std::uint64_t all = 0;
    std::uint64_t largest = 0;
    for (const auto& file : files_) {
      all += file.bytes;
      largest = std::max(largest, file.bytes);
    }
    return all + largest;
  }

  /// Digests, tags and encoding of the bag that was deposited, if it was one.
  caf::expected<bagit::new_bag> plan() {
    bagit::new_bag out;
    out.name = name_;
    out.created_s = engine_clock::system().now() / 1'000'000;
    out.info = {{"External-Identifier", x_.object.identifier},
                {"Source-Organization", x_.object.owner}};
    if (!whole_)
      return out;
    std::vector<digest_algorithm> had;
    for (const auto& file : files_)
      if (bagit::kind_of_file(file.path) == bagit::file_kind::manifest)
        if (const auto algorithm = bagit::manifest_algorithm(file.path))
          had.push_back(*algorithm);
    if (!had.empty())
      out.digests = std::move(had);
    if (auto failure = take_tags(out))
      return failure;
    return out;
  }

  caf::error take_tags(bagit::new_bag& to) {
    auto text = info_text();
    if (!text)
      return std::move(text.error());
    if (encoding_.empty())
      encoding_ = guessed_encoding(*text);
    if (auto tags = tags_in(*text, encoding_); !tags.empty())
      to.info = std::move(tags);
    if (can_write(to.info))
      to.encoding = encoding_;
    return {};
  }

  /// Manifests name tag files, whose names nobody had to write before.
  bool can_write(const std::vector<bagit::tag>& info) const {
    const auto has = [&](const std::string& text) {
      return bagit::encode_text(text, encoding_).has_value();
    };
    return has(bagit::tag_text(info))
           && std::all_of(files_.begin(), files_.end(),
                          [&](const auto& file) { return has(file.path); });
  }

  /// Of bag-info.txt, or as that was called once; empty if there is none.
  caf::expected<std::string> info_text() {
    auto file = find_file(files_, "bag-info.txt");
    if (!file)
      file = find_file(files_, std::string{old_info});
    if (!file)
      return std::string{};
    const auto copy = scratch_.path() / "tags";
    if (auto failure = fetch_whole(x_, *file, copy))
      return failure;
    auto text = read_file(copy);
    std::error_code ignored;
    fs::remove(copy, ignored);
    return text;
  }

  /// As the bag of the last version declared it; empty: nobody has written it
  /// down.
  caf::expected<std::string> recorded_encoding() const {
    if (x_.object.versions.empty())
      return std::string{};
    const auto& last = x_.object.versions.back();
    premis_query ask{.object = x_.object.identifier};
    ask.type = premis_types::format_identification;
    ask.of_object = true;
    ask.since_us = last.recorded_us;
    const auto events = x_.tools().inventory->events(ask);
    if (!events)
      return events.error();
    for (const auto& event : *events)
      if (event.job == last.job && event.detail == tag_file_encoding)
        return event.outcome_detail;
    return std::string{};
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
    for (const auto& file : files_) {
      if (whole_ && is_made_anew(bagit::kind_of_file(file.path)))
        continue;
      if (auto failure = add(*to, file))
        return failure;
    }
    const auto written = to->finish();
    return written ? caf::error{} : written.error();
  }

  /// One copy at a time is on the disk beside the bag.
  caf::error add(bagit::bag_writer& to, const stored_file& file) {
    const auto copy = scratch_.path() / "file";
    if (auto failure = fetch_whole(x_, file, copy))
      return failure;
    bagit::bag_member member;
    member.path =
      (whole_ ? "" : std::string{bagit::payload_folder}) + file.path;
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
  std::string encoding_; ///< of tag files; empty: not known yet
  bool whole_ = false;   ///< it was a bag; else all of it becomes payload
};

} // namespace

outcome restore_object(order_work& x) {
  if (auto refused = refuse_cold(x))
    return *refused;
  return making_bag{x}.run();
}

} // namespace depositd::aptrust
