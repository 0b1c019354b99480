// Who may give which command, and how that is known.

#include "tests/actors/operators/admin_access_fixture.hpp"

#include <caf/send.hpp>

namespace depositd::testing {
namespace {

using rules::access::concern;

struct right_row {
  const char* command;
  operator_role needs;
  concern about;
};

/// What is promised to operators, a line for each command there is.
constexpr right_row promised_first[] = {
  {"status", look, concern::nobody},
  {"shards", look, concern::nobody},
  {"settings", look, concern::everybody},
  {"suspend", operate, concern::everybody},
  {"resume", operate, concern::everybody},
  {"drop suspend", operate, concern::everybody},
  {"drop resume", operate, concern::everybody},
  {"queue list", look, concern::nobody},
  {"queue show", look, concern::nobody},
  {"queue size", look, concern::nobody},
  {"queue peek", look, concern::answered},
  {"queue ring", look, concern::answered},
  {"queue suspend", operate, concern::everybody},
  {"queue resume", operate, concern::everybody},
  {"queue set", administer, concern::everybody},
  {"queue purge", administer, concern::everybody},
  {"user list", look, concern::answered},
  {"user served", look, concern::answered},
  {"user show", look, concern::named},
  {"user place", look, concern::named},
  {"user forget", administer, concern::named},
  {"user add", administer, concern::named},
  {"user password", administer, concern::named},
  {"user contact", administer, concern::named},
  {"user remove", administer, concern::named},
  {"user set", operate, concern::named},
  {"user prohibit", operate, concern::named},
  {"user allow", operate, concern::named},
  {"user hold", operate, concern::named},
  {"user release", operate, concern::named},
  {"key list", look, concern::everybody},
  {"key add", administer, concern::everybody},
  {"key remove", administer, concern::everybody},
  {"operator list", look, concern::everybody},
  {"operator add", administer, concern::everybody},
  {"operator set", administer, concern::everybody},
  {"operator remove", administer, concern::everybody},
  {"operator password", administer, concern::everybody},
  {"operator renew", look, concern::oneself},
  {"operator token list", look, concern::everybody},
  {"operator token add", administer, concern::everybody},
  {"operator token remove", administer, concern::everybody},
  {"sp list", look, concern::everybody},
  {"sp add", operate, concern::everybody},
  {"sp set", operate, concern::everybody},
  {"sp stop", operate, concern::everybody},
  {"submission list", look, concern::named},
  {"submission show", look, concern::answered},
  {"submission why", look, concern::answered},
  {"submit", operate, concern::named},
  {"submission cancel", operate, concern::answered},
  {"submission requeue", operate, concern::answered},
  {"park", operate, concern::named},
  {"unpark", operate, concern::named},
  {"collection list", look, concern::answered},
  {"collection show", look, concern::answered},
  {"collection add", administer, concern::steered},
  {"collection set", administer, concern::steered},
  {"collection remove", administer, concern::steered},
  {"collection hold", operate, concern::steered},
  {"collection release", operate, concern::steered},
};

/// Of batches, jobs, objects, pipelines and records.
constexpr right_row promised_last[] = {
  {"batch list", look, concern::answered},
  {"batch show", look, concern::answered},
  {"batch hold", operate, concern::answered},
  {"batch release", operate, concern::answered},
  {"batch update-report", operate, concern::answered},
  {"batch cleanup", operate, concern::answered},
  {"batch delete", operate, concern::answered},
  {"job list", look, concern::answered},
  {"job show", look, concern::answered},
  {"job why", look, concern::answered},
  {"review list", look, concern::answered},
  {"job hold", operate, concern::answered},
  {"job release", operate, concern::answered},
  {"job requeue", operate, concern::answered},
  {"job fail", operate, concern::answered},
  {"job delete", operate, concern::answered},
  {"job note", operate, concern::answered},
  {"object list", look, concern::answered},
  {"object find", look, concern::answered},
  {"object show", look, concern::answered},
  {"object files", look, concern::answered},
  {"object history", look, concern::answered},
  {"object events", look, concern::answered},
  {"object restore", operate, concern::answered},
  {"file restore", operate, concern::answered},
  {"glacier restore", operate, concern::answered},
  {"fixity run", operate, concern::answered},
  {"fixity list", look, concern::answered},
  {"object delete", operate, concern::answered},
  {"deletion list", look, concern::answered},
  {"deletion show", look, concern::answered},
  {"deletion approve", operate, concern::answered},
  {"deletion reject", operate, concern::answered},
  {"collection use", look, concern::answered},
  {"report month", look, concern::answered},
  {"pipeline list", look, concern::nobody},
  {"pipeline show", look, concern::nobody},
  {"pipeline set", administer, concern::everybody},
  {"pipeline pause", operate, concern::everybody},
  {"pipeline unpause", operate, concern::everybody},
  {"pipeline ages", look, concern::answered},
  {"backup", administer, concern::everybody},
  {"audit list", look, concern::everybody},
  {"kafka init", administer, concern::everybody},
  {"kafka status", look, concern::nobody},
  {"deadletter list", look, concern::everybody},
  {"deadletter show", look, concern::everybody},
  {"deadletter replay", operate, concern::everybody},
};

/// Of topics, sources and strategies.
constexpr right_row promised_after[] = {
  {"topic list", look, concern::nobody},
  {"topic show", look, concern::nobody},
  {"topic create", operate, concern::everybody},
  {"topic pause", operate, concern::everybody},
  {"topic unpause", operate, concern::everybody},
  {"topic empty", administer, concern::everybody},
  {"topic delete", administer, concern::everybody},
  {"channel list", look, concern::nobody},
  {"channel show", look, concern::nobody},
  {"channel create", operate, concern::everybody},
  {"channel pause", operate, concern::everybody},
  {"channel unpause", operate, concern::everybody},
  {"channel empty", administer, concern::everybody},
  {"channel delete", administer, concern::everybody},
  {"source list", look, concern::everybody},
  {"source show", look, concern::everybody},
  {"source add", administer, concern::everybody},
  {"source set", administer, concern::everybody},
  {"source pause", operate, concern::everybody},
  {"source resume", operate, concern::everybody},
  {"source remove", administer, concern::everybody},
  {"source record", look, concern::everybody},
  {"source failed", look, concern::everybody},
  {"source feed", operate, concern::everybody},
  {"source test", operate, concern::everybody},
  {"scheduler list", look, concern::everybody},
  {"scheduler show", look, concern::everybody},
  {"scheduler add", administer, concern::everybody},
  {"scheduler set", administer, concern::everybody},
  {"scheduler remove", administer, concern::everybody},
  {"strategy show", look, concern::everybody},
  {"strategy set", operate, concern::everybody},
  {"strategy explain", look, concern::everybody},
};

const auto promised = [] {
  std::vector<right_row> out{std::begin(promised_first),
                             std::end(promised_first)};
  out.insert(out.end(), std::begin(promised_last), std::end(promised_last));
  out.insert(out.end(), std::begin(promised_after), std::end(promised_after));
  return out;
}();

TEST_F(admin_access_test, every_command_needs_what_is_promised) {
  const auto& all = operators::all_commands();
  ASSERT_EQ(all.size(), std::size(promised));
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].row.words, promised[i].command);
    EXPECT_EQ(all[i].needs, promised[i].needs) << promised[i].command;
    EXPECT_EQ(all[i].about, promised[i].about) << promised[i].command;
    EXPECT_EQ(all[i].row.reads, promised[i].needs == look
                                  && promised[i].about != concern::oneself)
      << promised[i].command;
  }
}

