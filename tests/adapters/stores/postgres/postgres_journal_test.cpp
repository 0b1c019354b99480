// What only the journal in PostgreSQL promises: fencing, commits of unknown
// outcome, damage by name.

#include "adapters/stores/postgres/migrations.hpp"
#include "tests/adapters/stores/postgres/postgres_fixture.hpp"

#include <chrono>
#include <fstream>
#include <thread>

namespace depositd {

namespace {

using postgres_journal = postgres_fixture;

TEST_F(postgres_journal, refuses_a_shard_that_another_engine_has) {
  const auto first = open_journal();
  const auto second = open_postgres_journal(
    {.server = {.url = schema->url()}, .owner_wait_ms = 50});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error(), ec::store_failed);
  EXPECT_NE(render(second.error()).find("another engine has shard 0"),
            std::string::npos);
  EXPECT_TRUE(first->append("a", 1, {}));
}

TEST_F(postgres_journal, keeps_its_shard_while_nothing_is_appended) {
  const std::string ours = " FROM pg_stat_activity JOIN pg_locks USING (pid) "
                           "WHERE locktype = 'advisory' AND granted "
                           "AND application_name = 'depositd journal'";
  const auto store = open_journal(
    {.server = {.url = schema->url()}, .session_pause_ms = 10});
  const auto until = [&](const std::string& condition) {
    while (schema->number("SELECT count(*)" + ours + condition) == 0)
      std::this_thread::yield();
  };
  until(" AND query = 'SELECT 1'");
  const auto first = schema->number("SELECT pid::bigint" + ours);
  // What stands in between ends the session all the same.
  end_sessions("depositd journal");
  until(" AND pid <> " + std::to_string(first));
  EXPECT_FALSE(open_postgres_journal(
    {.server = {.url = schema->url()}, .owner_wait_ms = 50}));
  EXPECT_TRUE(store->append("a", 1, {}));
  EXPECT_EQ(read_all(*store), "a");
}

TEST_F(postgres_journal, says_why_no_other_session_can_be_had) {
  schema->run("CREATE ROLE rotated SUPERUSER LOGIN");
  auto url = schema->url();
  url.replace(url.find("depositd@"), 8, "rotated");
  const auto store = open_journal({.server = {.url = url, .patience_ms = 0}});
  // As after a password was changed: who is there stays.
  schema->run("ALTER ROLE rotated NOLOGIN");
  EXPECT_TRUE(store->append("a", 1, {}));
  end_sessions("depositd journal");
  while (schema->number("SELECT count(*) FROM pg_stat_activity WHERE "
                        "application_name = 'depositd journal'")
         > 0)
    std::this_thread::yield();
  const auto failed = store->append("b", 1, {});
  ASSERT_FALSE(failed);
  EXPECT_NE(render(failed.error()).find("not permitted to log in"),
            std::string::npos)
    << render(failed.error());
  schema->run("ALTER ROLE rotated LOGIN");
  EXPECT_TRUE(store->append("c", 1, {}));
  EXPECT_EQ(read_all(*store), "ac");
}

TEST_F(postgres_journal, fences_the_owner_before_when_it_takes_over) {
  const auto first =
    open_journal({.server = {.url = schema->url()}, .segment_bytes = 10});
  ASSERT_TRUE(first->append("before", 1, {{"in/0", 1}}));
  const auto second = open_journal(
    {.server = {.url = schema->url()}, .owner_wait_ms = 0});
  // Within the open segment, with watermarks, and at the start of another.
  EXPECT_EQ(first->append("l", 1, {}).error(), ec::fenced);
  EXPECT_EQ(first->append("l", 1, {{"in/0", 9}}).error(), ec::fenced);
  EXPECT_EQ(first->append("late and long", 1, {}).error(), ec::fenced);
  EXPECT_TRUE(second->append(" after", 1, {}));
  EXPECT_EQ(read_all(*second), "before after");
  EXPECT_EQ(second->watermarks(), (std::vector<watermark>{{"in/0", 1}}));
}

TEST_F(postgres_journal, lets_a_fenced_engine_drop_nothing) {
  const auto first =
    open_journal({.server = {.url = schema->url()}, .segment_bytes = 10});
  ASSERT_TRUE(first->append("one segment", 1, {}));
  ASSERT_TRUE(first->append("another", 1, {}));
  const auto second = open_journal(
    {.server = {.url = schema->url()}, .owner_wait_ms = 0});
  EXPECT_EQ(first->drop(first->segments().front().number), ec::fenced);
  EXPECT_EQ(read_all(*second), "one segmentanother");
}

TEST_F(postgres_journal, keeps_shards_apart) {
  const auto first = open_journal();
  const auto second
    = open_journal({.server = {.url = schema->url(), .shard = 1}});
  ASSERT_TRUE(first->append("first", 1, {{"in/0", 1}}));
  ASSERT_TRUE(second->append("second", 4, {}));
  EXPECT_EQ(first->last(), 1u);
  EXPECT_EQ(second->last(), 4u);
  EXPECT_EQ(read_all(*second), "second");
  EXPECT_TRUE(second->watermarks().empty());
}

TEST_F(postgres_journal, finds_a_group_whose_commit_nobody_confirmed) {
  cutting_proxy line{port_of(schema->url())};
  const auto store = open_journal({.server = {.url = through(line)}});
  ASSERT_TRUE(store->append("a", 2, {}));
  line.cut_at_answer(1);
  const auto group = store->append("b", 3, {{"in/0", 7}});
  ASSERT_TRUE(group) << render(group.error());
  EXPECT_EQ(line.cuts(), 1);
  EXPECT_EQ(*group, 3u);
  EXPECT_EQ(store->last(), 5u);
  ASSERT_TRUE(store->append("c", 1, {}));
  EXPECT_EQ(read_all(*store), "abc") << "written once, not twice";
}

TEST_F(postgres_journal, appends_again_what_proved_not_to_have_arrived) {
  const auto store = open_journal();
  ASSERT_TRUE(store->append("a", 1, {}));
  // The server ends the session in the middle of the next append, once.
  schema->run("CREATE SEQUENCE cuts; CREATE FUNCTION cut() RETURNS trigger "
              "LANGUAGE plpgsql AS $$ BEGIN IF nextval('cuts') = 1 THEN "
              "PERFORM pg_terminate_backend(pg_backend_pid()); END IF; "
              "RETURN NEW; END $$; CREATE TRIGGER cut BEFORE INSERT ON "
              "journal_0_1 FOR EACH ROW EXECUTE FUNCTION cut()");
  const auto group = store->append("b", 1, {});
  ASSERT_TRUE(group) << render(group.error());
  EXPECT_EQ(schema->number("SELECT last_value FROM cuts"), 2u);
  EXPECT_EQ(read_all(*store), "ab");
}

TEST_F(postgres_journal, takes_out_a_group_that_it_said_had_failed) {
  cutting_proxy line{port_of(schema->url())};
  const auto store = open_journal(
    {.server = {.url = through(line), .patience_ms = 300}});
  ASSERT_TRUE(store->append("a", 1, {{"in/0", 1}}));
  line.refuse(true);
  line.cut_at_answer(1);
  const auto failed = store->append("committed all the same", 1, {{"in/0", 9}});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error(), ec::store_failed);
  EXPECT_EQ(store->last(), 1u);
  EXPECT_EQ(schema->number("SELECT count(*) FROM journal_0_1"), 2u)
    << "the test proves nothing otherwise";
  line.refuse(false);
  EXPECT_EQ(read_all(*store), "a");
  ASSERT_TRUE(store->append("b", 1, {}));
  EXPECT_EQ(read_all(*store), "ab");
  EXPECT_EQ(schema->number("SELECT position FROM journal_watermarks"), 1u);
}

