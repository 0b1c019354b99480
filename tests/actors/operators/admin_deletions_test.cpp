// Orders about what is stored, and who agrees to a deletion.

#include "tests/actors/operators/admin_access_fixture.hpp"

namespace depositd::testing {
namespace {

class admin_deletions_test : public admin_access_test {
protected:
  admin_deletions_test() {
    world_.control.operators.clear();
    for (const auto* name : {"ann", "bob"})
      add(name, operator_role::operate, {"A"});
    add("viewer", operator_role::look, {"A"});
    add("eve", operator_role::operate, {"C"});
    add("carl", operator_role::administer, {});
    set_request(1);
  }

  void add(const std::string& name, operator_role role,
           std::vector<std::string> users) {
    world_.control.operators[name] = {name, role, "#" + name, std::move(users)};
  }

  /// "del-1", which ann has asked for.
  void set_request(std::size_t objects) {
    deletion_changed x;
    x.reference = "del-1";
    x.user = "A";
    for (std::size_t i = 0; i < objects; ++i)
      x.targets.push_back({"a/bag" + std::to_string(i), "maps"});
    x.asked_by = "operator=ann";
    x.asked_us = 1;
    world_.control.deletions["del-1"] = x;
  }

  /// As somebody who comes with a certificate of this name.
  caf::expected<std::string> send_as(const std::string& name,
                                     const std::string& command,
                                     const json& arguments = json::object()) {
    return admin_access_test::send_as(certificate(name), command, arguments);
  }

  json run_as(const std::string& name, const std::string& command,
              const json& arguments = json::object()) {
    return admin_access_test::run_as(certificate(name), command, arguments);
  }

