#include "adapters/processing/merritt/manifest.hpp"
#include "adapters/processing/merritt/manifest_lines.hpp"
#include "messages/values/lower_case.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace depositd::merritt {

namespace {

constexpr std::array<std::pair<std::string_view, submission_type>, 10> types = {
  {{"file", submission_type::file},
   {"container", submission_type::container},
   {"manifest", submission_type::object_manifest},
   {"object-manifest", submission_type::object_manifest},
   {"batch-manifest", submission_type::batch_of_manifests},
   {"batchManifest", submission_type::batch_of_manifests},
   {"container-batch-manifest", submission_type::batch_of_containers},
   {"batchManifestContainer", submission_type::batch_of_containers},
   {"single-file-batch-manifest", submission_type::batch_of_files},
   {"batchManifestFile", submission_type::batch_of_files}}};

std::string ending_of(std::string_view file_name) {
  const auto dot = file_name.rfind('.');
  return dot == file_name.npos ? "" : lower_case(file_name.substr(dot + 1));
}

bool is_one_of(std::string_view text,
               std::initializer_list<std::string_view> of) {
  return std::find(of.begin(), of.end(), text) != of.end();
}

submission_type type_of(manifest_kind kind) {
  switch (kind) {
    case manifest_kind::object:
      return submission_type::object_manifest;
    case manifest_kind::batch_of_manifests:
      return submission_type::batch_of_manifests;
    case manifest_kind::batch_of_containers:
      return submission_type::batch_of_containers;
    case manifest_kind::batch_of_files:
      return submission_type::batch_of_files;
    case manifest_kind::contents:
      break;
  }
  return submission_type::file;
}

bool is_ark_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
         || (c >= '0' && c <= '9')
         || std::string_view{"=~*+@_$%.-/"}.find(c) != std::string_view::npos;
}

std::string encode_field(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool edge = i == 0 || i + 1 == text.size();
    if (text[i] == '|')
      out += "%7c";
    else if (text[i] == ' ' && edge)
      out += "%20";
    else
      out += text[i];
  }
  return out;
}

} // namespace

std::vector<std::string> split_local_ids(std::string_view text) {
  std::vector<std::string> out;
  for (;;) {
    const auto end = text.find(';');
    const auto one = trimmed(text.substr(0, end));
    if (!one.empty() && std::find(out.begin(), out.end(), one) == out.end())
      out.emplace_back(one);
    if (end == text.npos || out.size() > local_ids_max)
      return out;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string> merge_local_ids(std::vector<std::string> first,
                                         const std::vector<std::string>& then) {
  for (const auto& x : then)
    if (std::find(first.begin(), first.end(), x) == first.end())
      first.push_back(x);
  return first;
}

std::string local_ids_fault(const std::vector<std::string>& ids) {
  if (ids.size() > local_ids_max)
    return "there are more than " + std::to_string(local_ids_max)
           + " local identifiers";
  for (const auto& one : ids)
    if (one.size() > identifier_bytes_max)
      return "a local identifier has more than "
             + std::to_string(identifier_bytes_max) + " bytes";
  return {};
}

bool legal_ark(std::string_view text) {
  if (!text.starts_with("ark:"))
    return false;
  const auto bytes = text.size() + (text.starts_with("ark:/") ? 0 : 1);
  if (bytes > identifier_bytes_max)
    return false;
  text.remove_prefix(text.starts_with("ark:/") ? 5 : 4);
  const auto slash = text.find('/');
  if (slash == text.npos || slash < 5 || slash > 16)
    return false;
  const auto authority = text.substr(0, slash);
  const auto name = text.substr(slash + 1);
  return authority.find_first_not_of("0123456789bcdfghjkmnpqrstvwxz")
           == authority.npos
         && !name.empty() && name.front() != '/'
         && std::all_of(name.begin(), name.end(), is_ark_letter);
}

std::string kept_identifier(std::string text) {
  constexpr std::size_t scheme_bytes = 4;
  if (legal_ark(text) && text[scheme_bytes] != '/')
    text.insert(scheme_bytes, "/");
  return text;
}

std::optional<submission_type> find_submission_type(std::string_view word) {
  for (const auto& [name, type] : types)
    if (name == word)
      return type;
  return std::nullopt;
}

submission_type detect_type(std::string_view file_name,
                            std::string_view bytes) {
  if (is_one_of(ending_of(file_name), {"gz", "tar", "zip", "bz", "tgz", "bz2"}))
    return submission_type::container;
  // Its profile decides, so the sender of a corrupt one is told.
  for (auto rest = bytes; !rest.empty();) {
    const auto parts = split_fields(trimmed(take_line(rest)));
    if (parts.front() == "#%profile" && parts.size() > 1)
      if (const auto kind = find_profile(parts[1]))
        return type_of(*kind);
  }
  return submission_type::file;
}

bool has_container_name(std::string_view file_name) {
  return is_one_of(ending_of(file_name),
                   {"zip", "tar", "gz", "tgz", "bz2", "tarz"});
}

std::string write_storage_manifest(const std::vector<manifest_row>& rows) {
  std::string out =
    "#%checkm_0.7\n"
    "#%profile | http://uc3.cdlib.org/registry/store/manifest/"
    "mrt-add-manifest\n"
    "#%prefix | mrt: | http://merritt.cdlib.org/terms#\n"
    "#%prefix | nfo: | http://www.semanticdesktop.org/ontologies/2007/03/22/"
    "nfo#\n"
    "#%fields | nfo:fileUrl | nfo:hashAlgorithm | nfo:hashValue | "
    "nfo:fileSize | nfo:fileLastModified | nfo:fileName | mrt:mimeType\n";
  for (const auto& x : rows) {
    out += x.url + " | ";
    out += x.expected ? digest_name(x.expected->algorithm) : "";
    out += " | " + (x.expected ? x.expected->value : std::string{}) + " | ";
    out += x.size ? std::to_string(*x.size) : "";
    out += " | | " + encode_field(x.file_name) + " | "
           + encode_field(x.mime_type) + "\n";
  }
  return out + "#%eof\n";
}

} // namespace depositd::merritt
