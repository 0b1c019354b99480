// Slots that draw from several shards, whose engines come and go.

#include "actors/processor_manager.hpp"
#include "actors/reply.hpp"
#include "tests/actors/shards_world.hpp"

namespace depositd::testing {

namespace {

struct bench {
  struct task {
    handle_item asked;
    reply_address where;
  };
  std::vector<task> tasks;
};

handler_actor::behavior_type patient_handler(handler_actor::pointer self,
                                             std::shared_ptr<bench> to) {
  return {
    [=](const handle_item& x) -> caf::result<outcome> {
      to->tasks.push_back({x, take_reply(self)});
      return answered_later<outcome>();
    },
  };
}

class shard_processors : public shards_world {
protected:
  void SetUp() override {
    configuration.processors_count = 0;
    begin(4);
    a = &join("a");
    b = &join("b");
    pass(milliseconds{4 * lease_ms});
    processor_manager_options options;
    options.shard = caf::actor_cast<shard_actor>(a->router);
    options.handler = spawn(patient_handler, work_bench);
    options.node.emplace();
    options.node->name = "n1";
    options.node->slots = 1;
    manager = spawn(processor_manager, options);
    pass(milliseconds{1'000});
  }

  void TearDown() override {
    work_bench->tasks.clear();
    shards_world::TearDown();
  }

  void deposits(shard_number shard, int count) {
    for (auto i = 0; i < count; ++i) {
      const auto taken = deposit(*a, name_in(shard, "press"),
                                 std::to_string(i) + ".xml");
      ASSERT_TRUE(taken) << render(taken.error());
    }
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
    work_bench->tasks.erase(work_bench->tasks.begin());
    outcome what;
    what.id = task.asked.item.id;
    what.token = task.asked.item.token;
    what.member = task.asked.item.member;
    answer(task.where, caf::make_message(std::move(what)));
    settle();
    return shard_of_item(task.asked.item.id);
  }

  static constexpr shard_number no_shard = 99;
  engine* a = nullptr;
  engine* b = nullptr;
  std::shared_ptr<bench> work_bench = std::make_shared<bench>();
  processor_manager_actor manager;
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

} // namespace

} // namespace depositd::testing
