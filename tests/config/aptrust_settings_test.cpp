#include "config/aptrust_environment.hpp"
#include "config/aptrust_settings.hpp"
#include "config/pipelines.hpp"
#include "config/settings.hpp"
#include "config/shipped_pipelines.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>

namespace depositd::aptrust_settings_test {
namespace {

caf::expected<depositd_settings> settings_of(const std::string& yaml) {
  const auto given = read_yaml(yaml, "test.yaml");
  if (!given)
    return given.error();
  return make_settings(*given);
}

std::string refusal_of(const std::string& yaml) {
  const auto x = settings_of(yaml);
  EXPECT_FALSE(x) << yaml;
  return x ? "" : render(x.error());
}

// -- receiving places ---------------------------------------------------------

TEST(aptrust_settings, name_receiving_places) {
  const temporary_folder folder;
  const temporary_folder other;
  const auto x = settings_of("aptrust:\n"
                             "  invalid_retention_days: 7\n"
                             "  receiving:\n"
                             "    test.edu: {path: "
                             + folder.path().string()
                             + "}\n"
                               "    maps: {path: "
                             + other.path().string()
                             + ", user: other.edu, collection: atlas, "
                               "interval_s: 20}\n");
  ASSERT_TRUE(x) << render(x.error());
  EXPECT_EQ(x->aptrust.invalid_retention_days, 7u);
  ASSERT_EQ(x->aptrust.receiving.size(), 2u);
  const auto& plain = x->aptrust.receiving.at("test.edu");
  EXPECT_EQ(plain.kind, receiving_kind::folder);
  EXPECT_EQ(plain.interval_s, 180u);
  EXPECT_EQ(receiving_user("test.edu", plain), "test.edu");
  EXPECT_EQ(receiving_collection("test.edu", plain), "test.edu");
  const auto& maps = x->aptrust.receiving.at("maps");
  EXPECT_EQ(receiving_user("maps", maps), "other.edu");
  EXPECT_EQ(receiving_collection("maps", maps), "atlas");
  EXPECT_EQ(maps.interval_s, 20u);
}

TEST(aptrust_settings, name_none_if_nothing_is_said) {
  for (const auto* yaml : {"", "aptrust:\n", "aptrust: {receiving: {}}\n"}) {
    const auto x = settings_of(yaml);
    ASSERT_TRUE(x) << render(x.error());
    EXPECT_EQ(*x, depositd_settings{}) << yaml;
  }
}

TEST(aptrust_settings, name_a_program_that_is_there) {
  const temporary_folder folder;
  for (const auto& program :
       {folder.path().string(), (folder.path() / "sf").string(),
        std::string{"no-such-program"}, std::string{"/etc/passwd"}})
    EXPECT_NE(refusal_of("aptrust: {siegfried: " + program + "}\n")
                .find("aptrust.siegfried"),
              std::string::npos)
      << program;
  for (const auto* program : {"sh", "/bin/sh", "''"}) {
    const auto x =
      settings_of("aptrust: {siegfried: " + std::string{program} + "}\n");
    EXPECT_TRUE(x) << render(x.error());
  }
}

TEST(aptrust_settings, say_what_is_wrong_with_a_place) {
  const std::string place = "aptrust: {receiving: {test: {";
  EXPECT_NE(refusal_of(place + "user: test.edu}}}\n")
              .find("aptrust.receiving.test.path: is needed"),
            std::string::npos);
  EXPECT_NE(
    refusal_of(place + "kind: s3}}}\n").find("aptrust.receiving.test.endpoint"),
    std::string::npos);
  EXPECT_NE(
    refusal_of(place + "kind: ftp}}}\n").find("aptrust.receiving.test.kind"),
    std::string::npos);
  EXPECT_NE(refusal_of(place + "colour: red}}}\n").find("known: kind"),
            std::string::npos);
  EXPECT_NE(refusal_of(place + "interval_s: 0}}}\n")
              .find("aptrust.receiving.test.interval_s"),
            std::string::npos);
}

TEST(aptrust_settings, keep_places_of_buckets_apart) {
  const temporary_folder folder;
  const auto key = (folder.path() / "key").string();
  std::ofstream{key} << "secret\n";
  const auto bucket = "kind: s3, endpoint: 'http://127.0.0.1:9', "
                      "bucket: depositd, path_style: true, prefix: bags, "
                      "access_key_file: "
                      + key + ", secret_key_file: " + key;
  const auto why =
    refusal_of("storage: {far: {" + bucket + "}}\naptrust: {receiving: {test: {"
               + bucket + "}}}\n");
  EXPECT_NE(why.find("is not apart from"), std::string::npos) << why;
}

// -- the environment ----------------------------------------------------------

using variables = std::map<std::string, std::string>;

environment_reader of(const variables& x) {
  return [&x](const char* name) -> const char* {
    const auto at = x.find(name);
    return at == x.end() ? nullptr : at->second.c_str();
  };
}

std::vector<pipeline> shipped() {
  std::vector<pipeline> out;
  for (const auto& x : shipped_pipelines()) {
    auto read = read_pipeline(std::string{x.text}, std::string{x.file},
                              {built_in_handlers()});
    EXPECT_TRUE(read) << render(read.error());
    if (read)
      out.push_back(std::move(*read));
  }
  return out;
}

const stage_settings& stage_of(const std::vector<pipeline>& all,
                               const std::string& name) {
  static const stage_settings none;
  for (const auto& one : all)
    for (const auto& stage : one.stages)
      if (stage.name == name)
        return stage;
  ADD_FAILURE() << "there is no stage " << name;
  return none;
}

TEST(aptrust_environment, without_it_stages_are_as_in_their_file) {
  auto all = shipped();
  const auto before = all;
  ASSERT_FALSE(apply_environment(all, of({})));
  EXPECT_EQ(all, before);
  const auto& validation = stage_of(all, "ingest02_bag_validation");
  EXPECT_EQ(validation.workers, 3u);
  EXPECT_EQ(validation.buffer, 20u);
  EXPECT_EQ(validation.attempts_max, 3u);
  EXPECT_EQ(validation.retry_delay_ms, 60'000u);
  EXPECT_EQ(validation.retry_delay_ms_max, 60'000u);
  const auto& formats = stage_of(all, "ingest05_format_identification");
  EXPECT_EQ(formats.workers, 2u);
  EXPECT_EQ(formats.buffer, 12u);
  EXPECT_EQ(stage_of(all, "ingest08_record").attempts_max, 5u);
}

TEST(aptrust_environment, its_names_go_before_the_file) {
  const variables given{{"INGEST_VALIDATOR_WORKERS", "7"},
                        {"INGEST_VALIDATOR_BUFFER_SIZE", "5"},
                        {"INGEST_VALIDATOR_MAX_ATTEMPTS", "9"},
                        {"REINGEST_MANAGER_WORKERS", "1"},
                        {"INGEST_CLEANUP_WORKERS", ""}};
  auto all = shipped();
  ASSERT_FALSE(apply_environment(all, of(given)));
  const auto& validation = stage_of(all, "ingest02_bag_validation");
  EXPECT_EQ(validation.workers, 7u);
  EXPECT_EQ(validation.buffer, 5u);
  EXPECT_EQ(validation.attempts_max, 9u);
  EXPECT_EQ(stage_of(all, "ingest03_reingest_check").workers, 1u);
  EXPECT_EQ(stage_of(all, "ingest09_cleanup").workers, 3u);
}

TEST(aptrust_environment, takes_both_names_of_one_setting) {
  variables given{{"STAGING_UPLOADER_MAX_ATTEMPTS", "4"}};
  auto all = shipped();
  ASSERT_FALSE(apply_environment(all, of(given)));
  EXPECT_EQ(stage_of(all, "ingest04_staging").attempts_max, 4u);
  given["INGEST_STAGING_UPLOADER_MAX_ATTEMPTS"] = "6";
  ASSERT_FALSE(apply_environment(all, of(given)));
  EXPECT_EQ(stage_of(all, "ingest04_staging").attempts_max, 6u);
}

TEST(aptrust_environment, names_what_is_wrong) {
  for (const auto* text : {"many", "-1", "1001", "3 "}) {
    const variables given{{"INGEST_RECORDER_WORKERS", text}};
    auto all = shipped();
    const auto why = apply_environment(all, of(given));
    ASSERT_TRUE(why) << text;
    EXPECT_EQ(why, ec::bad_setting);
    EXPECT_NE(render(why).find("INGEST_RECORDER_WORKERS"), std::string::npos);
  }
  const variables given{{"INGEST_RECORDER_MAX_ATTEMPTS", "0"}};
  auto all = shipped();
  EXPECT_TRUE(apply_environment(all, of(given)));
}

TEST(aptrust_environment, leaves_other_pipelines_alone) {
  pipeline other;
  other.name = "merritt";
  other.stages.push_back({.name = "ingest01_prefetch", .workers = 4});
  std::vector<pipeline> all{other};
  const variables given{{"INGEST_PRE_FETCH_WORKERS", "9"}};
  ASSERT_FALSE(apply_environment(all, of(given)));
  EXPECT_EQ(all.front(), other);
}

TEST(aptrust_environment, glacier_has_four_attempts_at_least) {
  pipeline restore;
  restore.name = "aptrust-restore";
  restore.stages.push_back({.name = "restore_glacier", .attempts_max = 3});
  std::vector<pipeline> all{restore};
  ASSERT_FALSE(apply_environment(all, of({})));
  EXPECT_EQ(all.front().stages.front().attempts_max, 4u);
}

TEST(aptrust_environment, every_worker_has_its_three_names) {
  for (const auto& [prefix, stage] :
       {std::pair{"APT_DELETE", "delete_item"},
        std::pair{"APT_FIXITY", "fixity_check"},
        std::pair{"BAG_RESTORER", "restore_object"},
        std::pair{"FILE_RESTORER", "restore_file"},
        std::pair{"GLACIER_RESTORER", "restore_glacier"},
        std::pair{"INGEST_PRE_FETCH", "ingest01_prefetch"},
        std::pair{"INGEST_VALIDATOR", "ingest02_bag_validation"},
        std::pair{"REINGEST_MANAGER", "ingest03_reingest_check"},
        std::pair{"INGEST_STAGING_UPLOADER", "ingest04_staging"},
        std::pair{"INGEST_FORMAT_IDENTIFIER", "ingest05_format_identification"},
        std::pair{"INGEST_PRESERVATION_UPLOADER", "ingest06_storage"},
        std::pair{"INGEST_PRESERVATION_VERIFIER",
                  "ingest07_storage_validation"},
        std::pair{"INGEST_RECORDER", "ingest08_record"},
        std::pair{"INGEST_CLEANUP", "ingest09_cleanup"}}) {
    const std::string name = prefix;
    const variables given{{name + "_WORKERS", "17"},
                          {name + "_BUFFER_SIZE", "18"},
                          {name + "_MAX_ATTEMPTS", "19"}};
    auto all = shipped();
    ASSERT_FALSE(apply_environment(all, of(given)));
    const auto& found = stage_of(all, stage);
    EXPECT_EQ(found.workers, 17u) << name;
    EXPECT_EQ(found.buffer, 18u) << name;
    EXPECT_EQ(found.attempts_max, 19u) << name;
  }
}

} // namespace
} // namespace depositd::aptrust_settings_test
