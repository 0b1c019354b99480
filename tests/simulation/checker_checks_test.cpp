// The judge of what is due is judged.

#include "messages/values/orders.hpp"
#include "tests/simulation/tale.hpp"

#include <gtest/gtest.h>

namespace depositd::simulation {

namespace {

class checking : public ::testing::Test {
protected:
  item_id order(const std::string& run, const std::string& user = "u",
                const std::string& collection = "vault") {
    batch_received come;
    come.id = ++ids;
    come.queue = order_pipeline(order_kind::fixity_check) + ".batch";
    come.info.uuid = "bid-" + std::to_string(ids);
    come.info.collection = collection;
    come.info.pipeline = order_pipeline(order_kind::fixity_check);
    come.info.type = word(order_kind::fixity_check);
    come.info.file_name = run;
    t.write(user, come);
    return ids;
  }

  void close(item_id batch) {
    batch_moved x;
    x.id = batch;
    x.status.state = batch_state::completed;
    t.write("u", x);
  }

  std::size_t wrong() const {
    findings found;
    check_checks(t.told, found);
    return found.size();
  }

  tale t;
  item_id ids = 0;
};

TEST_F(checking, goes_on_run_by_run) {
  close(order("fixity 1"));
  close(order("fixity 2"));
  order("fixity 2", "v");
  order("fixity 2", "u", "attic");
  EXPECT_EQ(wrong(), 0u);
}

TEST_F(checking, is_not_ordered_twice_in_a_span) {
  close(order("fixity 1"));
  close(order("fixity 1"));
  EXPECT_EQ(wrong(), 1u);
}

TEST_F(checking, has_one_run_of_a_collection_at_a_time) {
  order("fixity 1");
  order("fixity 2");
  EXPECT_EQ(wrong(), 1u);
}

} // namespace

} // namespace depositd::simulation
