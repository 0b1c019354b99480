// Tag files of bags, metadata files of Merritt's payloads, inventories of OCFL,
// directories of zips.

#include "tests/fuzz/target.hpp"

#include "adapters/archives/composed.hpp"
#include "adapters/archives/zip_names.hpp"
#include "adapters/bagit/lines.hpp"
#include "adapters/bagit/text_decoding.hpp"
#include "adapters/processing/merritt/metadata_files.hpp"
#include "adapters/stores/objects/inventory.hpp"
#include "messages/values/utf8.hpp"

#include <algorithm>
#include <array>

#include <sys/mman.h>
#include <unistd.h>

namespace depositd::fuzz {

namespace {

using bagit::line_decoder;
using bagit::text_encoding;

/// All lines, and what was wrong.
std::vector<std::string> lines_of(std::string_view bytes, text_encoding how,
                                  std::size_t step) {
  std::vector<std::string> out;
  line_decoder from{how};
  const auto take = [&](std::string_view line, std::uint64_t number) {
    out.emplace_back(line);
    promise(number == out.size(), "lines are counted");
    promise(find_invalid_utf8(line) == line.npos, "a line is UTF-8");
    promise(line.find_first_of("\r\n") == line.npos, "a line has one line");
  };
  for (; !bytes.empty(); bytes.remove_prefix(step)) {
    step = std::min(step, bytes.size());
    if (!from.add(bytes.substr(0, step), take))
      break;
  }
  (void)from.finish(take);
  out.push_back(from.fault());
  return out;
}

void read_line(std::string_view line, bagit::tag_reader& tags) {
  for (const bool percent_too : {false, true}) {
    (void)bagit::read_manifest_line(line, digest_algorithm::md5, percent_too);
    (void)bagit::read_manifest_line(line, digest_algorithm::sha224,
                                    percent_too);
    (void)bagit::read_fetch_line(line, percent_too);
  }
  (void)bagit::read_oxum(line);
  (void)tags.add(line);
}

/// The first byte is the encoding.
void read_bag(std::string_view bytes) {
  static constexpr std::array encodings{
    text_encoding::utf8, text_encoding::utf16, text_encoding::latin1,
    text_encoding::ascii};
  if (bytes.empty())
    return;
  const auto how =
    encodings[static_cast<unsigned char>(bytes.front()) % encodings.size()];
  bytes.remove_prefix(1);
  const auto whole = lines_of(bytes, how, bytes.size());
  for (const std::size_t step : {1, 3})
    promise(lines_of(bytes, how, step) == whole,
            "lines are the same however their bytes come");
  bagit::tag_reader tags;
  for (const auto& line : whole)
    read_line(line, tags);
  (void)bagit::read_declaration(bytes);
}

void read_payload_metadata(std::string_view bytes) {
  if (const auto found = merritt::read_erc(bytes)) {
    const auto once = merritt::write_erc(*found);
    const auto again = merritt::read_erc(once);
    promise(again.engaged(), "what was written can be read");
    promise(merritt::write_erc(*again) == once, "and is the same");
  }
  (void)merritt::read_embargo(bytes);
  if (const auto found = merritt::read_delete_list(bytes))
    for (const auto& path : *found)
      promise(path.starts_with("producer/") && path.find("/../") == path.npos
                && !path.ends_with("/.."),
              "what is deleted is the producer's");
  if (const auto found = merritt::read_dublin_core(std::string{bytes})) {
    const auto again =
      merritt::read_dublin_core(merritt::write_dublin_core(*found));
    promise(again.engaged() && *again == *found, "a document is its own copy");
  }
}

bool stays_inside(std::string_view path) {
  while (!path.empty()) {
    const auto end = std::min(path.find('/'), path.size());
    if (path.substr(0, end) == "..")
      return false;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return true;
}

void read_inventory(std::string_view bytes) {
  const auto found = ocfl::read_inventory(bytes);
  if (!found)
    return;
  for (const auto& [digest, paths] : found->manifest)
    for (const auto& path : paths)
      promise(stays_inside(path), "no path leaves the object");
  const auto once = ocfl::write_inventory(*found);
  const auto again = ocfl::read_inventory(once);
  promise(again.engaged(), "an inventory's text is an inventory");
  promise(ocfl::write_inventory(*again) == once, "and the same one");
}

std::string an_inventory() {
  ocfl::inventory x;
  x.id = "ark:/1/2";
  const std::string digest(128, 'a');
  x.manifest[digest] = {"v1/content/producer/a", "v1/content/b"};
  auto& first = x.versions.emplace_back();
  first.created = "2026-01-02T03:04:05Z";
  first.state[digest] = {"producer/a"};
  first.user = "ann";
  return ocfl::write_inventory(x);
}

/// The file has nothing but the bytes, and its end is all of it.
void read_zip_directory(std::string_view bytes) {
  const unique_fd file{::memfd_create("zip", MFD_CLOEXEC)};
  promise(::write(file.value(), bytes.data(), bytes.size())
            == static_cast<ssize_t>(bytes.size()),
          "the file is written");
  const auto names = read_decomposed_names(file, "zip", bytes, bytes.size());
  promise(names.engaged(), "damage is told by who reads the archive");
  for (const auto& [name, as_sent] : *names)
    promise(name != as_sent && composed(as_sent) == name,
            "a name is the composed one of what was sent");
}

/// One entry, whose name is marked as UTF-8.
std::string a_zip_directory() {
  const std::string name = "cafe\xcc\x81";
  const auto zeros = [](std::size_t count) { return std::string(count, '\0'); };
  const auto head = "PK\1\2" + zeros(5) + '\x08' + zeros(18) + '\x06'
                    + zeros(17) + name;
  return head + "PK\5\6" + zeros(8) + static_cast<char>(head.size())
         + zeros(9);
}

} // namespace

std::vector<target> bag_targets() {
  const std::string digest = "d41d8cd98f00b204e9800998ecf8427e";
  return {
    {"bag_lines",
     read_bag,
     {std::string{"\0", 1} + digest + "  data/a%0Ab\n" + digest
        + " *./data/c\r\nhttps://example.org/a 7 data/a\n",
      std::string{"\0", 1}
        + "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n",
      std::string{"\0", 1}
        + "Source-Organization: A\n  and B\nPayload-Oxum: 12.3\n",
      std::string{"\1\xff\xfe" "a\0\r\0\n\0\x3d\xd8\x00\xde", 13},
      "\2Title: \xe4\n", "\3Title: a\rDate: b"}},
    {"payload_metadata",
     read_payload_metadata,
     {"erc:\nwho: a\nwhat: b\n  c\nwhen: 2026\nwhere: ark:/13030/a1\n"
      "where: doi:10.5/a; b\n# d\n",
      "embargoEndDate: 2026-01-02T03:04:05Z\n", "embargoEndDate: NONE\n",
      "a/b\nc d\n",
      "<DublinCore xmlns:dc=\"http://purl.org/dc/elements/1.1/\">"
      "<dc:title>a</dc:title><dc:date>2026</dc:date></DublinCore>"}},
    {"ocfl_inventory", read_inventory, {an_inventory()}},
    {"zip_directory", read_zip_directory, {a_zip_directory()}},
  };
}

} // namespace depositd::fuzz
