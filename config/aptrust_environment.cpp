#include "config/aptrust_environment.hpp"

#include "config/setting_values.hpp"
#include "config/settings.hpp"

#include <algorithm>
#include <array>

namespace depositd {

namespace {

struct worker {
  const char* prefix;
  const char* stage; ///< its topic
};

constexpr std::array workers = {
  worker{"APT_DELETE", "delete_item"},
  worker{"APT_FIXITY", "fixity_check"},
  worker{"BAG_RESTORER", "restore_object"},
  worker{"FILE_RESTORER", "restore_file"},
  worker{"GLACIER_RESTORER", "restore_glacier"},
  worker{"INGEST_PRE_FETCH", "ingest01_prefetch"},
  worker{"INGEST_VALIDATOR", "ingest02_bag_validation"},
  worker{"REINGEST_MANAGER", "ingest03_reingest_check"},
  worker{"INGEST_STAGING_UPLOADER", "ingest04_staging"},
  worker{"INGEST_FORMAT_IDENTIFIER", "ingest05_format_identification"},
  worker{"INGEST_PRESERVATION_UPLOADER", "ingest06_storage"},
  worker{"INGEST_PRESERVATION_VERIFIER", "ingest07_storage_validation"},
  worker{"INGEST_RECORDER", "ingest08_record"},
  worker{"INGEST_CLEANUP", "ingest09_cleanup"},
};

struct parameter {
  const char* ending;
  std::uint32_t stage_settings::*to;
  std::uint32_t min;
};

constexpr std::array parameters = {
  parameter{"_WORKERS", &stage_settings::workers, 0},
  parameter{"_BUFFER_SIZE", &stage_settings::buffer, 0},
  parameter{"_MAX_ATTEMPTS", &stage_settings::attempts_max, 1},
};

/// As the page of APTrust's queues spells it; what its program reads goes
/// before.
constexpr const char* staging_attempts = "INGEST_STAGING_UPLOADER_MAX_ATTEMPTS";
constexpr const char* staging_attempts_of_page =
  "STAGING_UPLOADER_MAX_ATTEMPTS";

/// Glacier takes longer than fewer attempts would.
constexpr std::uint32_t glacier_attempts_min = 4;

std::string name_of(const worker& x, const parameter& y) {
  return std::string{x.prefix} + y.ending;
}

caf::error read_one(const std::string& name, const char* text,
                    const parameter& of, stage_settings& to) {
  given_setting given{name, {text}, false, false, "environment"};
  if (auto failure = read_number(given, of.min, 1'000, to.*of.to))
    return bad_setting(name + ": " + render(failure) + ", not \""
                       + std::string{text}.substr(0, 100) + "\" (environment)");
  return {};
}

const char* given_for(const std::string& name, const environment_reader& read) {
  const auto* text = read(name.c_str());
  if ((text == nullptr || *text == '\0') && name == staging_attempts)
    text = read(staging_attempts_of_page);
  return text == nullptr || *text == '\0' ? nullptr : text;
}

caf::error apply_to(stage_settings& stage, const worker& of,
                    const environment_reader& read) {
  for (const auto& each : parameters) {
    const auto name = name_of(of, each);
    if (const auto* text = given_for(name, read))
      if (auto failure = read_one(name, text, each, stage))
        return failure;
  }
  if (stage.name == "restore_glacier")
    stage.attempts_max = std::max(stage.attempts_max, glacier_attempts_min);
  return {};
}

} // namespace

caf::error apply_environment(std::vector<pipeline>& to,
                             const environment_reader& read) {
  for (auto& one : to) {
    if (!one.name.starts_with("aptrust"))
      continue;
    for (auto& stage : one.stages)
      for (const auto& of : workers)
        if (stage.name == of.stage)
          if (auto failure = apply_to(stage, of, read))
            return failure;
  }
  return {};
}

} // namespace depositd
