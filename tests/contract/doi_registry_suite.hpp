#pragma once

// What every registry of DOIs must do.

#include "messages/ports/doi_registry.hpp"

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace depositd {

/// Makes empty registries and keeps what they need, such as a folder.
class registry_driver {
public:
  virtual ~registry_driver() = default;

  virtual std::unique_ptr<doi_registry> open() = 0;
};

struct registry_candidate {
  std::string name;
  std::function<std::unique_ptr<registry_driver>()> make;
};

/// A record with something in every field but the owner.
inline doi_record a_record(const std::string& doi,
                           const std::string& timestamp = "20240101") {
  return {.doi = doi,
          .resource = "https://example.org/" + doi,
          .issn = "1234-567X",
          .isbn = "978-3-16-148410-0",
          .journal_title = "Journal of  Testing",
          .title = "On " + doi,
          .first_author = "Müller",
          .volume = "12",
          .issue = "S3",
          .first_page = "e45",
          .year = "2024",
          .timestamp = timestamp};
}

class doi_registry_suite : public ::testing::TestWithParam<registry_candidate> {
protected:
  void SetUp() override {
    driver = GetParam().make();
    registry = driver->open();
    ASSERT_NE(registry, nullptr);
  }

  using results = std::vector<doi_result>;
  using list = std::vector<std::string>;

  results record(item_id submission, const std::vector<doi_record>& records,
                 const std::string& user = "ann") {
    const auto done = registry->record(
      {.submission = submission, .user = user, .records = records});
    EXPECT_TRUE(done) << render(done.error());
    return done ? *done : results{};
  }

  doi_result record_at(item_id submission, const std::string& timestamp) {
    return record(submission, {a_record("10.5555/t", timestamp)}).at(0);
  }

  results change(const doi_registration& x) {
    const auto done = registry->record(x);
    EXPECT_TRUE(done) << render(done.error());
    return done ? *done : results{};
  }

  static doi_registration transfer_of(item_id submission,
                                      const std::string& from,
                                      const std::string& to, const list& dois) {
    doi_registration out{.submission = submission, .user = "ann"};
    out.action = doi_action::transfer;
    out.from = from;
    out.to = to;
    for (const auto& doi : dois)
      out.records.emplace_back().doi = doi;
    return out;
  }

  doi_result record_as(item_id submission, const doi_record& x,
                       const list& prefixes) {
    doi_registration out{.submission = submission, .user = "bob"};
    out.records = {x};
    out.prefixes = prefixes;
    return change(out).at(0);
  }

  list find(const doi_query& query, std::uint32_t count_max = 100) {
    const auto found = registry->find(query, count_max);
    EXPECT_TRUE(found) << render(found.error());
    list out;
    if (found)
      for (const auto& x : *found)
        out.push_back(x.doi);
    return out;
  }

  doi_record one(const std::string& doi) {
    const auto found = registry->find({.doi = doi}, 10);
    EXPECT_TRUE(found) << render(found.error());
    EXPECT_EQ(found->size(), 1u);
    return found && !found->empty() ? found->front() : doi_record{};
  }

  std::unique_ptr<registry_driver> driver;
  std::unique_ptr<doi_registry> registry;
};

TEST_P(doi_registry_suite, gives_a_record_back_with_its_owner) {
  EXPECT_EQ(record(1, {a_record("10.5555/A")}), results{doi_result::added});
  auto wanted = a_record("10.5555/A");
  wanted.owner = "ann";
  EXPECT_EQ(one("10.5555/A"), wanted);
}

TEST_P(doi_registry_suite, updates_a_record_with_a_later_timestamp) {
  record(1, {a_record("10.5555/a", "20240101")}, "ann");
  auto later = a_record("10.5555/A", "20240102");
  later.title = "Changed";
  later.first_author = "Other";
  EXPECT_EQ(record(2, {later}, "bob"), results{doi_result::updated});
  later.owner = "ann";
  EXPECT_EQ(one("10.5555/a"), later);
  EXPECT_EQ(find({.first_author = "Müller"}), list{});
  EXPECT_EQ(find({.first_author = "Other"}), list{"10.5555/A"});
}

TEST_P(doi_registry_suite, refuses_an_equal_or_lower_timestamp) {
  EXPECT_EQ(record_at(1, "20240102"), doi_result::added);
  EXPECT_EQ(record_at(2, "20240102"), doi_result::outdated);
  EXPECT_EQ(record_at(3, "20240101"), doi_result::outdated);
  EXPECT_EQ(one("10.5555/t").timestamp, "20240102");
}

TEST_P(doi_registry_suite, compares_timestamps_as_numbers_of_any_length) {
  EXPECT_EQ(record_at(1, "9"), doi_result::added);
  EXPECT_EQ(record_at(2, "10"), doi_result::updated);
  EXPECT_EQ(record_at(3, "0010"), doi_result::outdated);
  EXPECT_EQ(record_at(4, "00011"), doi_result::updated);
  EXPECT_EQ(record_at(5, "18446744073709551616"), doi_result::updated);
  EXPECT_EQ(record_at(6, "18446744073709551615"), doi_result::outdated);
  EXPECT_EQ(record_at(7, "99999999999999999999999"), doi_result::updated);
}

TEST_P(doi_registry_suite, takes_a_missing_timestamp_as_the_lowest) {
  EXPECT_EQ(record_at(1, ""), doi_result::added);
  // Whoever never sends timestamps can still correct a record.
  EXPECT_EQ(record_at(2, ""), doi_result::updated);
  EXPECT_EQ(record_at(3, "0"), doi_result::updated);
  EXPECT_EQ(record_at(4, ""), doi_result::outdated);
  EXPECT_EQ(record_at(5, "000"), doi_result::outdated);
}

TEST_P(doi_registry_suite, takes_the_deposit_s_timestamp_where_one_is_missing) {
  const auto done = registry->record(
    {.submission = 1,
     .user = "ann",
     .timestamp = "50",
     .records = {a_record("10.5555/own", "60"), a_record("10.5555/none", "")}});
  ASSERT_TRUE(done);
  EXPECT_EQ(one("10.5555/own").timestamp, "60");
  EXPECT_EQ(one("10.5555/none").timestamp, "50");
}

TEST_P(doi_registry_suite, repeats_its_answer_to_the_same_submission) {
  record(1, {a_record("10.5555/old", "5")});
  const std::vector<doi_record> records{a_record("10.5555/new", "5"),
                                        a_record("10.5555/old", "6"),
                                        a_record("10.5555/old2", "5")};
  record(2, {a_record("10.5555/old2", "9")});
  const results wanted{doi_result::added, doi_result::updated,
                       doi_result::outdated};
  EXPECT_EQ(record(3, records), wanted);
  record(4, {a_record("10.5555/old", "7")});
  EXPECT_EQ(record(3, records), wanted);
  EXPECT_EQ(one("10.5555/old").timestamp, "7") << "the repeat wrote again";
}

TEST_P(doi_registry_suite, refuses_a_repeat_with_another_number_of_records) {
  record(1, {a_record("10.5555/a")});
  const auto done =
    registry->record({.submission = 1,
                      .user = "ann",
                      .records = {a_record("a"), a_record("b")}});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error(), ec::invalid_argument);
  EXPECT_EQ(find({}), list{"10.5555/a"});
}