TEST_F(admin_access_test, nobody_gives_a_command_above_their_role) {
  struct role_row {
    peer who;
    int rank; ///< 0 nothing, 1 look, 2 operate, 3 administer
  };
  const role_row people[] = {{account(500), 3},
                             {account(0), 3},
                             {account(65534), 0},
                             {peer{}, 0},
                             {certificate("engine"), 3},
                             {certificate("carl"), 3},
                             {certificate("ben"), 2},
                             {certificate("anna"), 1},
                             {certificate("who-else"), 1},
                             {certificate("rack"), 0}};
  const auto rank = [](operator_role x) {
    return x == look ? 1 : x == operate ? 2 : 3;
  };
  for (const auto& person : people)
    for (const auto& row : promised) {
      // With an argument that no command has, so that none is carried out.
      const auto out = send_as(person.who, row.command, {{"no such", 1}});
      ASSERT_FALSE(out);
      EXPECT_EQ(out.error() == ec::not_allowed, person.rank < rank(row.needs))
        << row.command << " by " << person.who.name << person.who.account
        << ": " << render(out.error());
    }
  EXPECT_TRUE(world_.proposals.empty());
}

TEST_F(admin_access_test, a_refusal_names_the_role_and_who_asked) {
  const auto out = send_as(account(65534), "user password",
                           {{"name", "ann"}, {"password_hash", a_hash}});
  ASSERT_FALSE(out);
  EXPECT_EQ(render(out.error()), "user password needs the role administer, and "
                                 "account nobody has none");
  EXPECT_TRUE(logged("who=\"account nobody\" what=\"user password\""))
    << log_.str();
}

