#include "actors/rules/access/access.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace depositd {
namespace {

using namespace rules::access;

const own_people own{.account = 500,
                     .certificate = "engine-1",
                     .fingerprints = {std::string(64, 'e'),
                                      std::string(64, 'f')},
                     .administrators = {"boss", "engine-2"}};

const shared_map<std::string, operator_changed> known{
  {"anna", {"anna", operator_role::look, "", {}, {}}},
  {"ben", {"ben", operator_role::operate, "", {"A", "B"}, {}}},
  {"carl", {"carl", operator_role::administer, "", {}, {}}},
  {"cleo", {"cleo", operator_role::administer, "", {"A"}, {}}},
  {"dora", {"dora", operator_role::administer, "", {}, {"c1", "c2"}}},
  {"emil", {"emil", operator_role::operate, "", {"A"}, {"c1"}}},
  {"rack", {"rack", operator_role::node, "", {}, {}}},
  {"boss", {"boss", operator_role::look, "", {}, {}}},
};

peer account(std::uint32_t uid) {
  peer out;
  out.kind = peer_kind::account;
  out.account = uid;
  out.address = "127.0.0.1";
  return out;
}

peer certificate(std::string name, char digit = 'c') {
  peer out;
  out.kind = peer_kind::certificate;
  out.name = std::move(name);
  out.fingerprint = std::string(64, digit);
  out.address = "192.0.2.7";
  return out;
}

peer stranger() {
  peer out;
  out.address = "192.0.2.8";
  return out;
}

peer behind(peer x) {
  x.forwarded = true;
  return x;
}

/// "LOAWE": looks, operates, administers, works, is an engine.
std::string granted(const caller& x) {
  std::string out;
  out += x.looks ? 'L' : '-';
  out += x.operates ? 'O' : '-';
  out += x.administers ? 'A' : '-';
  out += x.works ? 'W' : '-';
  out += x.is_engine ? 'E' : '-';
  return out;
}

struct row {
  const char* name;
  peer who;
  const char* account;
  const char* granted;
  const char* text;
};

class callers : public ::testing::TestWithParam<row> {};

TEST_P(callers, have_what_their_connection_proves) {
  const auto& x = GetParam();
  const auto out = caller_at(x.who, x.account, own, known);
  EXPECT_EQ(granted(out), x.granted);
  EXPECT_EQ(out.who, x.text);
}

const row rows[] = {
  {"the_same_account", account(500), "press", "LOAWE", "account press"},
  {"root", account(0), "root", "LOAWE", "account root"},
  {"another_account", account(65534), "nobody", "-----", "account nobody"},
  {"an_account_without_a_name", account(77), "", "-----", "account 77"},
  {"the_own_certificate", certificate("x", 'e'), "", "LOAWE",
   "operator=x certificate"},
  {"the_own_certificate_renewed", certificate("x", 'f'), "", "LOAWE",
   "operator=x certificate"},
  {"the_own_certificate_without_a_name", certificate("", 'e'), "", "LOAWE",
   "certificate eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"
   "eeeee"},
  {"a_certificate_of_the_own_name", certificate("engine-1"), "", "LOAWE",
   "operator=engine-1 certificate"},
  {"a_name_in_the_settings", certificate("engine-2"), "", "LOAWE",
   "operator=engine-2 certificate"},
  {"settings_above_the_register", certificate("boss"), "", "LOAWE",
   "operator=boss certificate"},
  {"one_who_looks", certificate("anna"), "", "L----",
   "operator=anna certificate"},
  {"one_who_operates", certificate("ben"), "", "LO---",
   "operator=ben certificate"},
  {"one_who_administers", certificate("carl"), "", "LOAWE",
   "operator=carl certificate"},
  {"one_who_administers_some_users", certificate("cleo"), "", "LOAW-",
   "operator=cleo certificate"},
  {"one_who_administers_some_collections", certificate("dora"), "", "LOAW-",
   "operator=dora certificate"},
  {"a_node", certificate("rack"), "", "---W-", "operator=rack certificate"},
  {"a_name_of_nobody", certificate("worker-7"), "", "L--W-",
   "certificate worker-7"},
  {"no_name", certificate("", '1'), "", "L--W-",
   "certificate 11111111111111111111111111111111111111111111111111111111111"
   "11111"},
  {"a_stranger", stranger(), "", "-----", "a stranger at 192.0.2.8"},
  {"behind_the_same_account", behind(account(500)), "press", "-----",
   "somebody behind 127.0.0.1"},
  {"behind_the_own_certificate", behind(certificate("engine-1", 'e')), "",
   "-----", "somebody behind 192.0.2.7"},
};

INSTANTIATE_TEST_SUITE_P(all, callers, ::testing::ValuesIn(rows),
                         [](const auto& x) { return x.param.name; });

TEST(own_people_of_an_engine, are_known_without_the_register) {
  for (const auto& x : rows) {
    const auto as = caller_at(x.who, x.account, own, {});
    EXPECT_EQ(is_own(x.who, own), as.is_engine) << x.name;
  }
}

TEST(own_people_of_an_engine, are_nobody_where_nothing_is_its_own) {
  const own_people nothing{.account = 500};
  EXPECT_FALSE(is_own(certificate("", ' '), nothing));
  auto bare = certificate("");
  bare.fingerprint.clear();
  EXPECT_FALSE(is_own(bare, nothing)) << "two empty texts are no proof";
  EXPECT_FALSE(is_own(stranger(), nothing));
}

TEST(signing_in, gives_the_role_and_the_limits_of_the_operator) {
  const auto ben = signed_in_caller(known.at("ben"));
  EXPECT_EQ(granted(ben), "LO---");
  EXPECT_EQ(ben.who, "operator=ben token");
  EXPECT_EQ(ben.users, (std::vector<std::string>{"A", "B"}));
  EXPECT_EQ(granted(signed_in_caller(known.at("carl"))), "LOAW-")
    << "a password makes no engine";
}

TEST(signing_in, takes_a_connection_that_proves_something) {
  EXPECT_TRUE(may_sign_in(account(65534)));
  EXPECT_TRUE(may_sign_in(certificate("x")));
  EXPECT_FALSE(may_sign_in(stranger()));
  EXPECT_FALSE(may_sign_in(behind(account(500))));
}

TEST(guests, are_held_against_the_register_as_it_is) {
  EXPECT_EQ(granted(guest_caller(certificate("x"), "", own, known)), "L--W-");
  EXPECT_EQ(granted(guest_caller(certificate("anna"), "", own, known)),
            "L----");
  EXPECT_EQ(granted(guest_caller(account(1000), "rack", own, known)), "---W-");
  EXPECT_EQ(granted(guest_caller(account(1000), "anna", own, known)), "L----");
  EXPECT_EQ(granted(guest_caller(account(1000), "gone", own, known)), "-----");
  EXPECT_EQ(granted(guest_caller(certificate("carl"), "", own, known)),
            "LOAWE");
}

TEST(holders, are_told_apart_by_what_they_prove) {
  EXPECT_EQ(holder_of(account(7)), "account 7");
  EXPECT_EQ(holder_of(certificate("a", 'f')), "certificate a");
  EXPECT_EQ(holder_of(certificate("", 'f')),
            "certificate " + std::string(64, 'f'));
}

TEST(refusals, name_the_role_and_who_asked) {
  const auto text = [](const peer& who) {
    return render(refusal("queue purge", operator_role::administer,
                          caller_at(who, "nobody", own, known)));
  };
  EXPECT_EQ(text(account(65534)), "queue purge needs the role administer, and "
                                  "account nobody has none");
  EXPECT_EQ(text(certificate("ben")), "queue purge needs the role administer, "
                                      "and operator=ben certificate has "
                                      "operate");
  EXPECT_EQ(text(certificate("x")), "queue purge needs the role administer, "
                                    "and certificate x has look and node");
  EXPECT_EQ(refusal("x", operator_role::look, {}), ec::not_allowed);
}

TEST(limits, let_only_what_concerns_no_others_pass) {
  const auto ben = caller_at(certificate("ben"), "", own, known);
  const auto carl = caller_at(certificate("carl"), "", own, known);
  EXPECT_EQ(check_concern("suspend", concern::everybody, ben), ec::not_allowed);
  for (const auto about : {concern::nobody, concern::named, concern::answered})
    EXPECT_FALSE(check_concern("x", about, ben));
  EXPECT_FALSE(check_concern("suspend", concern::everybody, carl));
  EXPECT_FALSE(check_users("user hold", {"A", "B"}, ben));
  EXPECT_EQ(check_users("user hold", {"A", "C"}, ben), ec::not_allowed);
  EXPECT_FALSE(check_users("user hold", {"A", "C"}, carl));
  EXPECT_TRUE(ben.sees("A"));
  EXPECT_FALSE(ben.sees("a"));
  EXPECT_TRUE(carl.sees("whoever"));
}

TEST(limits_to_collections, hold_for_batches_and_jobs) {
  const auto ben = signed_in_caller(known.at("ben"));
  const auto carl = signed_in_caller(known.at("carl"));
  const auto dora = signed_in_caller(known.at("dora"));
  const auto emil = signed_in_caller(known.at("emil"));
  EXPECT_TRUE(carl.sees("A", "c9"));
  EXPECT_TRUE(ben.sees("A", "c9"));
  EXPECT_FALSE(ben.sees("C", "c1"));
  EXPECT_TRUE(dora.sees("whoever", "c2"));
  EXPECT_FALSE(dora.sees("whoever", "c9"));
  EXPECT_TRUE(emil.sees("A", "c1"));
  EXPECT_FALSE(emil.sees("A", "c2"));
  EXPECT_FALSE(emil.sees("B", "c1"));
}

TEST(limits_to_collections, leave_nothing_of_users_without_one) {
  const auto dora = signed_in_caller(known.at("dora"));
  EXPECT_FALSE(dora.sees("A"));
  EXPECT_TRUE(dora.is_limited());
  EXPECT_EQ(check_concern("suspend", concern::everybody, dora),
            ec::not_allowed);
  EXPECT_EQ(check_users("user hold", {"A"}, dora), ec::not_allowed);
  EXPECT_TRUE(signed_in_caller(known.at("emil")).sees("A"));
}

TEST(limits_to_collections, name_the_collections_that_may_be_steered) {
  const auto may = [](const char* who, const char* collection) {
    return !check_collection("collection hold", collection,
                             signed_in_caller(known.at(who)));
  };
  EXPECT_TRUE(may("carl", "c9"));
  EXPECT_TRUE(may("dora", "c1"));
  EXPECT_FALSE(may("dora", "c9"));
  EXPECT_TRUE(may("emil", "c1"));
  EXPECT_FALSE(may("ben", "c1")) << "a collection is of all its users";
}

} // namespace
} // namespace depositd
