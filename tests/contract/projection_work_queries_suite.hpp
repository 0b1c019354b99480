#pragma once

// How every projection store finds batches and jobs.

#include "tests/contract/projection_store_fixture.hpp"

#include <algorithm>

namespace depositd {

TEST_P(projection_store_suite, finds_batches_by_every_field) {
  auto held = a_batch(4, "cid", "books");
  held.status.state = batch_state::held;
  put_work({a_batch(1), a_batch(2, "bob"), ended(a_batch(3)), held});
  EXPECT_EQ(batches({}), (ids_list{4, 3, 2, 1}));
  EXPECT_EQ(batches({.id = 2}), ids_list{2});
  EXPECT_TRUE(batches({.id = 2, .user = "ann"}).empty());
  EXPECT_EQ(batches({.user = "ann"}), (ids_list{3, 1}));
  EXPECT_EQ(batches({.uuid = "bid-3"}), ids_list{3});
  EXPECT_TRUE(batches({.uuid = "BID-3"}).empty());
  EXPECT_EQ(batches({.users = {"bob", "cid", "nobody"}}), (ids_list{4, 2}));
  EXPECT_EQ(batches({.collections = {"books"}}), ids_list{4});
  EXPECT_EQ(batches({.collections = {"books", "maps", "maps"}}),
            (ids_list{4, 3, 2, 1}));
  EXPECT_EQ(batches({.states = {batch_state::held, batch_state::completed}}),
            (ids_list{4, 3}));
  EXPECT_EQ(batches({.users = {"ann", "bob"},
                     .collections = {"maps"},
                     .states = {batch_state::processing}}),
            (ids_list{2, 1}));
  EXPECT_EQ(batches({.user = "ann", .states = {batch_state::completed}}),
            ids_list{3});
  EXPECT_EQ(batches({.changed_before_us = 1'003}), (ids_list{2, 1}));
  EXPECT_TRUE(batches({.count_max = 0}).empty());
}

TEST_P(projection_store_suite, finds_jobs_by_every_field) {
  put_work({a_batch(1), a_batch(2)},
           {a_job(3, 1), a_job(4, 2, "bob", "books"), ended(a_job(5, 1)),
            ended(a_job(6, 1), job_state::failed), fresh(a_job(7, 2))});
  EXPECT_EQ(jobs({}), (ids_list{3, 4, 5, 6, 7}));
  EXPECT_EQ(jobs({.newest_first = true}), (ids_list{7, 6, 5, 4, 3}));
  EXPECT_EQ(jobs({.id = 4}), ids_list{4});
  EXPECT_EQ(jobs({.user = "bob"}), ids_list{4});
  EXPECT_EQ(jobs({.batch = 2}), (ids_list{4, 7}));
  EXPECT_EQ(jobs({.uuid = "jid-6"}), ids_list{6});
  EXPECT_EQ(jobs({.users = {"bob", "eve"}}), ids_list{4});
  EXPECT_EQ(jobs({.collections = {"books"}}), ids_list{4});
  EXPECT_EQ(jobs({.states = {job_state::failed, job_state::pending}}),
            (ids_list{6, 7}));
  EXPECT_EQ(jobs({.collections = {"maps", "books"},
                  .states = {job_state::storing, job_state::storing}}),
            (ids_list{3, 4}));
  EXPECT_EQ(jobs({.batch = 1, .states = {job_state::completed}}), ids_list{5});
  EXPECT_EQ(jobs({.needs_review = true}), (ids_list{3, 4}));
  EXPECT_EQ(jobs({.collections = {"books"}, .needs_review = true}),
            ids_list{4});
  EXPECT_EQ(jobs({.identifier = "ark:/1/5"}), ids_list{5});
  EXPECT_TRUE(jobs({.identifier = "ARK:/1/5"}).empty());
  EXPECT_TRUE(jobs({.user = "bob", .batch = 1}).empty());
}

TEST_P(projection_store_suite, finds_jobs_by_their_stage_and_last_change) {
  const auto in = [](item_id id, const std::string& queue, micros changed_us) {
    auto out = a_job(id, 1);
    out.queue = queue;
    out.status.changed_us = changed_us;
    return out;
  };
  put_work({}, {in(2, "a.one", 10), in(3, "b.one", 20), in(4, "a.two", 30),
                in(5, "a.one", 40), in(6, "", 50)});
  EXPECT_EQ(jobs({.queues = {"a.one"}}), (ids_list{2, 5}));
  EXPECT_EQ(jobs({.count_max = 2, .queues = {"a.one", "a.two"}}),
            (ids_list{2, 4}));
  EXPECT_EQ(jobs({.states = {job_state::storing}, .queues = {"b.one"}}),
            ids_list{3});
  EXPECT_TRUE(
    jobs({.states = {job_state::failed}, .queues = {"b.one"}}).empty());
  EXPECT_EQ(jobs({.queues_but = {"a.one", "b.one"}}), (ids_list{4, 6}));
  EXPECT_EQ(jobs({.states = {job_state::storing},
                  .changed_before_us = 40,
                  .queues_but = {"b.one"}}),
            (ids_list{2, 4}));
  EXPECT_EQ(jobs({.changed_since_us = 20, .changed_before_us = 40}),
            (ids_list{3, 4}));
}

TEST_P(projection_store_suite, finds_a_job_by_one_of_its_local_ids) {
  const auto with = [](item_id id, const std::string& ids) {
    auto out = a_job(id, 1);
    out.facts.local_ids = ids;
    return out;
  };
  put_work({}, {with(2, "one"), with(3, "two;one"), with(4, "one;three"),
                with(5, "zone;ones"), with(6, ""), with(7, "a\\b;%;_")});
  EXPECT_EQ(jobs({.local_id = "one"}), (ids_list{2, 3, 4}));
  EXPECT_EQ(jobs({.local_id = "three"}), ids_list{4});
  EXPECT_EQ(jobs({.local_id = "%"}), ids_list{7});
  EXPECT_EQ(jobs({.local_id = "a\\b"}), ids_list{7});
  EXPECT_TRUE(jobs({.local_id = "two;one"}).empty());
  EXPECT_TRUE(jobs({.local_id = "One"}).empty());
}

TEST_P(projection_store_suite, finds_jobs_by_a_part_of_a_text_in_either_case) {
  const auto with = [](item_id id, const std::string& text) {
    auto out = a_job(id, 1);
    out.facts.title = text;
    out.info.file_name = text;
    return out;
  };
  put_work({}, {with(2, "Map of Ghent"), with(3, "100% MAP"), with(4, "m_p"),
                with(5, "C:\\maps\\x"), with(6, "Grüße"), with(7, "")});
  const auto both = [&](const std::string& part) {
    const auto by_title = jobs({.title = part});
    EXPECT_EQ(jobs({.file_name = part}), by_title) << part;
    return by_title;
  };
  EXPECT_EQ(both("map"), (ids_list{2, 3, 5}));
  EXPECT_EQ(both("OF G"), ids_list{2});
  EXPECT_EQ(both("%"), ids_list{3});
  EXPECT_EQ(both("m_p"), ids_list{4});
  EXPECT_EQ(both("\\MAPS\\"), ids_list{5});
  EXPECT_EQ(both("grüß"), ids_list{6});
  EXPECT_TRUE(both("nothing").empty());
}

TEST_P(projection_store_suite, finds_work_by_numbers) {
  put_work({a_batch(1), a_batch(2), a_batch(3, "bob")},
           {a_job(11, 1), a_job(12, 1), a_job(13, 2)});
  EXPECT_EQ(batches({.newest_first = false, .ids = {3, 1, 9}}),
            (ids_list{1, 3}));
  EXPECT_EQ(batches({.user = "bob", .ids = {3, 1}}), ids_list{3});
  EXPECT_EQ(jobs({.ids = {13, 11, 9}}), (ids_list{11, 13}));
  EXPECT_EQ(jobs({.count_max = 1, .ids = {13, 11}}), ids_list{11});
  EXPECT_EQ(jobs({.states = {job_state::deleted}, .ids = {13}}), ids_list{});
}

TEST_P(projection_store_suite, takes_names_as_they_are) {
  for (const std::string name : {"\"q\"", "a'b", "\xe4\\n", "tab\there", "ü"}) {
    const auto id = store->reached() + 1;
    put_work({a_batch(id, name, name)}, {a_job(id + 100, id, name, name)});
    EXPECT_EQ(batches({.users = {name}}), ids_list{id}) << name;
    EXPECT_EQ(jobs({.users = {name}}), ids_list{id + 100}) << name;
    EXPECT_EQ(jobs({.collections = {name}}), ids_list{id + 100}) << name;
    EXPECT_EQ(jobs({.batch = id, .collections = {name}}), ids_list{id + 100});
  }
}

TEST_P(projection_store_suite, finds_jobs_that_have_changed_since) {
  std::vector<job_row> all;
  for (item_id id = 1; id <= 4; ++id) {
    auto x = a_job(id, 1);
    x.status.state = job_state::failed;
    x.status.needs_review = id != 2;
    x.status.changed_us = static_cast<micros>(100 * (5 - id));
    all.push_back(x);
  }
  put_work({a_batch(1)}, all);
  EXPECT_EQ(jobs({.needs_review = true, .changed_since_us = 200}),
            (ids_list{1, 3}));
  EXPECT_EQ(jobs({.changed_since_us = 300}), (ids_list{1, 2}));
  EXPECT_EQ(jobs({.changed_since_us = 401}), ids_list{});
}

TEST_P(projection_store_suite, goes_through_work_in_pages) {
  std::vector<job_row> all;
  std::vector<batch_row> batch_rows;
  for (item_id id = 1; id <= 60; ++id) {
    auto x = a_job(id, 1 + id % 2, "ann", id % 3 == 0 ? "maps" : "books");
    x.status.state = id % 5 == 0
                       ? job_state::failed
                       : (id % 5 == 1 ? job_state::held : job_state::storing);
    all.push_back(x);
    batch_rows.push_back(a_batch(id));
  }
  put_work(batch_rows, all);
  const std::vector<job_query> queries = {
    {},
    {.batch = 1},
    {.states = {job_state::failed, job_state::held}},
    {.collections = {"maps", "books"}},
    {.collections = {"maps"}, .states = {job_state::storing}},
    {.needs_review = true},
    {.title = "ghent"},
  };
  for (std::size_t which = 0; which < queries.size(); ++which)
    for (const auto newest_first : {false, true}) {
      auto query = queries[which];
      query.newest_first = newest_first;
      query.count_max = 1'000;
      const auto whole = jobs(query);
      ASSERT_GT(whole.size(), 7u) << which;
      EXPECT_TRUE(newest_first ? std::is_sorted(whole.rbegin(), whole.rend())
                               : std::is_sorted(whole.begin(), whole.end()));
      query.count_max = 7;
      ids_list paged;
      for (auto page = jobs(query); !page.empty(); page = jobs(query)) {
        EXPECT_LE(page.size(), 7u);
        paged.insert(paged.end(), page.begin(), page.end());
        query.after = {page.back()};
      }
      EXPECT_EQ(paged, whole) << "query " << which;
    }
  EXPECT_EQ(batches({.count_max = 2, .after = {4}}), (ids_list{3, 2}));
  EXPECT_EQ(batches({.collections = {"maps"},
                     .newest_first = false,
                     .count_max = 2,
                     .after = {58}}),
            (ids_list{59, 60}));
}

} // namespace depositd
