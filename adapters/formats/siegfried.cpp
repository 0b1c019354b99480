#include "adapters/formats/identity.hpp"

#include "messages/values/json_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace depositd::formats {

namespace {

using json = nlohmann::json;

constexpr std::string_view nobody_knows = "UNKNOWN";
constexpr std::string_view no_mime = "application/octet-stream";

caf::error malformed(std::string text) {
  return caf::make_error(ec::malformed,
                         "siegfried's answer: " + std::move(text));
}

/// Nothing for what is not there, or is no text.
std::string text_at(const json& from, const char* name) {
  const auto found = from.find(name);
  return found != from.end() && found->is_string() ? found->get<std::string>()
                                                   : std::string{};
}

/// Of several matches the first that is PRONOM's and is not an unknown: they
/// come best first.
const json* best_of(const json& matches) {
  const json* out = nullptr;
  for (const auto& x : matches) {
    if (!x.is_object())
      continue;
    const auto space = text_at(x, "ns");
    if (!space.empty() && space != "pronom")
      continue;
    const auto id = text_at(x, "id");
    if (!id.empty() && id != nobody_knows)
      return &x;
    if (out == nullptr)
      out = &x;
  }
  return out;
}

caf::expected<siegfried_file> read_one(const json& from) {
  if (!from.is_object())
    return malformed("a file is no object");
  siegfried_file out;
  out.file = text_at(from, "filename");
  if (out.file.empty())
    return malformed("a file has no name");
  const auto size = from.find("filesize");
  if (size != from.end() && size->is_number_unsigned())
    out.bytes = size->get<std::uint64_t>();
  out.warning = text_at(from, "errors");
  const auto matches = from.find("matches");
  if (matches == from.end() || !matches->is_array())
    return out;
  const auto* best = best_of(*matches);
  if (best == nullptr)
    return out;
  const auto id = text_at(*best, "id");
  out.puid = id == nobody_knows ? "" : id;
  out.format = text_at(*best, "format");
  if (const auto version = text_at(*best, "version"); !version.empty())
    out.format += " " + version;
  out.mime = text_at(*best, "mime");
  // "text/html, application/xhtml+xml": the first is the usual one.
  out.mime.erase(std::min(out.mime.find(','), out.mime.size()));
  out.basis = text_at(*best, "basis");
  if (out.warning.empty())
    out.warning = text_at(*best, "warning");
  return out;
}

} // namespace

std::vector<std::string>
siegfried_command(std::string program,
                  const std::vector<std::filesystem::path>& files) {
  std::vector<std::string> out{std::move(program), "-json"};
  // It reads what begins with '-' as an option, and "-" as its input.
  for (const auto& x : files)
    out.push_back(x.is_absolute() ? x.string() : "./" + x.string());
  return out;
}

caf::expected<std::vector<siegfried_file>>
read_siegfried(std::string_view text) {
  const auto parsed = json_of(text);
  if (!parsed.is_object())
    return malformed("is no JSON object");
  const auto files = parsed.find("files");
  if (files == parsed.end() || !files->is_array())
    return malformed("has no list of files");
  std::vector<siegfried_file> out;
  for (const auto& x : *files) {
    auto one = read_one(x);
    if (!one)
      return std::move(one.error());
    out.push_back(std::move(*one));
  }
  return out;
}

format_identity join(std::string mime, const siegfried_file* known) {
  format_identity out{std::move(mime), {}, "libmagic"};
  if (out.mime.empty())
    out.mime = no_mime;
  if (known == nullptr || known->puid.empty())
    return out;
  out.puid = known->puid;
  out.method = "siegfried";
  if (!known->basis.empty())
    out.method += ": " + known->basis;
  // Whoever knows the format knows its type, but PRONOM has none for some.
  if (!known->mime.empty() && known->mime != no_mime)
    out.mime = known->mime;
  return out;
}

} // namespace depositd::formats
