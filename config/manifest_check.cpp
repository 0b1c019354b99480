#include "config/manifest_check.hpp"

#include "adapters/processing/merritt/manifest.hpp"
#include "adapters/shell/session.hpp"
#include "messages/values/json_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

namespace depositd {

namespace {

int refuse(int code, const std::string& why) {
  std::cerr << "depositctl: " << why << '\n';
  return code;
}

caf::expected<std::string> read_file(const std::string& name) {
  std::error_code failed;
  const auto bytes = std::filesystem::file_size(name, failed);
  if (failed)
    return caf::make_error(ec::not_found, name + ": " + failed.message());
  if (bytes > merritt::manifest_bytes_max)
    return caf::make_error(ec::too_large,
                           name + " is no manifest: it has more than 512 MiB");
  std::ifstream in{name, std::ios::binary};
  std::string out(bytes, '\0');
  if (!in.read(out.data(), static_cast<std::streamsize>(bytes)))
    return caf::make_error(ec::store_failed, "cannot read " + name);
  return out;
}

int judge_file(const std::string& name, bool json) {
  const auto text = read_file(name);
  if (!text)
    return refuse(shell::exit_refused, render(text.error()));
  const auto read = merritt::read_manifest(*text);
  const auto fault = merritt::judge(read);
  if (json)
    std::cout << json_text(
      fault ? nlohmann::json{{"ok", false},
                             {"line", fault->line},
                             {"reason", fault->reason}}
            : nlohmann::json{{"ok", true}, {"rows", read.found.rows.size()}})
              << '\n';
  else if (!fault)
    std::cout << name << ": good, " << read.found.rows.size() << " rows\n";
  if (!fault)
    return shell::exit_done;
  return refuse(shell::exit_refused, name + ": " + merritt::render(*fault));
}

} // namespace

std::optional<int> check_manifest(const std::vector<std::string>& words) {
  static const std::vector<std::string> command{"manifest", "check"};
  const auto at = std::search(words.begin(), words.end(), command.begin(),
                              command.end());
  if (at == words.end()
      || std::find(at, words.end(), "--help") != words.end())
    return std::nullopt;
  std::vector<std::string> files;
  std::copy_if(at + 2, words.end(), std::back_inserter(files),
               [](const auto& x) { return !x.starts_with("--"); });
  if (files.size() != 1)
    return refuse(shell::exit_wrong_usage,
                  "manifest check takes one FILE, and --json");
  return judge_file(files.front(),
                    std::find(at, words.end(), "--json") != words.end());
}

} // namespace depositd
