// Operators at HTTP doors, and their API tokens.

#include "tests/actors/operators/admin_access_fixture.hpp"

#include <caf/send.hpp>

namespace depositd::testing {
namespace {

class admin_doors_test : public admin_access_test {
protected:
  caf::expected<std::string> send_of(const std::string& name,
                                     const std::string& command,
                                     const json& arguments = json::object()) {
    auto out = ask<admin_reply>(
      admin_,
      command_as{name, "192.0.2.9", admin_request{command, arguments.dump()}});
    if (!out)
      return std::move(out.error());
    return std::move(out->document);
  }

  caf::expected<logged_in> enter(const std::string& name,
                                 const std::string& password,
                                 const std::string& from = "192.0.2.9") {
    return ask<logged_in>(admin_, log_in{name, password, from});
  }

  /// A token of the operator; its digest is made of this letter.
  void add_token(const std::string& of, char letter,
                 const json& more = json::object()) {
    json x{{"name", of},
           {"token_name", std::string{"t-"} + letter},
           {"digest", std::string(64, letter)}};
    x.update(more);
    run("operator token add", x);
  }

  caf::expected<logged_in> know(char letter) {
    return ask<logged_in>(admin_, know_token{std::string(64, letter)});
  }
};

// -- commands -----------------------------------------------------------------

TEST_F(admin_doors_test, a_command_has_the_rights_of_its_operator) {
  EXPECT_TRUE(send_of("ben", "suspend"));
  EXPECT_TRUE(logged("audit who=\"operator=ben from 192.0.2.9\" "
                     "command=\"suspend\""))
    << log_.str();
  EXPECT_EQ(send_of("anna", "resume").error(), ec::not_allowed);
  EXPECT_EQ(send_of("rack", "status").error(), ec::not_allowed);
  EXPECT_TRUE(send_of("ltd", "user hold", {{"names", {"A"}}}));
  EXPECT_EQ(send_of("ltd", "user hold", {{"names", {"C"}}}).error(),
            ec::not_allowed);
  EXPECT_TRUE(send_of("anna", "operator renew", {{"password_hash", a_hash}}));
  EXPECT_EQ(world_.control.operators["anna"].password_hash, a_hash);
}

TEST_F(admin_doors_test, an_operator_who_is_removed_gives_no_more_commands) {
  ASSERT_TRUE(send_of("ben", "status"));
  world_.control.operators["ben"].role = look;
  EXPECT_EQ(send_of("ben", "suspend").error(), ec::not_allowed);
  world_.control.operators.erase("ben");
  EXPECT_EQ(send_of("ben", "status").error(), ec::wrong_credentials);
}

TEST_F(admin_doors_test, nor_does_one_whose_password_was_another) {
  const auto in = enter("ben", "#ben!");
  ASSERT_TRUE(in) << render(in.error());
  const auto status = [&] {
    return ask<admin_reply>(
      admin_,
      command_as{"ben", "192.0.2.9", admin_request{"status", "{}"}, in->proof});
  };
  EXPECT_TRUE(status());
  ASSERT_TRUE(send_of("ben", "operator renew", {{"password_hash", a_hash}}));
  const auto late = status();
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error(), ec::wrong_credentials);
  EXPECT_TRUE(send_of("ben", "status")) << "tokens know no password";
}

// What is watched is asked for again and again under what let its reader in.
TEST_F(admin_doors_test, nor_does_one_whose_token_is_gone) {
  add_token("ben", 'a');
  add_token("anna", 'b');
  const auto status = [&](const std::string& name, const std::string& proof) {
    return ask<admin_reply>(
      admin_,
      command_as{name, "192.0.2.9", admin_request{"status", "{}"}, proof});
  };
  const auto in = know('a');
  ASSERT_TRUE(in) << render(in.error());
  EXPECT_TRUE(status("ben", in->proof));
  EXPECT_EQ(status("ben", know('b')->proof).error(), ec::wrong_credentials)
    << "somebody else's";
  run("operator token remove", {{"name", "ben"}, {"token_name", "t-a"}});
  EXPECT_EQ(status("ben", in->proof).error(), ec::wrong_credentials);
  EXPECT_FALSE(logged(std::string(64, 'a')));
}

TEST_F(admin_doors_test, nobody_elsewhere_speaks_for_operators) {
  connect(node, account(500));
  const auto given = ask_from<admin_reply>(
    node, command_as{"carl", "x", admin_request{"status", "{}"}});
  EXPECT_EQ(given.error(), ec::not_allowed);
  EXPECT_EQ(ask_from<logged_in>(node, log_in{"ben", "#ben!", "x"}).error(),
            ec::not_allowed);
  EXPECT_EQ(ask_from<logged_in>(node, know_token{""}).error(), ec::not_allowed);
  caf::anon_send(admin_,
                 command_as{"carl", "x", admin_request{"suspend", "{}"}});
  settle();
  EXPECT_TRUE(world_.proposals.empty());
  EXPECT_TRUE(world_.passwords.empty());
}

// -- logging in ---------------------------------------------------------------

TEST_F(admin_doors_test, a_password_lets_in_with_its_role) {
  const auto in = enter("ben", "#ben!");
  ASSERT_TRUE(in) << render(in.error());
  EXPECT_EQ(in->name, "ben");
  EXPECT_EQ(in->role, "operate");
  ASSERT_EQ(world_.passwords.size(), 1u);
  EXPECT_EQ(world_.passwords[0].from, "address 192.0.2.9");
  EXPECT_TRUE(logged("signed_in operator=ben from=\"address 192.0.2.9\""));
  EXPECT_FALSE(logged("#ben"));
}

TEST_F(admin_doors_test, a_wrong_password_says_no_more_than_that) {
  for (const auto& [name, password] :
       {std::pair{"ben", "#anna!"}, std::pair{"nobody-else", "!"},
        std::pair{"../x", "!"}}) {
    const auto in = enter(name, password);
    ASSERT_FALSE(in);
    EXPECT_EQ(in.error(), ec::wrong_credentials);
    EXPECT_EQ(render(in.error()), "wrong operator or password");
  }
  EXPECT_EQ(enter("ben", std::string(2'000, 'x')).error(),
            ec::wrong_credentials);
  world_.throttled = caf::make_error(ec::throttled, std::string{"later"});
  EXPECT_EQ(enter("ben", "#ben!").error(), ec::throttled);
}

TEST_F(admin_doors_test, one_address_cannot_keep_others_out) {
  world_.passwords_wait = true;
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(enter("ben", "guess").error(), caf::sec::request_timeout)
      << "it is being checked";
  EXPECT_EQ(enter("ben", "guess").error(), ec::overloaded);
  world_.passwords_wait = false;
  EXPECT_TRUE(enter("ben", "#ben!", "192.0.2.10"));
}

// -- tokens -------------------------------------------------------------------

TEST_F(admin_doors_test, a_token_stands_for_its_operator) {
  add_token("ben", 'a');
  EXPECT_EQ(proposed<operator_token_changed>(),
            (operator_token_changed{"ben", "t-a", std::string(64, 'a')}));
  const auto known = know('a');
  ASSERT_TRUE(known) << render(known.error());
  EXPECT_EQ(known->name, "ben");
  EXPECT_EQ(known->role, "operate");
  EXPECT_EQ(know('b').error(), ec::wrong_credentials);
  EXPECT_FALSE(logged(std::string(64, 'a')));
}

TEST_F(admin_doors_test, a_token_ends_at_its_time) {
  const auto now = 1'772'357'400'000'000;
  add_token("ben", 'a', {{"expires", now + 60'000'000}});
  EXPECT_TRUE(know('a'));
  advance(std::chrono::minutes{1});
  EXPECT_EQ(know('a').error(), ec::wrong_credentials);
  refusal("operator token add", {{"name", "ben"},
                                 {"token_name", "late"},
                                 {"digest", std::string(64, 'c')},
                                 {"expires", now}});
}

TEST_F(admin_doors_test, tokens_are_listed_without_what_they_are_known_by) {
  add_token("ben", 'a');
  add_token("anna", 'b');
  const auto text = *send("operator token list", "{}");
  EXPECT_EQ(json::parse(text)["tokens"], json::parse(R"([
              {"operator":"anna","name":"t-b","expires_at":null},
              {"operator":"ben","name":"t-a","expires_at":null}])"));
  EXPECT_EQ(text.find("aaaa"), std::string::npos);
  EXPECT_EQ(run("operator token list", {{"name", "ben"}})["tokens"].size(), 1u);
  EXPECT_EQ(run("operator token list", {{"limit", 1}})["next"], "anna/t-b");
  refusal("operator token list", {{"name", "eve"}}, ec::not_found);
}

TEST_F(admin_doors_test, tokens_end_by_hand_or_with_their_operator) {
  add_token("ben", 'a');
  add_token("ben", 'b');
  add_token("carl", 'c');
  const json first{{"name", "ben"}, {"token_name", "t-a"}};
  EXPECT_EQ(run("operator token remove", first),
            json::parse(R"({"operator":"ben","name":"t-a","removed":true})"));
  EXPECT_FALSE(know('a'));
  refusal("operator token remove", first, ec::not_found);
  run("operator remove", {{"name", "ben"}});
  ASSERT_EQ(world_.proposals.back().size(), 2u);
  EXPECT_FALSE(know('b'));
  run("operator add", {{"name", "ben"}, {"role", "look"}});
  EXPECT_FALSE(know('b')) << "another of this name";
  EXPECT_TRUE(know('c'));
}

TEST_F(admin_doors_test, tokens_that_make_no_sense_are_refused) {
  add_token("ben", 'a');
  world_.proposals.clear();
  const auto add = [&](const json& more, ec code = ec::invalid_argument) {
    json x{
      {"name", "ben"}, {"token_name", "new"}, {"digest", std::string(64, 'd')}};
    x.update(more);
    refusal("operator token add", x, code);
  };
  add({{"name", "eve"}}, ec::not_found);
  add({{"token_name", "a b"}});
  add({{"token_name", nullptr}});
  add({{"digest", "secret"}});
  add({{"digest", std::string(64, 'a')}}, ec::already_exists);
  add({{"token_name", "t-a"}}, ec::already_exists);
  EXPECT_TRUE(world_.proposals.empty());
  for (std::size_t i = 1; i < operator_tokens_max; ++i) {
    const auto name = "x" + std::to_string(i);
    world_.control.operator_tokens[{"ben", name}] = {"ben", name, name};
  }
  add(json::object(), ec::already_exists);
}

} // namespace
} // namespace depositd::testing
