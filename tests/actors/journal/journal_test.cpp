// Group commit, and what leaves after it.

#include "actors/journal/journal.hpp"
#include "actors/journal/reply.hpp"
#include "actors/shard/body_reader.hpp"
#include "adapters/stores/memory/memory_journal_store.hpp"
#include "messages/processors.hpp"
#include "messages/shard.hpp"
#include "tests/adapters/doors/crossref/fake_stores.hpp"
#include "tests/support/actor_fixture.hpp"
#include "tests/support/watched_journal.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace depositd {

namespace {

using testing::actor_fixture;
using testing::fake_registry;
using testing::watched_journal;

/// Everything that one receiver got, message by message.
struct arrivals {
  std::vector<deliver> handed_out;
  std::vector<body_locations> placed;
  std::vector<std::string> failures;
};

using arrivals_ptr = std::shared_ptr<arrivals>;

caf::behavior receiver(caf::event_based_actor*, arrivals_ptr to) {
  return {
    [=](const deliver& x) { to->handed_out.push_back(x); },
    [=](const body_locations& x) { to->placed.push_back(x); },
    [=](const journal_failed& x) { to->failures.push_back(render(x.reason)); },
  };
}

/// Sends on under the request that it got, as shard and nodes do.
using asker_actor = caf::typed_actor<caf::replies_to<std::string>::with<done>>;

asker_actor::behavior_type asker(asker_actor::pointer self,
                                 std::shared_ptr<reply_address> where) {
  return {
    [=](const std::string&) {
      *where = journal::take_reply(self);
      return journal::answered_later<done>();
    },
  };
}

class journal_test : public actor_fixture {
protected:
  void SetUp() override {
    log = make_memory_journal();
    store = std::make_unique<watched_journal>(open_memory_journal(log));
    watcher = spawn(receiver, news);
    backlog = std::make_shared<journal::journal_backlog>();
    options.writer =
      spawn(journal::journal_writer,
            journal::journal_writer_options{
              store.get(), spawn(shard::body_reader, store.get()), backlog,
              &registry});
    options.shard_watcher = caf::actor_cast<caf::strong_actor_ptr>(watcher);
    begin_journal();
  }

  void begin_journal() {
    writer = spawn(journal::journal, options);
    caf::anon_send(writer, begin_generation{1});
    settle();
  }

  /// One event, with a body of these bytes.
  append one_event(item_id id, const std::string& body = "") {
    append out;
    out.generation = 1;
    out.events = 1;
    item_enqueued x;
    x.id = id;
    x.queue = "q";
    x.body = body;
    encode(record{"ann", {event{x}}}, out.bytes, out.slots);
    backlog->bytes += out.bytes.size();
    return out;
  }

  /// An event whose commit that request waits for.
  append answering_event(const reply_address& where) {
    auto out = one_event(1);
    out.deliveries.emplace_back(reply{where, caf::make_message(done{})});
    return out;
  }

  /// The address of a request of the test's own; its answer comes to `self`.
  auto open_request(reply_address& where) {
    auto address = std::make_shared<reply_address>();
    auto via = spawn(asker, address);
    auto handle = self->request(via, caf::infinite, std::string{"open"});
    settle();
    where = *address;
    return handle;
  }

  template <class Handle>
  bool answered_with_done(Handle& handle) {
    if (!self->has_next_message())
      return false;
    bool out = false;
    handle.receive([&](done) { out = true; }, [](caf::error&) {});
    return out;
  }

  template <class Handle>
  caf::error answered_with_error(Handle& handle) {
    caf::error out;
    if (self->has_next_message())
      handle.receive([](done) {}, [&](caf::error& why) { out = why; });
    return out;
  }

  static hand_out item_for(const caf::strong_actor_ptr& to, item_id id,
                           const std::string& body) {
    hand_out out;
    out.to = to;
    out.item.id = id;
    out.body = std::make_shared<const std::string>(body);
    return out;
  }

  caf::strong_actor_ptr spawn_receiver(const arrivals_ptr& to) {
    return caf::actor_cast<caf::strong_actor_ptr>(spawn(receiver, to));
  }

