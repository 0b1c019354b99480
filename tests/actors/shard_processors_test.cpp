// Slots that draw from several shards, whose engines come and go.

#include "actors/processor_manager.hpp"
#include "actors/reply.hpp"
#include "tests/actors/shards_world.hpp"
#include "tests/support/other_node.hpp"

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

/// Two engines, four shards, and a handler.
class shards_and_handler : public shards_world {
protected:
  void SetUp() override {
    configuration.processors_count = 0;
    begin(4);
    a = &join("a");
    b = &join("b");
    pass(milliseconds{4 * lease_ms});
    handler = spawn(patient_handler, work_bench);
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
    answer(task.where, caf::make_message(std::move(what)));
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

  static constexpr shard_number no_shard = 99;
  engine* a = nullptr;
  engine* b = nullptr;
  std::shared_ptr<bench> work_bench = std::make_shared<bench>();
  handler_actor handler;
  std::map<std::string, int> served; ///< by user
};

/// Slots of a manager, which gets them new doors when shards move.
class shard_processors : public shards_and_handler {
protected:
  void SetUp() override {
    shards_and_handler::SetUp();
    processor_manager_options options;
    options.shard = caf::actor_cast<shard_actor>(a->router);
    options.handler = handler;
    options.node.emplace();
    options.node->name = "n1";
    options.node->slots = 1;
    manager = spawn(processor_manager, options);
    pass(milliseconds{1'000});
  }

  using shards_and_handler::deposits;

  void deposits(shard_number shard, int count) {
    deposits({name_in(shard, "press")}, count);
  }

  processor_manager_actor manager;
};

/// Slots with doors that the test gives them.
class shard_slots : public shards_and_handler {
protected:
  void TearDown() override {
    node.cut();
    shards_and_handler::TearDown();
  }

  void spawn_slot(const criteria& wants, bool remote = false) {
    processor_options options;
    options.name = "sp";
    options.slot = ++slots;
    options.queue = "metadata";
    options.wants = wants;
    options.handler = handler;
    const auto found = ask<doors_opened>(a->router, open_doors{"metadata"});
    ASSERT_TRUE(found) << render(found.error());
    options.doors = *found;
    ASSERT_EQ(options.doors.doors.size(), 4u);
    if (remote)
      for (auto& door : options.doors.doors)
        door.queue = node.door(door.queue);
    spawn(processor, options);
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
  deposits(lonely, 30);
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

TEST_F(shard_slots, share_shards_out_from_another_node) {
  const auto crowd = users_in(1, 9);
  const auto lonely = users_in(2, 1);
  deposits(crowd, 30);
  deposits(lonely, 30);
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

// -- doors that the test plays ------------------------------------------------

struct shelf {
  shard_number shard = 0;
  std::uint32_t items = 0;
  std::uint32_t counts = 0; ///< how often it was asked for its number
  std::uint32_t answers = 1'000; ///< to that; then it is silent
  std::uint32_t last = 0;
  std::uint32_t works = 0;
  std::uint32_t hangs_at = 1'000; ///< it does nothing more
  std::vector<work> kept;         ///< while it hangs
};

queue_door_actor::behavior_type
shelf_door(queue_door_actor::pointer self, std::shared_ptr<shelf> of) {
  const auto serve = [=](const work& x, const processor_actor& who) {
    handed out;
    for (const auto& one : x.outcomes)
      out.settled.push_back({one.id, true});
    if (x.counts) {
      if (++of->counts > of->answers)
        return;
      out.counted = true;
      out.eligible = of->items > 0 ? 1 : 0;
    }
    if (x.credit > 0 && of->items > 0) {
      --of->items;
      claimed_item item;
      item.id = ids_begin(of->shard) + ++of->last;
      out.items.push_back(item);
    }
    if (!out.items.empty() || !out.settled.empty() || out.counted || !x.waits)
      self->send(who, std::move(out));
  };
  const auto slot = std::make_shared<processor_actor>();
  return {
    [=](const attach& x) -> caf::result<attached> {
      *slot = x.who;
      return attached{1, {}};
    },
    [=](const work& x) {
      if (++of->works >= of->hangs_at)
        of->kept.push_back(x);
      else
        serve(x, *slot);
    },
    [=](const withdraw&) {
      if (of->works >= of->hangs_at)
        return;
      for (const auto& x : std::exchange(of->kept, {}))
        serve(x, *slot);
    },
    [](const touch_claims&) {},
    [](const detach&) -> caf::result<done> { return done{}; },
  };
}

handler_actor::behavior_type quick_handler(handler_actor::pointer) {
  return {
    [](const handle_item& x) -> caf::result<outcome> {
      outcome out;
      out.id = x.item.id;
      return out;
    },
  };
}

class slot_at_doors : public actor_fixture {
protected:
  std::shared_ptr<shelf> add(std::uint32_t items) {
    auto out = std::make_shared<shelf>();
    out->shard = static_cast<shard_number>(doors.doors.size());
    out->items = items;
    doors.doors.push_back({out->shard, spawn(shelf_door, out)});
    return out;
  }

  void work_on() {
    processor_options options;
    options.doors = doors;
    options.handler = spawn(quick_handler);
    spawn(processor, options);
  }

  doors_opened doors;
};

TEST_F(slot_at_doors, asks_the_only_door_for_items_alone) {
  const auto only = add(100);
  work_on();
  EXPECT_EQ(only->items, 0u);
  EXPECT_EQ(only->counts, 0u);
}

TEST_F(slot_at_doors, asks_for_numbers_now_and_then) {
  const auto one = add(160);
  const auto other = add(160);
  work_on();
  EXPECT_EQ(one->items + other->items, 0u);
  EXPECT_GE(one->counts, 20u);
  EXPECT_LE(one->counts, 25u);
}

TEST_F(slot_at_doors, asks_a_silent_door_for_its_number_once) {
  const auto one = add(160);
  const auto silent = add(160);
  silent->answers = 1;
  work_on();
  EXPECT_EQ(silent->items, 0u) << "it is visited by the number it had said";
  EXPECT_EQ(silent->counts, 2u);
  EXPECT_GE(one->counts, 10u);
}

TEST_F(slot_at_doors, goes_on_without_a_door_that_hangs) {
  for (std::uint32_t hangs_at : {1u, 20u, 21u, 22u, 23u, 24u, 25u}) {
    doors = {};
    const auto one = add(160);
    const auto hung = add(160);
    hung->hangs_at = hangs_at;
    work_on();
    EXPECT_GT(one->items, 0u) << "it was waited for a moment";
    for (auto i = 0; i < 4; ++i)
      advance(std::chrono::seconds{1});
    EXPECT_EQ(one->items, 0u);
    hung->hangs_at = 10'000; // it goes on
    caf::anon_send(doors.doors[1].queue, withdraw{});
    for (auto i = 0; i < 4; ++i)
      advance(std::chrono::seconds{1});
    EXPECT_EQ(hung->items, 0u);
    const auto asked = one->works + hung->works;
    for (auto i = 0; i < 4; ++i)
      advance(std::chrono::seconds{1});
    EXPECT_EQ(one->works + hung->works, asked) << "it waits";
  }
}

} // namespace

} // namespace depositd::testing
