#include "adapters/bagit/writing.hpp"

#include "adapters/bagit/digesting.hpp"
#include "adapters/bagit/facts.hpp"
#include "adapters/bagit/paths.hpp"
#include "adapters/bagit/tar_file.hpp"
#include "adapters/bagit/text_decoding.hpp"
#include "adapters/bagit/text_encoding.hpp"
#include "messages/values/time_text.hpp"

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace depositd::bagit {

namespace {

constexpr std::size_t copied_bytes = 256 * 1024;

std::string declaration_text(const new_bag& x) {
  return "BagIt-Version: 1.0\nTag-File-Character-Encoding: " + x.encoding
         + "\n";
}

caf::error refused(std::string text) {
  return caf::make_error(ec::invalid_argument, std::move(text));
}

caf::error check_bag_to_be(const new_bag& x) {
  if (auto fault = bag_path_fault(x.name);
      !fault.empty() || x.name.find('/') != x.name.npos)
    return refused("a bag cannot be called \"" + x.name + "\"");
  if (x.digests.empty())
    return refused("a bag needs a manifest");
  if (!find_encoding(x.encoding))
    return refused("there is no encoding \"" + x.encoding + "\"");
  for (const auto& y : x.info)
    if (y.label.empty() || y.label.find_first_of(":\r\n") != y.label.npos
        || y.label.front() == ' ')
      return refused("\"" + y.label + "\" cannot be a label");
  return {};
}

bool has_label(const std::vector<tag>& tags, std::string_view label) {
  return !values_of(tags, label).empty();
}

} // namespace

std::string tag_text(const std::vector<tag>& tags) {
  std::string out;
  for (const auto& x : tags) {
    out += x.label + ": ";
    // A line that begins with a blank belongs to the one before.
    for (const char c : x.value) {
      if (c != '\r')
        out += c;
      if (c == '\n')
        out += "  ";
    }
    out += '\n';
  }
  return out;
}

struct bag_writer::state {
  explicit state(new_bag x) : bag(std::move(x)), buffer(copied_bytes, '\0') {
    std::vector<digest_algorithm> each;
    for (const auto y : bag.digests)
      add_algorithm(each, y);
    bag.digests = std::move(each);
    manifests.resize(bag.digests.size());
    tag_manifests.resize(bag.digests.size());
  }

  caf::error begin();
  caf::error add(const bag_member& x);
  caf::error add_file(const bag_member& x);
  caf::error write_bytes(const bag_member& x, const unique_fd& from,
                         std::uint64_t bytes);
  caf::error add_encoded(const std::string& path, std::string_view text);
  caf::error add_bytes(const std::string& path, std::string_view text);
  caf::expected<written_bag> finish();
  caf::error take_name(const std::string& path);
  void list(const std::string& path, const std::vector<digest>& digests);
  std::string info_text() const;

  new_bag bag;
  std::string buffer;
  tar_file tar;
  file_table names;
  digest_run digests;
  std::vector<std::string> manifests;     ///< texts, as `bag.digests`
  std::vector<std::string> tag_manifests; ///< likewise
  written_bag written;
  bool broken = false; ///< an entry is half there: nothing can follow
};

caf::error bag_writer::state::begin() {
  for (const auto* path : {"/", "/data/"})
    if (auto failure = tar.begin({.path = bag.name + path,
                                  .mode = 0755,
                                  .modified_s = bag.created_s,
                                  .folder = true}))
      return failure;
  return add_bytes("bagit.txt", declaration_text(bag));
}

caf::error bag_writer::state::take_name(const std::string& path) {
  const auto index = names.add(path);
  if (index == file_table::none)
    return refused("the bag has too many files");
  if (names.has(index, file_table::present))
    return caf::make_error(ec::already_exists,
                           "\"" + path + "\" is in the bag already");
  names.set(index, file_table::present);
  return {};
}

void bag_writer::state::list(const std::string& path,
                             const std::vector<digest>& digests) {
  auto& to = is_payload(path) ? manifests : tag_manifests;
  for (std::size_t i = 0; i < bag.digests.size(); ++i)
    for (const auto& x : digests)
      if (x.algorithm == bag.digests[i])
        to[i] += x.value + "  " + encode_path(path) + "\n";
}

caf::error bag_writer::state::add(const bag_member& x) {
  if (broken)
    return caf::make_error(ec::store_failed, "the bag is half written");
  const auto kind = kind_of_file(x.path);
  if (auto fault = bag_path_fault(x.path); !fault.empty())
    return refused("\"" + x.path + "\" " + fault);
  if (kind != file_kind::payload && kind != file_kind::tag_file)
    return refused("\"" + x.path + "\" is written by the writer itself");
  if (auto failure = take_name(x.path))
    return failure;
  broken = true;
  auto failure = add_file(x);
  broken = static_cast<bool>(failure);
  return failure;
}

caf::error bag_writer::state::add_file(const bag_member& x) {
  auto from = open_file(x.source, O_RDONLY);
  if (!from)
    return std::move(from.error());
  struct stat facts {};
  if (::fstat(from->value(), &facts) != 0)
    return file_failed("read", x.source, errno);
  if (!S_ISREG(facts.st_mode))
    return refused(x.source.string() + " is not a file");
  const auto bytes = static_cast<std::uint64_t>(facts.st_size);
  auto algorithms = bag.digests;
  for (const auto& y : x.expected)
    add_algorithm(algorithms, y.algorithm);
  digests.begin(std::move(algorithms));
  if (auto failure =
        tar.begin({.path = bag.name + "/" + x.path,
                   .bytes = bytes,
                   .mode = x.mode,
                   .modified_s =
                     x.modified_s != 0 ? x.modified_s : facts.st_mtim.tv_sec}))
    return failure;
  if (auto failure = write_bytes(x, *from, bytes))
    return failure;
  const auto found = digests.finish();
  for (const auto& y : x.expected)
    if (std::find(found.begin(), found.end(), y) == found.end())
      return caf::make_error(ec::store_damaged,
                             "\"" + x.path + "\" does not have the "
                               + std::string{digest_name(y.algorithm)}
                               + " that was expected");
  list(x.path, found);
  if (kind_of_file(x.path) == file_kind::payload) {
    ++written.payload_files;
    written.payload_bytes += bytes;
  }
  return {};
}

caf::error bag_writer::state::write_bytes(const bag_member& x,
                                          const unique_fd& from,
                                          std::uint64_t bytes) {
  for (std::uint64_t at = 0;;) {
    const auto count = ::read(from.value(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return file_failed("read", x.source, errno);
    const std::string_view part{buffer.data(), static_cast<std::size_t>(count)};
    at += part.size();
    if (at > bytes || (part.empty() && at < bytes))
      return caf::make_error(ec::store_damaged,
                             x.source.string() + " changed while it was read");
    if (part.empty())
      return {};
    digests.add(part);
    if (auto failure = tar.add(part))
      return failure;
  }
}

caf::error bag_writer::state::add_encoded(const std::string& path,
                                          std::string_view text) {
  const auto bytes = encode_text(text, bag.encoding);
  if (!bytes)
    return refused("\"" + path + "\" cannot be written in " + bag.encoding);
  return add_bytes(path, *bytes);
}

caf::error bag_writer::state::add_bytes(const std::string& path,
                                        std::string_view text) {
  if (broken)
    return caf::make_error(ec::store_failed, "the bag is half written");
  if (auto failure = take_name(path))
    return failure;
  broken = true;
  if (auto failure = tar.begin({.path = bag.name + "/" + path,
                                .bytes = text.size(),
                                .modified_s = bag.created_s}))
    return failure;
  if (auto failure = tar.add(text))
    return failure;
  broken = false;
  if (kind_of_file(path) == file_kind::tag_manifest)
    return {};
  digests.begin(bag.digests);
  digests.add(text);
  list(path, digests.finish());
  return {};
}

std::string bag_writer::state::info_text() const {
  std::vector<tag> tags;
  for (const auto& x : bag.info)
    if (!has_label({x}, "Payload-Oxum"))
      tags.push_back(x);
  if (bag.created_s > 0 && !has_label(tags, "Bagging-Date"))
    tags.push_back(
      {"Bagging-Date", format_utc(bag.created_s * 1'000'000).substr(0, 10)});
  if (!has_label(tags, "Bag-Software-Agent"))
    tags.push_back({"Bag-Software-Agent", "depositd"});
  tags.push_back({"Payload-Oxum", std::to_string(written.payload_bytes) + "."
                                    + std::to_string(written.payload_files)});
  return tag_text(tags);
}

caf::expected<written_bag> bag_writer::state::finish() {
  if (auto failure = add_encoded("bag-info.txt", info_text()))
    return failure;
  for (std::size_t i = 0; i < bag.digests.size(); ++i)
    if (auto failure = add_encoded(manifest_name(bag.digests[i]), manifests[i]))
      return failure;
  for (std::size_t i = 0; i < bag.digests.size(); ++i)
    if (auto failure =
          add_encoded(manifest_name(bag.digests[i], true), tag_manifests[i]))
      return failure;
  auto bytes = tar.finish();
  if (!bytes)
    return std::move(bytes.error());
  written.bytes = *bytes;
  broken = true; // nothing comes behind the end
  return written;
}

caf::expected<bag_writer> bag_writer::open(const std::filesystem::path& to,
                                           new_bag bag) {
  if (auto failure = check_bag_to_be(bag))
    return failure;
  auto made = std::make_unique<state>(std::move(bag));
  if (auto failure = made->tar.open(to))
    return failure;
  if (auto failure = made->begin())
    return failure;
  return bag_writer{std::move(made)};
}

bag_writer::bag_writer(std::unique_ptr<state> x) : state_(std::move(x)) {
  // nop
}

bag_writer::bag_writer(bag_writer&&) noexcept = default;
bag_writer& bag_writer::operator=(bag_writer&&) noexcept = default;
bag_writer::~bag_writer() = default;

caf::error bag_writer::add(const bag_member& x) {
  return state_->add(x);
}

caf::expected<written_bag> bag_writer::finish() {
  return state_->finish();
}

} // namespace depositd::bagit
