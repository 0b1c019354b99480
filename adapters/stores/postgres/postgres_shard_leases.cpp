#include "adapters/stores/postgres/postgres_shard_leases.hpp"

#include "adapters/stores/postgres/channel.hpp"
#include "adapters/stores/postgres/effect_statements.hpp"
#include "adapters/stores/postgres/engine_statements.hpp"
#include "adapters/stores/postgres/lease_statements.hpp"
#include "adapters/stores/postgres/migrations.hpp"
#include "adapters/stores/postgres/own_sessions.hpp"
#include "adapters/stores/postgres/shard_epochs.hpp"
#include "adapters/stores/postgres/statements.hpp"

#include <algorithm>
#include <map>
#include <mutex>

namespace depositd {

namespace {

using namespace postgres;

connection_options line_to(const postgres_leases_options& options) {
  connection_options out;
  out.url = options.server.url;
  out.name = "leases";
  out.connect_timeout_s = std::max(2U, options.call_ms_max / 1000);
  out.statement_timeout_ms = options.call_ms_max;
  out.silence_ms_max = options.call_ms_max + 500;
  return out;
}

caf::error check_count(connection& to, shard_number count) {
  if (auto error = to.execute(statements::put_shard_count, parameters{count}))
    return error;
  const auto known = to.run(statements::shard_count);
  if (!known)
    return known.error();
  const auto found = known->number(0, 0);
  if (found != count)
    return caf::make_error(
      ec::bad_setting, "shards.count: this database has "
                         + std::to_string(found) + " shards for ever, not "
                         + std::to_string(count));
  return {};
}

/// `name`: of this engine. One after the other, so that two cannot both be the
/// first.
caf::error check_facts(connection& to, const std::string& name,
                       facts_claim claim) {
  return to.transact([&]() -> caf::error {
    if (auto error = to.execute(statements::lock_facts))
      return error;
    const auto others = to.run(statements::other_engines, parameters{name});
    if (!others)
      return others.error();
    claim.alone = others->rows() == 0;
    store_facts known;
    auto failed = to.each(statements::facts, {}, [&](const auto& row) {
      std::string key;
      std::string value;
      row.take(key, value);
      known.emplace(std::move(key), std::move(value));
      return caf::error{};
    });
    if (failed)
      return failed;
    const auto agreed = agree(known, claim);
    if (!agreed)
      return agreed.error();
    if (*agreed == known)
      return {};
    if (auto error = to.execute(statements::forget_facts))
      return error;
    for (const auto& [key, value] : *agreed)
      if (auto error = to.execute(statements::put_fact, parameters{key, value}))
        return error;
    return {};
  });
}

class postgres_shard_leases final : public shard_leases {
public:
  explicit postgres_shard_leases(const postgres_leases_options& options)
    : options_(options),
      to_(line_to(options), 0),
      taking_(line_to(options), 0) {
    // nop
  }

  caf::error open() {
    if (auto error = check_own_sessions(line_to(options_)))
      return error;
    return to_.once([&](connection& to) -> caf::error {
      if (auto error = migrate(to))
        return error;
      if (auto error = check_count(to, options_.count))
        return error;
      if (auto error =
            to.execute(statements::put_leases, parameters{options_.count}))
        return error;
      const parameters identity{name(), options_.self.address};
      if (auto taken = check_name(to, identity))
        return taken;
      if (auto other = check_protocol(to))
        return other;
      if (auto error = check_facts(to, name(), options_.facts))
        return error;
      const auto joined = to.run(
        statements::join_engines,
        parameters{name(), options_.self.address, options_.protocol});
      if (!joined)
        return joined.error();
      instance_ = joined->number(0, 0);
      return {};
    });
  }

  shard_number count() const override {
    return options_.count;
  }

  const engine_identity& self() const override {
    return options_.self;
  }

  caf::expected<std::optional<epoch_number>>
  take(shard_number shard, std::uint32_t lease_ms) override;

  caf::expected<std::vector<shard_number>> renew(std::uint32_t lease_ms,
                                                 bool reaches_logs) override;

