#include "config/pipelines.hpp"

#include "config/setting_values.hpp"
#include "config/settings.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>

namespace depositd {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t stages_max = 64;
constexpr std::size_t file_bytes_max = 1024 * 1024;
constexpr std::uint32_t day_ms = 86'400'000;

using reader = std::function<caf::error(stage_settings&, const given_setting&)>;

struct stage_key {
  const char* name;
  reader read;
};

reader number(std::uint32_t stage_settings::*to, std::uint32_t min,
              std::uint32_t max) {
  return [=](stage_settings& x, const given_setting& given) {
    return read_number(given, min, max, x.*to);
  };
}

caf::error read_state(stage_settings& to, const given_setting& x) {
  if (auto failure = read_word(x, to.state))
    return failure;
  if (to.state == job_state::held || to.state == job_state::failed
      || to.state == job_state::deleted)
    return bad_setting("is no state that a job waits in");
  return caf::none;
}

/// "built-in handler", "exec" or "external" in one word.
caf::error read_handler(stage_settings& to, const given_setting& x) {
  std::string text;
  if (auto failure = read_text(x, text))
    return failure;
  const auto* kind = find_word<handler_kind>(text);
  to.kind = kind ? *kind : handler_kind::built_in;
  to.handler = kind ? "" : text;
  if (text.empty() || text == "built_in")
    return bad_setting("must be the name of a handler, exec or external");
  return caf::none;
}

/// Arguments are taken as they are: no commas nor blanks separate them.
caf::error read_command(stage_settings& to, const given_setting& x) {
  if (!x.list || x.values.empty() || x.values.front().empty())
    return bad_setting("must be a list: the program and its arguments");
  to.command = x.values;
  return caf::none;
}

const std::vector<stage_key>& stage_keys() {
  using s = stage_settings;
  static const std::vector<stage_key> table = {
    {"state", read_state},
    {"handler", read_handler},
    {"command", read_command},
    {"workers", number(&s::workers, 0, 1'000)},
    {"workers_per_node",
     [](s& x, const given_setting& given) {
       return read_cap(given, x.workers_per_node);
     }},
    {"buffer", number(&s::buffer, 0, 1'000)},
    {"attempts_max", number(&s::attempts_max, 1, 1'000)},
    {"lease_ms", number(&s::lease_ms, 1'000, day_ms)},
    {"retry_delay_ms", number(&s::retry_delay_ms, 1, day_ms)},
    {"retry_delay_ms_max", number(&s::retry_delay_ms_max, 1, day_ms)},
    {"not_yet_delay_ms", number(&s::not_yet_delay_ms, 1, day_ms)},
    {"time_limit_ms", number(&s::time_limit_ms, 1, 7 * day_ms)},
    {"nodes",
     [](s& x, const given_setting& given) {
       return read_names(given, x.nodes);
     }},
  };
  return table;
}

bool legal_part(std::string_view name) {
  return !name.empty() && name.size() <= 32
         && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-")
              == name.npos
         && name.front() != '_' && name.front() != '-';
}

caf::error about(const given_setting& x, const std::string& reason) {
  return bad_setting(x.key + ": " + reason + " (" + x.origin + ")");
}

caf::error unknown(const given_setting& x, const std::string& known) {
  return bad_setting("unknown key " + x.key + " (" + x.origin
                     + "); known: " + known);
}

/// Reads one pipeline from its keys.
class pipeline_reader {
public:
  explicit pipeline_reader(const pipeline_context& context)
    : context_(context) {
    // nop
  }

  caf::expected<pipeline> read(const std::vector<given_setting>& given,
                               const std::string& name,
                               const std::string& file) {
    out_.name = name;
    if (!legal_part(name))
      return bad_setting(file
                         + ": the name of a pipeline is 1 to 32 of a-z "
                           "0-9 _ -, not \""
                         + name.substr(0, 64) + "\"");
    for (const auto& x : given)
      if (x.key == "order")
        if (auto failure = read_order(x))
          return failure;
    if (out_.stages.empty())
      return bad_setting(file + ": order: a list of stages is needed");
    for (const auto& x : given)
      if (x.key.starts_with("defaults"))
        if (auto failure = read_defaults(x))
          return failure;
    for (const auto& x : given)
      if (auto failure = read_rest(x))
        return failure;
    if (auto failure = check())
      return failure;
    return std::move(out_);
  }

private:
  caf::error read_order(const given_setting& x) {
    std::vector<std::string> names;
    if (auto failure = read_names(x, names))
      return failure;
    if (names.empty() || names.size() > stages_max)
      return about(x, "must be a list of 1 to " + std::to_string(stages_max)
                        + " stages");
    for (auto& name : names) {
      if (!legal_part(name))
        return about(x, "the name of a stage is 1 to 32 of a-z 0-9 _ -, not \""
                          + name.substr(0, 64) + "\"");
      if (origins_.contains(name))
        return about(x, name + " is there twice");
      if (name == split_stage || name == report_stage)
        return about(x, name + " is a queue that every pipeline has");
      origins_[name] = x;
      out_.stages.push_back({.name = std::move(name)});
    }
    return caf::none;
  }

  /// What all stages start from.
  caf::error read_defaults(const given_setting& x) {
    if (x.key == "defaults" && x.empty)
      return caf::none;
    const auto field = x.key.substr(std::min(x.key.size(), std::size_t{9}));
    if (field == "state" || field == "handler" || field == "command")
      return about(x, "each stage has its own");
    for (auto& stage : out_.stages)
      if (auto failure = read_field(stage, field, x, "defaults."))
        return failure;
    return caf::none;
  }

  caf::error read_rest(const given_setting& x) {
    if (x.key == "order" || x.key.starts_with("defaults"))
      return caf::none;
    constexpr std::string_view prefix = "stages.";
    if (!x.key.starts_with(prefix))
      return x.key == "stages" && x.empty
               ? caf::error{}
               : unknown(x, "order, defaults, stages");
    const auto rest = x.key.substr(prefix.size());
    const auto dot = rest.find('.');
    const auto name = rest.substr(0, dot);
    const auto stage =
      std::find_if(out_.stages.begin(), out_.stages.end(),
                   [&](const auto& each) { return each.name == name; });
    if (stage == out_.stages.end())
      return about(x, "the stage " + name.substr(0, 64) + " is not in order");
    if (dot == std::string::npos)
      return x.empty ? caf::error{} : unknown(x, known_fields(x.key + "."));
    return read_field(*stage, rest.substr(dot + 1), x, "stages." + name + ".");
  }

  static std::string known_fields(const std::string& prefix) {
    std::string out;
    for (const auto& key : stage_keys())
      out += (out.empty() ? "" : ", ") + prefix + key.name;
    return out;
  }

  caf::error read_field(stage_settings& stage, const std::string& field,
                        const given_setting& x, const std::string& prefix) {
    for (const auto& key : stage_keys()) {
      if (key.name != field)
        continue;
      if (auto failure = key.read(stage, x))
        return about(x, render(failure));
      origins_[stage.name + "." + field] = x;
      return caf::none;
    }
    return unknown(x, known_fields(prefix));
  }

  /// Refuses a field with the place where it was given, if it was.
  caf::error refuse(const stage_settings& stage, const std::string& field,
                    const std::string& reason) const {
    const auto found = origins_.find(stage.name + "." + field);
    const auto& origin =
      (found == origins_.end() ? origins_.at(stage.name) : found->second)
        .origin;
    return bad_setting("stages." + stage.name + "." + field + ": " + reason
                       + " (" + origin + ")");
  }

  caf::error check_handler(const stage_settings& x) const {
    const auto& known = context_.handlers;
    if (x.kind == handler_kind::built_in && x.handler.empty())
      return refuse(x, "handler", "is needed");
    if (x.kind == handler_kind::built_in
        && std::find(known.begin(), known.end(), x.handler) == known.end())
      return refuse(x, "handler",
                    "there is no handler \"" + x.handler
                      + "\"; known: " + any_of(known));
    if ((x.kind == handler_kind::exec) == x.command.empty())
      return refuse(x, "command",
                    x.command.empty() ? "is needed for exec"
                                      : "is for the handler exec alone");
    return caf::none;
  }

  caf::error check() const {
    auto before = job_state::none;
    for (const auto& x : out_.stages) {
      if (auto failure = check_handler(x))
        return failure;
      // The states are in the order of the life cycle.
      if (x.state < before)
        return refuse(x, "state",
                      word(x.state) + " comes before " + word(before)
                        + ", the state of the stage before");
      before = x.state;
      if (x.retry_delay_ms > x.retry_delay_ms_max)
        return refuse(x, "retry_delay_ms",
                      "is more than retry_delay_ms_max, "
                        + std::to_string(x.retry_delay_ms_max));
    }
    return caf::none;
  }

  const pipeline_context& context_;
  pipeline out_;
  std::map<std::string, given_setting> origins_; ///< of stages and fields
};

} // namespace

caf::expected<pipeline> read_pipeline(const std::string& text,
                                      const std::string& file,
                                      const pipeline_context& context) {
  auto given = read_yaml(text, file);
  if (!given)
    return std::move(given.error());
  return pipeline_reader{context}.read(*given, fs::path{file}.stem().string(),
                                       file);
}

caf::expected<std::vector<pipeline>>
read_pipelines(const fs::path& folder, const pipeline_context& context) {
  std::vector<fs::path> files;
  std::error_code code;
  for (fs::directory_iterator at{folder, code}, end; !code && at != end;
       at.increment(code))
    if (at->path().extension() == ".yaml")
      files.push_back(at->path());
  if (code)
    return bad_setting("pipelines.folder: cannot read " + folder.string() + ": "
                       + code.message());
  std::sort(files.begin(), files.end());
  std::vector<pipeline> out;
  for (const auto& file : files) {
    std::ifstream in{file, std::ios::binary};
    std::string text(file_bytes_max + 1, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
    if (in.bad() || !in.is_open() || text.size() > file_bytes_max)
      return bad_setting(file.string() + ": cannot be read, or is larger than "
                         + std::to_string(file_bytes_max) + " bytes");
    auto read = read_pipeline(text, file.string(), context);
    if (!read)
      return std::move(read.error());
    out.push_back(std::move(*read));
  }
  return out;
}

const std::vector<std::string>& built_in_handlers() {
  static const std::vector<std::string> names = {
    "merritt.stage",        "merritt.estimate",       "merritt.provision",
    "merritt.download",     "merritt.process",        "merritt.store",
    "merritt.record",       "merritt.notify",         "merritt.cleanup",
    "aptrust.prefetch",     "aptrust.validate",       "aptrust.reingest",
    "aptrust.stage",        "aptrust.identify",       "aptrust.store",
    "aptrust.check",        "aptrust.record",         "aptrust.cleanup",
    "aptrust.restore_file", "aptrust.restore_object", "aptrust.restore_glacier",
    "aptrust.delete_item",  "aptrust.fixity_check",   "noop"};
  return names;
}

} // namespace depositd
