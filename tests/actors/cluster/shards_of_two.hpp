#pragma once

// Shards of two engines that have settled.

#include "tests/actors/cluster/shards_world.hpp"

#include <chrono>

namespace depositd::testing {

class shards : public shards_world {
protected:
  /// Two engines that have settled on two shards each.
  void two_engines() {
    begin(4);
    a = &join("a");
    pass(std::chrono::milliseconds{500});
    b = &join("b");
    pass(std::chrono::milliseconds{3'000});
    ASSERT_EQ(owns(*a).size(), 2u);
    ASSERT_EQ(owns(*b).size(), 2u);
  }

  engine& owner_of(shard_number shard) {
    return a->cores.count(shard) > 0 ? *a : *b;
  }

  engine& other_than(const engine& x) {
    return &x == a ? *b : *a;
  }

  engine* a = nullptr;
  engine* b = nullptr;
};

} // namespace depositd::testing
