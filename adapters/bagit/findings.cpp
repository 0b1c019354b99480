#include "adapters/bagit/findings.hpp"

#include "messages/values/cut_text.hpp"

#include <algorithm>
#include <array>

namespace depositd::bagit {

namespace {

/// In the order of `finding_code`.
constexpr std::array<std::string_view, 41> names = {
  "unreadable",
  "not_allowed",
  "illegal_name",
  "too_large",
  "changed",
  "top_folder",
  "duplicate_entry",
  "file_and_folder",
  "bagit_txt",
  "version",
  "encoding",
  "no_manifest",
  "unknown_algorithm",
  "bad_line",
  "outside_bag",
  "listed_twice",
  "missing_file",
  "unlisted_file",
  "wrong_digest",
  "wrong_tag_digest",
  "payload_oxum",
  "fetch",
  "no_payload_folder",
  "profile_unknown",
  "profile_tag_missing",
  "profile_tag_value",
  "profile_manifest",
  "profile_tag_file",
  "profile_version",
  "profile_serialization",
  "profile_fetch",
  "profile_payload",
  "binary_marker",
  "dot_slash",
  "same_but_case",
  "system_file",
  "odd_tag",
  "manifest_name",
  "odd_name",
  "odd_bagit_txt",
  "unlisted_manifest",
};

/// Not more than that.
std::string cut(std::string_view text, std::size_t bytes_max) {
  std::string out{beginning_of(text, bytes_max)};
  return text.size() <= bytes_max ? out : out + "...";
}

} // namespace

std::string_view to_string(finding_code x) {
  return names[static_cast<std::size_t>(x)];
}

std::string render(const finding& x) {
  std::string out{to_string(x.code)};
  if (!x.file.empty())
    out += " " + x.file;
  return out + ": " + x.text;
}

void finding_list::add(finding_code code, std::string_view file,
                       std::string_view text) {
  ++count_;
  if (kept_.size() < kept_max)
    kept_.push_back(
      {code, cut(file, file_bytes_max), cut(text, text_bytes_max)});
}

bool finding_list::has(finding_code code) const {
  return std::any_of(kept_.begin(), kept_.end(),
                     [code](const auto& x) { return x.code == code; });
}

} // namespace depositd::bagit
