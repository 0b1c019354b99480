// Orders, where things are given back, reconcilers, and their pipelines.

#include "config/order_settings.hpp"
#include "config/shipped_pipelines.hpp"
#include "messages/values/orders.hpp"
#include "tests/config/read_settings.hpp"

#include <gtest/gtest.h>

namespace depositd::order_settings_test {
namespace {

using testing::refusal_of;
using testing::settings_of;

TEST(order_settings, reach_their_fields) {
  const auto x =
    settings_of("orders: {fixity_age_days: 30, recalled_days: 5}\n"
                "storage: {far: {path: /srv/far, cold: true}}\n"
                "restoration:\n"
                "  default: {path: /srv/back}\n"
                "  inst.edu: {path: /srv/inst}\n"
                "reconcilers:\n"
                "  fixity: {every_s: 1800, query: fixity_due, count_max: 100,\n"
                "           age_days: 60}\n"
                "  spot: {query: spot_restore, every_s: 86400}\n");
  EXPECT_EQ(x.orders.fixity_age_days, 30u);
  EXPECT_EQ(x.orders.recalled_days, 5u);
  EXPECT_TRUE(x.storage.at("far").cold);
  EXPECT_FALSE(x.storage.at("local").cold);
  EXPECT_EQ(x.restoration.at("default").path, "/srv/back");
  EXPECT_EQ(x.restoration.at("inst.edu").path, "/srv/inst");
  ASSERT_EQ(x.reconcilers.size(), 3u) << "deletions are always looked for";
  const auto& fixity = x.reconcilers.at("fixity");
  EXPECT_EQ(fixity.name, "fixity");
  EXPECT_EQ(fixity.every_s, 1'800u);
  EXPECT_EQ(fixity.count_max, 100u);
  EXPECT_EQ(fixity.age_days, 60u);
  EXPECT_EQ(x.reconcilers.at("spot").query, due_query::spot_restore);
}

TEST(order_settings, a_reconciler_may_name_the_queue_that_its_query_fills) {
  const auto x =
    settings_of("reconcilers:\n"
                "  fixity: {query: fixity_due, queue: fixity_check}\n"
                "  spot: {queue: aptrust_restore_object.restore_object,\n"
                "         query: spot_restore}\n"
                "  gone: {queue: delete_item,\n"
                "         query: deletions_missed}\n");
  EXPECT_EQ(x.reconcilers.at("fixity").queue, "fixity_check");
  EXPECT_EQ(x.reconcilers.size(), 4u);
}

TEST(order_settings, name_what_is_wrong) {
  EXPECT_NE(refusal_of("reconcilers: {x: {query: everything}}")
              .find("reconcilers.x.query"),
            std::string::npos);
  EXPECT_NE(refusal_of("reconcilers: {x: {every_s: 0}}").find("every_s"),
            std::string::npos);
  EXPECT_NE(refusal_of("reconcilers: {x: {often: 1}}").find("known: every_s"),
            std::string::npos);
  EXPECT_NE(refusal_of("reconcilers: {x: {query: fixity_due, queue: merritt}}")
              .find("fills the queue fixity_check, not \"merritt\""),
            std::string::npos)
    << "the query says which";
  EXPECT_NE(refusal_of("restoration: {inst: {kind: folder}}")
              .find("restoration.inst.path"),
            std::string::npos);
  EXPECT_NE(refusal_of("restoration: {default: {cold: true}}").find("storage"),
            std::string::npos);
  EXPECT_NE(refusal_of("restoration: {default: {bucket: b}}").find("kind s3"),
            std::string::npos);
  EXPECT_NE(refusal_of("orders: {recalled_days: 0}").find("recalled_days"),
            std::string::npos);
}

TEST(order_pipelines, have_the_names_and_numbers_of_the_topics) {
  const auto found = pipelines_of(depositd_settings{}, {built_in_handlers()});
  ASSERT_TRUE(found) << render(found.error());
  for (const auto& [kind, topic] : words_of<order_kind>) {
    const pipeline* line = nullptr;
    for (const auto& one : found->pipelines)
      if (one.name == order_pipeline(kind))
        line = &one;
    ASSERT_NE(line, nullptr) << topic;
    ASSERT_EQ(line->stages.size(), 1u);
    const auto& stage = line->stages.front();
    EXPECT_EQ(stage.name, topic);
    EXPECT_EQ(stage.handler, "aptrust." + std::string{topic});
    EXPECT_EQ(stage.workers, 3u);
    EXPECT_EQ(stage.buffer, 20u);
    EXPECT_EQ(stage.attempts_max,
              kind == order_kind::restore_glacier ? 4u : 3u);
    EXPECT_EQ(stage.retry_delay_ms,
              kind == order_kind::fixity_check ? 20'000u : 60'000u);
  }
}

TEST(row_p26, cold_storage_is_asked_again_after_four_hours) {
  const auto found = pipelines_of(depositd_settings{}, {built_in_handlers()});
  ASSERT_TRUE(found);
  for (const auto& one : found->pipelines)
    if (one.name == "aptrust_restore_glacier") {
      EXPECT_EQ(one.stages.front().not_yet_delay_ms, 4u * 3'600'000);
      return;
    }
  FAIL() << "no such pipeline";
}

} // namespace
} // namespace depositd::order_settings_test
