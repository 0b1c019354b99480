#include "adapters/stores/postgres/postgres_inventory.hpp"

#include "adapters/stores/postgres/channel.hpp"
#include "adapters/stores/postgres/migrations.hpp"
#include "adapters/stores/rows/catalogue.hpp"
#include "adapters/stores/rows/fixity_table.hpp"
#include "adapters/stores/rows/lock_table.hpp"
#include "adapters/stores/rows/premis_table.hpp"
#include "messages/ports/lock_book.hpp"

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

/// All kinds of tables.
struct tables : rows::catalogue<session> {
  explicit tables(session& on)
    : catalogue(on), premis(on), checks(on), locks(on) {
    // nop
  }

  rows::premis_table<session> premis;
  rows::fixity_table<session> checks;
  rows::lock_table<session> locks;
};

/// One writer at a time; readers go on.
constexpr const char* lock_inventory =
  "LOCK TABLE inventory_objects IN SHARE ROW EXCLUSIVE MODE";

/// Everything here may be repeated: what was done is found done.
template <class Body>
auto with(channel& by, const Body& body) {
  return by.repeatable([&](connection& on) {
    session to{on};
    tables all{to};
    return body(all);
  });
}

class postgres_inventory final : public inventory,
                                 public fixity_book,
                                 public lock_book {
public:
  explicit postgres_inventory(const postgres_options& options)
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

  caf::error record(const inventory_entry& x) override {
    return write([&](tables& to) { return to.record(x); });
  }

  caf::expected<std::vector<inventory_object>>
  find(const inventory_search& x) override {
    return with(reads_, [&](tables& from) { return from.find(x); });
  }

  caf::expected<std::vector<stored_file>>
  files(const std::string& identifier, std::uint32_t version) override {
    return with(reads_,
                [&](tables& from) { return from.files(identifier, version); });
  }

  caf::expected<std::optional<std::string>>
  of_local_id(const std::string& owner, const std::string& local_id) override {
    return with(
      reads_, [&](tables& from) { return from.of_local_id(owner, local_id); });
  }

  caf::error bind_local_id(const std::string& owner,
                           const std::string& local_id,
                           const std::string& identifier) override {
    return write(
      [&](tables& to) { return to.bind(owner, local_id, identifier); });
  }

  caf::expected<std::vector<collection_use>>
  use_of_collections(micros since_us) override {
    return with(reads_, [&](tables& from) { return from.use(since_us); });
  }

  caf::expected<std::vector<recorded_use>>
  recorded_in(const recorded_query& what) override {
    return with(reads_, [&](tables& from) { return from.recorded(what); });
  }

  caf::error record_events(const std::vector<premis_event>& x) override {
    return write([&](tables& to) { return to.premis.record(x); });
  }

  caf::expected<std::vector<premis_event>>
  events(const premis_query& x) override {
    return with(reads_, [&](tables& from) { return from.premis.find(x); });
  }

  fixity_book* checks() override {
    return this;
  }

  caf::expected<std::vector<checked_file>> due(const fixity_query& x) override {
    std::vector<checked_file> out;
    auto failed = write([&](tables& to) {
      auto found = to.checks.due(x);
      if (!found)
        return std::move(found.error());
      out = std::move(*found);
      return caf::error{};
    });
    if (failed)
      return failed;
    return out;
  }

  caf::expected<std::optional<checked_file>>
  last_check(const std::string& object, const std::string& path) override {
    const auto find = [&] {
      return with(reads_, [&](tables& from) {
        return from.checks.last_check(object, path);
      });
    };
    auto known = find();
    if (!known || *known)
      return known;
    auto failed =
      write([&](tables& to) { return to.checks.enrol_new(object); });
    if (failed)
      return failed;
    return find();
  }

  caf::error checked(const std::string& object, const std::string& path,
                     const premis_event& x) override {
    return write(
      [&](tables& to) { return to.checks.checked(object, path, x); });
  }

  caf::expected<std::vector<spot_candidate>>
  spot_candidates(micros not_since_us, const std::vector<std::string>& cold,
                  std::uint32_t count_max) override {
    return with(reads_, [&](tables& from) {
      return from.checks.spot_candidates(not_since_us, cold, count_max);
    });
  }

  caf::error forget(const std::string& object,
                    const std::vector<premis_event>& events) override {
    return write([&](tables& to) { return to.checks.forget(object, events); });
  }

  caf::expected<bool> lock(const object_lock& x, micros now) override {
    return with(locks_, [&](tables& to) { return to.locks.lock(x, now); });
  }

  caf::expected<bool> holds(const object_lock& x, micros now) override {
    return with(locks_, [&](tables& from) { return from.locks.holds(x, now); });
  }

  caf::error unlock_all(const std::string& holder,
                        std::uint64_t token) override {
    return with(locks_,
                [&](tables& to) { return to.locks.unlock_all(holder, token); });
  }

  caf::expected<std::uint64_t>
  newest_token(const std::string& holder) override {
    return with(locks_, [&](tables& from) {
      return from.locks.newest_token(holder);
    });
  }

private:
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

  channel writes_;
  channel reads_;
  channel locks_; ///< does not wait for who records
};

} // namespace

caf::expected<std::unique_ptr<inventory>>
open_postgres_inventory(const postgres_options& options) {
  auto out = std::make_unique<postgres_inventory>(options);
  if (auto error = out->open())
    return error;
  return std::unique_ptr<inventory>{std::move(out)};
}

} // namespace depositd