  caf::error release(shard_number shard) override {
    return to_.repeatable([&](connection& to) {
      return to.execute(statements::release_lease,
                        parameters{shard, name(), instance_});
    });
  }

  caf::error leave() override {
    return to_.repeatable([&](connection& to) {
      const parameters us{name(), instance_};
      auto error = to.execute(statements::release_leases, us);
      return error ? error : to.execute(statements::leave_engines, us);
    });
  }

  caf::expected<lease_table> list() override;

private:
  caf::error check_name(connection& to, const parameters& identity) const {
    const auto other = to.run(statements::engine_elsewhere, identity);
    if (!other)
      return other.error();
    if (other->rows() == 0)
      return {};
    std::string address;
    other->read(0, 0, address);
    if (!options_.answers(address))
      return {};
    return caf::make_error(ec::bad_setting,
                           "node.name: an engine with the name " + name()
                             + " runs at " + address);
  }

  caf::error check_protocol(connection& to) const {
    const auto other = to.run(statements::engine_of_another_protocol,
                              parameters{name(), options_.protocol});
    if (!other)
      return other.error();
    if (other->rows() == 0)
      return {};
    return caf::make_error(
      ec::bad_setting, foreign(*other) + ": stop all engines of one version "
                         "before one of the other is started");
  }

  /// Who speaks another protocol.
  std::string foreign(const result& other) const {
    std::string who;
    std::string address;
    std::string protocol;
    other.read(0, 0, who);
    other.read(0, 1, address);
    other.read(0, 2, protocol);
    return "engine " + who + " at " + address + " speaks "
           + (protocol.empty() ? "an earlier protocol" : protocol)
           + ", this one " + options_.protocol;
  }

  /// Why we could not stay alive.
  caf::error outlived(connection& to) const;

  const std::string& name() const {
    return options_.self.name;
  }

  /// The highest epoch that was seen. A copy of the server that has taken over
  /// may not know it yet: whoever was given it may still write under it, and
  /// hold what was numbered by it.
  epoch_number known(shard_number shard) {
    const std::lock_guard guard{mutex_};
    return known_[shard];
  }

  void note(shard_number shard, epoch_number epoch) {
    const std::lock_guard guard{mutex_};
    auto& x = known_[shard];
    x = std::max(x, epoch);
  }

