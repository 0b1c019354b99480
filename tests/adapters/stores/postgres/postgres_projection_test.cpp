// What only the projection in PostgreSQL promises: fencing, transactions of
// unknown outcome, damage by name, tables for people.

#include "tests/adapters/stores/postgres/postgres_fixture.hpp"
#include "tests/contract/projection_rows.hpp"

#include <limits>

namespace depositd {

namespace {

class postgres_projection : public postgres_fixture {
protected:
  std::unique_ptr<projection_store>
  open(const postgres_projection_options& options) {
    auto out = open_postgres_projection(options);
    EXPECT_TRUE(out) << render(out.error());
    return out ? std::move(*out) : nullptr;
  }

  std::unique_ptr<projection_store> open() {
    return open({.server = {.url = schema->url()}});
  }

  static slice a_slice(sequence from = 0) {
    slice out;
    out.from = from;
    out.last = from + 10;
    out.id_max = 2;
    out.items_put = {an_item(from + 1), an_item(from + 2, "bob")};
    out.rings = {{.queue = "metadata", .user = "ann", .stamp = 4, .credit = 1}};
    out.controls = {{.kind = 3, .key = "k", .value = "v"}};
    out.submissions_put = {a_submission(from + 1)};
    return out;
  }

  /// A slice of a batch and its jobs alone.
  static slice work(sequence from) {
    slice out;
    out.from = from;
    out.last = from + 10;
    out.batches_put = {a_batch(from + 3)};
    out.jobs_put = {a_job(from + 4, from + 3), ended(a_job(from + 5, 3))};
    return out;
  }

  /// A slice of records of a source alone.
  static slice records(sequence from) {
    slice out;
    out.from = from;
    out.last = from + 10;
    out.records_put = {a_record("lives", from + 6),
                       an_ended_record("failed", from + 7,
                                       record_state::failed)};
    out.records_ended = {
      {.source = "a", .made_us = 7, .failed = 1, .begins = true}};
    return out;
  }

  /// All of these together.
  static slice everything(sequence from) {
    auto out = a_slice(from);
    auto more = work(from);
    out.batches_put = std::move(more.batches_put);
    out.jobs_put = std::move(more.jobs_put);
    more = records(from);
    for (auto& x : more.records_put)
      x.key += std::to_string(from);
    out.records_put = std::move(more.records_put);
    out.records_ended = std::move(more.records_ended);
    return out;
  }

