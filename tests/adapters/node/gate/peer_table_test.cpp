#include "adapters/node/gate/peer_table.hpp"

#include <gtest/gtest.h>

namespace depositd::gate {
namespace {

using namespace std::chrono_literals;

caf::node_id node(std::uint32_t number) {
  return caf::make_node_id(number,
                           caf::node_id::default_data::host_id_type{{1, 2, 3}});
}

peer account(std::uint32_t id) {
  peer out;
  out.kind = peer_kind::account;
  out.account = id;
  return out;
}

peer certificate(const std::string& name, const std::string& fingerprint) {
  peer out;
  out.kind = peer_kind::certificate;
  out.name = name;
  out.fingerprint = fingerprint;
  return out;
}

/// Only account 0 may speak for others.
admission root_forwards() {
  admission out;
  out.may_forward = [](const peer& x) {
    return x.kind == peer_kind::account && x.account == 0;
  };
  return out;
}

class gate_peers : public ::testing::Test {
protected:
  bool claim(std::uint32_t number, std::uint64_t by, const peer& who) {
    return table.claim(node(number), by, who, now);
  }

  peer_table::time_point now{1000s};
  peer_table table{root_forwards()};
};

TEST_F(gate_peers, are_known_while_they_are_connected) {
  EXPECT_EQ(table.peer_of(node(1)), std::nullopt);
  EXPECT_TRUE(claim(1, 10, account(7)));
  EXPECT_EQ(table.peer_of(node(1)), account(7));
  table.release(10, now);
  EXPECT_EQ(table.peer_of(node(1)), std::nullopt);
}

TEST_F(gate_peers, cannot_take_a_node_that_another_one_is) {
  EXPECT_TRUE(claim(1, 10, account(0)));
  EXPECT_FALSE(claim(1, 11, account(7)));
  EXPECT_FALSE(claim(1, 12, peer{}));
  EXPECT_EQ(table.peer_of(node(1)), account(0));
}

TEST_F(gate_peers, may_have_two_connections_of_one_node) {
  EXPECT_TRUE(claim(1, 10, account(7)));
  EXPECT_TRUE(claim(1, 11, account(7)));
  table.release(10, now);
  EXPECT_EQ(table.peer_of(node(1)), account(7));
}

TEST_F(gate_peers, keep_a_node_for_a_while_after_they_have_gone) {
  EXPECT_TRUE(claim(1, 10, account(7)));
  table.release(10, now);
  // Words of account 7 may still be under way; root must not lend them a name.
  EXPECT_FALSE(claim(1, 11, account(0)));
  EXPECT_TRUE(claim(1, 12, account(7)));
  table.release(12, now);
  now += peer_table::kept_for;
  EXPECT_TRUE(claim(1, 13, account(0)));
}

TEST_F(gate_peers, leave_only_so_many_behind) {
  for (std::uint32_t i = 1; i <= peer_table::left_behind_max; ++i) {
    ASSERT_TRUE(claim(i, i, account(7)));
    table.release(i, now);
  }
  EXPECT_FALSE(claim(9'999, 9'999, account(7)));
  EXPECT_TRUE(claim(9'999, 9'999, account(8)));
  now += peer_table::kept_for;
  EXPECT_TRUE(claim(9'998, 9'998, account(7)));
}

TEST_F(gate_peers, of_one_name_are_the_same_after_a_renewal) {
  EXPECT_TRUE(claim(1, 10, certificate("worker", "aa")));
  EXPECT_TRUE(claim(1, 11, certificate("worker", "bb")));
  EXPECT_FALSE(claim(1, 12, certificate("other", "cc")));
  EXPECT_TRUE(claim(2, 13, certificate("", "dd")));
  EXPECT_FALSE(claim(2, 14, certificate("", "ee")));
}

TEST_F(gate_peers, speak_for_nodes_that_are_not_connected_themselves) {
  EXPECT_TRUE(claim(1, 10, account(0)));
  EXPECT_TRUE(table.forward(node(2), 10));
  auto forwarded = account(0);
  forwarded.forwarded = true;
  EXPECT_EQ(table.peer_of(node(2)), forwarded);
  EXPECT_TRUE(claim(3, 11, account(7)));
  EXPECT_FALSE(table.forward(node(3), 10));
  EXPECT_TRUE(claim(2, 12, account(7)));
  EXPECT_EQ(table.peer_of(node(2)), account(7));
  EXPECT_FALSE(table.forward(node(2), 10));
  table.release(10, now);
  EXPECT_EQ(table.peer_of(node(2)), account(7));
}

TEST_F(gate_peers, are_a_way_to_others_only_if_they_may) {
  EXPECT_TRUE(claim(1, 10, account(0)));
  EXPECT_TRUE(claim(2, 11, account(7)));
  EXPECT_TRUE(table.forward(node(3), 10));
  EXPECT_TRUE(table.may_forward(node(1)));
  EXPECT_FALSE(table.may_forward(node(2)));
  EXPECT_FALSE(table.may_forward(node(3)));
  EXPECT_FALSE(table.may_forward(node(4)));
}

} // namespace
} // namespace depositd::gate
