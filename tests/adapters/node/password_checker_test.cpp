#include "adapters/node/password_checker.hpp"

#include "messages/values/password_hash.hpp"
#include "tests/support/actor_fixture.hpp"
#include "tests/support/failed_logins.hpp"

#include <sodium.h>

namespace depositd::node {
namespace {

using kit::login_throttle;

std::string hash_of(const std::string& password) {
  char out[crypto_pwhash_STRBYTES] = {};
  EXPECT_GE(sodium_init(), 0);
  EXPECT_EQ(crypto_pwhash_str(out, password.data(), password.size(),
                              password_hash_passes, password_hash_memory_bytes),
            0);
  return out;
}

class password_checker_test : public testing::actor_fixture {
protected:
  caf::expected<password_checked> check(const std::string& password,
                                        const std::string& from = "account 7",
                                        const std::string& name = "ben") {
    return ask<password_checked>(checker,
                                 check_password{name, from, hash, password});
  }

  std::string hash = hash_of("secret");
  password_checker_actor checker =
    spawn(password_checker, password_checker_options{});
};

TEST_F(password_checker_test, knows_right_from_wrong) {
  EXPECT_TRUE(check("secret")->right);
  EXPECT_FALSE(check("Secret")->right);
  EXPECT_FALSE(check("")->right);
  hash.clear();
  EXPECT_FALSE(check("secret")->right) << "there is no such operator";
  EXPECT_FALSE(check("nobody")->right);
}

TEST_F(password_checker_test, ends_guessing_for_a_minute) {
  for (std::uint32_t i = 0; i < login_throttle::failures_max; ++i)
    ASSERT_FALSE(check("guess")->right);
  EXPECT_EQ(check("guess").error(), ec::throttled);
  EXPECT_EQ(check("secret").error(), ec::throttled);
  EXPECT_TRUE(check("secret", "account 8")->right) << "of others no business";
  EXPECT_TRUE(check("secret", "account 7", "anna")->right);
  advance(std::chrono::microseconds{login_throttle::window_us});
  EXPECT_TRUE(check("secret")->right);
}

TEST_F(password_checker_test, counts_what_is_wrong_and_what_is_not_looked_at) {
  using testing::failed_logins;
  const auto wrong = failed_logins("wrong");
  const auto throttled = failed_logins("throttled");
  for (std::uint32_t i = 0; i < login_throttle::failures_max + 2; ++i)
    check("guess");
  EXPECT_EQ(failed_logins("wrong"), wrong + login_throttle::failures_max);
  EXPECT_EQ(failed_logins("throttled"), throttled + 2);
}

} // namespace
} // namespace depositd::node
