// Slots that draw from several shards, whose engines come and go.

#include "actors/processors/manager.hpp"
#include "tests/actors/processors/patient_bench.hpp"
#include "tests/actors/cluster/shards_world.hpp"
#include "tests/support/other_node.hpp"

namespace depositd::testing {

namespace {

/// Two engines, four shards, and handlers at one bench.
class shards_and_handler : public shards_world {
protected:
  void SetUp() override {
    configuration.processors_count = 0;
    begin(4);
    a = &join("a");
    b = &join("b");
    pass(milliseconds{4 * lease_ms});
  }

  void TearDown() override {
    work_bench->tasks.clear();
    shards_world::TearDown();
  }

  /// This many of every user.
  void deposits(const std::vector<std::string>& users, int count) {
    for (auto i = 0; i < count; ++i)
      for (const auto& user : users) {
        const auto taken = deposit(*a, user, std::to_string(i) + ".xml");
        ASSERT_TRUE(taken) << render(taken.error());
      }
  }

  std::vector<std::string> users_in(shard_number shard, int count) const {
    std::vector<std::string> out;
    for (auto i = 0; i < count; ++i)
      out.push_back(name_in(shard, "press" + std::to_string(i) + "-"));
    return out;
  }

  std::size_t in_work() const {
    return work_bench->tasks.size();
  }

  /// The shard whose item the handler gets done with.
  shard_number finish() {
    EXPECT_FALSE(work_bench->tasks.empty());
    if (work_bench->tasks.empty())
      return no_shard;
    auto task = work_bench->tasks.front();
    ++served[task.asked.item.user];
    work_bench->tasks.erase(work_bench->tasks.begin());
    outcome what;
    what.id = task.asked.item.id;
    what.token = task.asked.item.token;
    what.member = task.asked.item.member;
    journal::answer(task.where, caf::make_message(std::move(what)));
    settle();
    return shard_of_item(task.asked.item.id);
  }

  /// Finishes so many items; how many every user got of them.
  std::map<std::string, int> shares_of(int items) {
    served.clear();
    for (auto i = 0; i < items && in_work() > 0; ++i)
      finish();
    return served;
  }

  void expect_equal(const std::vector<std::string>& users, int each,
                    int slack = 2) {
    for (const auto& user : users)
      EXPECT_NEAR(served[user], each, slack) << user;
  }

  /// Of a slot, with which it ends.
  handler_actor handler() {
    auto out = sys.spawn(patient_handler, work_bench);
    adopt(out);
    return out;
  }

