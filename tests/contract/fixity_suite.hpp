#pragma once

// What every inventory with a book of checks must do.

#include "tests/contract/inventory_suite.hpp"

namespace depositd {

class fixity_suite : public ::testing::TestWithParam<inventory_candidate> {
protected:
  static constexpr micros day = micros{86'400} * 1'000'000;
  static constexpr micros now = 1'000 * day;

  void SetUp() override {
    driver_ = GetParam().make();
    open();
  }

  void open() {
    things_.reset();
    things_ = driver_->open();
    ASSERT_TRUE(things_);
    ASSERT_NE(things_->checks(), nullptr);
  }

  fixity_book& book() {
    return *things_->checks();
  }

  /// An object of one file, which was stored so long ago.
  void
  store(const std::string& object, micros recorded_us,
        std::vector<std::string> storage = {"local"},
        const std::string& owner = "ann",
        std::vector<stored_file> files = {{"data/a", 1, std::string(128, 'a')}},
        std::uint32_t number = 1) {
    inventory_entry x;
    x.identifier = object;
    x.collection = "c-" + owner;
    x.owner = owner;
    x.storage = std::move(storage);
    x.version.number = number;
    x.version.job = "jid-" + object + "-" + std::to_string(number);
    x.version.batch = "bid-1";
    x.version.user = owner;
    x.version.recorded_us = recorded_us;
    for (const auto& file : files)
      x.version.bytes += file.bytes;
    x.version.files = files.size();
    x.files = std::move(files);
    const auto failed = things_->record(x);
    ASSERT_FALSE(failed) << render(failed);
  }

  std::string due_text(fixity_query ask = {}) {
    if (ask.checked_before_us == never)
      ask.checked_before_us = now - 90 * day;
    const auto found = book().due(ask);
    EXPECT_TRUE(found) << render(found.error());
    std::string out;
    if (found)
      for (const auto& x : *found)
        out += (out.empty() ? "" : " ") + x.object + ":" + x.path;
    return out;
  }

  static premis_event an_event(const std::string& object,
                               const std::string& type, micros at_us,
                               const std::string& id) {
    premis_event out;
    out.id = id;
    out.type = type;
    out.at_us = at_us;
    out.detail = "d";
    out.outcome = premis_success;
    out.object = object;
    out.agent = "test";
    out.owner = "ann";
    return out;
  }

  static constexpr const char* some_uuid =
    "00000000-0000-4000-8000-000000000001";
  static constexpr const char* other_uuid =
    "00000000-0000-4000-8000-000000000002";

  std::unique_ptr<inventory_driver> driver_;
  std::unique_ptr<inventory> things_;
};

TEST_P(fixity_suite, row_p31_all_that_is_old_is_due_the_oldest_first) {
  store("d89", now - 89 * day);
  store("d90", now - 90 * day - 1);
  store("d119", now - 119 * day);
  store("d121", now - 121 * day);
  store("null", never);
  EXPECT_EQ(due_text(), "null:data/a d121:data/a d119:data/a d90:data/a");
}

TEST_P(fixity_suite, gives_no_more_than_was_asked_for) {
  for (int i = 0; i < 30; ++i)
    store("o" + std::to_string(100 + i), now - (200 - i) * day);
  fixity_query ask;
  ask.count_max = 2;
  EXPECT_EQ(due_text(ask), "o100:data/a o101:data/a");
}

TEST_P(fixity_suite, what_was_checked_is_not_due_and_stays_so) {
  store("x", now - 100 * day);
  store("y", now - 99 * day);
  auto event = an_event("x", premis_types::fixity_check, now, some_uuid);
  event.file = "data/a";
  ASSERT_FALSE(book().checked("x", "data/a", event));
  const auto failed = book().checked("x", "data/a", event);
  ASSERT_FALSE(failed) << render(failed);
  open();
  EXPECT_EQ(due_text(), "y:data/a");
  const auto events = things_->events({.object = "x"});
  ASSERT_TRUE(events);
  EXPECT_EQ(events->size(), 1u);
  const auto last = book().last_check("x", "data/a");
  ASSERT_TRUE(last && *last);
  EXPECT_EQ((**last).checked_us, now);
  EXPECT_EQ((**last).owner, "ann");
}

TEST_P(fixity_suite, knows_new_objects_and_what_is_not_there) {
  store("x", now - 5 * day);
  const auto last = book().last_check("x", "data/a");
  ASSERT_TRUE(last) << render(last.error());
  ASSERT_TRUE(*last) << "though nobody has asked what is due";
  EXPECT_EQ((**last).checked_us, now - 5 * day);
  for (const auto& [object, path] :
       {std::pair{"x", "data/none"}, std::pair{"none", "data/a"}}) {
    const auto none = book().last_check(object, path);
    ASSERT_TRUE(none);
    EXPECT_FALSE(*none);
  }
}

TEST_P(fixity_suite, a_file_has_the_digest_of_the_last_version) {
  store("x", now - 5 * day);
  const auto before = book().last_check("x", "data/a");
  ASSERT_TRUE(before && *before);
  EXPECT_EQ((**before).sha512, things_->files("x", 0)->front().sha512);
  store("x", now, {"local"}, "ann", {{"data/a", 1, std::string(128, 'e')}}, 2);
  const auto after = book().last_check("x", "data/a");
  ASSERT_TRUE(after && *after);
  EXPECT_EQ((**after).sha512, std::string(128, 'e'))
    << "though nobody has asked what is due meanwhile";
}

TEST_P(fixity_suite, knows_which_targets_were_given_a_file) {
  using targets = std::optional<std::vector<std::string>>;
  const stored_file a{"data/a", 1, std::string(128, 'a')};
  const stored_file later{"data/a", 1, std::string(128, 'e')};
  const auto given = [&](const std::string& object, const stored_file& file) {
    const auto out = book().targets_of(object, file);
    EXPECT_TRUE(out) << render(out.error());
    return out ? *out : targets{};
  };
  store("x", now - 5 * day, {"local"}, "ann", {a});
  store("x", now - 4 * day, {"far", "near"}, "ann", {later}, 2);
  store("y", now - 5 * day, {"other"}, "ann", {a});
  open();
  EXPECT_EQ(given("x", a), (targets{{"local"}}));
  EXPECT_EQ(given("x", later), (targets{{"far", "near"}}));
  store("x", now - 3 * day, {"far"}, "ann", {a}, 3);
  EXPECT_EQ(given("x", a), (targets{{"far", "local"}})) << "in any version";
  auto again = later;
  again.path = "data/none";
  EXPECT_EQ(given("x", again), targets{});
  EXPECT_EQ(given("none", a), targets{});
  ASSERT_FALSE(book().forget("x", {}));
  EXPECT_EQ(given("x", a), targets{});
  store("x", now, {"near"}, "ann", {a});
  EXPECT_EQ(given("x", a), (targets{{"near"}})) << "of one of that name";
}

TEST_P(fixity_suite, knows_where_a_version_went_that_comes_again) {
  const stored_file a{"data/a", 1, std::string(128, 'a')};
  store("x", now - 5 * day, {"local"}, "ann", {a});
  inventory_entry again;
  again.identifier = "x";
  again.collection = "c-ann";
  again.owner = "ann";
  again.storage = {"far"};
  again.version = {.number = 1, .job = "jid-again", .files = 1};
  again.files = {a};
  ASSERT_FALSE(things_->record(again));
  const auto given = book().targets_of("x", a);
  ASSERT_TRUE(given && *given);
  EXPECT_EQ(**given, (std::vector<std::string>{"far", "local"}));
  // As versions are that were recorded before anybody wrote that down.
  store("y", now - 5 * day, {}, "ann", {a});
  again.identifier = "y";
  again.version.job = "jid-again-y";
  ASSERT_FALSE(things_->record(again));
  const auto unknown = book().targets_of("y", a);
  ASSERT_TRUE(unknown);
  EXPECT_FALSE(*unknown) << "one of them would say that it is the only one";
}

TEST_P(fixity_suite, a_new_version_keeps_the_checks_of_what_it_keeps) {
  const stored_file kept{"data/kept", 1, std::string(128, 'a')};
  const stored_file before{"data/new", 1, std::string(128, 'b')};
  const stored_file after{"data/new", 1, std::string(128, 'c')};
  const stored_file gone{"data/gone", 1, std::string(128, 'd')};
  store("x", now - 100 * day, {"local"}, "ann", {kept, before, gone});
  EXPECT_EQ(due_text(), "x:data/gone x:data/kept x:data/new");
  store("x", now - 1 * day, {"local"}, "ann", {kept, after}, 2);
  EXPECT_EQ(due_text(), "x:data/kept")
    << "what is new was compared when it was stored";
}

TEST_P(fixity_suite, leaves_out_cold_storage_and_collections) {
  store("cold", now - 100 * day, {"far"});
  store("both", now - 100 * day, {"local", "far"});
  store("other", now - 100 * day, {"local"}, "bob");
  fixity_query ask;
  ask.cold = {"far", "farther"};
  EXPECT_EQ(due_text(ask), "both:data/a other:data/a");
  ask.collections_but = {"c-bob"};
  EXPECT_EQ(due_text(ask), "both:data/a");
}

TEST_P(fixity_suite, gives_what_is_of_some_owners_and_collections) {
  for (const auto* owner : {"ann", "bob", "cyd", "d'oh"})
    store(owner, now - 100 * day, {"local"}, owner);
  fixity_query ask;
  ask.owners = {"bob", "d'oh", "nobody"};
  EXPECT_EQ(due_text(ask), "bob:data/a d'oh:data/a");
  ask.collections = {"c-bob", "c-cyd"};
  EXPECT_EQ(due_text(ask), "bob:data/a");
  ask.owners.clear();
  ask.count_max = 1;
  EXPECT_EQ(due_text(ask), "bob:data/a") << "others take no place";
}

TEST_P(fixity_suite, goes_on_behind_a_file) {
  const stored_file a{"data/a", 1, std::string(128, 'a')};
  const stored_file b{"data/b", 1, std::string(128, 'b')};
  store("x", now - 100 * day, {"local"}, "ann", {a, b});
  store("y", now - 100 * day);
  store("a", now - 99 * day);
  fixity_query ask;
  ask.checked_before_us = now - 90 * day;
  ask.count_max = 1;
  std::string seen;
  for (int pages = 0; pages < 9; ++pages) {
    const auto found = book().due(ask);
    ASSERT_TRUE(found) << render(found.error());
    if (found->empty())
      break;
    ask.after = found->front();
    seen += ask.after.object + ":" + ask.after.path + " ";
  }
  EXPECT_EQ(seen, "x:data/a x:data/b y:data/a a:data/a ");
}

TEST_P(fixity_suite, what_is_forgotten_leaves_its_events) {
  store("x", now - 100 * day);
  store("y", now - 100 * day);
  ASSERT_FALSE(things_->bind_local_id("ann", "l1", "x"));
  EXPECT_EQ(due_text(), "x:data/a y:data/a");
  const auto event = an_event("x", premis_types::deletion, now, some_uuid);
  for (int i = 0; i < 2; ++i) {
    const auto failed = book().forget("x", {event});
    ASSERT_FALSE(failed) << render(failed);
  }
  EXPECT_EQ(due_text(), "y:data/a");
  const auto found = things_->find({.identifier = "x"});
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->empty());
  EXPECT_FALSE(things_->files("x", 0));
  const auto local = things_->of_local_id("ann", "l1");
  ASSERT_TRUE(local);
  EXPECT_FALSE(*local);
  const auto events = things_->events({.object = "x"});
  ASSERT_TRUE(events);
  EXPECT_EQ(events->size(), 1u);
  store("x", now - 100 * day);
  EXPECT_EQ(due_text(), "x:data/a y:data/a") << "it may come again";
}

TEST_P(fixity_suite, finds_the_smallest_that_nobody_has_had_back) {
  const auto sized = [&](const std::string& name, std::uint64_t bytes,
                         const std::string& owner) {
    store(name, 1, {"local"}, owner,
          {{"data/a", bytes, std::string(128, 'a')}});
  };
  sized("big", 100, "ann");
  sized("small", 10, "ann");
  sized("had", 1, "ann");
  sized("theirs", 5, "bob");
  store("cold", 1, {"far"}, "cyd");
  ASSERT_FALSE(things_->record_events(
    {an_event("had", premis_types::dissemination, now - day, some_uuid),
     an_event("small", premis_types::dissemination, now - 400 * day,
              other_uuid)}));
  const auto found = book().spot_candidates(now - 365 * day, {"far"}, 10);
  ASSERT_TRUE(found) << render(found.error());
  ASSERT_EQ(found->size(), 2u);
  EXPECT_EQ((*found)[0], (spot_candidate{"small", "ann", "c-ann", 10}));
  EXPECT_EQ((*found)[1].object, "theirs");
}

} // namespace depositd
