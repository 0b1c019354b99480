#pragma once

// Port: which engine owns which shard, and until when. Adapter: postgres; that
// and the tests' own in memory pass tests/contract/shard_leases_suite.hpp. A
// lease says who may begin to write; what keeps an engine that lost one from
// writing is the epoch, which the journal checks in every append.

#include "messages/values/errors.hpp"
#include "messages/values/sharding.hpp"
#include "messages/values/types.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace depositd {

/// How an engine is known to the others.
struct engine_identity {
  std::string name;    ///< no two engines that run have the same
  std::string address; ///< "host:port" of its node door, as others reach it

  friend bool operator==(const engine_identity&, const engine_identity&)
    = default;
};

/// One shard; `owner.name` is empty while nobody has it.
struct shard_lease {
  shard_number shard = 0;
  epoch_number epoch = 0; ///< of the last lease
  engine_identity owner;
  std::int64_t left_ms = 0;
};

/// An engine that takes part.
struct engine_presence {
  engine_identity who;
  std::int64_t left_ms = 0;
  bool reaches_logs = true; ///< brokers and topics, as it said at last
};

/// Everything as of one moment.
struct lease_table {
  std::vector<shard_lease> shards;      ///< by number, each once
  std::vector<engine_presence> engines; ///< that are alive, by name
};

/// All times are the store's. Every call ends within a time limit of the
/// adapter; `ec::store_failed` if the store did not answer, and then nobody
/// knows whether it did what it was asked to. Any thread may call.
class shard_leases {
public:
  virtual ~shard_leases() = default;

  /// Number of shards, the same for ever.
  virtual shard_number count() const = 0;

  virtual const engine_identity& self() const = 0;

  /// Takes a shard that is free, whose lease has ended, or that an engine of
  /// our name has had (before it crashed), for `lease_ms`. Nothing if another
  /// engine has it. Every success has a higher epoch than all before, and no
  /// append under an earlier one gets through after it.
  virtual caf::expected<std::optional<epoch_number>>
  take(shard_number shard, std::uint32_t lease_ms)
    = 0;

  /// `lease_ms` from now for all that we took and that has not ended; tells
  /// the other engines that we are alive and whether we reach the logs of
  /// records. Returns what is ours now. `ec::fenced` if another engine has
  /// taken our name.
  virtual caf::expected<std::vector<shard_number>> renew(std::uint32_t lease_ms,
                                                         bool reaches_logs) = 0;

  /// Gives a shard of ours away: it is free at once. One that is not ours any
  /// more is no error.
  virtual caf::error release(shard_number shard) = 0;

  /// We take part no longer; what we still own is free at once.
  virtual caf::error leave() = 0;

  virtual caf::expected<lease_table> list() = 0;
};

} // namespace depositd