TEST_P(doi_registry_suite, remembers_a_submission_without_dois) {
  EXPECT_EQ(record(1, {}), results{});
  EXPECT_EQ(record(1, {}), results{});
}

TEST_P(doi_registry_suite, says_which_numbers_are_taken) {
  EXPECT_EQ(registry->submission_max(100), item_id{0});
  record(7, {a_record("10.5555/a")});
  record(3, {});
  EXPECT_EQ(registry->submission_max(100), item_id{7});
  EXPECT_EQ(registry->submission_max(7), item_id{7});
  EXPECT_EQ(registry->submission_max(6), item_id{3});
  EXPECT_EQ(registry->submission_max(2), item_id{0});
}

TEST_P(doi_registry_suite, lets_the_first_of_two_equal_dois_count) {
  auto second = a_record("10.5555/X", "9");
  second.title = "second";
  const results twice{doi_result::added, doi_result::added};
  EXPECT_EQ(record(1, {a_record("10.5555/x", "5"), second}), twice);
  EXPECT_EQ(one("10.5555/x").title, "On 10.5555/x");
}

TEST_P(doi_registry_suite, finds_a_doi_without_case_but_exactly) {
  record(1, {a_record("10.5555/AbC"), a_record("10.5555/abcd")});
  EXPECT_EQ(find({.doi = "10.5555/ABC"}), list{"10.5555/AbC"});
  EXPECT_EQ(find({.doi = "10.5555/ab"}), list{});
  EXPECT_EQ(find({.doi = "10.5555/abc%"}), list{});
}