  postgres_leases_options options_;
  channel to_;
  channel taking_; ///< waits for what the last owner still does; no renewal may
  std::uint64_t instance_ = 0;
  std::mutex mutex_; ///< guards what follows
  std::map<shard_number, epoch_number> known_;
};

caf::expected<std::optional<epoch_number>>
postgres_shard_leases::take(shard_number shard, std::uint32_t lease_ms) {
  using taken = caf::expected<std::optional<epoch_number>>;
  return taking_.once([&](connection& to) -> taken {
    const auto server = server_of(to);
    if (!server)
      return server.error();
    return to.transact([&]() -> taken {
      const auto is_free = to.run(statements::lock_free_lease,
                                  parameters{shard, name(), instance_});
      if (!is_free)
        return is_free.error();
      if (is_free->rows() == 0)
        return std::nullopt;
      const auto raised = raise_epoch(to, shard, known(shard), *server);
      if (!raised)
        return raised.error();
      const epoch_number epoch = raised->number(0, 0);
      note(shard, epoch);
      if (auto error =
            to.execute(statements::put_lease,
                       parameters{shard, epoch, name(), instance_, lease_ms}))
        return error;
      return std::optional{epoch};
    });
  });
}

caf::error postgres_shard_leases::outlived(connection& to) const {
  const auto schema = to.run(statements::version);
  if (!schema)
    return schema.error();
  if (const auto version = schema->number(0, 0); version > schema_known())
    return caf::make_error(ec::fenced,
                           "a later depositd has brought the schema to version "
                             + std::to_string(version));
  const auto other = to.run(statements::engine_of_another_protocol,
                            parameters{name(), options_.protocol});
  if (!other)
    return other.error();
  if (other->rows() > 0)
    return caf::make_error(ec::fenced, foreign(*other));
  return caf::make_error(ec::fenced, "another engine is called " + name());
}

caf::expected<std::vector<shard_number>>
postgres_shard_leases::renew(std::uint32_t lease_ms, bool reaches_logs) {
  using shards = std::vector<shard_number>;
  return to_.repeatable([&](connection& to) -> caf::expected<shards> {
    const parameters us{name(), instance_, lease_ms};
    const auto alive =
      to.run(statements::stay_alive,
             parameters{name(), instance_, lease_ms, reaches_logs,
                        options_.protocol, schema_known()});
    if (!alive)
      return alive.error();
    if (alive->changed() == 0)
      return outlived(to);
    shards out;
    auto failed = to.each(statements::renew_leases, us, [&](const auto& row) {
      row.read(0, out.emplace_back());
      return caf::error{};
    });
    if (failed)
      return failed;
    std::sort(out.begin(), out.end());
    return out;
  });
}

caf::expected<lease_table> postgres_shard_leases::list() {
  return to_.repeatable([&](connection& from) -> caf::expected<lease_table> {
    lease_table out;
    auto failed = from.each(statements::list_leases, {}, [&](const auto& row) {
      auto& x = out.shards.emplace_back();
      row.take(x.shard, x.epoch, x.owner.name, x.owner.address, x.left_ms);
      note(x.shard, x.epoch);
      if (x.owner.name.empty())
        x.owner.address.clear();
      return caf::error{};
    });
    if (!failed)
      failed = from.each(statements::list_engines, {}, [&](const auto& row) {
        auto& x = out.engines.emplace_back();
        row.take(x.who.name, x.who.address, x.left_ms, x.reaches_logs);
        return caf::error{};
      });
    if (failed)
      return failed;
    return out;
  });
}

} // namespace

caf::expected<std::unique_ptr<shard_leases>>
open_postgres_leases(const postgres_leases_options& options) {
  auto out = std::make_unique<postgres_shard_leases>(options);
  if (auto error = out->open())
    return error;
  return std::unique_ptr<shard_leases>{std::move(out)};
}

caf::error check_postgres_shard_count(const postgres_options& server,
                                      shard_number count,
                                      const facts_claim& facts) {
  const connection_options settings{.url = server.url, .name = "settings"};
  if (auto error = check_own_sessions(settings))
    return error;
  auto opened = connection::open(settings);
  if (!opened)
    return std::move(opened.error());
  if (auto error = migrate(**opened))
    return error;
  if (auto error = check_count(**opened, count))
    return error;
  return check_facts(**opened, {}, facts);
}

caf::expected<engine_clock> postgres_clock(const postgres_options& server) {
  using steady = engine_clock::steady;
  auto opened = connection::open({.url = server.url, .name = "clock"});
  if (!opened)
    return std::move(opened.error());
  // Asked twice: the first answer waits until the statement is prepared.
  (void)(*opened)->run(statements::server_time);
  const auto before = steady::now();
  const auto told = (*opened)->run(statements::server_time);
  if (!told)
    return told.error();
  std::int64_t now_us = 0;
  told->read(0, 0, now_us);
  return engine_clock{now_us, before + (steady::now() - before) / 2};
}

caf::expected<std::string> agree_on_postgres_work_id(
  const postgres_options& server, const std::string& proposed,
  const std::function<caf::error(const std::string& id)>& mark) {
  auto opened = connection::open({.url = server.url, .name = "settings"});
  if (!opened)
    return std::move(opened.error());
  auto& to = **opened;
  std::string out;
  auto failed = to.transact([&]() -> caf::error {
    if (auto error = to.execute(statements::lock_facts))
      return error;
    auto unread = to.each(statements::work_id, {}, [&](const auto& row) {
      row.take(out);
      return caf::error{};
    });
    if (unread || !out.empty())
      return unread;
    out = proposed;
    if (auto error = mark(proposed))
      return error;
    return to.execute(statements::put_work_id, parameters{proposed});
  });
  if (failed)
    return failed;
  return out;
}

} // namespace depositd
