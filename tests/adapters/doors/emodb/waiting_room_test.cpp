// Polls that wait, on the core itself.

#include "adapters/doors/emodb/waiting_room.hpp"
#include "messages/queue.hpp"
#include "tests/support/polling_fixture.hpp"

#include <caf/event_based_actor.hpp>

namespace depositd::testing {

namespace {

using namespace std::chrono_literals;

/// A client that waits.
struct waiting_client {
  int answers = 0;
  std::vector<received_item> got;
  caf::error why;
  bool gone = false;
  bool forbidden = false;
  bool refused = false;
};

using client = std::shared_ptr<waiting_client>;

class emodb_waiting : public polling_fixture {
protected:
  void SetUp() override {
    start();
    open_room();
  }

  void open_room() {
    // Stands between the room and the core, and counts.
    const auto to = core;
    const auto between =
      spawn([this, to](caf::event_based_actor* self) -> caf::behavior {
        return {
          [this, self, to](receive_items& x) {
            ++asked;
            return self->delegate(to, std::move(x));
          },
          [=](renew_items& x) { return self->delegate(to, std::move(x)); },
          [=](open_ports& x) { return self->delegate(to, std::move(x)); },
          [=](watch_control& x) { return self->delegate(to, std::move(x)); },
        };
      });
    options.shard = caf::actor_cast<shard_receiving_actor>(
      caf::actor_cast<caf::strong_actor_ptr>(between));
    room = spawn(emodb::waiting_room, options);
  }

