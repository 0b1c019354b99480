#include "adapters/stores/files/store_facts.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

namespace depositd {

namespace {

const store_facts kafka{{ingress_fact, "in"},
                        {"kafka.egress_topic", "out"},
                        {brokers_fact, "cluster-1"},
                        {partitions_fact, "8"}};

store_facts with(const std::string& key, const std::string& value) {
  auto out = kafka;
  out[key] = value;
  return out;
}

std::string refusal(const caf::expected<store_facts>& x) {
  EXPECT_FALSE(x);
  EXPECT_EQ(x.error(), ec::bad_setting);
  return x ? "" : render(x.error());
}

} // namespace

TEST(store_facts, are_what_the_first_said) {
  EXPECT_EQ(*agree({}, {}), store_facts{});
  EXPECT_EQ(*agree({}, {kafka}), kafka);
  EXPECT_EQ(*agree(kafka, {kafka}), kafka);
}

TEST(store_facts, refuse_by_name_whoever_says_otherwise) {
  EXPECT_NE(refusal(agree(kafka, {})).find("kafka.brokers"),
            std::string::npos);
  for (const auto* key : {"kafka.egress_topic", "kafka.brokers"})
    EXPECT_NE(refusal(agree(kafka, {with(key, "other")})).find(key),
              std::string::npos);
  EXPECT_NE(refusal(agree(kafka, {with(partitions_fact, "7")}))
              .find(partitions_fact),
            std::string::npos);
}

TEST(store_facts, refuse_the_first_with_kafka_beside_others_without) {
  EXPECT_NE(refusal(agree({}, {kafka, false, false})).find("stop them"),
            std::string::npos);
}

TEST(store_facts, may_be_unknown_for_now_or_grow) {
  auto brokers_away = kafka;
  brokers_away.erase("kafka.brokers");
  brokers_away.erase(partitions_fact);
  EXPECT_EQ(*agree(kafka, {brokers_away}), kafka);
  EXPECT_EQ(*agree(brokers_away, {kafka}), kafka);
  EXPECT_EQ(*agree(kafka, {with(partitions_fact, "12")}),
            with(partitions_fact, "12"));
}

TEST(store_facts, are_renewed_on_demand_by_whoever_is_alone) {
  const auto other = with("kafka.egress_topic", "other");
  EXPECT_EQ(*agree(kafka, {other, true}), other);
  EXPECT_FALSE(agree(kafka, {other, true, false}));
  EXPECT_FALSE(agree(kafka, {{}, true})) << "what is there must be published";
}

TEST(store_facts, of_a_topic_are_none_of_its_namesake_in_another_cluster) {
  auto elsewhere = with(brokers_fact, "cluster-2");
  const auto why = refusal(agree(kafka, {elsewhere, true}));
  EXPECT_NE(why.find("kafka.ingress_topic"), std::string::npos) << why;
  EXPECT_NE(why.find("cluster-2"), std::string::npos) << why;
  elsewhere[ingress_fact] = "in-2";
  EXPECT_EQ(*agree(kafka, {elsewhere, true}), elsewhere);
}

TEST(store_facts, are_not_renewed_while_no_broker_answers) {
  auto brokers_away = with(ingress_fact, "in-2");
  brokers_away.erase(brokers_fact);
  const auto why = refusal(agree(kafka, {brokers_away, true}));
  EXPECT_NE(why.find("no broker"), std::string::npos) << why;
  EXPECT_EQ(*agree({}, {brokers_away, true}), brokers_away) << "the first";
}

TEST(store_facts, stay_in_the_folder) {
  temporary_folder home;
  const auto path = home.path() / "store.facts";
  auto& io = system_disk();
  ASSERT_FALSE(agree_in_file(io, path, {}));
  EXPECT_FALSE(std::filesystem::exists(path)) << "there is nothing to say";
  ASSERT_FALSE(agree_in_file(io, path, {kafka}));
  ASSERT_FALSE(agree_in_file(io, path, {kafka}));
  EXPECT_TRUE(agree_in_file(io, path, {}));
  EXPECT_TRUE(agree_in_file(io, path, {with("kafka.brokers", "cluster-2")}));
}

} // namespace depositd