/// A group that begins a segment, was refused, and is taken out again.
TEST_F(postgres_journal, loses_nothing_wherever_taking_out_is_cut_off) {
  constexpr auto commit = 8; // the answer to it, where all is prepared
  cutting_proxy line{port_of(schema->url())};
  const auto store = open_journal(
    {.server = {.url = through(line), .patience_ms = 0}, .segment_bytes = 1});
  std::string all;
  const auto append = [&](char x) {
    const auto done = store->append({&x, 1}, 1, {{"in/0", x}});
    all += done ? std::string{x} : "";
    return done ? caf::error{} : done.error();
  };
  for (auto nth = 1, cuts = 0; nth == 1 || line.cuts() > cuts + 1; ++nth) {
    ASSERT_FALSE(append('a')) << nth;
    ASSERT_FALSE(append('b')) << nth;
    cuts = line.cuts();
    line.end_at_answer(commit);
    ASSERT_TRUE(append('c')) << nth;
    ASSERT_EQ(schema->number("SELECT count(*) FROM journal_watermarks "
                             "WHERE position = ascii('c')"), 1u)
      << "the test proves nothing otherwise";
    line.refuse(false);
    line.end_at_answer(nth);
    auto failed = append('d');
    line.cut_at_answer(0);
    line.refuse(false);
    if (failed)
      failed = append('e');
    ASSERT_FALSE(failed) << nth << ": " << render(failed);
    ASSERT_EQ(read_all(*store), all) << nth;
  }
  ASSERT_EQ(read_all(*open_journal(
              {.server = {.url = schema->url()}, .owner_wait_ms = 0})),
            all);
}

