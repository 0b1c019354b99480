#pragma once

// Port: when each stored file was compared with its digest, and what leaves the
// inventory. Part of an inventory where an engine has it; joined nodes do not.
// Adapters: sqlite, postgres; both pass tests/contract/fixity_suite.hpp.

#include "messages/ports/storage_target.hpp"
#include "messages/values/errors.hpp"
#include "messages/values/fixity.hpp"
#include "messages/values/premis.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace depositd {

/// Every function may be called from any thread; all of them block on I/O.
class fixity_book {
public:
  virtual ~fixity_book() = default;

  /// Files that are due, the oldest first, those of which nothing is known
  /// before all. As long as there are new objects and rows to answer with.
  virtual caf::expected<std::vector<checked_file>>
  due(const fixity_query& x) = 0;

  /// A file of the object's last version, with its digest; found by an index,
  /// so that whoever checks many asks for each. Nothing if the object has no
  /// such file.
  virtual caf::expected<std::optional<checked_file>>
  last_check(const std::string& object, const std::string& path) = 0;

  /// The targets that were given a version with this path and these bytes.
  /// Nothing if that is not known of each of them: versions that were recorded
  /// by engines of before do not say where they went.
  virtual caf::expected<std::optional<std::vector<std::string>>>
  targets_of(const std::string& object, const stored_file& file) = 0;

  /// It was compared at the time of the event, which is recorded with that. A
  /// repeat of the same event changes nothing.
  virtual caf::error checked(const std::string& object, const std::string& path,
                             const premis_event& x) = 0;

  /// The smallest object of each owner that nobody has had back since, by
  /// owner; not of those in these targets alone.
  virtual caf::expected<std::vector<spot_candidate>>
  spot_candidates(micros not_since_us, const std::vector<std::string>& cold,
                  std::uint32_t count_max) = 0;

  /// The object leaves the inventory, with its versions, files and local ids,
  /// and these events are recorded with that; its events stay. Nothing to
  /// remove is done, and records them all the same.
  virtual caf::error forget(const std::string& object,
                            const std::vector<premis_event>& events) = 0;
};

} // namespace depositd
