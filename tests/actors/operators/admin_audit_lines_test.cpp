// One line in the audit log for each order, carried out or not, whatever it
// was that refused it.

#include "tests/actors/operators/admin_access_fixture.hpp"

namespace depositd::testing {
namespace {

using operators::all_commands;
using operators::command;

/// What a client would send for an argument that has to be there.
json made_up(const argument_spec& x) {
  switch (x.kind) {
    case value_kind::word:
      return x.words.front();
    case value_kind::number:
      return std::max<std::int64_t>(x.min, 4711);
    case value_kind::limit:
    case value_kind::limit_or_default:
    case value_kind::bytes:
      return 7;
    case value_kind::time:
    case value_kind::expiry:
      return argument_number_max;
    case value_kind::names:
    case value_kind::users:
    case value_kind::each:
      return json::array({"absent"});
    case value_kind::flag:
      return true;
    case value_kind::files:
    case value_kind::file:
      return "YQ==";
    case value_kind::password:
    case value_kind::optional_password:
      return std::string{"$argon2id$v=19$m=19456,t=2,p=1$"}
             + std::string(22, 'A') + "$" + std::string(43, 'B');
    case value_kind::api_key:
      return std::string(64, 'a');
    default:
      return "absent";
  }
}

json made_up(const command_spec& row) {
  json out = json::object();
  for (const auto& x : row.arguments) {
    const bool is_secret = x.kind == value_kind::password
                           || x.kind == value_kind::api_key;
    if (x.required || is_secret)
      out[x.key] = made_up(x);
    if (x.kind == value_kind::files)
      out["file_name"] = "a.xml";
  }
  return out;
}

class admin_audit_lines_test : public admin_access_test {
protected:
  /// The lines since the last call.
  std::vector<std::string> lines() {
    std::vector<std::string> out;
    std::istringstream all{log_.str()};
    for (std::string line; std::getline(all, line);)
      out.push_back(line);
    log_.str("");
    return out;
  }

  void expect_line(const command& x, const std::string& who,
                   const caf::expected<std::string>& said) {
    const auto found = lines();
    ASSERT_EQ(found.size(), 1u) << x.row.words;
    const auto begin = "audit who=\"" + who + "\" command=\"" + x.row.words
                       + "\" arguments={";
    EXPECT_NE(found[0].find(begin), std::string::npos) << found[0];
    const auto result = found[0].substr(found[0].rfind(" result="));
    const bool is_done =
      result == " result=\"done\"" || result == " result=\"no change\"";
    EXPECT_EQ(is_done, said.engaged()) << x.row.words << result;
    if (!said) {
      EXPECT_EQ(result, " result=" + json(render(said.error())).dump());
    }
  }

  static std::size_t orders() {
    const auto& all = all_commands();
    return static_cast<std::size_t>(std::count_if(
      all.begin(), all.end(), [](const auto& x) { return !x.row.reads; }));
  }

  /// Every order with these arguments; how many were refused.
  template <class Arguments>
  std::size_t give_all(const peer& by, const std::string& who,
                       Arguments arguments) {
    std::size_t refused = 0;
    for (const auto& x : all_commands()) {
      if (x.row.reads)
        continue;
      lines();
      const auto said = send_as(by, x.row.words, arguments(x.row));
      expect_line(x, who, said);
      refused += !said;
    }
    return refused;
  }
};

TEST_F(admin_audit_lines_test, an_order_about_what_is_not_there_has_one) {
  const auto refused =
    give_all(certificate("carl"), "operator=carl certificate",
             [](const auto& row) { return made_up(row); });
  EXPECT_GT(refused, orders() / 2);
}

TEST(admin_audit_text, is_cut_where_arguments_are_very_long) {
  const auto text_of = [](std::size_t length) {
    const json given{{"name", std::string(length, 'x')}};
    const auto x = operators::admin_arguments::parse(given.dump());
    return x ? x->redacted(all_commands().front().row) : std::string{};
  };
  constexpr std::size_t most = 2'000;
  const auto around = text_of(10).size() - 10;
  ASSERT_LT(around, 20u);
  const auto whole = text_of(most - around);
  EXPECT_EQ(whole.size(), most);
  EXPECT_TRUE(whole.ends_with('}'));
  const auto cut = text_of(most - around + 1);
  EXPECT_EQ(cut.size(), most + 3);
  EXPECT_TRUE(cut.ends_with("x...") || cut.ends_with("\"..."));
}

TEST_F(admin_audit_lines_test, one_that_the_role_does_not_allow_has_one) {
  const auto refused =
    give_all(certificate("anna"), "operator=anna certificate",
             [](const auto& row) { return made_up(row); });
  EXPECT_EQ(refused, orders() - 1); // all but: operator renew
}

TEST_F(admin_audit_lines_test, one_with_an_argument_too_many_has_one) {
  const auto refused = give_all(certificate("carl"),
                                "operator=carl certificate",
                                [](const auto& row) {
                                  auto out = made_up(row);
                                  out["no such"] = 1;
                                  return out;
                                });
  EXPECT_EQ(refused, orders());
}

TEST_F(admin_audit_lines_test, one_that_came_by_a_door_has_one) {
  for (const auto& x : all_commands()) {
    if (x.row.reads)
      continue;
    lines();
    const auto said = ask<admin_reply>(
      admin_,
      command_as{"carl", "192.0.2.9", {x.row.words, made_up(x.row).dump()}});
    expect_line(x, "operator=carl from 192.0.2.9",
                said ? caf::expected<std::string>{said->document}
                     : caf::expected<std::string>{said.error()});
  }
}

TEST_F(admin_audit_lines_test, one_that_nobody_answers_has_one) {
  world_.refusal = caf::make_error(ec::store_failed, std::string{"no disk"});
  world_.work.refusal = world_.refusal;
  give_all(certificate("carl"), "operator=carl certificate",
           [](const auto& row) { return made_up(row); });
}

TEST_F(admin_audit_lines_test, one_that_cannot_be_read_has_one) {
  connect(node, certificate("carl"));
  const auto said =
    ask_from<admin_reply>(node, admin_request{"suspend", "[1]"});
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error(), ec::malformed);
  const auto found = lines();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].find("result=\"the arguments are no JSON object\""),
            std::string::npos);
}

TEST_F(admin_audit_lines_test, a_submission_over_the_limit_is_not_called_done) {
  world_.submitted_id = 0;
  const auto said = send_as(certificate("carl"), "submit",
                            {{"user", "ann"},
                             {"file_name", "a.xml"},
                             {"content_base64", "YQ=="}});
  expect_line(*operators::find_command("submit"), "operator=carl certificate",
              said);
  EXPECT_FALSE(said);
}

TEST_F(admin_audit_lines_test, what_only_looks_or_counts_has_none) {
  const auto by = certificate("carl");
  send_as(by, "queue list");
  send_as(by, "batch show", {{"id", "4711"}});
  EXPECT_TRUE(send_as(by, "submission cancel",
                      {{"all", true}, {"count_only", true}}));
  EXPECT_EQ(lines(), std::vector<std::string>{});
}

// Shells count first, so an order about what is not there comes no further.
TEST_F(admin_audit_lines_test, a_count_that_is_refused_has_one) {
  const auto said = send_as(certificate("carl"), "batch delete",
                            {{"id", "4711"}, {"count_only", true}});
  expect_line(*operators::find_command("batch delete"),
              "operator=carl certificate", said);
}

} // namespace
} // namespace depositd::testing
