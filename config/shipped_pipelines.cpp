#include "config/shipped_pipelines.hpp"

#include "config/aptrust_environment.hpp"
#include "config/setting_values.hpp"

#include <cstdlib>
#include <string>

namespace depositd {

namespace {

caf::expected<std::vector<pipeline>>
read_shipped(const pipeline_context& context) {
  std::vector<pipeline> out;
  for (const auto& x : shipped_pipelines()) {
    auto read =
      read_pipeline(std::string{x.text}, std::string{x.file}, context);
    if (!read)
      return std::move(read.error());
    out.push_back(std::move(*read));
  }
  return out;
}

/// A queue cannot be a stage's and something else.
caf::error check_queues(const depositd_settings& settings, const pipeline& x) {
  const auto check = [&](const std::string& stage) -> caf::error {
    const auto name = stage_queue_name(x.name, stage);
    if (!settings.queues.contains(name))
      return {};
    return bad_setting("queues." + name + ": is a queue of the pipeline "
                       + x.name + ", whose file says how it is set");
  };
  for (const auto* name : {split_stage, report_stage})
    if (auto failure = check(name))
      return failure;
  for (const auto& stage : x.stages)
    if (auto failure = check(stage.name))
      return failure;
  return {};
}

} // namespace

caf::expected<pipelines_seen> pipelines_of(const depositd_settings& settings,
                                           const pipeline_context& context) {
  const auto& folder = settings.pipelines.folder;
  auto read =
    folder.empty() ? read_shipped(context) : read_pipelines(folder, context);
  if (!read)
    return std::move(read.error());
  if (auto failure = apply_environment(
        *read, [](const char* name) { return std::getenv(name); }))
    return failure;
  for (const auto& one : *read)
    if (auto failure = check_queues(settings, one))
      return failure;
  return pipelines_seen{std::move(*read)};
}

} // namespace depositd