  arrivals_ptr news = std::make_shared<arrivals>();
  std::shared_ptr<memory_journal> log;
  std::unique_ptr<watched_journal> store;
  fake_registry registry;
  caf::actor watcher;
  std::shared_ptr<journal::journal_backlog> backlog;
  journal::journal_options options;
  journal_actor writer;
};

TEST_F(journal_test, writes_what_came_before_the_flush_as_one_group) {
  for (item_id id = 1; id <= 3; ++id)
    caf::anon_send(writer, one_event(id));
  settle();
  EXPECT_EQ(store->groups, std::vector<std::uint32_t>{3});
  caf::anon_send(writer, one_event(4));
  settle();
  EXPECT_EQ(store->groups, (std::vector<std::uint32_t>{3, 1}));
  EXPECT_EQ(store->last(), 4u);
}

TEST_F(journal_test, makes_the_next_group_of_what_came_during_a_flush) {
  store->during_append = [&] {
    if (store->groups.empty())
      for (item_id id = 2; id <= 4; ++id)
        caf::anon_send(writer, one_event(id));
  };
  caf::anon_send(writer, one_event(1));
  settle();
  EXPECT_EQ(store->groups, (std::vector<std::uint32_t>{1, 3}));
}

TEST_F(journal_test, keeps_the_higher_of_two_marks_of_a_partition) {
  store->during_append = [&] {
    if (!store->groups.empty())
      return;
    caf::anon_send(writer, keep_watermark{{"in/0", 9}});
    auto later = one_event(2);
    later.bundle = std::make_shared<append_bundle>();
    later.bundle->parts = 1;
    later.bundle->watermarks = {{"in/0", 5}};
    caf::anon_send(writer, std::move(later));
  };
  caf::anon_send(writer, one_event(1));
  settle();
  EXPECT_EQ(store->groups, (std::vector<std::uint32_t>{1, 1}));
  EXPECT_EQ(store->watermarks(),
            (std::vector<watermark>{{"in/0", 9}}));
}

TEST_F(journal_test, flushes_a_group_that_is_large_enough) {
  options.group_bytes_max = 100;
  begin_journal();
  for (item_id id = 1; id <= 4; ++id)
    caf::anon_send(writer, one_event(id, std::string(60, 'x')));
  settle();
  EXPECT_EQ(store->groups, (std::vector<std::uint32_t>{2, 2}));
}

TEST_F(journal_test, gives_an_idle_writer_at_once_what_is_enough) {
  options.enough.events = 3;
  begin_journal();
  for (item_id id = 1; id <= 7; ++id)
    caf::anon_send(writer, one_event(id));
  settle();
  EXPECT_EQ(store->groups, (std::vector<std::uint32_t>{3, 4}));
  caf::anon_send(writer, one_event(8));
  caf::anon_send(writer, one_event(9));
  settle();
  EXPECT_EQ(store->groups, (std::vector<std::uint32_t>{3, 4, 2}))
    << "too few, counted from none";
}

TEST_F(journal_test, has_enough_in_large_bodies_too) {
  options.enough.bytes = 100;
  begin_journal();
  for (item_id id = 1; id <= 4; ++id)
    caf::anon_send(writer, one_event(id, std::string(60, 'x')));
  settle();
  EXPECT_EQ(store->groups, (std::vector<std::uint32_t>{2, 2}));
}

TEST_F(journal_test, never_has_enough_of_a_bundle_that_is_not_whole) {
  options.enough.events = 1;
  begin_journal();
  const auto bundle = std::make_shared<append_bundle>();
  bundle->parts = 3;
  for (item_id id = 1; id <= 3; ++id) {
    EXPECT_TRUE(store->groups.empty());
    auto part = one_event(id);
    part.bundle = bundle;
    caf::anon_send(writer, std::move(part));
    settle();
  }
  EXPECT_EQ(store->groups, std::vector<std::uint32_t>{3});
}

TEST_F(journal_test, writes_a_bundle_as_one_group_however_large_it_is) {
  options.group_bytes_max = 100;
  begin_journal();
  const auto bundle = std::make_shared<append_bundle>();
  bundle->parts = 3;
  for (item_id id = 1; id <= 3; ++id) {
    auto part = one_event(id, std::string(200, 'x'));
    part.bundle = bundle;
    caf::anon_send(writer, std::move(part));
  }
  settle();
  EXPECT_EQ(store->groups, std::vector<std::uint32_t>{3});
}

TEST_F(journal_test, answers_only_after_the_append_has_returned) {
  reply_address where;
  auto handle = open_request(where);
  auto message = answering_event(where);
  bool early = false;
  store->during_append = [&] { early = self->has_next_message(); };
  caf::anon_send(writer, std::move(message));
  settle();
  EXPECT_FALSE(early);
  EXPECT_TRUE(answered_with_done(handle));
}

TEST_F(journal_test, hands_a_processor_all_of_a_group_in_one_message) {
  auto first = std::make_shared<arrivals>();
  auto second = std::make_shared<arrivals>();
  const auto one = spawn_receiver(first);
  const auto two = spawn_receiver(second);
  for (item_id id = 1; id <= 4; ++id) {
    auto message = one_event(id);
    message.deliveries.emplace_back(
      item_for(id % 2 == 1 ? one : two, id, std::to_string(id)));
    message.deliveries.emplace_back(settlement_notice{one, id + 10, true});
    caf::anon_send(writer, std::move(message));
  }
  settle();
  ASSERT_EQ(first->handed_out.size(), 1u);
  ASSERT_EQ(second->handed_out.size(), 1u);
  const auto& got = first->handed_out[0];
  ASSERT_EQ(got.items.size(), 2u);
  EXPECT_EQ(got.items[0].body, "1");
  EXPECT_EQ(got.items[1].body, "3");
  EXPECT_EQ(got.settled.size(), 4u);
  EXPECT_EQ(second->handed_out[0].items.size(), 2u);
}

TEST_F(journal_test, answers_a_shared_reply_after_its_last_share) {
  options.group_bytes_max = 1; // a group per append
  begin_journal();
  reply_address where;
  auto handle = open_request(where);
  auto share = std::make_shared<shared_reply>();
  share->where = where;
  share->shares = 3;
  share->what = [] { return caf::make_message(done{}); };
  for (item_id id = 1; id <= 3; ++id) {
    EXPECT_FALSE(self->has_next_message());
    auto message = one_event(id);
    message.deliveries.emplace_back(share);
    caf::anon_send(writer, std::move(message));
    settle();
  }
  EXPECT_EQ(store->groups.size(), 3u);
  EXPECT_TRUE(answered_with_done(handle));
}

TEST_F(journal_test, refuses_a_shared_reply_if_one_of_its_groups_fails) {
  reply_address where;
  auto handle = open_request(where);
  auto share = std::make_shared<shared_reply>();
  share->where = where;
  share->shares = 2;
  share->what = [] { return caf::make_message(done{}); };
  auto first = one_event(1);
  first.deliveries.emplace_back(share);
  caf::anon_send(writer, std::move(first));
  settle();
  fail_appends(*log, 1);
  auto second = one_event(2);
  second.deliveries.emplace_back(share);
  caf::anon_send(writer, std::move(second));
  settle();
  EXPECT_EQ(answered_with_error(handle), ec::store_failed);
}

TEST_F(journal_test, refuses_everything_after_a_failure_until_begun_anew) {
  auto to = std::make_shared<arrivals>();
  const auto processor = spawn_receiver(to);
  fail_appends(*log, 1);
  for (item_id id = 1; id <= 2; ++id) {
    auto message = one_event(id);
    message.deliveries.emplace_back(item_for(processor, id, "x"));
    caf::anon_send(writer, std::move(message));
    settle();
  }
  EXPECT_EQ(news->failures.size(), 1u);
  EXPECT_EQ(store->last(), 0u);
  EXPECT_TRUE(to->handed_out.empty());
  EXPECT_EQ(backlog->bytes, 0u);
  caf::anon_send(writer, begin_generation{2});
  auto message = one_event(3);
  message.generation = 2;
  caf::anon_send(writer, std::move(message));
  settle();
  EXPECT_EQ(store->last(), 1u);
}

TEST_F(journal_test, keeps_no_mark_of_before_it_was_begun_anew) {
  fail_appends(*log, 1);
  caf::anon_send(writer, one_event(1));
  settle();
  caf::anon_send(writer, keep_watermark{{"in/0", 9}});
  caf::anon_send(writer, begin_generation{2});
  auto message = one_event(2);
  message.generation = 2;
  caf::anon_send(writer, std::move(message));
  settle();
  EXPECT_EQ(store->last(), 1u);
  EXPECT_TRUE(store->watermarks().empty());
}

TEST_F(journal_test, counts_what_is_enough_from_none_after_a_failure) {
  options.enough.events = 3;
  begin_journal();
  fail_appends(*log, 1);
  store->during_append = [&, sent = false]() mutable {
    if (!std::exchange(sent, true))
      for (item_id id = 2; id <= 3; ++id)
        caf::anon_send(writer, one_event(id));
  };
  caf::anon_send(writer, one_event(1));
  settle();
  caf::anon_send(writer, begin_generation{2});
  for (item_id id = 4; id <= 5; ++id) {
    auto message = one_event(id);
    message.generation = 2;
    caf::anon_send(writer, std::move(message));
  }
  settle();
  EXPECT_EQ(store->groups, std::vector<std::uint32_t>{2});
}

TEST_F(journal_test, has_what_outcomes_rest_on_flushed_before_each_group) {
  std::vector<int> flushes;
  store->during_append = [&] { flushes.push_back(registry.flushes); };
  for (item_id id = 1; id <= 2; ++id) {
    caf::anon_send(writer, one_event(id));
    settle();
  }
  EXPECT_EQ(flushes, (std::vector<int>{1, 2}));
}

TEST_F(journal_test, writes_no_outcome_that_rests_on_what_may_be_lost) {
  registry.failing = true;
  reply_address where;
  auto handle = open_request(where);
  caf::anon_send(writer, answering_event(where));
  settle();
  EXPECT_EQ(answered_with_error(handle), ec::store_failed);
  EXPECT_EQ(store->last(), 0u);
  EXPECT_EQ(news->failures.size(), 1u);
}

TEST_F(journal_test, refuses_what_earlier_generations_send) {
  caf::anon_send(writer, begin_generation{2});
  reply_address where;
  auto handle = open_request(where);
  caf::anon_send(writer, answering_event(where));
  settle();
  EXPECT_EQ(answered_with_error(handle), ec::store_failed);
  EXPECT_TRUE(store->groups.empty());
}

TEST_F(journal_test, writes_what_came_in_time_before_a_new_generation) {
  reply_address where;
  auto handle = open_request(where);
  auto marker = append{};
  marker.generation = 2;
  marker.deliveries.emplace_back(reply{where, caf::make_message(done{})});
  sequence seen = 0;
  caf::anon_send(writer, one_event(1));
  caf::anon_send(writer, begin_generation{2});
  caf::anon_send(writer, std::move(marker));
  settle();
  seen = store->last();
  EXPECT_EQ(seen, 1u);
  EXPECT_TRUE(answered_with_done(handle));
}

TEST_F(journal_test, keeps_an_append_without_events_in_its_place) {
  reply_address where;
  auto handle = open_request(where);
  append empty;
  empty.generation = 1;
  empty.deliveries.emplace_back(reply{where, caf::make_message(done{})});
  fail_appends(*log, 1);
  caf::anon_send(writer, one_event(1));
  caf::anon_send(writer, std::move(empty));
  settle();
  EXPECT_EQ(answered_with_error(handle), ec::store_failed)
    << "it rests on events before it";
}

TEST_F(journal_test, tells_where_bodies_are_and_reads_them_from_there) {
  auto to = std::make_shared<arrivals>();
  const auto node = spawn_receiver(to);
  caf::anon_send(writer, one_event(1, "first"));
  auto message = one_event(2, "second");
  message.locations_to = node;
  message.locations_queue = "q";
  caf::anon_send(writer, std::move(message));
  settle();
  ASSERT_EQ(to->placed.size(), 1u);
  EXPECT_EQ(to->placed[0].queue, "q");
  ASSERT_EQ(to->placed[0].found.size(), 1u);
  const auto [id, place] = to->placed[0].found[0];
  EXPECT_EQ(id, 2u);
  EXPECT_EQ(store->read_body(place), std::string{"second"});

  auto claimed = one_event(3);
  hand_out away;
  away.to = node;
  away.item.id = 2;
  away.place = place;
  claimed.deliveries.emplace_back(std::move(away));
  caf::anon_send(writer, std::move(claimed));
  settle();
  ASSERT_EQ(to->handed_out.size(), 1u);
  EXPECT_EQ(to->handed_out[0].items.at(0).body, "second");
}

} // namespace

} // namespace depositd