TEST_F(admin_access_test, the_audit_line_names_who) {
  const auto suspend = [&](const peer& who) { send_as(who, "suspend"); };
  suspend(account(0));
  EXPECT_TRUE(logged("audit who=\"account root\" command=\"suspend\""));
  suspend(certificate("ben"));
  EXPECT_TRUE(logged("who=\"operator=ben certificate\""));
  suspend(certificate("anna"));
  EXPECT_TRUE(logged("audit who=\"operator=anna certificate\" "
                     "command=\"suspend\""))
    << "a refused change too";
  EXPECT_TRUE(logged("needs the role operate")) << log_.str();
}

TEST_F(admin_access_test, a_stranger_writes_few_lines) {
  connect(node, peer{});
  for (int i = 0; i < 100; ++i)
    EXPECT_FALSE(send_from(node, "suspend"));
  EXPECT_EQ(audit_lines(), 10u);
  advance(std::chrono::seconds{1});
  EXPECT_FALSE(send_from(node, "suspend"));
  EXPECT_EQ(audit_lines(), 11u);
  EXPECT_TRUE(logged("left_out=90"));
}

TEST_F(admin_access_test, a_message_without_a_sender_does_nothing) {
  caf::anon_send(admin_, admin_request{"suspend", "{}"});
  settle();
  EXPECT_TRUE(world_.proposals.empty());
}

TEST_F(admin_access_test, an_actor_that_others_know_is_not_believed) {
  // Any node could send in its name.
  sys.registry().put(self->id(), caf::strong_actor_ptr{self->ctrl()});
  EXPECT_EQ(refusal("suspend", json::object(), ec::not_allowed),
            "suspend needs the role operate, and somebody unknown has none");
  sys.registry().erase(self->id());
  run("suspend");
}

TEST_F(admin_access_test, what_comes_by_way_of_others_is_nobody) {
  auto who = account(500);
  who.forwarded = true;
  EXPECT_EQ(send_as(who, "status").error(), ec::not_allowed);
}

TEST_F(admin_access_test, the_table_of_commands_is_for_everybody) {
  EXPECT_TRUE(send_as(account(65534), publish_commands));
}

// -- signing in ---------------------------------------------------------------

TEST_F(admin_access_test, a_password_makes_an_operator_of_a_connection) {
  connect(node, account(65534));
  EXPECT_FALSE(send_from(node, "suspend"));
  const auto in = sign(node, "ben", "#ben!");
  ASSERT_TRUE(in) << render(in.error());
  EXPECT_EQ(in->role, "operate");
  EXPECT_TRUE(send_from(node, "suspend"));
  EXPECT_TRUE(logged("who=\"operator=ben token\" command=\"suspend\""));
  EXPECT_FALSE(logged("#ben")) << "no word of passwords";
  EXPECT_EQ(send_from(node, "backup", {{"folder", "/x"}}).error(),
            ec::not_allowed);
  connect(other, account(65534));
  EXPECT_FALSE(send_from(other, "suspend")) << "of that connection only";
}

TEST_F(admin_access_test, a_token_ends_with_its_connection) {
  connect(node, account(65534));
  ASSERT_TRUE(sign(node, "ben", "#ben!"));
  connect(node, account(1000));
  EXPECT_FALSE(send_from(node, "suspend")) << "another account has come";
  peers_->peers.clear();
  connect(other, account(65534));
  ASSERT_TRUE(sign(other, "anna", "#anna!")); // looks who is still there
  connect(node, account(65534));
  EXPECT_FALSE(send_from(node, "suspend"));
}

TEST_F(admin_access_test, a_token_ends_with_its_operator) {
  connect(node, account(65534));
  ASSERT_TRUE(sign(node, "ben", "#ben!"));
  world_.control.operators.erase("ben");
  EXPECT_EQ(send_from(node, "suspend").error(), ec::not_allowed);
}

