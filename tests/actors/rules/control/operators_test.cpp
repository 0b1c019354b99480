// API tokens of operators.

#include "actors/rules/control/operators.hpp"

#include "actors/rules/control/control.hpp"

#include <gtest/gtest.h>

#include <string>

namespace depositd {
namespace {

using rules::check;
using rules::holder_of_token;

const std::string digest(64, 'a');

operator_token_changed a_token(const std::string& of,
                               const std::string& name = "page",
                               micros expires = never) {
  return {of, name, digest, expires};
}

/// The operators ann and bob.
control_state two_operators() {
  control_state out;
  for (const auto* name : {"ann", "bob"})
    rules::apply(out, operator_changed{name, operator_role::operate});
  return out;
}

TEST(operator_tokens, are_of_operators_and_have_a_digest) {
  const auto state = two_operators();
  EXPECT_FALSE(check(state, a_token("ann")));
  EXPECT_EQ(check(state, a_token("eve")), ec::not_found);
  EXPECT_EQ(check(state, a_token("ann", "a b")), ec::invalid_argument);
  auto plain = a_token("ann");
  plain.digest = "secret";
  EXPECT_EQ(check(state, plain), ec::invalid_argument);
  auto removed = a_token("ann");
  removed.removed = true;
  EXPECT_EQ(check(state, removed), ec::not_found);
}

TEST(operator_tokens, are_twenty_at_most_of_each) {
  auto state = two_operators();
  for (std::size_t i = 0; i < operator_tokens_max; ++i) {
    const auto x = a_token("ann", "t" + std::to_string(i));
    EXPECT_FALSE(check(state, x)) << i;
    rules::apply(state, x);
  }
  EXPECT_EQ(check(state, a_token("ann")), ec::invalid_argument);
  EXPECT_FALSE(check(state, a_token("ann", "t7", 5))) << "one that there is";
  EXPECT_FALSE(check(state, a_token("bob")));
}

TEST(operator_tokens, name_their_operator_until_they_expire) {
  auto state = two_operators();
  rules::apply(state, a_token("bob", "page", 100));
  EXPECT_EQ(holder_of_token(state, std::string(64, 'b'), 99), nullptr);
  const auto* found = holder_of_token(state, digest, 99);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->name, "bob");
  EXPECT_EQ(holder_of_token(state, digest, 100), nullptr);
  rules::apply(state, operator_changed{"bob", {}, {}, {}, {}, true});
  EXPECT_EQ(holder_of_token(state, digest, 99), nullptr)
    << "even if it were still there";
}

TEST(operator_proofs, hold_as_long_as_what_they_stand_for) {
  auto state = two_operators();
  rules::apply(state, a_token("bob", "page", 100));
  operator_changed bob = state.operators.at("bob");
  bob.password_hash = "hash";
  const auto check = [&](const operator_changed& as, std::string_view proof,
                         micros now) {
    return rules::check_proof(state, as, proof, now);
  };
  EXPECT_FALSE(check(bob, "", 0));
  EXPECT_FALSE(check(bob, "hash", 0));
  EXPECT_EQ(check(bob, "another", 0), ec::wrong_credentials);
  const auto proof = rules::proof_of_token(digest);
  EXPECT_FALSE(check(bob, proof, 99));
  EXPECT_EQ(check(bob, proof, 100), ec::wrong_credentials);
  EXPECT_EQ(check(state.operators.at("ann"), proof, 99),
            ec::wrong_credentials);
}

} // namespace
} // namespace depositd
