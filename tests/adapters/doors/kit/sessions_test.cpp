#include "adapters/doors/kit/sessions.hpp"

#include <gtest/gtest.h>

#include <set>

namespace depositd::kit {
namespace {

using namespace std::chrono_literals;

const sessions::time_point start{};

TEST(sessions, a_browser_is_known_by_its_id_only) {
  sessions all;
  const auto ann = all.open("ann", start);
  ASSERT_TRUE(ann);
  const auto* found = all.find(ann->id, start + 1s);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->name, "ann");
  EXPECT_EQ(found->csrf, ann->what.csrf);
  EXPECT_EQ(all.find(ann->what.csrf, start), nullptr);
  EXPECT_EQ(all.find("", start), nullptr);
  EXPECT_EQ(all.find(std::string(10'000, 'a'), start), nullptr);
}

TEST(sessions, one_knows_what_let_it_in) {
  sessions all;
  const auto id = all.open("ann", start, "hash")->id;
  EXPECT_EQ(all.find(id, start)->proof, "hash");
}

TEST(sessions, ids_and_tokens_are_long_and_never_the_same) {
  sessions all;
  std::set<std::string> seen;
  for (int i = 0; i < 10; ++i) {
    const auto x = all.open("ann", start);
    ASSERT_TRUE(x);
    EXPECT_EQ(x->id.size(), 64u);
    EXPECT_EQ(x->what.csrf.size(), 64u);
    EXPECT_TRUE(seen.insert(x->id).second);
    EXPECT_TRUE(seen.insert(x->what.csrf).second);
  }
}

TEST(sessions, the_token_has_to_be_the_whole_one) {
  sessions all;
  const auto x = all.open("ann", start)->what;
  EXPECT_TRUE(shows_csrf(x, x.csrf));
  EXPECT_FALSE(shows_csrf(x, ""));
  EXPECT_FALSE(shows_csrf(x, x.csrf.substr(1)));
  EXPECT_FALSE(shows_csrf(x, x.csrf + 'a'));
  EXPECT_FALSE(shows_csrf(x, std::string(64, 'x')));
}

TEST(sessions, one_that_is_not_used_ends) {
  sessions all{{.age_max = 12h, .idle_max = 1h}};
  const auto id = all.open("ann", start)->id;
  EXPECT_NE(all.find(id, start + 59min), nullptr);
  EXPECT_NE(all.find(id, start + 118min), nullptr);
  EXPECT_EQ(all.find(id, start + 178min), nullptr);
}

TEST(sessions, one_that_is_used_ends_too) {
  sessions all{{.age_max = 2h, .idle_max = 1h}};
  const auto id = all.open("ann", start)->id;
  EXPECT_NE(all.find(id, start + 50min), nullptr);
  EXPECT_NE(all.find(id, start + 100min), nullptr);
  EXPECT_EQ(all.find(id, start + 120min), nullptr);
}

TEST(sessions, one_that_is_closed_is_gone) {
  sessions all;
  const auto one = all.open("ann", start)->id;
  const auto other = all.open("ann", start)->id;
  EXPECT_TRUE(all.close(one));
  EXPECT_FALSE(all.close(one));
  EXPECT_EQ(all.find(one, start), nullptr);
  EXPECT_NE(all.find(other, start), nullptr);
}

TEST(sessions, the_one_used_longest_ago_makes_room_for_its_owner) {
  sessions all{{.per_name_max = 2}};
  const auto first = all.open("ann", start)->id;
  const auto second = all.open("ann", start + 1s)->id;
  EXPECT_NE(all.find(first, start + 2s), nullptr);
  const auto third = all.open("ann", start + 3s)->id;
  EXPECT_NE(all.find(first, start + 4s), nullptr);
  EXPECT_EQ(all.find(second, start + 4s), nullptr);
  EXPECT_NE(all.find(third, start + 4s), nullptr);
}

TEST(sessions, too_many_names_are_refused_until_some_are_over) {
  sessions all{{.idle_max = 1h, .all_max = 2}};
  ASSERT_TRUE(all.open("ann", start));
  ASSERT_TRUE(all.open("bob", start + 30min));
  EXPECT_FALSE(all.open("eve", start + 59min));
  EXPECT_TRUE(all.open("eve", start + 60min));
  EXPECT_EQ(all.size(), 2u);
}

} // namespace
} // namespace depositd::kit