  client wait_for(std::chrono::milliseconds wait, std::uint32_t count = 1,
                  const std::string& taker = "worker",
                  std::uint32_t claims_max = no_cap) {
    auto out = std::make_shared<waiting_client>();
    auto poll = std::make_shared<emodb::waiting_poll>();
    poll->what = {"q", taker, count, 30'000, claims_max};
    poll->wait = wait;
    poll->found = [out](std::vector<received_item> items) {
      ++out->answers;
      out->got = std::move(items);
    };
    poll->failed = [out](const caf::error& why) {
      ++out->answers;
      out->why = why;
    };
    poll->over = [out] { return out->gone; };
    poll->refused = [out] {
      out->refused = out->forbidden;
      out->answers += out->refused ? 1 : 0;
      return out->refused;
    };
    caf::anon_send(room, emodb::wait_for_items{std::move(poll)});
    settle();
    return out;
  }

  void make_queue() {
    put("q", {{"ann", 0, "first"}});
    finish("q", names_of(poll("q")));
  }

  emodb::waiting_room_options options;
  emodb::waiting_room_actor room;
  int asked = 0; ///< requests for items
};

TEST_F(emodb_waiting, are_answered_as_soon_as_something_comes) {
  make_queue();
  const auto x = wait_for(10s);
  EXPECT_EQ(x->answers, 0);
  put("q", {{"ann", 0, "second"}});
  EXPECT_EQ(x->answers, 1);
  EXPECT_EQ(bodies_of(x->got), strings{"second"});
  EXPECT_EQ(claims("q"), 1u);
}

TEST_F(emodb_waiting, hear_of_each_message_without_a_pause) {
  make_queue();
  for (int i = 0; i < 5; ++i) {
    const auto x = wait_for(10s);
    EXPECT_EQ(x->answers, 0);
    put("q", {{"ann", 0, std::to_string(i)}});
    ASSERT_EQ(bodies_of(x->got), strings{std::to_string(i)});
    finish("q", names_of(x->got));
  }
}

TEST_F(emodb_waiting, wait_for_queues_that_do_not_exist) {
  const auto x = wait_for(10s);
  EXPECT_EQ(x->answers, 0);
  advance(1s);
  const auto all = ask<queues_listed>(core, list_queues{});
  ASSERT_TRUE(all);
  for (const auto& queue : all->queues)
    EXPECT_NE(queue.name, "q") << "made by somebody who only waits";
  put("q", {{"ann", 0, "first"}});
  EXPECT_EQ(bodies_of(x->got), strings{"first"});
}

TEST_F(emodb_waiting, ask_nobody_while_there_is_nothing) {
  make_queue();
  const auto x = wait_for(20s);
  for (int i = 0; i < 90; ++i)
    advance(200ms);
  EXPECT_EQ(x->answers, 0);
  EXPECT_EQ(asked, 0);
}

TEST_F(emodb_waiting, end_with_nothing_when_their_time_is_over) {
  make_queue();
  const auto x = wait_for(2s);
  const auto longer = wait_for(4s);
  advance(1800ms);
  EXPECT_EQ(x->answers, 0);
  advance(200ms);
  EXPECT_EQ(x->answers, 1);
  EXPECT_TRUE(x->got.empty());
  EXPECT_FALSE(x->why);
  put("q", {{"ann", 0, "late"}});
  EXPECT_EQ(x->answers, 1);
  EXPECT_EQ(bodies_of(longer->got), strings{"late"});
}

TEST_F(emodb_waiting, are_served_in_the_order_in_which_they_came) {
  make_queue();
  const auto first = wait_for(10s);
  const auto second = wait_for(10s, 1, "other");
  const auto third = wait_for(10s);
  put("q", {{"ann", 0, "a"}});
  EXPECT_EQ(bodies_of(first->got), strings{"a"});
  EXPECT_EQ(second->answers + third->answers, 0);
  put("q", {{"ann", 0, "b"}, {"ann", 0, "c"}});
  EXPECT_EQ(bodies_of(second->got), strings{"b"});
  EXPECT_EQ(bodies_of(third->got), strings{"c"});
}

TEST_F(emodb_waiting, of_one_taker_ask_together) {
  make_queue();
  std::vector<client> all;
  for (int i = 0; i < 20; ++i)
    all.push_back(wait_for(10s, 2));
  asked = 0;
  put("q", items_of("ann", 40));
  std::vector<received_item> got;
  for (const auto& x : all) {
    EXPECT_EQ(x->got.size(), 2u);
    got.insert(got.end(), x->got.begin(), x->got.end());
  }
  EXPECT_EQ(got.size(), 40u);
  EXPECT_EQ(asked, 1);
}

TEST_F(emodb_waiting, whose_clients_have_gone_take_nothing) {
  make_queue();
  const auto gone = wait_for(10s);
  const auto there = wait_for(10s);
  gone->gone = true;
  put("q", {{"ann", 0, "a"}});
  EXPECT_EQ(gone->answers, 1);
  EXPECT_TRUE(gone->got.empty());
  EXPECT_EQ(bodies_of(there->got), strings{"a"});
  const auto alone = wait_for(10s);
  alone->gone = true;
  advance(options.tick);
  EXPECT_EQ(alone->answers, 1) << "it need not wait for a message";
}

TEST_F(emodb_waiting, give_back_what_came_for_a_client_that_went_just_then) {
  make_queue();
  const auto x = wait_for(10s);
  caf::anon_send(door, enqueue{"q", {{"ann", 0, "a"}}});
  while (asked == 0)
    ASSERT_EQ(sched.run(1), 1u);
  x->gone = true;
  settle();
  EXPECT_EQ(x->answers, 1);
  EXPECT_TRUE(x->got.empty());
  EXPECT_EQ(polled("q"), strings{"a"}) << "its claim has a long lease";
}

TEST_F(emodb_waiting, give_back_what_no_poll_was_answered_with) {
  put("q", {{"ann", 0, "a"}});
  const auto got = poll("q");
  const receive_items asked_for{"q", "worker", 1, 30'000};
  const auto now = std::chrono::steady_clock::now();
  emodb::give_back(room, asked_for, got, now - 1min);
  settle();
  EXPECT_EQ(claims("q"), 1u) << "it may have a claim of somebody else";
  emodb::give_back(room, asked_for, got, now);
  settle();
  EXPECT_EQ(claims("q"), 0u);
  const auto again = poll("q");
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].attempt, 1u) << "nobody had it";
}

TEST_F(emodb_waiting, whose_keys_have_gone_are_told_and_take_nothing) {
  make_queue();
  const auto x = wait_for(10s);
  const auto other = wait_for(10s);
  x->forbidden = true;
  put("q", {{"ann", 0, "a"}});
  EXPECT_EQ(x->answers, 1);
  EXPECT_TRUE(x->refused);
  EXPECT_EQ(bodies_of(other->got), strings{"a"});
  const auto alone = wait_for(10s);
  alone->forbidden = true;
  advance(options.tick);
  EXPECT_EQ(alone->answers, 1) << "it need not wait for a message";
  EXPECT_TRUE(alone->refused);
  EXPECT_EQ(claims("q"), 1u);
}

TEST_F(emodb_waiting, give_back_what_came_when_the_key_went_just_then) {
  make_queue();
  const auto x = wait_for(10s);
  caf::anon_send(door, enqueue{"q", {{"ann", 0, "a"}}});
  while (asked == 0)
    ASSERT_EQ(sched.run(1), 1u);
  x->forbidden = true;
  settle();
  EXPECT_EQ(x->answers, 1);
  EXPECT_TRUE(x->refused);
  EXPECT_TRUE(x->got.empty());
  EXPECT_EQ(polled("q"), strings{"a"});
}

TEST_F(emodb_waiting, go_on_when_the_core_has_started_over) {
  make_queue();
  const auto x = wait_for(60s);
  fail_appends(*log, 1);
  static_cast<void>(ask<enqueued>(core, enqueue{"q", {{"ann", 0, "lost"}}}));
  advance(2s);
  EXPECT_EQ(x->answers, 0);
  put("q", {{"ann", 0, "kept"}});
  advance(1s);
  EXPECT_EQ(bodies_of(x->got), strings{"kept"});
}

TEST_F(emodb_waiting, wait_for_a_suspended_queue) {
  make_queue();
  auto settings =
    ask<control_changed>(core, watch_control{nullptr})->state->queues.at("q");
  settings.suspended = true;
  ASSERT_TRUE(change({queue_changed{"q", settings}}));
  put("q", {{"ann", 0, "a"}});
  const auto x = wait_for(10s);
  advance(1s);
  EXPECT_EQ(x->answers, 0);
  EXPECT_EQ(asked, 0);
  settings.suspended = false;
  ASSERT_TRUE(change({queue_changed{"q", settings}}));
  EXPECT_EQ(bodies_of(x->got), strings{"a"});
}

TEST_F(emodb_waiting, ask_seldom_where_they_get_nothing_of_what_there_is) {
  make_queue();
  put("q", items_of("ann", 2));
  const auto held = poll("q", 1);
  const auto x = wait_for(10s, 1, "worker", 1);
  advance(200ms);
  asked = 0;
  for (int i = 0; i < 10; ++i)
    advance(options.pause);
  EXPECT_EQ(x->answers, 0);
  EXPECT_GE(asked, 1);
  EXPECT_LE(asked, 10);
  finish("q", names_of(held));
  advance(options.pause);
  EXPECT_EQ(x->got.size(), 1u);
}

TEST_F(emodb_waiting, are_refused_when_there_are_too_many) {
  make_queue();
  options.waiting_max = 2;
  open_room();
  const auto first = wait_for(1s);
  const auto second = wait_for(10s);
  const auto third = wait_for(10s);
  EXPECT_EQ(third->answers, 1);
  EXPECT_EQ(third->why, ec::overloaded);
  advance(1s);
  EXPECT_EQ(first->answers, 1);
  const auto fourth = wait_for(10s);
  EXPECT_EQ(fourth->answers, 0);
  put("q", items_of("ann", 2));
  EXPECT_EQ(second->got.size(), 1u);
  EXPECT_EQ(fourth->got.size(), 1u);
}

TEST_F(emodb_waiting, of_who_has_the_most_make_room_in_a_full_room) {
  make_queue();
  options.waiting_max = 3;
  open_room();
  const auto first = wait_for(10s, 1, "many");
  const auto second = wait_for(10s, 1, "many");
  const auto third = wait_for(10s, 1, "many");
  const auto other = wait_for(10s, 1, "few");
  EXPECT_EQ(third->answers, 1); // the newest: it is told of nothing
  EXPECT_TRUE(third->got.empty());
  EXPECT_FALSE(third->why);
  EXPECT_EQ(other->answers, 0);
  // Nobody has two more than who comes now.
  const auto again = wait_for(10s, 1, "few");
  EXPECT_EQ(again->why, ec::overloaded);
  const auto more = wait_for(10s, 1, "many");
  EXPECT_EQ(more->why, ec::overloaded);
  const auto third_taker = wait_for(10s, 1, "new");
  EXPECT_EQ(second->answers, 1);
  EXPECT_EQ(third_taker->answers, 0);
  const auto fourth_taker = wait_for(10s, 1, "newer");
  EXPECT_EQ(fourth_taker->why, ec::overloaded);
  put("q", items_of("ann", 3));
  for (const auto& x : {first, other, third_taker})
    EXPECT_EQ(x->got.size(), 1u);
  // All places are free again.
  const auto last = wait_for(10s, 1, "newer");
  EXPECT_EQ(last->answers, 0);
}

TEST_F(emodb_waiting, leave_the_queue_when_nobody_waits) {
  make_queue();
  const auto watching = [&] {
    const auto all = ask<processors_report>(
      caf::actor_cast<queue_actor>(caf::actor_cast<caf::strong_actor_ptr>(
        *ask<queue_port_actor>(core, open_queue{"q"}))),
      report_processors{});
    return all ? all->entries.size() : 99;
  };
  const auto x = wait_for(1s);
  EXPECT_EQ(watching(), 1u);
  advance(1s);
  EXPECT_EQ(x->answers, 1);
  advance(options.tick);
  EXPECT_EQ(watching(), 0u);
}

} // namespace

} // namespace depositd::testing