TEST_P(doi_registry_suite, finds_by_each_field_without_case) {
  auto other = a_record("10.5555/other");
  other.issn = "0000-0000";
  other.journal_title = "Other";
  other.first_author = "Else";
  other.volume = "1";
  other.issue = "1";
  other.first_page = "1";
  other.year = "1999";
  record(1, {other, a_record("10.5555/a")});
  const list wanted{"10.5555/a"};
  EXPECT_EQ(find({.issn = "1234-567x"}), wanted);
  EXPECT_EQ(find({.journal_title = " journal of testing"}), wanted);
  EXPECT_EQ(find({.first_author = "MüLLER"}), wanted);
  EXPECT_EQ(find({.volume = "12"}), wanted);
  EXPECT_EQ(find({.issue = "s3"}), wanted);
  EXPECT_EQ(find({.first_page = "E45"}), wanted);
  EXPECT_EQ(find({.year = "2024"}), wanted);
}

TEST_P(doi_registry_suite, wants_every_given_field_to_match) {
  auto other = a_record("10.5555/b");
  other.first_page = "99";
  record(1, {a_record("10.5555/a"), other});
  EXPECT_EQ(find({.issn = "1234-567X", .volume = "12", .first_page = "99"}),
            list{"10.5555/b"});
  EXPECT_EQ(find({.doi = "10.5555/a", .first_page = "99"}), list{});
  EXPECT_EQ(
    find({.journal_title = "Journal of Testing", .first_author = "Nobody"}),
    list{});
}

TEST_P(doi_registry_suite, limits_what_it_finds) {
  record(1,
         {a_record("10.5555/c"), a_record("10.5555/a"), a_record("10.5555/b")});
  record(2, {a_record("10.5555/c", "20250101")});
  EXPECT_EQ(find({.issn = "1234-567X"}, 2), (list{"10.5555/c", "10.5555/a"}));
  EXPECT_EQ(find({}, 3).size(), 3u);
  EXPECT_EQ(find({}, 0), list{});
}

// -- citations and transfers --------------------------------------------------

TEST_P(doi_registry_suite, keeps_the_citations_of_a_doi_beside_its_record) {
  record(1, {a_record("10.5555/A", "5")});
  doi_registration cites{.submission = 2, .user = "bob"};
  cites.action = doi_action::cite;
  cites.records.resize(2);
  cites.records[0].doi = "10.5555/a";
  cites.records[0].citations = R"([{"key":"1"}])";
  cites.records[1].doi = "10.5555/nobody";
  const results wanted{doi_result::updated, doi_result::unknown};
  EXPECT_EQ(change(cites), wanted);
  auto after = a_record("10.5555/A", "5");
  after.owner = "ann";
  after.citations = R"([{"key":"1"}])";
  EXPECT_EQ(one("10.5555/a"), after);
  EXPECT_EQ(find({.doi = "10.5555/nobody"}), list{});
  // A later deposit says nothing of them, and leaves them.
  record(3, {a_record("10.5555/A", "6")});
  EXPECT_EQ(one("10.5555/a").citations, R"([{"key":"1"}])");
  EXPECT_EQ(change(cites), wanted) << "a repeat";
}

