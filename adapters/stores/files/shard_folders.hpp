#pragma once

// A data folder with several shards: shards/NUMBER/ for each, in shards/count
// how many there are for ever, and shards/LOCK for the engine that has them.

#include "adapters/stores/files/disk.hpp"
#include "adapters/stores/files/file.hpp"
#include "messages/values/errors.hpp"
#include "messages/values/sharding.hpp"

#include <filesystem>

namespace depositd {

/// Where journal and tables of a shard are, if there are several.
std::filesystem::path shard_folder(const std::filesystem::path& data,
                                   shard_number shard);

/// How many shards the data folder has: 1 unless it was begun with more.
/// `ec::store_damaged` if what says so is no number.
caf::expected<shard_number>
shards_in_folder(const std::filesystem::path& data);

/// Locks a data folder for `count` shards, more than 1, and begins a new one
/// with them. `ec::bad_setting` if it has another number of them already;
/// `ec::store_failed` if another engine has the folder.
caf::expected<unique_fd> lock_shards(disk& io,
                                     const std::filesystem::path& data,
                                     shard_number count);

/// The same check for an engine with one shard, whose journal has a lock.
caf::error check_only_shard(const std::filesystem::path& data);

} // namespace depositd
