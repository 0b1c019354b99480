#include "adapters/processing/merritt/manifest.hpp"

#include "adapters/fetching/url.hpp"
#include "adapters/processing/merritt/manifest_lines.hpp"
#include "messages/values/payload_paths.hpp"

#include <charconv>
#include <map>

namespace depositd::merritt {

namespace {

/// Which field is in which column; the header is not obeyed.
struct columns {
  static constexpr std::size_t absent = ~std::size_t{0};

  std::size_t url = 0;
  std::size_t algorithm = 1;
  std::size_t value = 2;
  std::size_t size = 3;
  std::size_t modified = 4;
  std::size_t name = 5;
  std::size_t mime_type = absent;
  std::size_t rest = absent; ///< identifiers, creator, title, date
};

columns columns_of(manifest_kind kind) {
  if (kind == manifest_kind::contents)
    return {.url = columns::absent,
            .algorithm = 1,
            .value = 2,
            .size = 3,
            .modified = 4,
            .name = 0,
            .mime_type = 5};
  if (kind == manifest_kind::object)
    return {.mime_type = 6};
  return {.rest = 6};
}

using fields = std::vector<std::string_view>;

std::string_view field(const fields& of, std::size_t at) {
  return at < of.size() ? of[at] : std::string_view{};
}

std::string text_field(const fields& of, std::size_t at) {
  return decode_field(field(of, at));
}

std::string in_quotes(std::string_view text) {
  return "\"" + std::string{text.substr(0, 100)} + "\"";
}

/// What is wrong with the whole manifest because of the row, if anything.
std::string read_expectations(const fields& from, const columns& at,
                              manifest_row& to) {
  const auto algorithm = field(from, at.algorithm);
  const auto value = field(from, at.value);
  if (!algorithm.empty() && !find_digest_algorithm(algorithm))
    return "there is no digest algorithm " + in_quotes(algorithm);
  if (!algorithm.empty() && !value.empty()) {
    auto made = make_digest(algorithm, value);
    if (!made)
      return render(made.error());
    to.expected = std::move(*made);
  }
  if (const auto size = field(from, at.size); !size.empty()) {
    std::uint64_t bytes = 0;
    const auto* end = size.data() + size.size();
    const auto [stop, wrong] = std::from_chars(size.data(), end, bytes);
    if (stop != end || wrong != std::errc{})
      return "the file size " + in_quotes(size) + " is no whole number";
    to.size = bytes;
  }
  if (const auto date = field(from, at.modified); !date.empty()) {
    const auto read = read_manifest_date(date);
    if (!read)
      return in_quotes(date) + " is no date";
    to.modified_us = *read;
  }
  return {};
}

/// The same of URL and name.
std::string read_place(const fields& from, const columns& at, bool batch,
                       manifest_row& to) {
  to.url = field(from, at.url);
  to.file_name = text_field(from, at.name);
  if (at.url != columns::absent) {
    if (to.url.empty()) {
      to.fault = "there is no URL";
      return batch ? std::string{} : to.fault;
    }
    const auto url = parse_url(to.url);
    if (!url)
      return render(url.error());
    if (to.file_name.empty())
      to.file_name = file_name_of(*url);
  }
  if (const auto fault = payload_path_fault(to.file_name); !fault.empty()) {
    to.fault = "the file name " + in_quotes(to.file_name) + " " + fault;
    return batch ? std::string{} : to.fault;
  }
  return {};
}

void read_descriptions(const fields& from, const columns& at,
                       manifest_row& to) {
  to.mime_type = text_field(from, at.mime_type);
  if (at.rest == columns::absent)
    return;
  to.primary_identifier = text_field(from, at.rest);
  to.local_ids = split_local_ids(text_field(from, at.rest + 1));
  to.creator = text_field(from, at.rest + 2);
  to.title = text_field(from, at.rest + 3);
  to.date = text_field(from, at.rest + 4);
  if (!to.primary_identifier.empty() && !legal_ark(to.primary_identifier))
    to.fault = in_quotes(to.primary_identifier) + " is no ARK";
  else if (auto fault = local_ids_fault(to.local_ids); !fault.empty())
    to.fault = std::move(fault);
}

/// Reads line after line, and keeps the first fault.
class manifest_reader {
public:
  manifest_reader(std::string_view text, std::optional<manifest_kind> wanted)
    : text_(text), wanted_(wanted) {
    // nop
  }

  manifest_reading read() {
    if (auto fault = whole_text_fault(text_); !fault.empty())
      refuse(0, std::move(fault));
    for (auto rest = text_; !out_.corrupt() && !rest.empty();)
      read_line(take_line(rest));
    if (!out_.corrupt())
      check_whole();
    return std::move(out_);
  }

private:
  void refuse(std::uint64_t line, std::string reason) {
    if (!out_.fault)
      out_.fault = manifest_fault{line, std::move(reason)};
  }

