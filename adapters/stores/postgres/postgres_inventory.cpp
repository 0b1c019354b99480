#include "adapters/stores/postgres/postgres_inventory.hpp"

#include "adapters/stores/postgres/channel.hpp"
#include "adapters/stores/postgres/migrations.hpp"
#include "adapters/stores/rows/table_inventory.hpp"

namespace depositd {

namespace {

using namespace postgres;

/// A connection as tables of the inventory want it.
class session {
public:
  explicit session(connection& on) : on_(on) {
    // nop
  }

  template <class Show, class... Values>
  caf::error each(std::string_view sql, const Show& show,
                  const Values&... values) {
    return on_.each(sql, parameters{values...}, show);
  }

  template <class... Values>
  caf::error run(std::string_view sql, const Values&... values) {
    return on_.execute(sql, parameters{values...});
  }

  static column list(const std::vector<std::string>& values) {
    return column_of(values);
  }
  static std::string among(const std::string& column, const std::string& sign) {
    return column + " = ANY(" + sign + ")";
  }

private:
  connection& on_;
};

using tables = rows::inventory_tables<session>;

/// One writer at a time; readers go on.
constexpr const char* lock_inventory =
  "LOCK TABLE inventory_objects IN SHARE ROW EXCLUSIVE MODE";

/// Everything here may be repeated: what was done is found done.
class connections {
public:
  explicit connections(const postgres_options& options)
    : writes_({.url = options.url, .name = "inventory"}, options.patience_ms),
      reads_({.url = options.url, .name = "inventory reader"},
             options.patience_ms),
      locks_({.url = options.url, .name = "inventory locks"},
             options.patience_ms) {
    // nop
  }

  caf::error open() {
    return writes_.once([](connection& to) { return migrate(to); });
  }

  template <class Body>
  auto read(const Body& body) {
    return reads_.repeatable([&](connection& on) {
      session from{on};
      tables all{from};
      return body(all);
    });
  }

  template <class Body>
  caf::error write(const Body& body) {
    return writes_.repeatable([&](connection& on) {
      return on.transact([&]() -> caf::error {
        if (auto error = on.script(lock_inventory))
          return error;
        session to{on};
        tables all{to};
        return body(all);
      });
    });
  }

  template <class Body>
  auto read_locks(const Body& body) {
    return locks_.repeatable([&](connection& on) {
      session by{on};
      rows::lock_table<session> locks{by};
      return body(locks);
    });
  }

  template <class Body>
  caf::error write_locks(const Body& body) {
    return read_locks(body);
  }

private:
  channel writes_;
  channel reads_;
  channel locks_; ///< does not wait for who records
};

} // namespace

caf::expected<std::unique_ptr<inventory>>
open_postgres_inventory(const postgres_options& options) {
  auto out = std::make_unique<rows::table_inventory<connections>>(options);
  if (auto error = out->store().open())
    return error;
  return std::unique_ptr<inventory>{std::move(out)};
}

} // namespace depositd