  static constexpr shard_number no_shard = 99;
  engine* a = nullptr;
  engine* b = nullptr;
  std::shared_ptr<bench> work_bench = std::make_shared<bench>();
  std::map<std::string, int> served; ///< by user
};

/// Slots of a manager, which gets them new ports when shards move.
class shard_processors : public shards_and_handler {
protected:
  void SetUp() override {
    shards_and_handler::SetUp();
    processors::processor_manager_options options;
    options.shard = caf::actor_cast<shard_actor>(a->router);
    options.spawn_handler = [this] { return handler(); };
    options.node.emplace();
    options.node->name = "n1";
    options.node->slots = 1;
    manager = spawn(processors::processor_manager, options);
    pass(milliseconds{1'000});
  }

  using shards_and_handler::deposits;

  void deposits(shard_number shard, int count) {
    deposits({name_in(shard, "press")}, count);
  }

  processor_manager_actor manager;
};

/// Slots with ports that the test gives them.
class shard_slots : public shards_and_handler {
protected:
  void TearDown() override {
    node.cut();
    shards_and_handler::TearDown();
  }

  void spawn_slot(const criteria& wants, bool remote = false) {
    processors::processor_options options;
    options.name = "sp";
    options.slot = ++slots;
    options.queue = "metadata";
    options.wants = wants;
    options.handler = handler();
    const auto found = ask<ports_opened>(a->router, open_ports{"metadata"});
    ASSERT_TRUE(found) << render(found.error());
    options.ports = *found;
    ASSERT_EQ(options.ports.ports.size(), 4u);
    if (remote)
      for (auto& door : options.ports.ports)
        door.queue = node.door(door.queue);
    spawn(processors::processor, options);
  }

  std::uint32_t slots = 0;
  other_node node{sys};
};

TEST_F(shard_processors, visit_every_shard_in_turn) {
  for (shard_number shard = 0; shard < 4; ++shard)
    deposits(shard, 3);
  std::map<shard_number, int> seen;
  for (auto i = 0; i < 12; ++i) {
    ASSERT_EQ(in_work(), 1u);
    ++seen[finish()];
    for (shard_number shard = 0; i == 7 && shard < 4; ++shard)
      EXPECT_GE(seen[shard], 1) << shard;
  }
  EXPECT_EQ(in_work(), 0u);
  for (shard_number shard = 0; shard < 4; ++shard)
    EXPECT_EQ(seen[shard], 3);
}

TEST_F(shard_processors, wait_at_all_and_take_one) {
  for (shard_number shard : {2u, 0u, 3u, 1u, 2u}) {
    EXPECT_EQ(in_work(), 0u);
    deposits(shard, 1);
    ASSERT_EQ(in_work(), 1u) << "it was waiting there";
    deposits((shard + 1) % 4, 1);
    EXPECT_EQ(in_work(), 1u) << "and nowhere else any more";
    EXPECT_EQ(finish(), shard);
    ASSERT_EQ(in_work(), 1u);
    EXPECT_EQ(finish(), (shard + 1) % 4);
  }
}

TEST_F(shard_processors, go_on_when_a_shard_moves) {
  const auto moved = owns(*b);
  ASSERT_FALSE(moved.empty());
  for (shard_number shard = 0; shard < 4; ++shard)
    deposits(shard, 2);
  crash(*b);
  pass(milliseconds{4 * lease_ms});
  ASSERT_EQ(owns(*a).size(), 4u);
  std::map<shard_number, int> seen;
  while (in_work() > 0) {
    ++seen[finish()];
    pass(milliseconds{50});
  }
  for (const auto shard : moved)
    EXPECT_GE(seen[shard], 2) << "shard " << shard;
}

TEST_F(shard_processors, share_shards_out_again_when_one_comes_back) {
  const auto moved = owns(*b);
  ASSERT_FALSE(moved.empty());
  const auto crowd = users_in(moved.front(), 9);
  const auto lonely = users_in(owns(*a).front(), 1);
  deposits(crowd, 40);
  deposits(lonely, 40);
  shares_of(50);
  expect_equal(crowd, 5);
  expect_equal(lonely, 5);
  crash(*b);
  shares_of(8); // nobody else is there
  EXPECT_GE(served[lonely.front()], 7);
  pass(milliseconds{4 * lease_ms});
  ASSERT_EQ(owns(*a).size(), 4u);
  ASSERT_GT(in_work(), 0u);
  shares_of(20); // until it knows how many wait there
  shares_of(100);
  expect_equal(crowd, 10);
  expect_equal(lonely, 10);
}

TEST_F(shard_slots, give_a_user_as_much_in_a_crowded_shard) {
  const auto crowd = users_in(1, 9);
  const auto lonely = users_in(2, 1);
  deposits(crowd, 30);
  deposits(lonely, 200);
  spawn_slot({});
  shares_of(20);
  shares_of(200);
  expect_equal(crowd, 20);
  expect_equal(lonely, 20);
}

TEST_F(shard_slots, count_whom_their_criteria_let_them_serve) {
  const auto crowd = users_in(1, 9);
  const auto lonely = users_in(2, 1);
  const auto other = users_in(3, 2);
  deposits(crowd, 30);
  deposits(lonely, 30);
  deposits(other, 30);
  criteria wants;
  wants.excluded = {crowd.begin(), crowd.begin() + 6};
  spawn_slot(wants);
  shares_of(20);
  shares_of(90); // of three, one and two users
  expect_equal({crowd.begin() + 6, crowd.end()}, 15);
  expect_equal(lonely, 15);
  expect_equal(other, 15);
  EXPECT_EQ(served.size(), 6u);
}

TEST_F(shard_slots, visit_only_shards_of_users_whom_they_require) {
  const auto crowd = users_in(1, 3);
  const auto lonely = users_in(2, 1);
  deposits(crowd, 30);
  deposits(lonely, 30);
  criteria wants;
  wants.required = {crowd[0], lonely[0]};
  spawn_slot(wants);
  shares_of(20);
  shares_of(40);
  expect_equal({crowd[0], lonely[0]}, 20);
  EXPECT_EQ(served.size(), 2u);
}

TEST_F(shard_slots, learn_of_a_new_crowd_while_their_handler_is_slow) {
  const auto crowd = users_in(1, 9);
  const auto lonely = users_in(2, 1);
  deposits(lonely, 30);
  spawn_slot({});
  deposits(crowd, 30);
  for (auto i = 0; i < 3; ++i) { // far from so many draws that it would ask
    ASSERT_EQ(in_work(), 1u);
    pass(milliseconds{3'000});
    finish();
  }
  shares_of(10);
  EXPECT_LE(served[lonely.front()], 2);
}

TEST_F(shard_slots, start_one_item_of_a_flooder_before_a_newcomers) {
  const auto flooder = users_in(2, 1);
  const auto newcomer = users_in(1, 1);
  deposits(flooder, 60);
  deposits(newcomer, 4);
  spawn_slot({});
  while (served[newcomer.front()] < 4) // it is ahead of the flooder at times
    finish();
  for (auto i = 0; i < 5; ++i)
    finish();
  deposits(newcomer, 1);
  pass(milliseconds{50});
  shares_of(3); // what was in work, one more, and the newcomer's
  EXPECT_EQ(served[newcomer.front()], 1);
}

TEST_F(shard_slots, hear_of_a_crowd_that_follows_a_newcomer) {
  const auto flooder = users_in(2, 1);
  const auto crowd = users_in(1, 9);
  deposits(flooder, 60);
  spawn_slot({});
  for (auto i = 0; i < 5; ++i)
    finish();
  deposits(crowd, 2);
  pass(milliseconds{50});
  shares_of(11);
  EXPECT_LE(served[flooder.front()], 3);
}

TEST_F(shard_slots, share_shards_out_from_another_node) {
  const auto crowd = users_in(1, 9);
  const auto lonely = users_in(2, 1);
  deposits(crowd, 30);
  deposits(lonely, 200);
  spawn_slot({}, true);
  shares_of(20);
  shares_of(200);
  expect_equal(crowd, 20);
  expect_equal(lonely, 20);
  shares_of(1'000);
  EXPECT_EQ(in_work(), 0u);
  deposits(lonely, 1);
  EXPECT_EQ(in_work(), 1u) << "it waits everywhere";
}

} // namespace

} // namespace depositd::testing
