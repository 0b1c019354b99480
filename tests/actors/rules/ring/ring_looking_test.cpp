// What people are shown of a ring.

#include "tests/actors/rules/ring/ring_fixture.hpp"

namespace depositd::rules {

class ring_looking_test : public ring_test {
protected:
  using ring_test::ring_test;

  std::string names_of(const std::vector<member_number>& some) const {
    std::string out;
    for (const auto m : some)
      out += (out.empty() ? "" : " ") + names_[m];
    return out;
  }

  std::string in_turn(std::size_t count_max = 10) const {
    return names_of(ring_.in_turn(count_max));
  }

  std::string out_of_turn(std::size_t count_max = 10) const {
    return names_of(ring_.out_of_turn(count_max));
  }
};

TEST_F(ring_looking_test, who_is_next_comes_first) {
  users_with(9, {"ann", "bob", "cid"});
  EXPECT_EQ(in_turn(), "ann bob cid");
  next();
  EXPECT_EQ(in_turn(), "bob cid ann");
  EXPECT_EQ(in_turn(2), "bob cid");
  EXPECT_EQ(in_turn(0), "");
  for (const auto* name : {"ann", "bob", "cid"}) {
    auto whole = explain(name);
    whole.turn = 0;
    EXPECT_EQ(whole.state, ring_.describe(numbers_.at(name)).state);
    EXPECT_EQ(whole.length, ring_.describe(numbers_.at(name)).length);
  }
}

TEST_F(ring_looking_test, others_are_told_apart_by_whether_they_wait) {
  users_with(1, {"ann"});
  join("idle");
  users_with(2, {"bob", "cid"});
  set("bob", {.held = true});
  set("cid", {.concurrency = 0});
  EXPECT_EQ(in_turn(), "ann");
  EXPECT_EQ(out_of_turn(), "bob cid idle");
  EXPECT_EQ(out_of_turn(2), "bob cid");
  EXPECT_EQ(out_of_turn(0), "");
}

TEST_F(ring_looking_test, fair_by_cost_the_thriftiest_is_next) {
  ring_.set_fair_by(fair_by::bytes);
  users_with(9, {"ann", "bob", "cid", "dan"});
  const auto spend = [&](const std::string& name, std::uint64_t cost) {
    ring_.report(numbers_.at(name), {.charged = 0, .cost = cost});
  };
  spend("ann", 7'000);
  spend("bob", 100);
  spend("dan", 3'000);
  EXPECT_EQ(in_turn(), "cid bob dan ann");
  EXPECT_EQ(in_turn(3), "cid bob dan") << "and no more is sorted";
}

class ring_bands_looking_test : public ring_looking_test {
protected:
  ring_bands_looking_test()
    : ring_looking_test(priority_mode::across_users, 0) {
    // nop
  }
};

TEST_F(ring_bands_looking_test, whoever_is_in_several_bands_counts_once) {
  users_with(1, {"ann", "bob"}); // band 0
  join("cid");
  enqueue("cid", 1, 0, 3);
  enqueue("ann", 1, 0, 3);
  enqueue("bob", 1, 0, 3);
  EXPECT_EQ(in_turn(), "ann bob cid");
  EXPECT_EQ(in_turn(3), "ann bob cid");
}

} // namespace depositd::rules
