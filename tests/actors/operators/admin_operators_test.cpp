// The register of operators.

#include "tests/actors/operators/admin_fixture.hpp"

namespace depositd::testing {
namespace {

class admin_operators_test : public admin_fixture {
protected:
  const operator_changed& known(const std::string& name) {
    return world_.control.operators[name];
  }
};

TEST_F(admin_operators_test, are_added_with_role_limits_and_password) {
  const auto out = run("operator add", {{"name", "anna"},
                                        {"role", "operate"},
                                        {"users", {"A", "B"}},
                                        {"collections", {"c1"}},
                                        {"password_hash", a_hash}});
  EXPECT_EQ(
    proposed<operator_changed>(),
    (operator_changed{
      "anna", operator_role::operate, a_hash, {"A", "B"}, {"c1"}, false}));
  EXPECT_EQ(out, json::parse(R"({"name":"anna","role":"operate",
    "password":true,"users":["A","B"],"collections":["c1"]})"));
  EXPECT_EQ(log_.str().find("argon2"), std::string::npos) << log_.str();
}

TEST_F(admin_operators_test, need_no_password_where_they_have_a_certificate) {
  run("operator add", {{"name", "rack-1"}, {"role", "node"}});
  EXPECT_EQ(known("rack-1").password_hash, "");
  run("operator password", {{"name", "rack-1"}, {"password_hash", a_hash}});
  EXPECT_EQ(known("rack-1").password_hash, a_hash);
  EXPECT_EQ(known("rack-1").role, operator_role::node);
}

TEST_F(admin_operators_test, are_listed_without_what_they_are_known_by) {
  run("operator add", {{"name", "b"}, {"role", "look"}});
  run("operator add",
      {{"name", "a"}, {"role", "administer"}, {"password_hash", a_hash}});
  const auto text = *send("operator list", "{}");
  EXPECT_EQ(json::parse(text)["operators"],
            json::parse(R"([{"name":"a","role":"administer","password":true,
                             "users":[],"collections":[]},
                            {"name":"b","role":"look","password":false,
                             "users":[],"collections":[]}])"));
  EXPECT_EQ(text.find("argon2"), std::string::npos);
  EXPECT_EQ(run("operator list", {{"limit", 1}})["next"], "a");
}

TEST_F(admin_operators_test, change_only_where_something_is_given) {
  run("operator add", {{"name", "anna"}, {"role", "look"}, {"users", {"A"}}});
  run("operator set", {{"name", "anna"}, {"role", "operate"}});
  EXPECT_EQ(known("anna").role, operator_role::operate);
  EXPECT_EQ(known("anna").users, std::vector<std::string>{"A"});
  run("operator set", {{"name", "anna"}, {"users", json::array()}});
  EXPECT_TRUE(known("anna").users.empty()) << "no limit any more";
  world_.proposals.clear();
  run("operator set", {{"name", "anna"}, {"role", "operate"}});
  EXPECT_TRUE(world_.proposals.empty());
}

TEST_F(admin_operators_test, are_removed) {
  run("operator add", {{"name", "anna"}, {"role", "look"}});
  EXPECT_EQ(run("operator remove", {{"name", "anna"}}),
            json::parse(R"({"name":"anna","removed":true})"));
  EXPECT_TRUE(proposed<operator_changed>().removed);
  EXPECT_TRUE(world_.control.operators.empty());
}

TEST_F(admin_operators_test, that_make_no_sense_are_refused) {
  run("operator add", {{"name", "anna"}, {"role", "look"}});
  world_.proposals.clear();
  const auto add = [&](json more, ec code = ec::invalid_argument) {
    json x{{"name", "bob"}, {"role", "look"}};
    x.update(more);
    return refusal("operator add", x, code);
  };
  EXPECT_EQ(add({{"name", "a b"}}).find("name"), 0u);
  EXPECT_EQ(add({{"role", "king"}}).find("role"), 0u);
  EXPECT_EQ(add({{"role", nullptr}}).find("role must be given"), 0u);
  add({{"role", ""}});
  add({{"users", {"a/b"}}});
  add({{"collections", {""}}});
  add({{"password_hash", "plain"}});
  add({{"role", "node"}, {"users", {"A"}}});
  add({{"name", "ANNA"}}, ec::already_exists);
  for (const auto* command : {"operator set", "operator remove"})
    refusal(command, {{"name", "bob"}}, ec::not_found);
  refusal("operator password", {{"name", "bob"}, {"password_hash", a_hash}},
          ec::not_found);
  refusal("operator password", {{"name", "anna"}});
  EXPECT_TRUE(world_.proposals.empty());
}

} // namespace
} // namespace depositd::testing
