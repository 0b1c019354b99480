// The judge of equal payloads is judged.

#include "tests/simulation/tale.hpp"

#include <gtest/gtest.h>

namespace depositd::simulation {

namespace {

using names = std::set<std::string>;

class equals : public ::testing::Test {
protected:
  void come(item_id id) {
    item_enqueued x;
    x.id = id;
    x.queue = "dedupq/q";
    x.body = "e";
    t.write("ann", x);
  }

  void collapse(item_id id) {
    auto x = t.an_end(id);
    x.how = ending::collapsed;
    t.write("ann", x);
  }

  names wrong() const {
    findings found;
    check_equals(t.told, found);
    names out;
    for (const auto& x : found)
      out.insert(x.what);
    return out;
  }

  tale t;
};

TEST_F(equals, collapse_into_one_that_is_handed_out) {
  come(1);
  come(2);
  t.add(equal_kept{"e", 2});
  t.write("ann", t.a_claim(1, 1));
  collapse(2);
  EXPECT_EQ(wrong(), names{});
}

TEST_F(equals, do_not_collapse_into_one_that_was_handed_out_before) {
  come(1);
  t.write("ann", t.a_claim(1, 1));
  come(2);
  collapse(2);
  EXPECT_EQ(wrong(), names{"item 2 collapsed, and nobody got e after it"});
}

TEST_F(equals, do_not_collapse_once_they_were_handed_out) {
  come(1);
  t.write("ann", t.a_claim(1, 1));
  collapse(1);
  EXPECT_EQ(wrong(), names{"item 1 collapses, and was handed out before"});
}

TEST_F(equals, are_kept_before_anybody_is_told) {
  t.add(equal_kept{"e", 1});
  come(1);
  EXPECT_EQ(wrong(), names{"item 1 was kept too early"});
}

} // namespace

} // namespace depositd::simulation
