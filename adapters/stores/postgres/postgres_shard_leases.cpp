#include "adapters/stores/postgres/postgres_shard_leases.hpp"

#include "adapters/stores/postgres/channel.hpp"
#include "adapters/stores/postgres/lease_statements.hpp"
#include "adapters/stores/postgres/migrations.hpp"

#include <algorithm>

namespace depositd {

namespace {

using namespace postgres;

caf::error ended(caf::expected<result>& from) {
  return from ? caf::error{} : std::move(from.error());
}

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
  if (auto put = to.run(statements::put_shard_count, parameters{}.add(count));
      !put)
    return std::move(put.error());
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

class postgres_shard_leases final : public shard_leases {
public:
  explicit postgres_shard_leases(const postgres_leases_options& options)
    : options_(options),
      to_(line_to(options), 0),
      taking_(line_to(options), 0) {
    // nop
  }

  caf::error open() {
    return to_.once([&](connection& to) -> caf::error {
      if (auto error = migrate(to))
        return error;
      if (auto error = check_count(to, options_.count))
        return error;
      if (auto put
          = to.run(statements::put_leases, parameters{}.add(options_.count));
          !put)
        return std::move(put.error());
      const auto& self = options_.self;
      const auto identity = [&] {
        return std::move(parameters{}.text(self.name).text(self.address));
      };
      if (auto taken = check_name(to, identity()))
        return taken;
      const auto joined = to.run(statements::join_engines, identity());
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

  caf::expected<std::vector<shard_number>>
  renew(std::uint32_t lease_ms) override;

  caf::error release(shard_number shard) override {
    return to_.repeatable([&](connection& to) {
      auto done = to.run(statements::release_lease,
                         named(parameters{}.add(shard)));
      return ended(done);
    });
  }

  caf::error leave() override {
    return to_.repeatable([&](connection& to) {
      auto freed = to.run(statements::release_leases, named());
      if (!freed)
        return std::move(freed.error());
      auto left = to.run(statements::leave_engines, named());
      return ended(left);
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
                           "node.name: an engine with the name "
                             + options_.self.name + " runs at " + address);
  }

  /// Who we are, behind what is there.
  parameters& named(parameters& x) const {
    return x.text(options_.self.name).add(instance_);
  }

  parameters named() const {
    parameters out;
    named(out);
    return out;
  }

  postgres_leases_options options_;
  channel to_;
  channel taking_; ///< waits for what the last owner still does; no renewal may
  std::uint64_t instance_ = 0;
};

caf::expected<std::optional<epoch_number>>
postgres_shard_leases::take(shard_number shard, std::uint32_t lease_ms) {
  std::optional<epoch_number> out;
  auto failed = taking_.once([&](connection& to) {
    return to.transact([&]() -> caf::error {
      out.reset();
      auto is_free = to.run(statements::lock_free_lease,
                            named(parameters{}.add(shard)));
      if (!is_free || is_free->rows() == 0)
        return ended(is_free);
      const auto raised
        = to.run(statements::raise_epoch, parameters{}.add(shard));
      if (!raised)
        return raised.error();
      const auto epoch = raised->number(0, 0);
      auto put = to.run(
        statements::put_lease,
        named(parameters{}.add(shard).add(epoch)).add(lease_ms));
      if (put)
        out = epoch;
      return ended(put);
    });
  });
  if (failed)
    return failed;
  return out;
}

caf::expected<std::vector<shard_number>>
postgres_shard_leases::renew(std::uint32_t lease_ms) {
  std::vector<shard_number> out;
  auto failed = to_.repeatable([&](connection& to) -> caf::error {
    const auto alive
      = to.run(statements::stay_alive, named().add(lease_ms));
    if (!alive)
      return alive.error();
    if (alive->changed() == 0)
      return caf::make_error(ec::fenced, "another engine is called "
                                           + options_.self.name);
    const auto ours
      = to.run(statements::renew_leases, named().add(lease_ms));
    if (!ours)
      return ours.error();
    out.clear();
    for (int row = 0; row < ours->rows(); ++row)
      ours->read(row, 0, out.emplace_back());
    std::sort(out.begin(), out.end());
    return {};
  });
  if (failed)
    return failed;
  return out;
}

caf::expected<lease_table> postgres_shard_leases::list() {
  lease_table out;
  auto failed = to_.repeatable([&](connection& from) -> caf::error {
    out = {};
    const auto shards = from.run(statements::list_leases);
    if (!shards)
      return shards.error();
    for (int row = 0; row < shards->rows(); ++row) {
      auto& x = out.shards.emplace_back();
      shards->read(row, 0, x.shard);
      shards->read(row, 1, x.epoch);
      shards->read(row, 2, x.owner.name);
      if (!x.owner.name.empty())
        shards->read(row, 3, x.owner.address);
      shards->read(row, 4, x.left_ms);
    }
    const auto engines = from.run(statements::list_engines);
    if (!engines)
      return engines.error();
    for (int row = 0; row < engines->rows(); ++row) {
      auto& x = out.engines.emplace_back();
      engines->read(row, 0, x.who.name);
      engines->read(row, 1, x.who.address);
      engines->read(row, 2, x.left_ms);
    }
    return {};
  });
  if (failed)
    return failed;
  return out;
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
                                      shard_number count) {
  auto opened = connection::open({.url = server.url, .name = "settings"});
  if (!opened)
    return std::move(opened.error());
  if (auto error = migrate(**opened))
    return error;
  return check_count(**opened, count);
}

} // namespace depositd