  void read_line(std::string_view line) {
    ++line_;
    if (line.size() > manifest_line_bytes_max)
      return refuse(line_, "the line has more than "
                             + std::to_string(manifest_line_bytes_max)
                             + " bytes");
    if (has_control_character(line))
      return refuse(line_, "the line has a control character");
    if (ended_)
      return refuse(line_, "nothing may follow #%eof, not even a blank line");
    const auto text = trimmed(line);
    if (text.starts_with("#%"))
      return read_header(text);
    if (text.empty() || text.starts_with('#'))
      return;
    if (!kind_)
      return refuse(line_, "there is no #%profile before the first row");
    read_row(text);
  }

  void read_header(std::string_view text) {
    if (is_end(text)) {
      ended_ = true;
      return;
    }
    if (!out_.found.rows.empty())
      return refuse(line_, "a #% line between rows");
    const auto parts = split_fields(text);
    if (parts.front() != "#%profile")
      return;
    const auto kind = find_profile(field(parts, 1));
    if (!kind)
      return refuse(line_, in_quotes(field(parts, 1)) + " is no known profile");
    if (kind_ && kind_ != kind)
      return refuse(line_, "a second profile");
    if (wanted_ && wanted_ != kind)
      return refuse(line_, "the profile is " + in_quotes(field(parts, 1))
                             + ", which is not what is expected here");
    if (is_batch(*kind) && text_.size() > batch_manifest_bytes_max)
      return refuse(0, "a batch manifest has at most "
                         + std::to_string(batch_manifest_bytes_max) + " bytes");
    kind_ = kind;
    out_.found.kind = *kind;
  }

  void read_row(std::string_view text) {
    if (out_.found.rows.size() >= manifest_rows_max)
      return refuse(line_,
                    "more than " + std::to_string(manifest_rows_max) + " rows");
    const auto parts = split_fields(text);
    const auto at = columns_of(*kind_);
    manifest_row row;
    row.line = line_;
    if (auto fault = read_expectations(parts, at, row); !fault.empty())
      return refuse(line_, std::move(fault));
    read_descriptions(parts, at, row);
    if (auto fault = read_place(parts, at, is_batch(*kind_), row);
        !fault.empty())
      return refuse(line_, std::move(fault));
    if (*kind_ == manifest_kind::batch_of_containers && row.fault.empty()
        && !has_container_name(row.file_name))
      row.fault = in_quotes(row.file_name) + " is not the name of an archive";
    if (!is_batch(*kind_)) {
      const auto [found, added] = names_.try_emplace(row.file_name, line_);
      if (!added)
        return refuse(line_, "the file name " + in_quotes(row.file_name)
                               + " is in line " + std::to_string(found->second)
                               + " already");
    }
    out_.found.rows.push_back(std::move(row));
  }

  void check_whole() {
    if (!kind_)
      refuse(0, "there is no #%profile");
    else if (!ended_)
      refuse(line_, "the last line is not #%eof");
    else if (out_.found.rows.empty())
      refuse(0, "there are no rows");
    else if (*kind_ == manifest_kind::object)
      check_folders();
  }

  /// No name may be the folder of another one.
  void check_folders() {
    std::optional<manifest_fault> first;
    for (const auto& [name, line] : names_) {
      const auto folder = name + "/";
      const auto at = names_.lower_bound(folder);
      if (at != names_.end() && at->first.starts_with(folder)
          && (!first || at->second < first->line))
        first = {at->second, "the folder of " + in_quotes(at->first)
                               + " is the file in line "
                               + std::to_string(line)};
    }
    if (first)
      refuse(first->line, std::move(first->reason));
  }

  std::string_view text_;
  std::optional<manifest_kind> wanted_;
  manifest_reading out_;
  std::optional<manifest_kind> kind_;
  std::map<std::string, std::uint64_t> names_; ///< with their lines
  std::uint64_t line_ = 0;
  bool ended_ = false;
};

} // namespace

manifest_reading read_manifest(std::string_view text,
                               std::optional<manifest_kind> wanted) {
  return manifest_reader{text, wanted}.read();
}

std::optional<manifest_fault> judge(const manifest_reading& x) {
  if (x.fault)
    return x.fault;
  for (const auto& row : x.found.rows)
    if (!row.fault.empty())
      return manifest_fault{row.line, row.fault};
  return std::nullopt;
}

std::string render(const manifest_fault& x) {
  return x.line == 0 ? x.reason
                     : "line " + std::to_string(x.line) + ": " + x.reason;
}

} // namespace depositd::merritt
