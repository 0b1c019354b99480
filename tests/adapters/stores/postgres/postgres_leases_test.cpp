// Engines that share one database: each shard's journal and projection opened
// under the epoch of a lease, and closed to whoever lost it.

#include "adapters/stores/postgres/migrations.hpp"
#include "adapters/stores/postgres/postgres_shard_leases.hpp"
#include "tests/adapters/stores/postgres/postgres_fixture.hpp"

#include <chrono>

namespace depositd {

namespace {

class postgres_leases : public postgres_fixture {
protected:
  std::unique_ptr<shard_leases> join(const std::string& name,
                                     shard_number count = 2) const {
    auto out = open_postgres_leases({.server = {.url = schema->url()},
                                     .self = {name, "127.0.0.1:1"},
                                     .count = count});
    EXPECT_TRUE(out) << render(out.error());
    return out ? std::move(*out) : nullptr;
  }

  caf::expected<std::unique_ptr<shard_leases>>
  speaking(const std::string& name, const std::string& protocol) const {
    return open_postgres_leases({.server = {.url = schema->url()},
                                 .self = {name, "127.0.0.1:1"},
                                 .count = 2,
                                 .protocol = protocol});
  }

  /// The schema as the version before left it.
  void take_last_step_back() const {
    schema->run("ALTER TABLE shard_owners DROP COLUMN server, "
                "DROP COLUMN copied");
    schema->run("DELETE FROM schema_versions WHERE version = "
                + std::to_string(postgres::schema_known()));
  }

  static bool says(const caf::error& why, const std::string& text) {
    return render(why).find(text) != std::string::npos;
  }

  postgres_journal_options journal_of(shard_number shard,
                                      epoch_number epoch) const {
    return {.server = {.url = schema->url(), .shard = shard}, .epoch = epoch};
  }

  std::unique_ptr<projection_store> tables_of(shard_number shard,
                                              epoch_number epoch) const {
    auto out = open_postgres_projection(
      {.server = {.url = schema->url(), .shard = shard}, .epoch = epoch});
    EXPECT_TRUE(out) << render(out.error());
    return out ? std::move(*out) : nullptr;
  }

  static slice next(sequence from, sequence last) {
    slice out;
    out.from = from;
    out.last = last;
    return out;
  }

