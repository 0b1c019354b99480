#pragma once

// The inventory in tables, with the book of fixity and that of locks.

#include "adapters/stores/rows/catalogue.hpp"
#include "adapters/stores/rows/copies_table.hpp"
#include "adapters/stores/rows/fixity_table.hpp"
#include "adapters/stores/rows/lock_table.hpp"
#include "adapters/stores/rows/premis_table.hpp"
#include "messages/ports/lock_book.hpp"

namespace depositd::rows {

/// All kinds of tables.
template <class Session>
struct inventory_tables : catalogue<Session> {
  explicit inventory_tables(Session& on)
    : catalogue<Session>(on), premis(on), checks(on), copies(on), locks(on) {
    // nop
  }

  premis_table<Session> premis;
  fixity_table<Session> checks;
  copies_table<Session> copies;
  lock_table<Session> locks;
};

/// `Store` says how its tables are reached. `read` answers what the body does
/// that it shows them to; `write` makes that one transaction, of which nothing
/// stays if the body returns an error; `read_locks` and `write_locks` are for
/// locks alone. All of them take any thread and block.
template <class Store>
class table_inventory : public inventory, public fixity_book, public lock_book {
public:
  template <class... Arguments>
  explicit table_inventory(Arguments&&... of)
    : store_(std::forward<Arguments>(of)...) {
    // nop
  }

  Store& store() noexcept {
    return store_;
  }

  caf::error record(const inventory_entry& x) override {
    return store_.write([&](auto& to) { return to.record(x); });
  }

  caf::expected<std::vector<inventory_object>>
  find(const inventory_search& x) override {
    return store_.read([&](auto& from) { return from.find(x); });
  }

  caf::expected<std::vector<stored_file>>
  files(const std::string& identifier, std::uint32_t version) override {
    return store_.read(
      [&](auto& from) { return from.files(identifier, version); });
  }

  caf::expected<std::optional<std::string>>
  of_local_id(const std::string& owner, const std::string& local_id) override {
    return store_.read(
      [&](auto& from) { return from.of_local_id(owner, local_id); });
  }

  caf::error bind_local_id(const std::string& owner,
                           const std::string& local_id,
                           const std::string& identifier) override {
    return store_.write(
      [&](auto& to) { return to.bind(owner, local_id, identifier); });
  }

  caf::expected<std::vector<collection_use>>
  use_of_collections(micros since_us) override {
    return store_.read([&](auto& from) { return from.use(since_us); });
  }

  caf::expected<std::vector<recorded_use>>
  recorded_in(const recorded_query& what) override {
    return store_.read([&](auto& from) { return from.recorded(what); });
  }

  caf::error record_events(const std::vector<premis_event>& x) override {
    return store_.write([&](auto& to) { return to.premis.record(x); });
  }

  caf::expected<std::vector<premis_event>>
  events(const premis_query& x) override {
    return store_.read([&](auto& from) { return from.premis.find(x); });
  }

  fixity_book* checks() override {
    return this;
  }

  caf::expected<std::vector<checked_file>> due(const fixity_query& x) override {
    std::vector<checked_file> out;
    auto failed = store_.write([&](auto& to) {
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
      return store_.read(
        [&](auto& from) { return from.checks.last_check(object, path); });
    };
    auto known = find();
    if (!known || *known)
      return known;
    if (auto failed = store_.write(
          [&](auto& to) { return to.checks.enrol_new(object); }))
      return failed;
    return find();
  }

  caf::expected<std::optional<std::vector<std::string>>>
  targets_of(const std::string& object, const stored_file& file) override {
    return store_.read(
      [&](auto& from) { return from.copies.targets_of(object, file); });
  }

  caf::error checked(const std::string& object, const std::string& path,
                     const premis_event& x) override {
    return store_.write(
      [&](auto& to) { return to.checks.checked(object, path, x); });
  }

  caf::expected<std::vector<spot_candidate>>
  spot_candidates(micros not_since_us, const std::vector<std::string>& cold,
                  std::uint32_t count_max) override {
    return store_.read([&](auto& from) {
      return from.checks.spot_candidates(not_since_us, cold, count_max);
    });
  }

  caf::error forget(const std::string& object,
                    const std::vector<premis_event>& events) override {
    return store_.write(
      [&](auto& to) { return to.checks.forget(object, events); });
  }

  caf::expected<bool> lock(const object_lock& x, micros now) override {
    auto taken = false;
    auto failed = store_.write_locks([&](auto& to) {
      const auto done = to.lock(x, now);
      taken = done && *done;
      return done ? caf::error{} : done.error();
    });
    if (failed)
      return failed;
    return taken;
  }

  caf::expected<bool> holds(const object_lock& x, micros now) override {
    return store_.read_locks([&](auto& from) { return from.holds(x, now); });
  }

  caf::error unlock_all(const std::string& holder,
                        std::uint64_t token) override {
    return store_.write_locks(
      [&](auto& to) { return to.unlock_all(holder, token); });
  }

  caf::expected<std::uint64_t>
  newest_token(const std::string& holder) override {
    return store_.read_locks(
      [&](auto& from) { return from.newest_token(holder); });
  }

private:
  Store store_;
};

} // namespace depositd::rows
