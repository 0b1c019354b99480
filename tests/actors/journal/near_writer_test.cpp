// Small groups are written where the actors run, others by the writer that has
// a thread of its own, and never both at once.

#include "actors/journal/journal.hpp"
#include "actors/journal/reply.hpp"
#include "actors/shard/body_reader.hpp"
#include "adapters/stores/memory/memory_journal_store.hpp"
#include "tests/support/actor_fixture.hpp"
#include "tests/support/watched_journal.hpp"

#include <caf/event_based_actor.hpp>

#include <memory>
#include <string>

namespace depositd {

namespace {

using testing::actor_fixture;
using testing::watched_journal;

/// What a writer with a thread of its own has got and not answered.
struct held_messages {
  int groups = 0;
  int refusals = 0;
};

journal::journal_writer_self::behavior_type
slow_writer(journal::journal_writer_self::pointer,
            std::shared_ptr<held_messages> held) {
  return {
    [=](write_group&) -> caf::result<group_written> {
      ++held->groups;
      return journal::answered_later<group_written>();
    },
    [=](journal::refuse_appends&) -> caf::result<journal::appends_refused> {
      ++held->refusals;
      return journal::answered_later<journal::appends_refused>();
    },
  };
}

class near_writer : public actor_fixture {
protected:
  void SetUp() override {
    store = std::make_unique<watched_journal>(open_memory_journal(log));
    options.writer = writer_with(far);
    options.near = writer_with(near);
    options.near_takes.bytes_max = 1'000;
    options.near_takes.rest = 3;
    begin();
  }

  void begin() {
    journal = spawn(journal::journal, options);
    caf::anon_send(journal, begin_generation{1});
    settle();
  }

  journal::journal_writer_self
  writer_with(const std::shared_ptr<journal::journal_backlog>& counts) {
    return spawn(journal::journal_writer,
                 journal::journal_writer_options{
                   store.get(), spawn(shard::body_reader, store.get()),
                   counts});
  }

  static append one_event(std::size_t body_bytes = 10) {
    append out;
    out.generation = 1;
    out.events = 1;
    item_enqueued x;
    x.queue = "q";
    x.body = std::string(body_bytes, 'b');
    encode(record{"ann", {event{x}}}, out.bytes, out.slots);
    return out;
  }

  void write(append x) {
    caf::anon_send(journal, std::move(x));
    settle();
  }

  /// As a writer does to what was sent without being asked for an answer.
  template <class Message>
  void tell_journal(Message what) {
    caf::actor_cast<caf::strong_actor_ptr>(journal)->enqueue(
      nullptr, caf::make_message_id(), caf::make_message(std::move(what)),
      nullptr);
    settle();
  }

  static std::uint64_t
  groups(const std::shared_ptr<journal::journal_backlog>& of) {
    return of->counters[count_groups];
  }

  std::shared_ptr<memory_journal> log = make_memory_journal();
  std::unique_ptr<watched_journal> store;
  std::shared_ptr<journal::journal_backlog> far =
    std::make_shared<journal::journal_backlog>();
  std::shared_ptr<journal::journal_backlog> near =
    std::make_shared<journal::journal_backlog>();
  journal::journal_options options;
  journal_actor journal;
};

} // namespace

TEST_F(near_writer, gets_small_groups_and_no_large_ones) {
  write(one_event());
  EXPECT_EQ(groups(near), 1u);
  write(one_event(5'000));
  EXPECT_EQ(groups(near), 1u);
  EXPECT_EQ(groups(far), 1u);
  write(one_event());
  EXPECT_EQ(groups(near), 2u);
  EXPECT_EQ(store->last(), 3u);
}

TEST_F(near_writer, gets_no_group_of_many_events) {
  auto many = one_event();
  many.events = 65;
  write(std::move(many));
  EXPECT_EQ(groups(near), 0u);
  EXPECT_EQ(groups(far), 1u);
}

TEST_F(near_writer, counts_the_group_and_not_its_members) {
  for (int i = 0; i < 20; ++i)
    caf::anon_send(journal, one_event(100));
  settle();
  EXPECT_EQ(groups(near), 0u);
  EXPECT_EQ(groups(far), 1u);
}

TEST_F(near_writer, rests_after_a_slow_flush_and_is_tried_again) {
  store->during_append = [this] {
    sched.clock().current_time += std::chrono::milliseconds{6};
  };
  write(one_event());
  EXPECT_EQ(groups(near), 1u);
  for (int i = 0; i < 3; ++i)
    write(one_event());
  EXPECT_EQ(groups(far), 3u);
  store->during_append = [] {};
  for (int i = 0; i < 5; ++i)
    write(one_event());
  EXPECT_EQ(groups(near), 6u);
  EXPECT_EQ(groups(far), 3u);
}

TEST_F(near_writer, is_not_there_unless_it_is_given) {
  options.near = nullptr;
  begin();
  write(one_event());
  EXPECT_EQ(groups(near), 0u);
  EXPECT_EQ(groups(far), 1u);
}

// They share the store, and the shares of answers are counted without a lock.
TEST_F(near_writer, gets_nothing_while_the_other_owes_an_answer) {
  const auto held = std::make_shared<held_messages>();
  options.writer = spawn(slow_writer, held);
  begin();
  write(one_event(5'000));
  ASSERT_EQ(held->groups, 1);
  auto late = one_event();
  late.generation = 0;
  write(std::move(late));
  EXPECT_EQ(held->refusals, 1) << "it may be in the same answer";
  write(one_event());
  tell_journal(group_written{});
  EXPECT_EQ(held->groups, 2) << "it still refuses";
  EXPECT_EQ(groups(near), 0u);
  tell_journal(journal::appends_refused{});
  tell_journal(group_written{});
  write(one_event());
  EXPECT_EQ(groups(near), 1u);
}

// The first was too few, so a lap was begun, which ends while the writer has
// the first two.
TEST_F(near_writer, or_the_other_has_one_group_at_a_time) {
  const auto held = std::make_shared<held_messages>();
  options.writer = spawn(slow_writer, held);
  options.near = nullptr;
  options.enough.events = 2;
  begin();
  for (int i = 0; i < 3; ++i)
    caf::anon_send(journal, one_event());
  settle();
  write(one_event());
  EXPECT_EQ(held->groups, 1);
  tell_journal(group_written{});
  EXPECT_EQ(held->groups, 2);
}

TEST_F(near_writer, refuses_what_fails_and_the_engine_starts_over) {
  fail_appends(*log, 1);
  write(one_event());
  EXPECT_EQ(store->last(), 0u);
  write(one_event());
  EXPECT_EQ(store->last(), 0u) << "it rests on what is not true";
  caf::anon_send(journal, begin_generation{2});
  auto next = one_event();
  next.generation = 2;
  write(std::move(next));
  EXPECT_EQ(store->last(), 1u);
  EXPECT_EQ(groups(near), 2u);
}

TEST_F(near_writer, ends_the_journal_with_it) {
  caf::anon_send_exit(options.near, caf::exit_reason::user_shutdown);
  settle();
  auto answer = self->request(journal, caf::infinite, begin_generation{2});
  settle();
  caf::error why;
  answer.receive([] {}, [&](caf::error& x) { why = x; });
  EXPECT_EQ(why, caf::sec::request_receiver_down);
}

} // namespace depositd
