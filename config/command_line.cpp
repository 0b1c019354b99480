#include "config/command_line.hpp"

#include "config/setting_values.hpp"

#include "messages/values/log_text.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>

namespace depositd {

namespace {

constexpr std::size_t file_bytes_max = 1024 * 1024;

caf::expected<std::vector<given_setting>> read_file(const std::string& name) {
  std::ifstream in{name, std::ios::binary};
  std::string text(file_bytes_max + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad() || (in.fail() && !in.eof()))
    return bad_setting("--config: cannot read \"" + name + "\"");
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > file_bytes_max)
    return bad_setting("--config: \"" + name + "\" is larger than 1 MiB");
  return read_yaml(text, name);
}

caf::expected<given_setting> read_assignment(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    return bad_setting("--set: \"" + text.substr(0, 100)
                       + "\" is not KEY=VALUE");
  given_setting out;
  out.key = text.substr(0, equals);
  out.origin = "--set " + out.key;
  out.empty = equals + 1 == text.size();
  if (!out.empty)
    out.values.push_back(text.substr(equals + 1));
  return out;
}

struct given_options {
  std::optional<std::string> config;
  std::optional<std::string> data;
  std::vector<std::string> assignments;
  bool processors_only = false;
  std::string join;
  bool demo = false;
  data_check_options check;
};

/// What a demo begins with, before what else is given: free ports, few slots.
std::vector<given_setting> demo_settings() {
  std::vector<given_setting> out;
  for (const auto* key : {"http.listen", "admin.listen", "node.listen"})
    out.push_back({key, {"127.0.0.1:0"}, false, false, "--demo"});
  out.push_back({"processors.count", {"2"}, false, false, "--demo"});
  // Two that take so long are a little faster than deposits trickle in, so that
  // there is a ring to look at for some minutes.
  out.push_back({"processors.least_ms", {"700"}, false, false, "--demo"});
  return out;
}

/// Nothing for an engine, the address for a node that works for one.
caf::expected<std::optional<endpoint>>
engine_to_join(const given_options& options,
               const depositd_settings& settings) {
  if (options.processors_only != !options.join.empty())
    return bad_setting("--processors-only and --join HOST:PORT go together");
  if (options.join.empty())
    return std::optional<endpoint>{};
  auto at = parse_endpoint(options.join);
  if (!at)
    return bad_setting("--join: " + render(at.error()));
  if (at->port == 0)
    return bad_setting("--join: which port of " + at->host + "?");
  if (!is_loopback(*at) && !settings.node.tls.configured())
    return bad_setting("--join: " + to_string(*at)
                       + " is another machine: set node.tls.certificate, "
                         "node.tls.key and node.tls.ca");
  return std::optional<endpoint>{std::move(*at)};
}

caf::expected<depositd_settings> gather(const given_options& options,
                                        bool& has_data_folder) {
  std::vector<given_setting> given;
  if (options.demo)
    given = demo_settings();
  if (options.config) {
    auto found = read_file(*options.config);
    if (!found)
      return std::move(found.error());
    given.insert(given.end(), found->begin(), found->end());
  }
  for (const auto& text : options.assignments) {
    auto one = read_assignment(text);
    if (!one)
      return std::move(one.error());
    given.push_back(std::move(*one));
  }
  if (options.data)
    given.push_back(
      {"data.folder", {*options.data}, false, options.data->empty(), "--data"});
  has_data_folder = std::any_of(given.begin(), given.end(), [](const auto& x) {
    return x.key == "data.folder";
  });
  return make_settings(given);
}

} // namespace

command_line read_command_line(int argc, const char* const* argv,
                               const std::string& version) {
  CLI::App app{"depositd: a fair, durable deposit queue", "depositd"};
  given_options options;
  app.add_option("--config", options.config, "YAML file with settings")
    ->type_name("FILE");
  app.add_option("--data", options.data, "Data folder (key data.folder)")
    ->type_name("DIR");
  app
    .add_option("--set", options.assignments,
                "One setting by its dotted name; may be repeated")
    ->type_name("KEY=VALUE")
    ->allow_extra_args(false);
  app.add_flag("--processors-only", options.processors_only,
               "Only run processors, for the engine that --join names");
  app.add_option("--join", options.join, "Node port of that engine")
    ->type_name("HOST:PORT");
  app.add_flag("--demo", options.demo,
               "Try it: sample users and deposits, on free ports, in a folder "
               "that is gone afterwards unless --data names one");
  auto* check = app.add_subcommand(
    "check", "Judge a data folder or a backup without changing it");
  check->add_option("folder", options.check.folder, "The folder")
    ->type_name("DIR")
    ->required();
  check->add_flag("--blobs-elsewhere", options.check.blobs_elsewhere,
                  "Its blobs are in a bucket or at blobs.path");
  app.set_version_flag("--version", "depositd " + version);
  command_line out;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    std::ostringstream text;
    std::ostringstream error_text;
    const bool asked = app.exit(problem, text, error_text) == 0;
    out.exit_code = asked ? 0 : 2;
    out.text = asked ? text.str() : log_line(problem.what()) + "\n";
    return out;
  }
  const auto refuse = [&](const caf::error& why) {
    out.exit_code = 2;
    out.text = log_line(render(why)) + "\n";
    return out;
  };
  if (check->parsed()) {
    out.check = std::move(options.check);
    return out;
  }
  if (options.demo && !options.join.empty())
    return refuse(bad_setting("--demo is an engine, --join is none"));
  out.demo = options.demo;
  auto settings = gather(options, out.has_data_folder);
  if (!settings)
    return refuse(settings.error());
  auto join = engine_to_join(options, *settings);
  if (!join)
    return refuse(join.error());
  out.settings = std::move(*settings);
  out.join = std::move(*join);
  return out;
}

} // namespace depositd
