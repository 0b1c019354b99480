#pragma once

// Leases in PostgreSQL: tables `shard_leases` and `engines`, which people may
// read as the view `shards`.

#include "adapters/stores/files/store_facts.hpp"
#include "adapters/stores/postgres/postgres_options.hpp"
#include "messages/ports/shard_leases.hpp"
#include "messages/values/clock.hpp"

#include <functional>
#include <memory>
#include <string>

namespace depositd {

struct postgres_leases_options {
  postgres_options server; ///< `shard` and `patience_ms` are not used
  engine_identity self;
  shard_number count = 1;
  /// Besides. Whether it is alone is looked up.
  facts_claim facts;

  /// What it speaks at its node port. Engines that do not understand each other
  /// cannot share shards: refused while one of another protocol is alive.
  std::string protocol;

  /// How long the server may take for a call.
  std::uint32_t call_ms_max = 3'000;

  /// Whether an engine of our name answers at this address ("host:port").
  /// Asked when one was alive there a moment ago: it has crashed, or it is
  /// another one that was given our name.
  std::function<bool(const std::string&)> answers = [](const auto&) {
    return false;
  };
};

/// Joins the engines; brings the schema up to date. The first engine of a
/// database says how many shards there are and what else all must agree on;
/// `ec::bad_setting` for any that says otherwise later, for a name that another
/// engine has, and beside engines of another protocol.
/// `ec::store_failed` if the server refuses.
caf::expected<std::unique_ptr<shard_leases>>
open_postgres_leases(const postgres_leases_options& options);

/// The same checks alone, for an engine that needs no leases.
caf::error check_postgres_shard_count(const postgres_options& server,
                                      shard_number count,
                                      const facts_claim& facts = {});

/// The server's time. Engines that share it go by that: a claim lasts as long
/// as was said, whoever has the shard meanwhile.
caf::expected<engine_clock> postgres_clock(const postgres_options& server);

/// The id that this database knows the working folder by; the proposed one if
/// it knew none, which then holds once `mark` has put it into the folder:
/// others wait until that is done. The schema must be there.
caf::expected<std::string> agree_on_postgres_work_id(
  const postgres_options& server, const std::string& proposed,
  const std::function<caf::error(const std::string& id)>& mark);

} // namespace depositd