TEST_F(postgres_journal, leaves_no_gap_behind_what_a_server_has_lost) {
  const auto store = open_journal();
  ASSERT_TRUE(store->append("a", 1, {}));
  ASSERT_TRUE(store->append("lost", 1, {}));
  // A copy takes over that never heard of the last group.
  schema->run("DELETE FROM journal_0_1 WHERE first_seq = 2");
  end_sessions("depositd journal");
  const auto refused = store->append("b", 1, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), ec::store_damaged);
  EXPECT_NE(render(refused.error()).find("sequence 1 of 2"), std::string::npos)
    << render(refused.error());
  EXPECT_FALSE(store->append("c", 1, {}));
  const auto anew = open_journal(
    {.server = {.url = schema->url()}, .owner_wait_ms = 0});
  ASSERT_TRUE(anew->append("d", 1, {}));
  EXPECT_EQ(read_all(*anew), "ad");
}

TEST_F(postgres_journal, says_so_if_a_server_does_not_know_its_epoch_yet) {
  (void)open_journal();
  const auto store = open_journal();
  ASSERT_TRUE(store->append("a", 1, {}));
  schema->run("UPDATE shard_owners SET epoch = epoch - 1");
  end_sessions("depositd journal");
  const auto refused = store->append("b", 1, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), ec::store_damaged);
  EXPECT_EQ(read_all(*store), "a");
}

TEST_F(postgres_journal, gives_no_epoch_again_that_a_dump_has_not_heard_of) {
  const auto before = open_journal()->epoch();
  EXPECT_EQ(open_journal()->epoch(), before + 1);
  bring_in_again();
  const auto anew = open_journal()->epoch();
  EXPECT_GT(anew, before + 500) << "whatever was given since it was made";
  EXPECT_EQ(open_journal()->epoch(), anew + 1);
}

TEST_F(postgres_journal, leaves_nothing_of_an_append_that_the_server_refused) {
  const auto store = open_journal();
  ASSERT_TRUE(store->append("a", 1, {}));
  schema->run("ALTER TABLE journal_0_1 ADD CHECK (length <> 2)");
  const auto refused = store->append("no", 1, {{"in/0", 5}});
  EXPECT_EQ(refused.error(), ec::store_failed);
  EXPECT_EQ(store->last(), 1u);
  ASSERT_TRUE(store->append("b", 1, {}));
  EXPECT_EQ(read_all(*store), "ab");
  EXPECT_TRUE(store->watermarks().empty());
}

