#include "config/command_line.hpp"

#include "config/setting_values.hpp"

#include <CLI/CLI.hpp>

#include <fstream>
#include <iterator>
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
  std::string config;
  std::string data;
  std::vector<std::string> assignments;
};

caf::expected<depositd_settings> gather(const given_options& options) {
  std::vector<given_setting> given;
  if (!options.config.empty()) {
    auto found = read_file(options.config);
    if (!found)
      return std::move(found.error());
    given = std::move(*found);
  }
  for (const auto& text : options.assignments) {
    auto one = read_assignment(text);
    if (!one)
      return std::move(one.error());
    given.push_back(std::move(*one));
  }
  if (!options.data.empty())
    given.push_back({"data.folder", {options.data}, false, false, "--data"});
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
  app.set_version_flag("--version", "depositd " + version);
  command_line out;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    std::ostringstream text;
    std::ostringstream error_text;
    const bool asked = app.exit(problem, text, error_text) == 0;
    out.exit_code = asked ? 0 : 2;
    out.text = asked ? text.str() : std::string{problem.what()} + "\n";
    return out;
  }
  auto settings = gather(options);
  if (settings) {
    out.settings = std::move(*settings);
  } else {
    out.exit_code = 2;
    out.text = render(settings.error()) + "\n";
  }
  return out;
}

} // namespace depositd
