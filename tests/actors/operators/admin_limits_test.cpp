// Operators who are limited to some users or collections.

#include "tests/actors/operators/admin_access_fixture.hpp"

namespace depositd::testing {
namespace {

using admin_limits_test = admin_access_test;

TEST_F(admin_limits_test, a_limited_operator_touches_only_their_users) {
  const auto ltd = certificate("ltd");
  for (const auto* whole : {"suspend", "sp list", "key list", "operator list"})
    EXPECT_EQ(send_as(ltd, whole).error(), ec::not_allowed) << whole;
  EXPECT_EQ(send_as(ltd, "user hold", {{"names", {"A", "C"}}}).error(),
            ec::not_allowed);
  EXPECT_EQ(send_as(ltd, "user add", {{"name", "C"}, {"password_hash", a_hash}})
              .error(),
            ec::not_allowed);
  EXPECT_TRUE(world_.proposals.empty());
  run_as(ltd, "user hold", {{"names", {"A"}}});
  run_as(ltd, "park");
  ASSERT_EQ(world_.parkings.size(), 1u);
  EXPECT_EQ(world_.parkings[0].users, (std::vector<std::string>{"A", "B"}));
}

TEST_F(admin_limits_test, nobody_learns_of_objects_by_their_events) {
  const auto ltd = certificate("ltd");
  const json name{{"identifier", "x"}};
  world_.events = {
    {.id = "e1", .type = premis_types::deletion, .object = "x", .owner = "C"}};
  EXPECT_EQ(send_as(ltd, "object events", name).error(), ec::not_found);
  world_.objects = {{.identifier = "x", .collection = "maps", .owner = "C"}};
  EXPECT_EQ(send_as(ltd, "object events", name).error(), ec::not_found);
  world_.objects.clear();
  world_.events[0].owner = "A";
  EXPECT_EQ(run_as(ltd, "object events", name)["events"].size(), 1u);
  // They do not say of which collection it was.
  world_.control.operators["ltd"].collections = {"maps"};
  EXPECT_EQ(send_as(ltd, "object events", name).error(), ec::not_found);
}

TEST_F(admin_limits_test, a_limited_operator_sees_only_their_users) {
  const auto ltd = certificate("ltd");
  for (const auto* user : {"A", "C"})
    world_.control.accounts[user] = {user, a_hash, {}};
  auto users = run_as(ltd, "user list");
  EXPECT_EQ(users["total"], 1);
  EXPECT_EQ(users["users"][0]["user"], "A");
  EXPECT_EQ(send_as(ltd, "user show", {{"name", "C"}}).error(),
            ec::not_allowed);
  item_row mine;
  mine.id = 1;
  mine.user = "B";
  auto theirs = mine;
  theirs.id = 2;
  theirs.user = "C";
  world_.items = {mine, theirs};
  EXPECT_EQ(run_as(ltd, "queue peek", {{"name", "query"}})["items"].size(), 1u);
  EXPECT_EQ(world_.peeks.at(0).users, (std::vector<std::string>{"A", "B"}))
    << "so that nothing of others takes the place of theirs";
  submission_row row;
  row.id = 5;
  row.user = "C";
  world_.submissions = {row};
  for (const auto* command : {"submission show", "submission why"})
    EXPECT_EQ(send_as(ltd, command, {{"id", 5}}).error(), ec::not_found);
  EXPECT_EQ(send_as(ltd, "submission why", {{"id", 6}, {"user", "C"}}).error(),
            ec::not_found);
  EXPECT_TRUE(world_.explanations.empty());
}

TEST_F(admin_limits_test, a_limited_operator_cancels_only_what_is_theirs) {
  const auto ltd = certificate("ltd");
  submission_row row;
  row.id = 5;
  row.user = "C";
  row.status = submission_status::completed;
  row.failed = true;
  world_.submissions = {row};
  for (const auto* command : {"submission cancel", "submission requeue"})
    EXPECT_EQ(send_as(ltd, command, {{"id", 5}}).error(), ec::not_found);
  EXPECT_EQ(send_as(ltd, "submission cancel", {{"users", {"A", "C"}}}).error(),
            ec::not_allowed);
  EXPECT_TRUE(world_.cancelled.empty());
  EXPECT_TRUE(world_.cancellings.empty());
  EXPECT_TRUE(world_.again.empty());
  run_as(ltd, "submission cancel", {{"all", true}});
  run_as(ltd, "submission cancel", {{"users", {"B"}}});
  ASSERT_EQ(world_.cancellings.size(), 2u);
  EXPECT_EQ(world_.cancellings[0].users, (std::vector<std::string>{"A", "B"}));
  EXPECT_EQ(world_.cancellings[1].users, std::vector<std::string>{"B"});
  world_.control.operators["ltd"].users = {};
  world_.control.operators["ltd"].collections = {"maps"};
  EXPECT_EQ(send_as(ltd, "submission cancel", {{"all", true}}).error(),
            ec::not_allowed);
  EXPECT_EQ(world_.cancellings.size(), 2u);
}

TEST_F(admin_limits_test, a_limited_operator_sees_only_objects_of_theirs) {
  const auto ltd = certificate("ltd");
  for (const auto* owner : {"A", "C"}) {
    inventory_object one;
    one.identifier = std::string{"of-"} + owner;
    one.collection = "maps";
    one.owner = owner;
    world_.objects.push_back(one);
  }
  const auto all = run_as(ltd, "object list");
  ASSERT_EQ(all["objects"].size(), 1u);
  EXPECT_EQ(all["objects"][0]["identifier"], "of-A");
  // Others are not even looked at: a page could end at the name of one.
  ASSERT_EQ(world_.searches.at(0).any.size(), 1u) << "however many are theirs";
  EXPECT_EQ(world_.searches[0].any[0].owners,
            (std::vector<std::string>{"A", "B"}));
  run_as(ltd, "object find", {{"text", "x"}});
  for (const auto& one : world_.searches.at(1).any)
    EXPECT_EQ(one.owners, (std::vector<std::string>{"A", "B"}));
  EXPECT_EQ(send_as(ltd, "object list", {{"user", "C"}}).error(),
            ec::not_allowed);
  world_.objects = {world_.objects[1]};
  for (const auto* command : {"object show", "object files"})
    EXPECT_EQ(send_as(ltd, command, {{"identifier", "of-C"}}).error(),
              ec::not_found);
  world_.use = {{"maps", 1, 1, 1, 7, 7}};
  EXPECT_TRUE(run_as(ltd, "collection use")["collections"].empty());
  world_.control.collections["maps"] = {"maps", "B"};
  EXPECT_EQ(run_as(ltd, "collection use")["collections"].size(), 1u);
  world_.recorded = {{"maps", "C", 1, 1, 1, 7}, {"maps", "B", 1, 1, 1, 7}};
  const auto month = run_as(ltd, "report month", {{"month", "2026-11"}});
  ASSERT_EQ(month["lines"].size(), 1u);
  EXPECT_EQ(month["lines"][0]["user"], "B");
  EXPECT_EQ(world_.work.batch_queries.back().users,
            (std::vector<std::string>{"A", "B"}));
}

TEST_F(admin_limits_test, a_limited_operator_steers_only_their_collections) {
  const auto ltd = certificate("ltd");
  for (const auto* name : {"maps", "photos"})
    world_.control.collections[name] = {name, "A"};
  const auto steer = [&](const char* command, const char* name) {
    const auto out = send_as(ltd, command, {{"name", name}});
    return out ? caf::error{} : out.error();
  };
  const std::vector<const char*> all{"collection hold", "collection release",
                                     "collection set", "collection remove"};
  for (const auto* command : all)
    EXPECT_EQ(steer(command, "maps"), ec::not_allowed)
      << command << ": whose users are theirs, is not theirs";
  world_.control.operators["ltd"].users = {};
  world_.control.operators["ltd"].collections = {"maps"};
  for (const auto* command : all)
    EXPECT_EQ(steer(command, "photos"), ec::not_allowed) << command;
  EXPECT_TRUE(world_.proposals.empty());
  run_as(ltd, "collection hold", {{"name", "maps"}});
  EXPECT_TRUE(world_.control.collections["maps"].held);
  EXPECT_FALSE(world_.control.collections["photos"].held);
}

TEST_F(admin_limits_test, a_limited_operator_lists_one_user_at_a_time) {
  const auto ltd = certificate("ltd");
  for (const auto& no_user : {json::object(), json{{"user", ""}}})
    EXPECT_EQ(send_as(ltd, "submission list", no_user).error(),
              ec::invalid_argument);
  EXPECT_EQ(send_as(ltd, "submission list", {{"user", "C"}}).error(),
            ec::not_allowed);
  EXPECT_TRUE(world_.queries.empty());
  run_as(ltd, "submission list", {{"user", "B"}});
  world_.control.operators["ltd"].users = {"A"};
  run_as(ltd, "submission list");
  ASSERT_EQ(world_.queries.size(), 2u);
  EXPECT_EQ(world_.queries[0].user, "B");
  EXPECT_EQ(world_.queries[1].user, "A") << "there is only this one";
}

} // namespace
} // namespace depositd::testing
