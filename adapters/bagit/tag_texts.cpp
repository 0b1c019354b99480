#include "adapters/bagit/tag_texts.hpp"

#include "adapters/archives/composed.hpp"
#include "adapters/bagit/paths.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace depositd::bagit {

namespace {

constexpr std::size_t declaration_bytes_max = 4'096;
constexpr std::size_t texts_max = 1'000;
/// Of all files. A tag takes twenty times the bytes of the shortest line.
constexpr std::size_t tags_max = 10'000;

constexpr std::array<std::string_view, 6> versions = {"0.93", "0.94", "0.95",
                                                      "0.96", "0.97", "1.0"};

std::size_t count_tags(const bag_facts& of) {
  std::size_t out = 0;
  for (const auto& x : of.report.tag_files)
    out += x.tags.size();
  return out;
}

} // namespace

tag_texts::tag_texts(bag_facts& facts, const bag_limits& limits)
  : facts_(facts), limits_(limits) {
  // nop
}

void tag_texts::begin(const bag_file& x, file_index index) {
  path_ = x.path;
  kind_ = x.kind;
  doing_ = doing::nothing;
  text_.clear();
  switch (kind_) {
    case file_kind::payload:
      return;
    case file_kind::manifest:
    case file_kind::tag_manifest:
    case file_kind::fetch:
      algorithm_ = manifest_algorithm(path_);
      if (facts_.declared)
        begin_lines();
      else
        facts_.files.set(index, file_table::deferred);
      return;
    case file_kind::tag_file:
      if (path_.ends_with(".txt") && facts_.texts.size() < texts_max)
        doing_ = doing::keeping;
      return;
    case file_kind::bagit_txt:
    case file_kind::bag_info:
      doing_ = doing::keeping;
      return;
  }
}

void tag_texts::begin_lines() {
  if (kind_ != file_kind::fetch && !algorithm_)
    return;
  lines_.emplace(facts_.encoding);
  doing_ = doing::lines;
  dotted_ = binary_ = false;
}

void tag_texts::add(std::string_view bytes) {
  if (doing_ == doing::keeping)
    keep(bytes);
  else if (doing_ == doing::lines
           && !lines_->add(bytes, [this](auto line, auto number) {
                take_line(line, number);
              })) {
    facts_.fault(lines_->is_too_long() ? finding_code::too_large
                                       : finding_code::encoding,
                 path_, lines_->fault());
    doing_ = doing::nothing;
  }
}

void tag_texts::keep(std::string_view bytes) {
  const auto max = kind_ == file_kind::bagit_txt ? declaration_bytes_max
                                                 : limits_.tag_file_bytes_max;
  const bool fits =
    text_.size() + bytes.size() <= max
    && kept_bytes_ + text_.size() + bytes.size() <= limits_.tag_text_bytes_max;
  if (fits) {
    text_ += bytes;
    return;
  }
  doing_ = doing::nothing;
  if (kind_ != file_kind::tag_file)
    facts_.fault(finding_code::too_large, path_,
                 "has more than " + std::to_string(max) + " bytes");
}

void tag_texts::end() {
  if (doing_ == doing::lines && !lines_->finish([this](auto line, auto number) {
        take_line(line, number);
      }))
    facts_.fault(finding_code::encoding, path_, lines_->fault());
  if (doing_ != doing::keeping)
    return;
  if (kind_ == file_kind::bagit_txt) {
    declare(text_);
    return;
  }
  kept_bytes_ += text_.size();
  facts_.texts.emplace(path_, std::move(text_));
}

void tag_texts::declare(std::string_view text) {
  auto found = read_declaration(text);
  if (!found) {
    facts_.fault(finding_code::bagit_txt, path_, render(found.error()));
    return;
  }
  facts_.report.version = found->version;
  facts_.report.encoding = found->encoding;
  const auto encoding = find_encoding(found->encoding);
  if (std::find(versions.begin(), versions.end(), found->version)
      == versions.end()) {
    facts_.fault(finding_code::version, path_,
                 "there is no BagIt version \"" + found->version + "\"");
    return;
  }
  if (!encoding) {
    facts_.fault(finding_code::encoding, path_,
                 "\"" + found->encoding + "\" is not known");
    return;
  }
  facts_.encoding = *encoding;
  facts_.declared = true;
  facts_.strict = found->version == "1.0";
  if (!found->odd.empty())
    facts_.fault_if_strict(facts_.strict ? finding_code::bagit_txt
                                         : finding_code::odd_bagit_txt,
                           path_, found->odd);
}

