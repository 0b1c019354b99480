#pragma once

// What everybody who opens a store must agree on, written in the store by the
// first: whoever says otherwise would lose what the others count on.

#include "adapters/stores/files/disk.hpp"
#include "messages/values/errors.hpp"

#include <filesystem>
#include <map>
#include <string>

namespace depositd {

/// By the key of the setting that says so.
using store_facts = std::map<std::string, std::string>;

/// Of which cluster the brokers are; not known while none of them answers.
inline constexpr const char* brokers_fact = "kafka.brokers";

inline constexpr const char* ingress_fact = "kafka.ingress_topic";

/// The number of partitions of the ingress topic, the only fact that may grow.
inline constexpr const char* partitions_fact = "ingress partitions";

/// What somebody says who opens a store.
struct facts_claim {
  store_facts ours;   ///< empty: no log of records
  bool renew = false; ///< ours hold from now on, if nobody else is there
  bool alone = true;
};

/// What is to be written, or `ec::bad_setting` with the key that differs. What
/// is not known here for now (brokers are away) differs from nothing, but
/// nothing is renewed without it.
caf::expected<store_facts> agree(const store_facts& known,
                                 const facts_claim& claim);

/// The same for a folder that is ours alone; durable.
caf::error agree_in_file(disk& io, const std::filesystem::path& path,
                         facts_claim claim);

} // namespace depositd