  static caf::error load(projection_store& from) {
    if (auto error = from.load_items([](const auto&) {}))
      return error;
    if (auto error = from.load_rings([](const auto&) {}))
      return error;
    if (auto error = from.load_batches([](const auto&) {}))
      return error;
    if (auto error = from.load_jobs([](const auto&) {}))
      return error;
    if (auto error = from.load_records([](const auto&) {}))
      return error;
    if (auto error = from.load_record_totals([](const auto&) {}))
      return error;
    return from.load_controls([](const auto&) {});
  }
};

TEST_F(postgres_projection, survives_being_closed) {
  auto all = a_slice();
  all.batches_put = work(0).batches_put;
  all.jobs_put = work(0).jobs_put;
  ASSERT_TRUE(open()->apply(all));
  const auto store = open();
  EXPECT_EQ(store->reached(), 10u);
  EXPECT_EQ(store->id_max(), 2u);
  EXPECT_EQ(*store->item(2), an_item(2, "bob"));
  EXPECT_EQ(store->batches({})->front(), a_batch(3));
  EXPECT_EQ(store->jobs({})->front(), a_job(4, 3));
  EXPECT_FALSE(load(*store));
}

TEST_F(postgres_projection, takes_over_what_an_earlier_version_wrote) {
  auto old = a_slice();
  old.submissions_put[0].submission.trace.clear();
  ASSERT_TRUE(open()->apply(old));
  schema->run("DROP VIEW submissions;"
              "ALTER TABLE submission_rows DROP COLUMN trace, "
              "DROP COLUMN digest;"
              "DROP TABLE content_rows, store_facts;"
              "ALTER TABLE engines DROP COLUMN reaches_logs, "
              "DROP COLUMN protocol;"
              "DROP VIEW batches, jobs; DROP TABLE batch_rows, job_rows; "
              "DROP VIEW records; DROP TABLE record_rows, record_total_rows; "
              "DROP VIEW ring_costs; DROP TABLE ring_cost_rows; "
              "DROP TABLE inventory_objects, inventory_versions, "
              "inventory_files, inventory_local_ids, inventory_locks; "
              "DROP TABLE premis_events, fixity_files, fixity_objects, "
              "inventory_copies; "
              "ALTER TABLE dois DROP COLUMN citations; "
              "ALTER TABLE projection_marks DROP COLUMN batches, "
              "DROP COLUMN batches_sum, DROP COLUMN jobs, "
              "DROP COLUMN jobs_sum, DROP COLUMN records, "
              "DROP COLUMN records_sum, DROP COLUMN record_totals, "
              "DROP COLUMN ring_costs, DROP COLUMN ring_costs_sum, "
              "DROP COLUMN record_totals_sum;"
              "ALTER TABLE shard_owners DROP COLUMN server, "
              "DROP COLUMN copied;"
              "DELETE FROM schema_versions WHERE version > 4");
  const auto store = open();
  EXPECT_EQ(*store->submissions({}), old.submissions_put);
  EXPECT_FALSE(load(*store));
  ASSERT_TRUE(store->apply(a_slice(10)));
  EXPECT_EQ(store->submissions({})->front(), a_submission(11));
  EXPECT_EQ(schema->number("SELECT count(*) FROM submissions "
                           "WHERE trace <> ''"), 1u);
  ASSERT_TRUE(store->apply(work(20)));
  EXPECT_EQ(store->jobs({.id = 24})->front(), a_job(24, 23));
  ASSERT_TRUE(store->apply(records(30)));
  EXPECT_FALSE(load(*store));
}

TEST_F(postgres_projection, gives_no_number_again_of_which_a_dump_is_silent) {
  open_journal();
  ASSERT_TRUE(open()->apply(a_slice()));
  open_journal();
  EXPECT_EQ(open()->id_max(), 2u);
  bring_in_again();
  open_journal();
  EXPECT_GT(open()->id_max(), 500'000u) << "whatever came since it was made";
}

TEST_F(postgres_projection, refuses_whatever_comes_of_who_lost_the_shard) {
  const auto journal = open_journal();
  const auto store
    = open({.server = {.url = schema->url()}, .epoch = journal->epoch()});
  ASSERT_TRUE(store->apply(a_slice()));
  const auto next = open_journal(
    {.server = {.url = schema->url()}, .owner_wait_ms = 0});
  EXPECT_EQ(store->apply(a_slice(10)).error(), ec::fenced);
  EXPECT_EQ(store->forget_submissions(std::numeric_limits<micros>::max(), 1)
              .error(),
            ec::fenced);
  EXPECT_EQ(store->forget_submissions({item_id{1}}).error(), ec::fenced);
  const auto after
    = open({.server = {.url = schema->url()}, .epoch = next->epoch()});
  EXPECT_EQ(after->reached(), 10u);
  EXPECT_TRUE(after->apply(a_slice(10)));
}

TEST_F(postgres_projection, finds_a_slice_whose_commit_nobody_confirmed) {
  // Cut at every answer in turn: to BEGIN, to the statements, to COMMIT.
  for (auto nth = 1; nth <= 3; ++nth) {
    const postgres_schema own;
    auto url = own.url();
    cutting_proxy line{port_of(url)};
    const auto port = std::to_string(port_of(url));
    url.replace(url.find(port), port.size(), std::to_string(line.port()));
    const auto store = open({.server = {.url = url}});
    ASSERT_TRUE(store->apply(a_slice()));
    line.cut_at_answer(nth);
    slice nothing_but_marks;
    nothing_but_marks.from = 10;
    nothing_but_marks.last = 20;
    const auto done = store->apply(nothing_but_marks);
    ASSERT_TRUE(done) << render(done.error());
    EXPECT_EQ(line.cuts(), 1);
    EXPECT_EQ(store->reached(), 20u);
    EXPECT_FALSE(load(*store));
  }
}

TEST_F(postgres_projection, goes_on_behind_a_slice_it_knew_nothing_of) {
  constexpr auto commit = 3; // the answer to it
  cutting_proxy line{port_of(schema->url())};
  const auto store = open({.server = {.url = through(line), .patience_ms = 0}});
  ASSERT_TRUE(store->apply(a_slice()));
  slice nothing_but_marks;
  for (const auto is_read_first : {true, false}) {
    nothing_but_marks.from = store->reached();
    nothing_but_marks.last = store->reached() + 10;
    ASSERT_FALSE(load(*store)); // all of it is prepared
    line.end_at_answer(commit);
    EXPECT_EQ(store->apply(nothing_but_marks).error(), ec::store_failed);
    ASSERT_EQ(schema->number("SELECT reached FROM projection_marks"),
              nothing_but_marks.last)
      << "the test proves nothing otherwise";
    EXPECT_EQ(load(*store), ec::store_failed) << "nothing is damaged";
    line.refuse(false);
    // Whoever has begun before the slice begins again.
    EXPECT_EQ(is_read_first ? load(*store)
                            : store->apply(nothing_but_marks).error(),
              ec::store_failed);
    EXPECT_EQ(store->reached(), nothing_but_marks.last);
    EXPECT_FALSE(load(*store));
    const auto next = store->apply(a_slice(store->reached()));
    EXPECT_TRUE(next) << render(next.error());
  }
  EXPECT_FALSE(load(*open()));
}

/// Everything that a slice can hold.
TEST_F(postgres_projection, has_all_of_a_slice_or_nothing) {
  const auto store = open();
  const auto slower = open();
  ASSERT_TRUE(store->apply(a_slice()));
  auto late = everything(10);
  late.from = 0;
  late.last = 10;
  // Found with the last statement before the commit.
  EXPECT_EQ(slower->apply(late).error(), ec::store_damaged);
  const auto after = open();
  EXPECT_EQ(after->reached(), 10u);
  EXPECT_FALSE(load(*after)) << "and knows its rows again";
  EXPECT_TRUE(after->apply(everything(10)));
  EXPECT_FALSE(load(*open()));
}

TEST_F(postgres_projection, brings_a_slice_in_once_wherever_the_line_is_cut) {
  cutting_proxy line{port_of(schema->url())};
  const auto store = open({.server = {.url = through(line)}});
  auto answers = 0;
  for (sequence from = 0; line.cuts() == answers; from += 10) {
    line.cut_at_answer(++answers);
    const auto done = store->apply(everything(from));
    ASSERT_TRUE(done) << answers << ": " << render(done.error());
    ASSERT_FALSE(load(*open())) << answers;
    ASSERT_EQ(store->reached(), from + 10);
  }
  EXPECT_GT(answers, 15) << "one for each statement";
}

TEST_F(postgres_projection, names_a_changed_row) {
  const auto store = open();
  ASSERT_TRUE(store->apply(a_slice()));
  schema->run("UPDATE item_rows SET attempt = 7 WHERE id = 2");
  const auto failed = load(*store);
  EXPECT_EQ(failed, ec::store_damaged);
  EXPECT_NE(render(failed).find("item 2"), std::string::npos);
  schema->run("UPDATE submission_rows SET \"user\" = 'eve'");
  EXPECT_EQ(store->submissions({}).error(), ec::store_damaged);
}

TEST_F(postgres_projection, names_changed_work) {
  const auto store = open();
  ASSERT_TRUE(store->apply(work(0)));
  schema->run("UPDATE batch_rows SET note = 'other'");
  const auto failed = load(*store);
  EXPECT_EQ(failed, ec::store_damaged);
  EXPECT_NE(render(failed).find("batch 3"), std::string::npos);
  schema->run("UPDATE job_rows SET priority = 9 WHERE id = 5");
  EXPECT_EQ(store->jobs({.count_max = 1})->front(), a_job(4, 3));
  EXPECT_EQ(store->jobs({}).error(), ec::store_damaged);
}

TEST_F(postgres_projection, notices_a_row_that_is_missing) {
  const auto store = open();
  ASSERT_TRUE(store->apply(a_slice()));
  ASSERT_TRUE(store->apply(work(10)));
  ASSERT_TRUE(store->apply(records(20)));
  for (const auto* table :
       {"item_rows", "ring_rows", "control_rows", "batch_rows", "job_rows",
        "record_rows", "record_total_rows"}) {
    const auto name = std::string{table};
    schema->run("CREATE TABLE kept AS SELECT * FROM " + name);
    schema->run("DELETE FROM " + name);
    const auto failed = load(*store);
    EXPECT_EQ(failed, ec::store_damaged);
    EXPECT_NE(render(failed).find(name), std::string::npos) << render(failed);
    schema->run("INSERT INTO " + name + " SELECT * FROM kept; DROP TABLE kept");
  }
  EXPECT_FALSE(load(*store));
}

TEST_F(postgres_projection, refuses_tables_without_their_marks) {
  ASSERT_TRUE(open()->apply(a_slice()));
  schema->run("DELETE FROM projection_marks");
  const auto opened
    = open_postgres_projection({.server = {.url = schema->url()}});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error(), ec::store_damaged);
}

TEST_F(postgres_projection, shows_people_what_they_ask_for) {
  const auto store = open();
  auto x = a_slice();
  x.submissions_put.front().status = submission_status::completed;
  x.submissions_put.front().failed = true;
  x.submissions_put.front().finished_us = 1'700'000'000'000'000;
  x.items_put.front().state = item_state::claimed;
  x.items_put.front().processor = "sp-1";
  ASSERT_TRUE(store->apply(x));
  EXPECT_EQ(schema->number(
              "SELECT count(*) FROM submissions WHERE status = 'completed' "
              "AND failed AND started IS NULL "
              "AND finished = '2023-11-14 22:13:20+00' AND \"user\" = 'ann'"),
            1u);
  EXPECT_EQ(schema->number("SELECT count(*) FROM claims "
                           "WHERE processor = 'sp-1' AND deadline IS NULL"),
            1u);
  EXPECT_EQ(schema->number("SELECT sum(pending)::bigint FROM users"), 1u);
  EXPECT_EQ(schema->number("SELECT reached FROM reached"), 10u);
  EXPECT_EQ(schema->number("SELECT count(*) FROM items, rings, controls"), 2u);
}

TEST_F(postgres_projection, shows_people_batches_and_jobs) {
  ASSERT_TRUE(open()->apply(work(0)));
  EXPECT_EQ(schema->number("SELECT count(*) FROM batches "
                           "WHERE state = 'processing' AND split "
                           "AND received > '2023-11-14'"),
            1u);
  EXPECT_EQ(schema->number("SELECT count(*) FROM jobs WHERE batch = 3 "
                           "AND type = 'manifest' AND state = 'storing' "
                           "AND needs_review AND queue IS NOT NULL"),
            1u);
  EXPECT_EQ(schema->number("SELECT count(*) FROM jobs WHERE queue IS NULL "
                           "AND state = 'completed'"),
            1u);
}

TEST_F(postgres_projection, shows_people_records) {
  ASSERT_TRUE(open()->apply(records(0)));
  EXPECT_EQ(schema->number("SELECT count(*) FROM records WHERE key = 'lives' "
                           "AND state = 'queued' AND item = 6"),
            1u);
  EXPECT_EQ(schema->number("SELECT count(*) FROM records WHERE key = 'failed' "
                           "AND state = 'failed' AND ended > '2023-11-14'"),
            1u);
}

TEST_F(postgres_projection, moves_an_item_to_the_end_of_another_queue) {
  const auto store = open();
  ASSERT_TRUE(store->apply(a_slice()));
  slice x;
  x.from = 10;
  x.last = 11;
  x.items_changed = {{.id = 1, .has_queue = true, .queue = "query"},
                     {.id = 1, .deadline_us = 5, .has_deadline = true}};
  ASSERT_TRUE(store->apply(x));
  EXPECT_EQ(store->item(1)->queue, "query");
  EXPECT_EQ(store->item(1)->deadline_us, 5);
  EXPECT_FALSE(load(*store));
}

TEST(postgres_values, escapes_only_what_the_server_cannot_keep) {
  using postgres::escaped;
  using postgres::unescaped;
  EXPECT_EQ(escaped("Müller & 東京 \U0001F600.xml"),
            "Müller & 東京 \U0001F600.xml");
  EXPECT_EQ(escaped(std::string{"a\0b", 3}), "a\\x00b");
  EXPECT_EQ(escaped("C:\\x41"), "C:\\\\x41");
  EXPECT_EQ(escaped("\xff\xc0\x80"), "\\xff\\xc0\\x80");
  EXPECT_EQ(escaped("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(escaped("cut \xe2\x82"), "cut \\xe2\\x82");
  std::string every;
  for (auto i = 0; i < 256; ++i)
    every += static_cast<char>(i);
  every += "\\x41\\\\x";
  EXPECT_EQ(unescaped(escaped(every)), every);
}

} // namespace

} // namespace depositd
