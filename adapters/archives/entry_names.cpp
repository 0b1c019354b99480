#include "adapters/archives/entry_names.hpp"

#include "messages/values/payload_paths.hpp"
#include "messages/values/utf8.hpp"

namespace depositd {

namespace {

/// Names of old archives are ISO-8859-1 if they are not UTF-8.
std::string as_utf8(std::string_view raw) {
  if (find_invalid_utf8(raw) == raw.npos)
    return std::string{raw};
  std::string out;
  for (const unsigned char c : raw)
    append_utf8(out, c);
  return out;
}

caf::error refused(const std::string& path, const std::string& reason) {
  return caf::make_error(ec::malformed,
                         "the entry \"" + path.substr(0, 200) + "\" " + reason);
}

} // namespace

caf::expected<std::string> entry_names::add(std::string_view raw,
                                            bool is_folder) {
  auto path = as_utf8(raw);
  // "tar -c ." puts "./" before everything.
  while (path.starts_with("./"))
    path.erase(0, 2);
  while (is_folder && path.ends_with('/') && path.size() > 1)
    path.pop_back();
  if (is_folder && (path.empty() || path == "."))
    return std::string{};
  if (const auto fault = payload_path_fault(path); !fault.empty())
    return refused(path, fault);
  for (auto slash = path.find('/'); slash != path.npos;
       slash = path.find('/', slash + 1))
    if (auto failure = add_part(path.substr(0, slash), true))
      return failure;
  if (auto failure = add_part(path, is_folder))
    return failure;
  return path;
}

caf::error entry_names::add_part(const std::string& path, bool is_folder) {
  const auto [found, added] =
    seen_.try_emplace(collision_key(path), seen{path, is_folder});
  if (added) {
    folders_ += is_folder;
    return {};
  }
  const auto& before = found->second;
  if (is_folder && before.is_folder && before.path == path)
    return {};
  return refused(path, before.path == path
                         ? "is there twice"
                         : "differs from \"" + before.path.substr(0, 200)
                             + "\" only by case or composition");
}

} // namespace depositd
