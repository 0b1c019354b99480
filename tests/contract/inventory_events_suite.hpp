#pragma once

// What every inventory must do with events and locks.

#include "tests/contract/inventory_fixture.hpp"

namespace depositd {

// -- events

inline premis_event an_event(const std::string& id, micros at_us,
                             const std::string& file = {}) {
  return {.id = id,
          .type =
            file.empty() ? premis_types::ingestion : premis_types::fixity_check,
          .at_us = at_us,
          .detail = "checked against manifest-sha256.txt; \xC3\xBC",
          .outcome = premis_success,
          .outcome_detail = "sha256:" + std::string(64, 'a'),
          .object = "test.edu/photos",
          .file = file,
          .agent = "depositd",
          .owner = "test.edu",
          .job = "jid-1"};
}

inline std::string ids_of(const std::vector<premis_event>& events) {
  std::string out;
  for (const auto& x : events)
    out += (out.empty() ? "" : " ") + x.id;
  return out;
}

TEST_P(inventory_suite, keeps_events_in_the_order_of_their_times) {
  const auto first = an_event("e2", 1'000);
  ASSERT_FALSE(things->record_events(
    {an_event("e3", 2'000, "data/a"), first, an_event("e1", 2'000)}));
  things.reset();
  things = driver->open();
  const auto found = things->events({.object = "test.edu/photos"});
  ASSERT_TRUE(found) << render(found.error());
  EXPECT_EQ(ids_of(*found), "e2 e1 e3");
  ASSERT_EQ(found->size(), 3u);
  EXPECT_EQ(found->front(), first);
}

TEST_P(inventory_suite, records_an_event_once_and_never_changes_it) {
  const auto before = an_event("e1", 1'000);
  ASSERT_FALSE(things->record_events({before}));
  auto again = before;
  again.outcome = premis_failure;
  ASSERT_FALSE(things->record_events({again, an_event("e2", 1'000)}));
  const auto found = things->events({.object = "test.edu/photos"});
  ASSERT_TRUE(found && found->size() == 2);
  EXPECT_EQ(found->front(), before);
}

TEST_P(inventory_suite, records_all_events_or_none) {
  auto wrong = an_event("e2", 1'000);
  wrong.object.clear();
  EXPECT_EQ(things->record_events({an_event("e1", 1'000), wrong}),
            ec::invalid_argument);
  const auto found = things->events({.object = "test.edu/photos"});
  ASSERT_TRUE(found);
  EXPECT_EQ(ids_of(*found), "");
}

TEST_P(inventory_suite, finds_events_by_file_type_and_time) {
  auto other = an_event("e5", 5'000);
  other.object = "test.edu/maps";
  ASSERT_FALSE(things->record_events(
    {an_event("e1", 1'000), an_event("e2", 2'000, "data/a"),
     an_event("e3", 3'000, "data/b"), an_event("e4", 4'000), other}));
  const auto ids = [&](premis_query x) {
    x.object = "test.edu/photos";
    const auto found = things->events(x);
    EXPECT_TRUE(found) << render(found.error());
    return found ? ids_of(*found) : "";
  };
  EXPECT_EQ(ids({.file = "data/a"}), "e2");
  EXPECT_EQ(ids({.type = premis_types::ingestion}), "e1 e4");
  EXPECT_EQ(ids({.of_object = true}), "e1 e4");
  EXPECT_EQ(ids({.since_us = 3'000}), "e3 e4");
  EXPECT_EQ(ids({.after = "e2"}), "e3 e4");
  EXPECT_EQ(ids({.count_max = 2}), "e1 e2");
}

// -- locks

TEST_P(inventory_suite, B16_locks_each_object_once) {
  const object_lock mine{"ark:/1/a", "jid-1", 5, 1'000};
  EXPECT_FALSE(holds(mine));
  EXPECT_TRUE(lock(mine));
  EXPECT_TRUE(holds(mine));
  EXPECT_FALSE(lock({"ark:/1/a", "jid-2", 9, 1'000}));
  EXPECT_TRUE(lock({"ark:/1/b", "jid-2", 9, 1'000}));
  EXPECT_TRUE(holds(mine));
  things.reset();
  things = driver->open();
  EXPECT_TRUE(holds(mine)) << "it outlives the program";
}

TEST_P(inventory_suite, S13_gives_a_lock_to_one_of_many) {
  std::atomic<int> taken = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 20; ++i)
    threads.emplace_back([&, i] {
      const auto done =
        things->lock({"ark:/1/a", "jid-" + std::to_string(i), 1, 1'000}, 100);
      if (done && *done)
        ++taken;
    });
  for (auto& x : threads)
    x.join();
  EXPECT_EQ(taken, 1);
}

TEST_P(inventory_suite, extends_a_lock_for_its_holder) {
  EXPECT_TRUE(lock({"a", "jid-1", 5, 1'000}));
  EXPECT_TRUE(lock({"a", "jid-1", 5, 2'000}));
  EXPECT_TRUE(holds({"a", "jid-1", 5}, 1'500));
  EXPECT_TRUE(lock({"a", "jid-1", 6, 2'000})) << "a later claim takes over";
}

TEST_P(inventory_suite, J28_refuses_a_holder_whose_claim_is_over) {
  EXPECT_TRUE(lock({"a", "jid-1", 5, 1'000}));
  EXPECT_TRUE(lock({"a", "jid-1", 6, 1'000}));
  EXPECT_FALSE(holds({"a", "jid-1", 5}));
  EXPECT_FALSE(lock({"a", "jid-1", 5, 9'000}));
  EXPECT_FALSE(lock({"a", "jid-1", 5, 9'000}, 1'000)) << "nor later";
  EXPECT_TRUE(holds({"a", "jid-1", 6}));
}

TEST_P(inventory_suite, J28_gives_a_lock_whose_time_is_over_to_anybody) {
  EXPECT_TRUE(lock({"a", "jid-1", 5, 1'000}));
  EXPECT_FALSE(lock({"a", "jid-2", 1, 2'000}, 999));
  EXPECT_FALSE(holds({"a", "jid-1", 5}, 1'000));
  EXPECT_TRUE(lock({"a", "jid-2", 1, 2'000}, 1'000));
  EXPECT_FALSE(holds({"a", "jid-1", 5}, 1'000));
  EXPECT_FALSE(lock({"a", "jid-1", 5, 3'000}, 1'500));
}

TEST_P(inventory_suite, J27_gives_up_all_locks_of_a_job) {
  EXPECT_TRUE(lock({"a", "jid-1", 5, 1'000}));
  EXPECT_TRUE(lock({"ann x", "jid-1", 5, 1'000}));
  EXPECT_TRUE(lock({"b", "jid-2", 7, 1'000}));
  EXPECT_FALSE(things->unlock_all("jid-1", 4)) << "an older claim of it";
  EXPECT_FALSE(lock({"a", "jid-3", 1, 1'000}));
  EXPECT_FALSE(things->unlock_all("jid-1", 5));
  EXPECT_FALSE(things->unlock_all("jid-1", any_token)) << "nothing is left";
  EXPECT_TRUE(lock({"a", "jid-3", 1, 1'000}));
  EXPECT_TRUE(lock({"ann x", "jid-3", 1, 1'000}));
  EXPECT_FALSE(lock({"b", "jid-3", 1, 1'000}));
}

TEST_P(inventory_suite, H10_tells_the_newest_claim_that_has_locks) {
  auto* book = dynamic_cast<lock_book*>(things.get());
  // Only who has the tables looks after locks; workers on nodes need not.
  if (GetParam().name == "remote") {
    EXPECT_EQ(book, nullptr);
    return;
  }
  ASSERT_NE(book, nullptr);
  EXPECT_TRUE(lock({"a", "jid-1", 5, 1'000}));
  EXPECT_TRUE(lock({"b", "jid-1", 7, 1'000}));
  EXPECT_TRUE(lock({"c", "jid-2", 9, 1'000}));
  EXPECT_EQ(*book->newest_token("jid-1"), 7u);
  EXPECT_EQ(*book->newest_token("jid-3"), 0u);
}

} // namespace depositd