TEST_P(doi_registry_suite, replaces_citations_and_takes_them_away) {
  record(1, {a_record("10.5555/a")});
  doi_registration cites{.submission = 2};
  cites.action = doi_action::cite;
  cites.records.resize(1);
  cites.records[0].doi = "10.5555/a";
  cites.records[0].citations = "[1]";
  change(cites);
  cites.submission = 3;
  cites.records[0].citations.clear();
  EXPECT_EQ(change(cites), results{doi_result::updated});
  EXPECT_EQ(one("10.5555/a").citations, "");
}

TEST_P(doi_registry_suite, transfers_a_doi_to_another_prefix) {
  record(1, {a_record("10.1111/a", "5"), a_record("10.2222/b", "5")});
  auto moved = transfer_of(2, "10.1111", "10.2222",
                           {"10.1111/A", "10.2222/b", "10.1111/none"});
  moved.records[0].resource = "https://new.example/a";
  const results wanted{doi_result::updated, doi_result::forbidden,
                       doi_result::unknown};
  EXPECT_EQ(change(moved), wanted);
  EXPECT_EQ(change(moved), wanted) << "a repeat";
  EXPECT_EQ(one("10.1111/a").owner, "prefix:10.2222");
  EXPECT_EQ(one("10.1111/a").resource, "https://new.example/a");
  EXPECT_EQ(one("10.1111/a").timestamp, "5");
  EXPECT_EQ(one("10.2222/b").owner, "ann");
  // Whoever had it has it no more, and those who have it now may go on.
  auto later = a_record("10.1111/a", "6");
  EXPECT_EQ(record_as(3, later, {"10.1111"}), doi_result::forbidden);
  EXPECT_EQ(record_as(4, later, {"10.2222"}), doi_result::updated);
  EXPECT_EQ(one("10.1111/a").owner, "prefix:10.2222");
  EXPECT_EQ(change(transfer_of(5, "10.1111", "10.3333", {"10.1111/a"})),
            results{doi_result::forbidden});
  EXPECT_EQ(change(transfer_of(6, "10.2222", "10.1111", {"10.1111/a"})),
            results{doi_result::updated});
  EXPECT_EQ(one("10.1111/a").owner, "prefix:10.1111");
}

TEST_P(doi_registry_suite, changes_resources_without_a_transfer) {
  record(1, {a_record("10.1111/a", "5")});
  auto same = transfer_of(2, "10.1111", "10.1111", {"10.1111/a"});
  same.records[0].resource = "https://new.example/a";
  EXPECT_EQ(change(same), results{doi_result::updated});
  EXPECT_EQ(one("10.1111/a").resource, "https://new.example/a");
  EXPECT_EQ(one("10.1111/a").owner, "ann");
}

TEST_P(doi_registry_suite, serves_several_threads) {
  std::vector<std::thread> threads;
  for (item_id thread = 0; thread < 4; ++thread)
    threads.emplace_back([this, thread] {
      for (item_id i = 0; i < 25; ++i) {
        const auto id = thread * 100 + i;
        const auto done = registry->record(
          {.submission = id + 1,
           .user = "ann",
           .records = {a_record("10.5555/shared", std::to_string(id)),
                       a_record("10.5555/" + std::to_string(id))}});
        EXPECT_TRUE(done) << render(done.error());
        EXPECT_TRUE(registry->find({.doi = "10.5555/shared"}, 1));
      }
    });
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(find({.issn = "1234-567X"}, 1000).size(), 101u);
  EXPECT_EQ(one("10.5555/shared").timestamp, "324");
}

} // namespace depositd