TEST_F(postgres_journal, refuses_a_changed_group_by_name) {
  const auto store = open_journal();
  ASSERT_TRUE(store->append("a", 4, {}));
  ASSERT_TRUE(store->append("b", 1, {}));
  schema->run("UPDATE journal_0_1 SET bytes = 'x' WHERE first_seq = 5");
  const auto failed
    = store->read(1, [](const stored_group&) { return true; });
  EXPECT_EQ(failed, ec::store_damaged);
  EXPECT_NE(render(failed).find("sequences 5 to 5"), std::string::npos)
    << render(failed);
}

TEST_F(postgres_journal, refuses_to_read_over_a_gap) {
  auto store = open_journal();
  for (const auto* bytes : {"a", "b", "c"})
    ASSERT_TRUE(store->append(bytes, 1, {}));
  schema->run("DELETE FROM journal_0_1 WHERE first_seq = 2");
  for (const sequence from : {1, 2}) {
    std::string shown;
    const auto failed = store->read(from, [&](const stored_group& x) {
      shown += x.bytes;
      return true;
    });
    EXPECT_EQ(failed, ec::store_damaged);
    EXPECT_NE(render(failed).find("sequence 2 is missing"), std::string::npos);
    EXPECT_EQ(shown, from == 1 ? "a" : "");
  }
  store.reset();
  const auto opened = open_postgres_journal({.server = {.url = schema->url()}});
  EXPECT_EQ(opened.error(), ec::store_damaged);
}

TEST_F(postgres_journal, refuses_a_log_whose_table_is_gone) {
  open_journal()->append("a", 1, {});
  schema->run("DROP TABLE journal_0_1");
  const auto opened = open_postgres_journal({.server = {.url = schema->url()}});
  EXPECT_EQ(opened.error(), ec::store_damaged);
  EXPECT_NE(render(opened.error()).find("journal_0_1"), std::string::npos);
}

TEST_F(postgres_journal, refuses_a_schema_of_a_later_version) {
  open_journal();
  schema->run("INSERT INTO schema_versions VALUES (99)");
  const auto opened = open_postgres_journal({.server = {.url = schema->url()}});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error(), ec::store_failed);
  EXPECT_NE(render(opened.error()).find("version 99"), std::string::npos);
}

TEST_F(postgres_journal, refuses_a_database_that_has_not_every_letter) {
  const auto& url = shared_postgres().url();
  const auto open_in = [&](const std::string& name) {
    return open_postgres_journal(
      {.server = {.url = url.substr(0, url.rfind('/') + 1) + name}});
  };
  for (const std::string encoding : {"LATIN1", "UTF8", "SQL_ASCII"})
    schema->run("CREATE DATABASE in_" + encoding + " ENCODING '" + encoding
                + "' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'");
  const auto opened = open_in("in_latin1");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error(), ec::bad_setting);
  EXPECT_NE(render(opened.error()).find("keeps texts in LATIN1"),
            std::string::npos)
    << render(opened.error());
  EXPECT_TRUE(open_in("in_utf8"));
  EXPECT_TRUE(open_in("in_sql_ascii"));
}

TEST_F(postgres_journal, refuses_one_that_was_used_and_has_not_every_letter) {
  const auto& server = shared_postgres().url();
  const auto url = server.substr(0, server.rfind('/') + 1) + "used_latin1";
  schema->run("CREATE DATABASE used_latin1 ENCODING 'LATIN1' TEMPLATE "
              "template0 LC_COLLATE 'C' LC_CTYPE 'C'");
  auto before = postgres::connection::open({.url = url, .name = "test"});
  ASSERT_TRUE(before) << render(before.error());
  ASSERT_FALSE(
    (*before)->script("CREATE TABLE schema_versions (version bigint);"
                      "INSERT INTO schema_versions VALUES ("
                      + std::to_string(postgres::schema_known()) + ")"));
  const auto opened = open_postgres_journal({.server = {.url = url}});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error(), ec::bad_setting);
  EXPECT_NE(render(opened.error()).find("copy it there with pg_dump"),
            std::string::npos)
    << render(opened.error());
}

