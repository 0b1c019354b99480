#include "adapters/stores/objects/object_rules.hpp"

#include "adapters/stores/objects/version_files.hpp"
#include "messages/values/payload_paths.hpp"
#include "messages/values/time_text.hpp"

#include <algorithm>
#include <set>

namespace depositd::ocfl {

namespace {

constexpr std::size_t id_bytes_max = 2'048;

caf::error refused(const std::string& text) {
  return caf::make_error(ec::invalid_argument, text);
}

/// 0 stands for the last one.
caf::expected<const version*> version_of(const inventory& x,
                                         std::uint32_t number) {
  if (number > x.head())
    return caf::make_error(ec::not_found,
                           x.id + " has no version " + std::to_string(number));
  return &x.versions[(number == 0 ? x.head() : number) - 1];
}

} // namespace

caf::error check_version(const new_version& x) {
  if (x.object.empty() || x.object.size() > id_bytes_max)
    return refused("an identifier has 1 to 2048 bytes");
  std::set<std::string> seen;
  std::set<std::string> folders;
  if (x.files.empty())
    return refused("a version has at least one file");
  for (const auto& file : x.files) {
    if (const auto fault = payload_path_fault(file.path); !fault.empty())
      return refused("the path \"" + file.path + "\" " + fault);
    if (!seen.insert(file.path).second)
      return refused("the path \"" + file.path + "\" is there twice");
    for (auto at = file.path.find('/'); at != file.path.npos;
         at = file.path.find('/', at + 1))
      folders.insert(file.path.substr(0, at));
  }
  for (const auto& path : seen)
    if (folders.contains(path))
      return refused("the path \"" + path + "\" is a file and a folder");
  return {};
}

caf::expected<inventory> read_checked(const std::string& id,
                                      const std::string& folder,
                                      std::string_view text,
                                      std::string_view sidecar) {
  if (sidecar.substr(0, 128) != sha512_hex(text))
    return damaged(folder + "/" + inventory_name, "does not match its digest");
  auto out = read_inventory(text);
  if (!out)
    return damaged(folder, render(out.error()));
  if (out->id != id)
    return damaged(folder, "is of another object");
  return out;
}

std::string write_sidecar(std::string_view inventory_text) {
  return sha512_hex(inventory_text) + " " + inventory_name + "\n";
}

version begin_version(const new_version& x) {
  version out;
  out.created = format_utc(std::max<micros>(x.created_us, 1));
  out.message = x.message;
  out.user = x.user;
  return out;
}

std::optional<std::string> add_file(inventory& into, version& next,
                                    const std::string& path,
                                    const std::string& sha512) {
  next.state[sha512].push_back(path);
  // The same bytes are kept once in an object.
  auto& places = into.manifest[sha512];
  if (!places.empty())
    return std::nullopt;
  places.push_back(version_name(into.head() + 1) + "/content/" + path);
  return places.front();
}

void finish_version(version& x) {
  for (auto& [digest, paths] : x.state)
    std::sort(paths.begin(), paths.end());
}

caf::expected<object_version> show_version(
  const inventory& x, std::uint32_t number,
  const std::function<caf::expected<std::uint64_t>(const std::string&)>&
    bytes_of) {
  const auto found = version_of(x, number);
  if (!found)
    return found.error();
  const auto& from = **found;
  const auto created = parse_utc(from.created);
  object_version out{number == 0 ? x.head() : number,
                     created ? *created : never,
                     from.message,
                     from.user,
                     {}};
  for (const auto& [digest, paths] : from.state) {
    const auto bytes = bytes_of(x.manifest.at(digest).front());
    if (!bytes)
      return bytes.error();
    for (const auto& path : paths)
      out.files.push_back({path, *bytes, digest});
  }
  std::sort(out.files.begin(), out.files.end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
  return out;
}

caf::expected<kept_file> find_file(const inventory& x, std::uint32_t number,
                                   const std::string& path) {
  const auto found = version_of(x, number);
  if (!found)
    return found.error();
  for (const auto& [digest, paths] : (*found)->state)
    if (std::find(paths.begin(), paths.end(), path) != paths.end())
      return kept_file{x.manifest.at(digest).front(), digest};
  return caf::make_error(ec::not_found, x.id + " has no file \"" + path + "\"");
}

std::set<std::string> places_of(const inventory& x, const std::string& path) {
  std::set<std::string> out;
  for (auto number = x.head(); number > 0; --number)
    if (const auto file = find_file(x, number, path))
      out.insert(file->place);
  return out;
}

caf::expected<std::uint32_t> version_with(const inventory& x,
                                          const stored_file& file) {
  for (auto number = x.head(); number > 0; --number) {
    const auto& state = x.versions[number - 1].state;
    const auto at = state.find(file.sha512);
    if (at != state.end()
        && std::find(at->second.begin(), at->second.end(), file.path)
             != at->second.end())
      return number;
  }
  return damaged(x.id, "has no version whose \"" + file.path
                         + "\" has the SHA-512 " + file.sha512);
}

caf::expected<std::vector<kept_file>> contents_of(const inventory& x,
                                                  std::uint32_t number) {
  std::vector<kept_file> out;
  if (number == 0) {
    for (const auto& [digest, places] : x.manifest)
      for (const auto& place : places)
        out.push_back({place, digest});
    return out;
  }
  const auto found = version_of(x, number);
  if (!found)
    return found.error();
  for (const auto& [digest, paths] : (*found)->state)
    out.push_back({x.manifest.at(digest).front(), digest});
  return out;
}

caf::expected<std::uint64_t> mend_files(
  const inventory& x, const std::vector<new_file>& files,
  const std::function<caf::expected<std::string>(const std::string&)>&
    digest_at,
  const std::function<caf::error(const std::filesystem::path& source,
                                 const kept_file&)>& put_again) {
  std::uint64_t out = 0;
  std::set<std::string> seen;
  for (const auto& file : files) {
    const auto bytes = read_all(system_disk(), file.source);
    if (!bytes)
      return bytes.error();
    const auto places = x.manifest.find(bytes->sha512);
    if (places == x.manifest.end() || !seen.insert(bytes->sha512).second)
      continue;
    for (const auto& place : places->second) {
      const auto now = digest_at(place);
      if (!now && now.error() != ec::not_found)
        return now.error();
      if (now && *now == bytes->sha512)
        continue;
      if (auto failure = put_again(file.source, {place, bytes->sha512}))
        return failure;
      ++out;
    }
  }
  return out;
}

caf::error damaged(const std::string& where, const std::string& reason) {
  return caf::make_error(ec::store_damaged, where + " " + reason);
}

caf::error no_object(const std::string& id) {
  return caf::make_error(ec::not_found, "there is no object " + id);
}

caf::expected<inventory> of_object(const std::string& id,
                                   caf::expected<inventory> found) {
  if (!found && found.error() == ec::not_found)
    return no_object(id);
  return found;
}

caf::error no_place(const std::string& place) {
  return caf::make_error(ec::not_found, place + " is not there");
}

} // namespace depositd::ocfl
