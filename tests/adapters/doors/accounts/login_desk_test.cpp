// Who may enter by name and password, by the addresses that they come from.

#include "adapters/doors/accounts/login_desk.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace depositd::accounts {
namespace {

using kit::login_throttle;

class login_desk_test : public ::testing::Test {
protected:
  login_desk_test() {
    auto control = std::make_shared<control_state>();
    control->accounts["ann"] = {"ann", "hash", {}};
    desk_.take_accounts(control);
  }

  /// What became of it; empty: it is being checked, or waits for that.
  std::string enter(const std::string& password, const std::string& address) {
    auto out = std::make_shared<std::string>();
    desk_.enter({"ann", password, true}, address,
                {[out](const std::string& user) { *out = user; },
                 [out](const login_refusal& why) {
                   *out =
                     why.fault == login_fault::limited ? "limited" : "refused";
                 }});
    return *out;
  }

  /// Says how the first check ended that is under way.
  void end_check(bool right) {
    ASSERT_FALSE(checks_.empty());
    const auto then = std::exchange(checks_.front(), nullptr);
    checks_.erase(checks_.begin());
    then(right);
  }

  void guess(const std::string& address, const std::string& password) {
    EXPECT_EQ(enter(password, address), "");
    end_check(false);
  }

  std::vector<std::function<void(caf::expected<bool>)>> checks_;
  login_desk desk_{
    {.check = [this](const check_login&,
                     auto then) { checks_.push_back(std::move(then)); },
     .per_address_max = 2}};
};

TEST_F(login_desk_test, addresses_of_one_network_guess_together) {
  for (std::uint32_t i = 0; i < login_throttle::failures_max; ++i)
    guess("2001:db8:1:2::" + std::to_string(i), "guess" + std::to_string(i));
  EXPECT_EQ(enter("another", "2001:db8:1:2:ffff::9"), "limited");
  EXPECT_TRUE(checks_.empty()) << "unchecked";
  EXPECT_EQ(enter("another", "2001:db8:1:3::1"), "") << "of another network";
  EXPECT_EQ(checks_.size(), 1u);
}

TEST_F(login_desk_test, addresses_of_ipv4_guess_apart) {
  for (std::uint32_t i = 0; i < login_throttle::failures_max; ++i)
    guess("192.0.2.7", "guess" + std::to_string(i));
  EXPECT_EQ(enter("another", "192.0.2.7"), "limited");
  EXPECT_EQ(enter("another", "::ffff:192.0.2.7"), "limited") << "the same one";
  EXPECT_EQ(enter("another", "192.0.2.8"), "");
}

TEST_F(login_desk_test, of_a_network_as_many_are_checked_as_of_an_address) {
  for (const auto* address : {"2001:db8::1", "2001:db8::2", "2001:db8::3"})
    enter(std::string{"of "} + address, address);
  EXPECT_EQ(checks_.size(), 2u);
  enter("else", "2001:db8:0:1::1");
  EXPECT_EQ(checks_.size(), 3u);
  end_check(false);
  EXPECT_EQ(checks_.size(), 3u) << "the next of the network";
}

TEST_F(login_desk_test, who_was_right_before_enters_from_all_of_a_network) {
  EXPECT_EQ(enter("right", "2001:db8::1"), "");
  end_check(true);
  for (std::uint32_t i = 0; i < login_throttle::failures_max; ++i)
    guess("2001:db8::2", "guess" + std::to_string(i));
  EXPECT_EQ(enter("right", "2001:db8::3"), "ann");
  EXPECT_EQ(enter("wrong", "2001:db8::3"), "limited");
}

} // namespace
} // namespace depositd::accounts