TEST_F(postgres_journal, does_not_trust_a_server_that_is_not_verified) {
  const auto opened = open_postgres_journal(
    {.server = {.url = schema->url() + "&sslmode=verify-full"}});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error(), ec::store_failed);
}

TEST_F(postgres_journal, flushes_whatever_the_server_thinks_of_it) {
  schema->run("ALTER ROLE depositd SET synchronous_commit = off");
  auto to = schema->connect();
  schema->run("ALTER ROLE depositd RESET synchronous_commit");
  ASSERT_TRUE(to);
  const auto now = (*to)->run("SELECT current_setting('synchronous_commit')");
  ASSERT_TRUE(now);
  EXPECT_EQ(now->raw(0, 0), "on");
}

/// Gives the server a certificate for 127.0.0.1, signed by itself, and turns
/// TLS on; returns the certificate.
std::string enable_tls(const postgres_schema& on) {
  on.run("COPY (SELECT 1) TO PROGRAM 'openssl req -x509 -newkey rsa:2048 "
         "-nodes -keyout server.key -out server.crt -days 2 -subj /CN=test "
         "-addext subjectAltName=IP:127.0.0.1 2>/dev/null'");
  on.run("ALTER SYSTEM SET ssl = on");
  on.run("SELECT pg_reload_conf()");
  auto to = on.connect();
  const auto rows = (*to)->run("SELECT pg_read_file('server.crt')");
  EXPECT_TRUE(rows) << render(rows.error());
  return rows ? std::string{rows->raw(0, 0)} : std::string{};
}

TEST(postgres_tls, is_used_with_a_server_that_proves_who_it_is) {
  if (!postgres_installed())
    GTEST_SKIP() << "POSTGRESQL IS NOT INSTALLED";
  postgres_server server;
  const postgres_schema schema{server.url()};
  const temporary_folder folder;
  const auto root = folder.path() / "root.crt";
  std::ofstream{root} << enable_tls(schema);
  const auto url = schema.url() + "&sslmode=verify-full&sslrootcert="
                   + root.string();
  // The server takes new settings in its own time.
  auto opened = open_postgres_journal({.server = {.url = url}});
  const auto until
    = std::chrono::steady_clock::now() + std::chrono::seconds{20};
  while (!opened && std::chrono::steady_clock::now() < until)
    opened = open_postgres_journal({.server = {.url = url}});
  ASSERT_TRUE(opened) << render(opened.error());
  EXPECT_TRUE((*opened)->append("a", 1, {}));
  EXPECT_EQ(schema.number("SELECT count(*) FROM pg_stat_ssl JOIN "
                          "pg_stat_activity USING (pid) WHERE ssl AND "
                          "application_name = 'depositd journal'"),
            1u);
  // The same server under a name that is not in its certificate.
  auto other = url;
  other.replace(other.find("127.0.0.1"), 9, "localhost");
  const auto refused = open_postgres_journal({.server = {.url = other}});
  ASSERT_FALSE(refused);
  EXPECT_NE(render(refused.error()).find("localhost"), std::string::npos)
    << render(refused.error());
}

TEST(postgres_restart, is_survived_by_a_journal_and_its_readers) {
  if (!postgres_installed())
    GTEST_SKIP() << "POSTGRESQL IS NOT INSTALLED";
  postgres_server server;
  auto opened = open_postgres_journal({.server = {.url = server.url()}});
  ASSERT_TRUE(opened) << render(opened.error());
  auto& store = **opened;
  const auto first = store.append("before", 1, {});
  ASSERT_TRUE(first);
  ASSERT_EQ(*store.read_body({*first, 0, 6}), "before");
  server.kill();
  server.start();
  const auto second = store.append(" after", 1, {});
  ASSERT_TRUE(second) << render(second.error());
  std::string all;
  EXPECT_FALSE(store.read(1, [&](const stored_group& x) {
    all += x.bytes;
    return true;
  }));
  EXPECT_EQ(all, "before after");
  EXPECT_EQ(*store.read_body({*second, 1, 5}), "after");
}

} // namespace

} // namespace depositd
