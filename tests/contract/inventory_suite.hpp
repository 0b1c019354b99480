#pragma once

// What every inventory must do: objects and versions, here, and the rest.

#include "tests/contract/inventory_events_suite.hpp"

namespace depositd {

TEST_P(inventory_suite, keeps_what_was_recorded) {
  auto entry = an_entry("ark:/1/a", "jid-1");
  entry.local_ids = {"z 1", "a/1"};
  record(entry);
  things.reset();
  things = driver->open();
  const auto found = one("ark:/1/a");
  EXPECT_EQ(found.collection, "maps");
  EXPECT_EQ(found.owner, "ann");
  EXPECT_EQ(found.local_ids, (std::vector<std::string>{"z 1", "a/1"}));
  EXPECT_EQ(found.storage, std::vector<std::string>{"local"});
  ASSERT_EQ(found.versions.size(), 1u);
  const auto& version = found.versions[0];
  EXPECT_EQ(version.number, 1u);
  EXPECT_EQ(version.job, "jid-1");
  EXPECT_EQ(version.batch, "bid-1");
  EXPECT_EQ(version.user, "bob");
  EXPECT_EQ(version.title, "Über 100% of \\ ark:/1/a");
  EXPECT_EQ(version.creator, "Müller");
  EXPECT_EQ(version.date, "1999");
  EXPECT_EQ(version.bytes, 7u);
  EXPECT_EQ(version.files, 2u);
  EXPECT_EQ(version.recorded_us, 1'000);
  const auto files = things->files("ark:/1/a", 1);
  ASSERT_TRUE(files) << render(files.error());
  EXPECT_EQ(*files, entry.files);
}

TEST_P(inventory_suite, changes_nothing_when_a_job_comes_again) {
  record(an_entry("ark:/1/a", "jid-1"));
  auto again = an_entry("ark:/1/a", "jid-1", 2);
  again.version.title = "other";
  record(again);
  ASSERT_EQ(one("ark:/1/a").versions.size(), 1u);
  EXPECT_NE(one("ark:/1/a").versions[0].title, "other");
  EXPECT_EQ(things->record(an_entry("ark:/1/b", "jid-1")), ec::already_exists);
  EXPECT_EQ(find({}), "ark:/1/a");
}

TEST_P(inventory_suite, M17_keeps_versions_in_order) {
  record(an_entry("ark:/1/a", "jid-1"));
  auto third = an_entry("ark:/1/a", "jid-3", 3);
  third.storage = {"far", "local"};
  third.files.pop_back();
  record(third);
  record(an_entry("ark:/1/a", "jid-2", 2));
  const auto found = one("ark:/1/a");
  std::string jobs;
  for (const auto& x : found.versions)
    jobs += x.job + " ";
  EXPECT_EQ(jobs, "jid-1 jid-2 jid-3 ");
  EXPECT_EQ(found.storage, (std::vector<std::string>{"local", "far"}));
  EXPECT_EQ(things->files("ark:/1/a", 0)->size(), 1u) << "of the last";
  EXPECT_EQ(things->files("ark:/1/a", 2)->size(), 2u);
  EXPECT_EQ(things->files("ark:/1/a", 4).error(), ec::not_found);
  EXPECT_EQ(things->files("ark:/1/x", 0).error(), ec::not_found);
}

TEST_P(inventory_suite, knows_a_version_once_whoever_made_it) {
  record(an_entry("ark:/1/a", "jid-1"));
  record(an_entry("ark:/1/a", "jid-2"));
  EXPECT_EQ(one("ark:/1/a").versions.size(), 1u);
  EXPECT_EQ(one("ark:/1/a").versions[0].job, "jid-1");
}

TEST_P(inventory_suite, a_known_number_with_other_files_is_the_next_version) {
  record(an_entry("ark:/1/a", "jid-1"));
  record(an_entry("ark:/1/a", "jid-2", 2));
  auto other = an_entry("ark:/1/a", "jid-3");
  other.files[0].sha512 = std::string(128, 'c');
  record(other);
  auto found = one("ark:/1/a");
  ASSERT_EQ(found.versions.size(), 3u);
  EXPECT_EQ(found.versions[2].number, 3u);
  EXPECT_EQ(found.versions[2].job, "jid-3");
  const auto files = things->files("ark:/1/a", 3);
  ASSERT_TRUE(files) << render(files.error());
  EXPECT_EQ(*files, other.files);
  EXPECT_EQ(things->files("ark:/1/a", 1)->front().sha512, std::string(128, 'a'))
    << "what was recorded stays";
  // Neither the job again nor another one with the same files adds to it.
  record(other);
  other.version.job = "jid-4";
  std::swap(other.files[0], other.files[1]);
  record(other);
  EXPECT_EQ(one("ark:/1/a").versions.size(), 3u);
}

TEST_P(inventory_suite, finds_what_is_of_any_of_some_owners_and_collections) {
  for (const auto* owner : {"ann", "bob", "cyd"})
    for (const auto* collection : {"books", "maps"}) {
      const auto name = std::string{owner} + "-" + collection;
      auto x = an_entry(name, "jid-" + name);
      x.owner = owner;
      x.collection = collection;
      record(x);
    }
  EXPECT_EQ(find({.owners = {"bob", "cyd", "o'x"}, .collections = {"maps"}}),
            "bob-maps cyd-maps");
  EXPECT_EQ(find({.owner = "bob", .owners = {"ann", "bob"}}),
            "bob-books bob-maps");
  EXPECT_EQ(find({.owner = "cyd", .owners = {"ann", "bob"}}), "");
  EXPECT_EQ(
    find(
      {.after = "ann-maps", .count_max = 2, .collections = {"books", "maps"}}),
    "bob-books bob-maps");
}

TEST_P(inventory_suite, refuses_what_cannot_be_found_again) {
  EXPECT_EQ(things->record(an_entry("", "jid-1")), ec::invalid_argument);
  EXPECT_EQ(things->record(an_entry(std::string(1'025, 'x'), "jid-1")),
            ec::invalid_argument);
  EXPECT_EQ(things->record(an_entry("ark:/1/a", "")), ec::invalid_argument);
  EXPECT_EQ(things->record(an_entry("ark:/1/a", "jid-1", 0)),
            ec::invalid_argument);
  EXPECT_EQ(things->bind_local_id("ann", "", "ark:/1/a"), ec::invalid_argument);
  EXPECT_EQ(things->bind_local_id("ann", std::string(1'025, 'x'), "ark:/1/a"),
            ec::invalid_argument);
  EXPECT_EQ(things->lock({.name = "", .holder = "j"}, 1).error(),
            ec::invalid_argument);
  EXPECT_EQ(find({}), "");
}

TEST_P(inventory_suite, M20_binds_a_local_id_once) {
  EXPECT_FALSE(things->bind_local_id("ann", "x", "ark:/1/a"));
  EXPECT_FALSE(things->bind_local_id("ann", "x", "ark:/1/a"));
  EXPECT_FALSE(things->bind_local_id("bob", "x", "ark:/1/b"));
  const auto failed = things->bind_local_id("ann", "x", "ark:/1/c");
  EXPECT_EQ(failed, ec::already_exists);
  EXPECT_NE(render(failed).find("ark:/1/a"), std::string::npos);
  EXPECT_EQ(*things->of_local_id("ann", "x"), "ark:/1/a");
  EXPECT_EQ(*things->of_local_id("bob", "x"), "ark:/1/b");
  EXPECT_EQ(*things->of_local_id("ann", "y"), std::nullopt);
}

TEST_P(inventory_suite, M20_records_nothing_under_a_local_id_of_another) {
  ASSERT_FALSE(things->bind_local_id("ann", "x", "ark:/1/a"));
  auto entry = an_entry("ark:/1/b", "jid-1");
  entry.local_ids = {"new", "x"};
  EXPECT_EQ(things->record(entry), ec::already_exists);
  EXPECT_EQ(find({}), "");
  EXPECT_EQ(*things->of_local_id("ann", "new"), std::nullopt);
}

TEST_P(inventory_suite, M19_binds_one_identifier_when_many_want_it) {
  std::atomic<int> bound = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 20; ++i)
    threads.emplace_back([&, i] {
      if (!things->bind_local_id("ann", "x", "ark:/1/" + std::to_string(i)))
        ++bound;
    });
  for (auto& x : threads)
    x.join();
  EXPECT_EQ(bound, 1);
}

TEST_P(inventory_suite, finds_by_everything_that_people_ask) {
  auto first = an_entry("ark:/1/a", "jid-1");
  first.local_ids = {"L-1"};
  record(first);
  auto second = an_entry("ark:/1/b", "jid-2");
  second.owner = "eve";
  second.collection = "books";
  second.version.title = "Äpfel_und Birnen";
  second.files[0].path = "producer/sub/PAGE-1!.xml";
  record(second);
  EXPECT_EQ(find({}), "ark:/1/a ark:/1/b");
  EXPECT_EQ(find({.identifier = "ark:/1/b"}), "ark:/1/b");
  EXPECT_EQ(find({.identifier = "ark:/1/"}), "");
  EXPECT_EQ(find({.local_id = "L-1"}), "ark:/1/a");
  EXPECT_EQ(find({.local_id = "l-1"}), "");
  EXPECT_EQ(find({.owner = "eve"}), "ark:/1/b");
  EXPECT_EQ(find({.collection = "maps"}), "ark:/1/a");
  EXPECT_EQ(find({.title = "äPFEL"}), "ark:/1/b");
  EXPECT_EQ(find({.title = "100% OF \\"}), "ark:/1/a");
  EXPECT_EQ(find({.title = "%"}), "ark:/1/a") << "is no wildcard";
  EXPECT_EQ(find({.title = "l_u"}), "ark:/1/b") << "is no wildcard";
  EXPECT_EQ(find({.title = "r_1"}), "") << "is no wildcard";
  EXPECT_EQ(find({.file_name = "page-1!"}), "ark:/1/b");
  EXPECT_EQ(find({.file_name = "erc.txt"}), "ark:/1/a ark:/1/b");
  EXPECT_EQ(find({.owner = "ann", .collection = "books"}), "");
  EXPECT_EQ(find({.owner = "eve", .title = "birnen", .file_name = "sub"}),
            "ark:/1/b");
  EXPECT_EQ(find({.title = "x' OR '1'='1"}), "");
}

TEST_P(inventory_suite, finds_what_only_an_earlier_version_had) {
  auto first = an_entry("ark:/1/a", "jid-1");
  first.version.title = "Old";
  record(first);
  auto second = an_entry("ark:/1/a", "jid-2", 2);
  second.files = {{"producer/new", 1, std::string(128, 'c')}};
  record(second);
  EXPECT_EQ(find({.title = "old"}), "ark:/1/a");
  EXPECT_EQ(find({.file_name = "a map"}), "ark:/1/a");
}

TEST_P(inventory_suite, finds_page_by_page) {
  for (const auto* x : {"c", "a", "e", "b", "d"})
    record(an_entry(x, std::string{"jid-"} + x));
  EXPECT_EQ(find({.count_max = 2}), "a b");
  EXPECT_EQ(find({.after = "b", .count_max = 2}), "c d");
  EXPECT_EQ(find({.after = "d", .count_max = 2}), "e");
  EXPECT_EQ(find({.after = "e"}), "");
}

TEST_P(inventory_suite, says_what_collections_take) {
  record(an_entry("a", "jid-1"));
  auto later = an_entry("a", "jid-2", 2);
  later.version.recorded_us = 2'000;
  later.version.bytes = 10;
  later.version.files = 3;
  record(later);
  auto other = an_entry("b", "jid-3");
  other.collection = "books";
  record(other);
  const auto use = things->use_of_collections(2'000);
  ASSERT_TRUE(use) << render(use.error());
  ASSERT_EQ(use->size(), 2u);
  EXPECT_EQ(use->at(0).collection, "books");
  EXPECT_EQ(use->at(0).bytes_since, 0u);
  const auto& maps = use->at(1);
  EXPECT_EQ(maps.collection, "maps");
  EXPECT_EQ(maps.objects, 1u);
  EXPECT_EQ(maps.versions, 2u);
  EXPECT_EQ(maps.files, 5u);
  EXPECT_EQ(maps.bytes, 17u);
  EXPECT_EQ(maps.bytes_since, 10u);
}

TEST_P(inventory_suite, says_what_each_user_recorded_in_a_time) {
  record(an_entry("a", "jid-1")); // bob, at 1'000
  auto later = an_entry("a", "jid-2", 2);
  later.version.recorded_us = 2'000;
  record(later);
  auto other = an_entry("b", "jid-3");
  other.version.recorded_us = 1'999;
  other.version.user = "ann";
  record(other);
  auto books = an_entry("c", "jid-4");
  books.collection = "books";
  record(books);
  const auto use = things->recorded_in({1'000, 2'000, "", "", 10});
  ASSERT_TRUE(use) << render(use.error());
  ASSERT_EQ(use->size(), 3u);
  EXPECT_EQ(use->at(0).collection, "books");
  EXPECT_EQ(use->at(1).user, "ann");
  const auto& bob = use->at(2);
  EXPECT_EQ(bob.collection, "maps");
  EXPECT_EQ(bob.user, "bob");
  EXPECT_EQ(bob.objects, 1u);
  EXPECT_EQ(bob.versions, 1u) << "the second came at the end of the time";
  EXPECT_EQ(bob.files, 2u);
  EXPECT_EQ(bob.bytes, 7u);
  const auto both = things->recorded_in({1'000, 2'001, "", "", 10});
  ASSERT_TRUE(both && both->size() == 3);
  EXPECT_EQ(both->at(2).objects, 1u);
  EXPECT_EQ(both->at(2).versions, 2u);
  const auto first = things->recorded_in({0, 3'000, "", "", 1});
  ASSERT_TRUE(first);
  EXPECT_EQ(first->size(), 1u);
  const auto anns = things->recorded_in({0, 3'000, "ann", "", 1});
  ASSERT_TRUE(anns && anns->size() == 1);
  EXPECT_EQ(anns->at(0).user, "ann") << "whoever comes before her";
  const auto maps = things->recorded_in({0, 3'000, "bob", "maps", 10});
  ASSERT_TRUE(maps && maps->size() == 1);
  EXPECT_EQ(maps->at(0).collection, "maps");
}

TEST_P(inventory_suite, records_many_at_once) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      record(an_entry("ark:/1/a", "jid-" + std::to_string(i),
                      static_cast<std::uint32_t>(i + 1)));
    });
  for (auto& x : threads)
    x.join();
  EXPECT_EQ(one("ark:/1/a").versions.size(), 8u);
}

} // namespace depositd