TEST_F(admin_access_test, a_wrong_password_says_no_more_than_that) {
  connect(node, account(65534));
  for (const auto& [name, password] :
       {std::pair{"ben", "#anna!"}, std::pair{"nobody-else", "!"},
        std::pair{"../x", "!"}}) {
    const auto in = sign(node, name, password);
    ASSERT_FALSE(in);
    EXPECT_EQ(in.error(), ec::wrong_credentials);
    EXPECT_EQ(render(in.error()), "wrong operator or password");
  }
  ASSERT_EQ(world_.passwords.size(), 2u);
  EXPECT_EQ(world_.passwords[0].from, "account 65534");
  EXPECT_EQ(world_.passwords[1].hash, "") << "checked all the same";
  world_.control.operators["bare"] = {"bare", look};
  EXPECT_FALSE(sign(node, "bare", "!")) << "known by certificate only";
}

TEST_F(admin_access_test, guesses_end_where_the_limit_is) {
  connect(node, account(65534));
  world_.throttled = caf::make_error(ec::throttled, std::string{"later"});
  EXPECT_EQ(sign(node, "ben", "#ben!").error(), ec::throttled);
  EXPECT_FALSE(send_from(node, "suspend"));
}

TEST_F(admin_access_test, one_account_cannot_keep_others_from_signing_in) {
  world_.passwords_wait = true;
  connect(node, account(65534));
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(sign(node, "ben", "guess").error(), caf::sec::request_timeout)
      << "it is being checked";
  EXPECT_EQ(sign(node, "ben", "guess").error(), ec::overloaded);
  world_.passwords_wait = false;
  connect(other, account(1000));
  EXPECT_TRUE(sign(other, "ben", "#ben!"));
  advance(std::chrono::seconds{10}); // the others are given up
  EXPECT_TRUE(sign(node, "ben", "#ben!"));
}

TEST_F(admin_access_test, strangers_cannot_try_passwords) {
  connect(node, peer{});
  EXPECT_EQ(sign(node, "ben", "#ben!").error(), ec::not_allowed);
  auto behind = account(65534);
  behind.forwarded = true;
  connect(node, behind);
  EXPECT_EQ(sign(node, "ben", "#ben!").error(), ec::not_allowed);
  EXPECT_TRUE(world_.passwords.empty());
}

TEST_F(admin_access_test, operators_change_their_own_password_and_no_other) {
  const json wanted{{"password_hash", a_hash}};
  connect(node, account(65534));
  ASSERT_TRUE(sign(node, "anna", "#anna!"));
  auto named = wanted;
  named["name"] = "ben";
  EXPECT_EQ(send_from(node, "operator renew", named).error(),
            ec::invalid_argument);
  EXPECT_EQ(send_from(node, "operator password", named).error(),
            ec::not_allowed);
  EXPECT_TRUE(world_.proposals.empty());
  ASSERT_TRUE(send_from(node, "operator renew", wanted));
  EXPECT_EQ(world_.control.operators["anna"].password_hash, a_hash);
  EXPECT_EQ(world_.control.operators["anna"].role, look);
  EXPECT_EQ(world_.control.operators["ben"].password_hash, "#ben");
  EXPECT_TRUE(logged("audit who=\"operator=anna token\" "
                     "command=\"operator renew\""))
    << log_.str();
  EXPECT_FALSE(logged("argon2"));
  run_as(certificate("ltd"), "operator renew", wanted);
  EXPECT_EQ(world_.control.operators["ltd"].password_hash, a_hash);
  EXPECT_EQ(world_.control.operators["ltd"].users.size(), 2u);
}

TEST_F(admin_access_test, who_is_not_in_the_register_has_no_own_password) {
  for (const auto& who : {account(500), certificate("engine"),
                          certificate("who-else"), certificate("rack")})
    EXPECT_EQ(
      send_as(who, "operator renew", {{"password_hash", a_hash}}).error(),
      ec::not_allowed)
      << who.name;
  EXPECT_EQ(
    send_as(certificate("anna"), "operator renew", {{"password_hash", "x"}})
      .error(),
    ec::invalid_argument);
  EXPECT_TRUE(world_.proposals.empty());
}

} // namespace
} // namespace depositd::testing