void tag_texts::take_line(std::string_view line, std::uint64_t number) {
  if (line.find_first_not_of(" \t") == line.npos)
    return;
  const auto where = "line " + std::to_string(number) + ": ";
  if (kind_ == file_kind::fetch)
    take_fetched(line, where);
  else
    take_listed(line, where);
}

void tag_texts::warn_of_marks(const manifest_line& x,
                              const std::string& where) {
  if (x.binary && !std::exchange(binary_, true))
    facts_.warn(finding_code::binary_marker, path_,
                where + "there is a * before the name, as md5sum writes it");
  if (x.dotted && !std::exchange(dotted_, true))
    facts_.warn(finding_code::dot_slash, path_,
                where + "the name begins with ./");
}

void tag_texts::take_listed(std::string_view line, const std::string& where) {
  auto x = read_manifest_line(line, *algorithm_, facts_.strict);
  if (!x) {
    facts_.fault(finding_code::bad_line, path_, where + render(x.error()));
    return;
  }
  const bool payload = kind_ == file_kind::manifest;
  if (facts_.report.serialized)
    x->path = composed(x->path);
  warn_of_marks(*x, where);
  const auto fault = listed_path_fault(x->path, payload);
  if (!fault.empty()) {
    facts_.fault(finding_code::outside_bag, path_,
                 where + "\"" + x->path + "\" " + fault);
    return;
  }
  const auto index = facts_.files.add(x->path);
  if (index == file_table::none) {
    facts_.fault(finding_code::too_large, path_, "lists too many files");
    doing_ = doing::nothing;
    return;
  }
  const auto how = facts_.files.add_listed(index, x->value);
  if (how == file_table::listing::different)
    facts_.fault(finding_code::listed_twice, x->path,
                 path_ + " has it with two digests");
  else if (how == file_table::listing::same)
    facts_.fault_if_strict(finding_code::listed_twice, x->path,
                           path_ + " has it twice");
}

void tag_texts::take_fetched(std::string_view line, const std::string& where) {
  auto x = read_fetch_line(line, facts_.strict);
  if (!x) {
    facts_.fault(finding_code::bad_line, path_, where + render(x.error()));
    return;
  }
  if (facts_.report.serialized)
    x->path = composed(x->path);
  const auto fault = listed_path_fault(x->path, true);
  const auto index =
    fault.empty() ? facts_.files.add(x->path) : file_table::none;
  if (index == file_table::none)
    facts_.fault(finding_code::outside_bag, path_,
                 where + "\"" + x->path + "\" "
                   + (fault.empty() ? "is one too many" : fault));
  else
    facts_.files.set(index, file_table::fetched);
}

void tag_texts::finish() {
  for (const auto& [path, text] : facts_.texts)
    read_tags(path, text);
  facts_.texts.clear();
}

void tag_texts::read_tags(const std::string& path, std::string_view text) {
  const bool info = path == info_name(facts_.report.version);
  tag_reader tags;
  std::uint64_t bad = 0;
  const auto room = tags_max - count_tags(facts_);
  const auto take = [&](std::string_view line, std::uint64_t number) {
    if (tags.tags.size() <= room && !tags.add(line) && bad == 0)
      bad = number;
  };
  line_decoder lines{facts_.encoding};
  const bool decoded = lines.add(text, take) && lines.finish(take);
  if (tags.tags.size() > room) {
    if (info)
      facts_.fault(finding_code::too_large, path, "has too many tags");
    return;
  }
  // Of other files nobody has said that they have tags.
  if (!info) {
    if (decoded && bad == 0)
      facts_.report.tag_files.push_back({path, std::move(tags.tags)});
    return;
  }
  if (!decoded)
    facts_.fault(finding_code::encoding, path, lines.fault());
  else if (bad != 0)
    facts_.fault_if_strict(finding_code::bad_line, path,
                           "line " + std::to_string(bad) + " is no tag");
  facts_.report.tag_files.push_back({path, std::move(tags.tags)});
}

} // namespace depositd::bagit