  void wait(std::uint32_t ms) const {
    schema->run("SELECT pg_sleep(" + std::to_string(ms) + " / 1000.0)");
  }
};

TEST_F(postgres_leases, let_engines_write_shards_of_one_database_at_once) {
  const auto a = join("a");
  const auto b = join("b");
  const auto first = open_journal(journal_of(0, **a->take(0, 60'000)));
  const auto second = open_journal(journal_of(1, **b->take(1, 60'000)));
  const auto first_tables = tables_of(0, first->epoch());
  const auto second_tables = tables_of(1, second->epoch());
  for (auto round = 0; round < 3; ++round) {
    ASSERT_TRUE(first->append("first ", 1, {}));
    ASSERT_TRUE(second->append("second ", 2, {}));
  }
  ASSERT_TRUE(first_tables->apply(next(0, 3)));
  ASSERT_TRUE(second_tables->apply(next(0, 6)));
  EXPECT_EQ(read_all(*first), "first first first ");
  EXPECT_EQ(read_all(*second), "second second second ");
}

TEST_F(postgres_leases, fence_an_engine_whose_lease_another_one_took) {
  const auto a = join("a");
  const auto b = join("b");
  const auto old_epoch = **a->take(0, 100);
  const auto old_journal = open_journal(journal_of(0, old_epoch));
  const auto old_tables = tables_of(0, old_epoch);
  ASSERT_TRUE(old_journal->append("before", 1, {{"in/0", 1}}));
  wait(120);
  // Nobody has taken it: what is written harms nobody.
  EXPECT_TRUE(old_journal->append(" late", 1, {}));
  const auto epoch = **b->take(0, 60'000);
  EXPECT_EQ(old_journal->append("never", 1, {}).error(), ec::fenced);
  EXPECT_EQ(old_tables->apply(next(0, 2)).error(), ec::fenced);
  const auto journal = open_journal(journal_of(0, epoch));
  EXPECT_EQ(journal->epoch(), epoch);
  ASSERT_TRUE(journal->append(" after", 1, {}));
  EXPECT_EQ(read_all(*journal), "before late after");
  EXPECT_TRUE(tables_of(0, epoch)->apply(next(0, 3)));
  EXPECT_EQ(old_journal->append("never", 1, {{"in/0", 9}}).error(), ec::fenced);
  EXPECT_EQ(journal->watermarks(), (std::vector<watermark>{{"in/0", 1}}));
}

TEST_F(postgres_leases, give_no_epoch_again_that_a_copy_has_not_heard_of) {
  const auto a = join("a");
  const auto b = join("b");
  (void)a->take(0, 60'000);
  const auto lost = **a->take(0, 60'000);
  ASSERT_TRUE(b->list());
  // A copy takes over that never heard of the last lease.
  schema->run("UPDATE shard_owners SET epoch = epoch - 1");
  schema->run("UPDATE shard_leases SET epoch = epoch - 1, "
              "ends_at = '-infinity'");
  const auto epoch = **b->take(0, 60'000);
  EXPECT_GT(epoch, lost);
  EXPECT_EQ(open_postgres_journal(journal_of(0, lost)).error(), ec::fenced);
  schema->run("UPDATE shard_owners SET epoch = epoch - 2");
  schema->run("UPDATE shard_leases SET ends_at = '-infinity'");
  EXPECT_GT(**a->take(0, 60'000), lost);
}

TEST_F(postgres_leases, give_no_epoch_again_that_a_dump_has_not_heard_of) {
  const auto before = **join("a")->take(0, 60'000);
  EXPECT_EQ(**join("a")->take(0, 60'000), before + 1);
  bring_in_again();
  const auto anew = **join("a")->take(0, 60'000);
  EXPECT_GT(anew, before + 500);
  EXPECT_EQ(**join("a")->take(0, 60'000), anew + 1);
}

TEST_F(postgres_leases, do_not_open_a_journal_under_an_epoch_that_is_over) {
  const auto a = join("a");
  const auto old_epoch = **a->take(0, 60'000);
  ASSERT_TRUE(*join("a")->take(0, 60'000));
  const auto late = open_postgres_journal(journal_of(0, old_epoch));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error(), ec::fenced);
}

TEST_F(postgres_leases, are_renewed_while_a_slice_holds_its_shard) {
  const auto a = join("a");
  ASSERT_TRUE(*a->take(0, 60'000));
  // As the projection holds it through a long transaction.
  auto slice = schema->connect();
  ASSERT_FALSE((*slice)->script(
    "BEGIN; SELECT 1 FROM shard_owners WHERE shard = 0 FOR SHARE"));
  const auto ours = a->renew(60'000, true);
  ASSERT_TRUE(ours) << render(ours.error());
  EXPECT_EQ(*ours, std::vector<shard_number>{0});
}

TEST_F(postgres_leases, end_for_an_engine_that_stopped_inside_a_transaction) {
  const auto a = join("a");
  const auto b = join("b");
  ASSERT_TRUE(*a->take(0, 100));
  auto stopped = schema->connect();
  ASSERT_FALSE((*stopped)->script(
    "BEGIN; SELECT 1 FROM shard_owners WHERE shard = 0 FOR SHARE"));
  const auto begun = std::chrono::steady_clock::now();
  caf::expected<std::optional<epoch_number>> taken{
    std::optional<epoch_number>{}};
  do
    taken = b->take(0, 60'000);
  while (!(taken && *taken)
         && std::chrono::steady_clock::now() - begun
              < std::chrono::seconds{60});
  ASSERT_TRUE(taken) << render(taken.error());
  ASSERT_TRUE(*taken);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds{60});
}

TEST_F(postgres_leases, fail_in_time_when_the_server_is_gone) {
  cutting_proxy line{port_of(schema->url())};
  auto opened = open_postgres_leases({.server = {.url = through(line)},
                                      .self = {"a", "127.0.0.1:1"},
                                      .count = 2,
                                      .call_ms_max = 1'000});
  ASSERT_TRUE(opened) << render(opened.error());
  auto& a = **opened;
  ASSERT_TRUE(*a.take(0, 60'000));
  line.refuse(true);
  line.cut_at_answer(1);
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(a.renew(60'000, true).error(), ec::store_failed);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds{30});
  line.refuse(false);
  const auto ours = a.renew(60'000, true);
  ASSERT_TRUE(ours) << render(ours.error());
  EXPECT_EQ(*ours, std::vector<shard_number>{0});
}

TEST_F(postgres_leases, know_that_an_older_database_has_one_shard) {
  open_journal()->append("a", 1, {});
  schema->run("DROP VIEW shards; DROP TABLE shard_counts, engines, "
              "shard_leases, store_facts, content_rows; "
              "DROP VIEW submissions; "
              "ALTER TABLE submission_rows DROP COLUMN trace, "
              "DROP COLUMN digest; "
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
              "DROP COLUMN record_totals_sum; "
              "ALTER TABLE shard_owners DROP COLUMN server, "
              "DROP COLUMN copied; "
              "DELETE FROM schema_versions WHERE version > 3");
  EXPECT_FALSE(check_postgres_shard_count({.url = schema->url()}, 1));
  const auto wrong = check_postgres_shard_count({.url = schema->url()}, 2);
  EXPECT_EQ(wrong, ec::bad_setting);
  const auto joined = open_postgres_leases(
    {.server = {.url = schema->url()}, .self = {"a", ""}, .count = 2});
  EXPECT_EQ(joined.error(), ec::bad_setting);
}

TEST_F(postgres_leases, refuse_an_engine_that_says_otherwise_by_name) {
  const auto as = [&](const std::string& name, const store_facts& facts) {
    auto out = open_postgres_leases({.server = {.url = schema->url()},
                                     .self = {name, "127.0.0.1:1"},
                                     .count = 2,
                                     .facts = {facts}});
    EXPECT_TRUE(!out || (*out)->renew(60'000, true));
    return out;
  };
  const store_facts kafka{{"kafka.egress_topic", "out"}};
  const auto without = as("a", {});
  ASSERT_TRUE(without);
  EXPECT_EQ(as("b", kafka).error(), ec::bad_setting) << "a is there";
  EXPECT_FALSE((*without)->leave());
  ASSERT_TRUE(as("b", kafka));
  ASSERT_TRUE(as("c", kafka));
  EXPECT_EQ(as("a", {}).error(), ec::bad_setting);
  EXPECT_EQ(as("a", {{"kafka.egress_topic", "other"}}).error(),
            ec::bad_setting);
  EXPECT_TRUE(check_postgres_shard_count({.url = schema->url()}, 2, {}));
}

TEST_F(postgres_leases, are_shown_to_people) {
  const auto a = join("a");
  ASSERT_TRUE(*a->take(1, 60'000));
  EXPECT_EQ(schema->number("SELECT count(*) FROM shards WHERE engine = 'a' "
                           "AND address = '127.0.0.1:1' AND in_force "
                           "AND epoch = 1"),
            1u);
  EXPECT_EQ(schema->number("SELECT count(*) FROM shards WHERE engine IS NULL "
                           "AND NOT in_force"),
            1u);
}

TEST_F(postgres_leases, refuse_another_protocol_beside_engines_that_run) {
  const auto a = speaking("a", "ours.1");
  ASSERT_TRUE(a);
  ASSERT_TRUE((*a)->renew(60'000, true));
  ASSERT_TRUE(speaking("b", "ours.1"));
  const auto later = speaking("c", "ours.2");
  ASSERT_FALSE(later);
  EXPECT_EQ(later.error(), ec::bad_setting);
  EXPECT_TRUE(says(later.error(),
                   "engine a at 127.0.0.1:1 speaks ours.1, this one ours.2"))
    << render(later.error());
  EXPECT_TRUE((*a)->renew(60'000, true)) << "a goes on";
  ASSERT_FALSE((*a)->leave());
  EXPECT_TRUE(speaking("c", "ours.2"));
}

TEST_F(postgres_leases, end_for_one_that_stood_still_while_others_changed) {
  const auto a = speaking("a", "ours.1");
  ASSERT_TRUE(a && (*a)->renew(50, true));
  wait(60);
  const auto b = speaking("b", "ours.2");
  ASSERT_TRUE(b && (*b)->renew(60'000, true));
  const auto late = (*a)->renew(60'000, true);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error(), ec::fenced);
  EXPECT_TRUE(says(late.error(), "engine b at 127.0.0.1:1 speaks ours.2"))
    << render(late.error());
  EXPECT_TRUE((*b)->renew(60'000, true));
}

TEST_F(postgres_leases, end_under_a_schema_of_a_later_version) {
  const auto a = join("a");
  ASSERT_TRUE(a->renew(60'000, true));
  schema->run("INSERT INTO schema_versions VALUES (1000)");
  const auto late = a->renew(60'000, true);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error(), ec::fenced);
  EXPECT_TRUE(says(late.error(), "the schema to version 1000"))
    << render(late.error());
}

TEST_F(postgres_leases, keep_the_schema_from_being_changed_under_them) {
  const auto a = join("a");
  ASSERT_TRUE(a->renew(60'000, true));
  take_last_step_back();
  const auto refused = open_postgres_leases({.server = {.url = schema->url()},
                                             .self = {"b", "127.0.0.1:1"},
                                             .count = 2});
  ASSERT_FALSE(refused);
  EXPECT_TRUE(says(refused.error(), "engine a at 127.0.0.1:1 was alive"))
    << render(refused.error());
  schema->run("UPDATE engines SET alive_until = now()");
  EXPECT_TRUE(join("b"));
}

TEST_F(postgres_leases, leave_the_schema_alone_while_an_engine_has_its_shard) {
  auto alone = open_journal({.server = {.url = schema->url()}});
  ASSERT_TRUE(alone->append("before", 1, {}));
  take_last_step_back();
  const auto refused = open_postgres_journal(
    {.server = {.url = schema->url()}, .owner_wait_ms = 100});
  ASSERT_FALSE(refused);
  EXPECT_TRUE(says(refused.error(), "another engine runs on this schema"))
    << render(refused.error());
  EXPECT_TRUE(alone->append(" after", 1, {}));
  alone.reset();
  EXPECT_EQ(read_all(*open_journal({.server = {.url = schema->url()}})),
            "before after");
}

} // namespace

} // namespace depositd