  const json del_1 = {{"reference", "del-1"}};
};

TEST_F(admin_deletions_test, orders_say_who_asks_and_whose_they_may_be) {
  const auto x = run_as("ann", "object restore", {{"identifier", "a/bag"}});
  EXPECT_EQ(x["id"], 77);
  EXPECT_EQ(x["order"], "restore_object");
  run_as("ann", "file restore", {{"identifier", "a/bag"}, {"path", "data/x"}});
  run_as("ann", "glacier restore", {{"identifier", "a/bag"}});
  run_as("ann", "fixity run", {{"identifier", "a/bag"}, {"force", true}});
  ASSERT_EQ(world_.orders.size(), 4u);
  for (const auto& one : world_.orders) {
    EXPECT_EQ(one.what.asked_by, "operator=ann");
    EXPECT_EQ(one.what.object, "a/bag");
    EXPECT_EQ(one.limits.users, std::vector<std::string>{"A"});
    EXPECT_EQ(one.source, "shell");
  }
  EXPECT_EQ(world_.orders[1].what.kind, order_kind::restore_file);
  EXPECT_EQ(world_.orders[1].what.file, "data/x");
  EXPECT_EQ(world_.orders[2].what.kind, order_kind::restore_glacier);
  EXPECT_EQ(world_.orders[3].what.kind, order_kind::fixity_check);
  EXPECT_TRUE(world_.orders[3].what.anyway);
}

TEST_F(admin_deletions_test, row_a8_who_looks_orders_and_requeues_nothing) {
  for (const auto& [command, arguments] :
       {std::pair{"object restore", json{{"identifier", "a/bag"}}},
        std::pair{"object delete", json{{"identifiers", {"a/bag"}}}},
        std::pair{"deletion approve", json{{"reference", "del-1"}}},
        std::pair{"fixity run", json::object()},
        std::pair{"job requeue", json{{"id", "1"}}},
        std::pair{"job fail", json{{"id", "1"}}},
        std::pair{"pipeline pause", json{{"name", "aptrust"}}},
        std::pair{"queue suspend", json{{"name", "query"}}}})
    EXPECT_EQ(send_as("viewer", command, arguments).error(), ec::not_allowed)
      << command;
  EXPECT_TRUE(world_.orders.empty());
  EXPECT_TRUE(world_.proposals.empty());
}

TEST_F(admin_deletions_test, row_a8_who_is_limited_steers_no_queue) {
  for (const auto& [command, arguments] :
       {std::pair{"pipeline pause", json{{"name", "aptrust"}}},
        std::pair{"pipeline set", json{{"name", "aptrust"}}},
        std::pair{"queue suspend", json{{"name", "query"}}},
        std::pair{"queue purge", json{{"name", "loose"}}}})
    EXPECT_EQ(send_as("ann", command, arguments).error(), ec::not_allowed)
      << command;
}

TEST_F(admin_deletions_test, all_that_is_due_is_for_who_sees_all) {
  EXPECT_EQ(send_as("ann", "fixity run").error(), ec::not_allowed);
  EXPECT_TRUE(world_.due.empty());
  const auto x = run_as("carl", "fixity run");
  EXPECT_EQ(x["files"], 30);
  EXPECT_EQ(x["waiting"], 1);
  EXPECT_EQ(world_.due, std::vector<due_query>{due_query::fixity_due});
}

TEST_F(admin_deletions_test, lists_the_longest_unchecked_files_of_theirs) {
  world_.checks = {{"a/x", "data/1", "A", "maps", 1'000'000},
                   {"c/y", "data/2", "C", "maps", never}};
  const auto x = run_as("ann", "fixity list");
  ASSERT_EQ(x["files"].size(), 1u);
  EXPECT_EQ(x["files"][0]["object"], "a/x");
  EXPECT_FALSE(x.contains("next"));
}

TEST_F(admin_deletions_test, pages_of_unchecked_files_have_no_gaps) {
  for (int i = 0; i < 5; ++i) {
    world_.checks.push_back(
      {"c/" + std::to_string(i), "data/1", "C", "maps", 10 + i});
    world_.checks.push_back(
      {"a/" + std::to_string(i), "data 1", "A", "maps", 10 + i});
  }
  std::sort(world_.checks.begin(), world_.checks.end(),
            [](const auto& x, const auto& y) {
              return std::tie(x.checked_us, x.object)
                     < std::tie(y.checked_us, y.object);
            });
  std::string seen;
  json page{{"limit", 2}};
  for (int pages = 0; pages < 4; ++pages) {
    const auto x = run_as("ann", "fixity list", page);
    EXPECT_EQ(x["files"].size(), x.contains("next") ? 2u : 1u);
    for (const auto& file : x["files"])
      seen += file["object"].get<std::string>() + " ";
    if (!x.contains("next"))
      break;
    page["after"] = x["next"];
  }
  EXPECT_EQ(seen, "a/0 a/1 a/2 a/3 a/4 ");
  EXPECT_EQ(world_.check_queries.at(0).owners, std::vector<std::string>{"A"});
  EXPECT_EQ(send_as("ann", "fixity list", {{"after", "?"}}).error(),
            ec::invalid_argument);
}

TEST_F(admin_deletions_test, a_check_of_all_takes_no_options_of_one) {
  for (const auto& options : {json{{"force", true}}, json{{"path", "data/x"}}})
    EXPECT_EQ(send_as("carl", "fixity run", options).error(),
              ec::invalid_argument);
  EXPECT_TRUE(world_.due.empty());
  run_as("carl", "fixity run", {{"force", false}});
  EXPECT_EQ(world_.due.size(), 1u);
}

TEST_F(admin_deletions_test, a_deletion_is_asked_for_in_ones_own_name) {
  const auto x =
    run_as("ann", "object delete",
           {{"identifiers", {"a/1", "a/2"}}, {"reason", "twice there"}});
  EXPECT_EQ(x["state"], "asked");
  ASSERT_EQ(world_.deletions_asked.size(), 1u);
  EXPECT_EQ(world_.deletions_asked[0].asked_by, "operator=ann");
  EXPECT_EQ(world_.deletions_asked[0].reason, "twice there");
  EXPECT_EQ(world_.deletions_asked[0].limits.users,
            std::vector<std::string>{"A"});
}

TEST_F(admin_deletions_test, objects_are_named_in_a_list_and_one_by_one) {
  run_as("ann", "object delete",
         {{"identifiers", {"a/1"}}, {"identifier", {"a/b, c", "a/d"}}});
  ASSERT_EQ(world_.deletions_asked.size(), 1u);
  EXPECT_EQ(world_.deletions_asked[0].objects,
            (std::vector<std::string>{"a/1", "a/b, c", "a/d"}));
}

TEST_F(admin_deletions_test, another_of_the_institution_approves_and_it_goes) {
  EXPECT_EQ(send_as("ann", "deletion approve", del_1).error(), ec::not_allowed)
    << "whoever asked";
  EXPECT_EQ(send_as("eve", "deletion approve", del_1).error(), ec::not_found)
    << "somebody of another institution";
  EXPECT_EQ(send_as("carl", "deletion approve", del_1).error(), ec::not_allowed)
    << "an administrator, who is of none";
  EXPECT_TRUE(world_.due.empty());
  const auto x = run_as("bob", "deletion approve", del_1);
  EXPECT_EQ(x["state"], "approved");
  EXPECT_EQ(x["inst_approver"], "operator=bob");
  const auto event = proposed<deletion_changed>();
  EXPECT_EQ(event.inst_approver, "operator=bob");
  EXPECT_EQ(event.inst_approved_us, 1'772'357'400'000'000);
  EXPECT_EQ(world_.due, std::vector<due_query>{due_query::deletions_missed});
  EXPECT_EQ(world_.approved, std::vector<deletion_changed>{event})
    << "whoever queues it need not have heard of it";
}

TEST_F(admin_deletions_test, of_many_the_administrator_has_the_last_word) {
  set_request(2);
  EXPECT_EQ(run_as("bob", "deletion approve", del_1)["state"], "asked");
  EXPECT_TRUE(world_.due.empty()) << "one approval is not enough";
  const auto x = run_as("carl", "deletion approve", del_1);
  EXPECT_EQ(x["state"], "approved");
  EXPECT_EQ(x["aptrust_approver"], "operator=carl");
  EXPECT_EQ(world_.due.size(), 1u);
}

TEST_F(admin_deletions_test, what_is_rejected_is_not_queued) {
  const auto x = run_as("ann", "deletion reject", del_1);
  EXPECT_EQ(x["state"], "rejected");
  EXPECT_EQ(x["rejected_by"], "operator=ann");
  EXPECT_TRUE(world_.due.empty());
  EXPECT_EQ(send_as("bob", "deletion approve", del_1).error(),
            ec::invalid_argument);
}

TEST_F(admin_deletions_test, who_sees_the_collection_alone_may_reject) {
  for (const auto& [name, collection] :
       {std::pair{"curator", "maps"}, std::pair{"other", "photos"}}) {
    add(name, operator_role::operate, {});
    world_.control.operators[name].collections = {collection};
  }
  EXPECT_EQ(send_as("other", "deletion show", del_1).error(), ec::not_found);
  EXPECT_EQ(send_as("other", "deletion reject", del_1).error(), ec::not_found);
  EXPECT_EQ(send_as("curator", "deletion approve", del_1).error(),
            ec::not_allowed)
    << "who is of no institution";
  EXPECT_EQ(run_as("curator", "deletion show", del_1)["state"], "asked");
  EXPECT_EQ(run_as("curator", "deletion reject", del_1)["state"], "rejected");
}

TEST_F(admin_deletions_test, each_sees_requests_of_theirs) {
  EXPECT_EQ(run_as("viewer", "deletion list")["requests"].size(), 1u);
  EXPECT_TRUE(run_as("eve", "deletion list")["requests"].empty());
  EXPECT_EQ(
    run_as("carl", "deletion list", {{"state", "asked"}})["requests"].size(),
    1u);
  EXPECT_TRUE(
    run_as("carl", "deletion list", {{"state", "queued"}})["requests"].empty());
  EXPECT_EQ(send_as("eve", "deletion show", del_1).error(), ec::not_found);
  EXPECT_EQ(run_as("ann", "deletion show", del_1)["targets"][0]["object"],
            "a/bag0");
}

} // namespace
} // namespace depositd::testing
