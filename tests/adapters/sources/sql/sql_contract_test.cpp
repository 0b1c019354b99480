// Databases under the contract that all sources obey.

#include "tests/adapters/sources/sql/sql_readers.hpp"
#include "tests/adapters/sources/sql/sqlite_file.hpp"
#include "tests/contract/source_reader_suite.hpp"
#include "tests/support/postgres_schema.hpp"

#include <memory>
#include <string>
#include <thread>

namespace depositd {

namespace {

/// What databases have in common: a table of records, by their numbers.
class table_driver : public source_driver {
public:
  std::unique_ptr<source_reader> open(const fields& x) override {
    // No reader brings a record without its columns: one that is not in the
    // table is null.
    auto query = std::string{"SELECT n, k, field_key, field_user"};
    for (const auto& column : {x.key, x.user_field})
      if (!column.empty() && column.rfind("field_", 0) != 0)
        query += ", NULL AS " + column;
    auto settings = sources::with_cursor(
      sources::sql_source(url(), query
                                   + " FROM records WHERE n > :cursor "
                                     "ORDER BY n LIMIT :limit"),
      "n", "0");
    settings.key = x.key.empty() ? "k" : x.key;
    settings.user_field = x.user_field;
    return sources::open_reader(settings);
  }

  void put(int number) override {
    insert(number, "'" + key_of(number) + "'");
  }

  void put_bad(int number) override {
    insert(number, "NULL");
  }

  std::string key_of(int number) const override {
    return "key-" + std::to_string(number);
  }

  fields field_names() const override {
    return {"field_key", "field_user"};
  }

  std::string field_key_of(int number) const override {
    return "other-" + std::to_string(number);
  }

  std::string field_user_of(int number) const override {
    return "user-" + std::to_string(number);
  }

  void spoil() override {
    run("ALTER TABLE records RENAME TO hidden");
  }

  void mend() override {
    run("ALTER TABLE hidden RENAME TO records");
  }

protected:
  static constexpr const char* table =
    "CREATE TABLE records(n INTEGER, k TEXT, field_key TEXT, field_user TEXT)";

  virtual std::string url() const = 0;
  virtual void run(const std::string& sql) const = 0;

private:
  void insert(int number, const std::string& key) const {
    run("INSERT INTO records VALUES(" + std::to_string(number) + ", " + key
        + ", '" + field_key_of(number) + "', '" + field_user_of(number) + "')");
  }
};

class file_driver final : public table_driver {
public:
  explicit file_driver(bool odbc) : odbc_(odbc) {}

  bool hold_up() override {
    spoil();
    run("CREATE VIEW records AS "
        + sources::endless("n, 'k' AS k, 'f' AS field_key, "
                           "'u' AS field_user"));
    return true;
  }

  void await_waiting() override {
    file_.await_reading();
  }

  void let_go() override {
    run("DROP VIEW records");
    mend();
  }

protected:
  std::string url() const override {
    return odbc_ ? file_.odbc_url() : file_.url();
  }

  void run(const std::string& sql) const override {
    file_.run(sql);
  }

private:
  bool odbc_;
  sources::sqlite_file file_{table};
};

class postgres_driver final : public table_driver {
public:
  postgres_driver() {
    run(table);
  }

  bool hold_up() override {
    auto to = schema_.connect();
    if (!to
        || (*to)->script("SET idle_in_transaction_session_timeout = 0; "
                         "BEGIN; LOCK TABLE records"))
      return false;
    holder_ = std::move(*to);
    return true;
  }

  void await_waiting() override {
    while (schema_.number("SELECT count(*) FROM pg_stat_activity WHERE "
                          "application_name = 'depositd source src' AND "
                          "wait_event_type = 'Lock'")
           == 0)
      std::this_thread::yield();
  }

  void let_go() override {
    holder_.reset();
  }

protected:
  std::string url() const override {
    return schema_.url();
  }

  void run(const std::string& sql) const override {
    schema_.run(sql);
  }

private:
  postgres_schema schema_;
  std::unique_ptr<postgres::connection> holder_;
};

std::vector<source_candidate> candidates() {
  std::vector<source_candidate> out{
    {"sqlite", [] { return std::make_unique<file_driver>(false); }},
    {"odbc", [] { return std::make_unique<file_driver>(true); }}};
  if (postgres_installed())
    out.push_back(
      {"postgres", [] { return std::make_unique<postgres_driver>(); }});
  return out;
}

} // namespace

INSTANTIATE_TEST_SUITE_P(sql, source_reader_suite,
                         ::testing::ValuesIn(candidates()),
                         [](const auto& x) { return x.param.name; });

} // namespace depositd
