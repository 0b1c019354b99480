#pragma once

// Port: the catalogue of objects, and who works on which. Adapters: sqlite,
// postgres; both pass tests/contract/inventory_suite.hpp.

#include "messages/ports/fixity_book.hpp"
#include "messages/ports/storage_target.hpp"
#include "messages/values/errors.hpp"
#include "messages/values/fields.hpp"
#include "messages/values/premis.hpp"
#include "messages/values/types.hpp"

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace depositd {

/// A version of an object as it was recorded.
struct inventory_version {
  std::uint32_t number = 0;
  std::string job; ///< uuid of the job that made it
  std::string batch;
  std::string user;
  std::string title;
  std::string creator;
  std::string date;
  std::uint64_t bytes = 0;
  std::uint64_t files = 0;
  micros recorded_us = never;
};
DEPOSITD_FIELDS(inventory_version, number, job, batch, user, title, creator,
                date, bytes, files, recorded_us);

struct inventory_object {
  std::string identifier;
  std::string collection;
  std::string owner;
  std::vector<std::string> local_ids;
  std::vector<std::string> storage;        ///< targets that have it
  std::vector<inventory_version> versions; ///< oldest first
};
DEPOSITD_FIELDS(inventory_object, identifier, collection, owner, local_ids,
                storage, versions);

/// What is recorded of a job's work; a repeat by the same job changes nothing.
struct inventory_entry {
  std::string identifier;
  std::string collection;
  std::string owner;
  std::vector<std::string> local_ids;
  std::vector<std::string> storage;
  inventory_version version;
  std::vector<stored_file> files; ///< of the version
};
DEPOSITD_FIELDS(inventory_entry, identifier, collection, owner, local_ids,
                storage, version, files);

struct inventory_search {
  std::string identifier; ///< exactly
  std::string local_id;   ///< exactly
  std::string owner;
  std::string collection;
  std::string title;     ///< part of it, in either case
  std::string file_name; ///< part of a path, in either case
  std::string after;     ///< identifiers behind this one only
  std::uint32_t count_max = 100;
  std::vector<std::string> owners = {};      ///< any of these; empty: all
  std::vector<std::string> collections = {}; ///< likewise
};
DEPOSITD_FIELDS(inventory_search, identifier, local_id, owner, collection,
                title, file_name, after, count_max, owners, collections);

/// Space that a collection takes.
struct collection_use {
  std::string collection;
  std::uint64_t objects = 0;
  std::uint64_t versions = 0;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;       ///< of all versions
  std::uint64_t bytes_since = 0; ///< recorded at or after the asked time
};
DEPOSITD_FIELDS(collection_use, collection, objects, versions, files, bytes,
                bytes_since);

/// What a user recorded in a collection in some time.
struct recorded_use {
  std::string collection;
  std::string user;
  std::uint64_t objects = 0; ///< that got a version
  std::uint64_t versions = 0;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
};
DEPOSITD_FIELDS(recorded_use, collection, user, objects, versions, files,
                bytes);

/// What was recorded from one time until before another. Empty: any.
struct recorded_query {
  micros from_us = never;
  micros until_us = never;
  std::string user;
  std::string collection;
  std::uint32_t count_max = 0;
};
DEPOSITD_FIELDS(recorded_query, from_us, until_us, user, collection, count_max);

inline constexpr std::uint64_t any_token =
  std::numeric_limits<std::int64_t>::max();

/// How long a lock is kept if nobody extends it.
inline constexpr micros object_lock_us = micros{3'600} * 1'000'000;

/// Who holds an object, and by which right.
struct object_lock {
  std::string name;        ///< an identifier, or "OWNER local id"
  std::string holder;      ///< uuid of the job
  std::uint64_t token = 0; ///< of its claim: a later claim takes over
  micros until_us = never; ///< then anybody may take it
};
DEPOSITD_FIELDS(object_lock, name, holder, token, until_us);

/// Every function may be called from any thread; all of them block on I/O.
class inventory {
public:
  virtual ~inventory() = default;

  /// Adds a version, and the object if it is new. A number that the object has
  /// already with the same files is that version; with other files, this one
  /// gets the next number behind the last. `ec::already_exists` if a local id
  /// of it is another object's.
  virtual caf::error record(const inventory_entry& x) = 0;

  /// Objects by identifier.
  virtual caf::expected<std::vector<inventory_object>>
  find(const inventory_search& x) = 0;

  /// Files of one version (0: the last). `ec::not_found`.
  virtual caf::expected<std::vector<stored_file>>
  files(const std::string& identifier, std::uint32_t version) = 0;

  /// Which object has the local id; nothing if none has.
  virtual caf::expected<std::optional<std::string>>
  of_local_id(const std::string& owner, const std::string& local_id) = 0;

  /// The local id is the identifier's from now on, before anything is stored
  /// under it. `ec::already_exists` names the identifier that has it.
  virtual caf::error bind_local_id(const std::string& owner,
                                   const std::string& local_id,
                                   const std::string& identifier) = 0;

  virtual caf::expected<std::vector<collection_use>>
  use_of_collections(micros since_us) = 0;

  /// Of each collection and user, by their names; the first so many.
  virtual caf::expected<std::vector<recorded_use>>
  recorded_in(const recorded_query& what) = 0;

  // -- what was done with objects

  /// Records events, all or none of them; those that are known by their ids are
  /// passed over. The object need not be recorded.
  virtual caf::error record_events(const std::vector<premis_event>& x) = 0;

  /// Of one object, oldest first.
  virtual caf::expected<std::vector<premis_event>>
  events(const premis_query& x) = 0;

  /// What engines keep of checks; null where only engines have it. Lives as
  /// long as the inventory.
  virtual fixity_book* checks() {
    return nullptr;
  }

  /// Copies all of it into a new file inventory.db of the folder, as it is at
  /// one moment, while it is used. `ec::invalid_argument` where a server keeps
  /// it, which has backups of its own.
  virtual caf::error backup(const std::filesystem::path& folder) {
    return caf::make_error(ec::invalid_argument,
                           "the inventory is not kept here, and not copied to "
                             + folder.string());
  }

  // -- locks

  /// Takes or extends it. False: somebody else has it. The same holder takes it
  /// again, with a token that is not lower.
  virtual caf::expected<bool> lock(const object_lock& x, micros now) = 0;

  /// Whether the holder still has it, by this token.
  virtual caf::expected<bool> holds(const object_lock& x, micros now) = 0;

  /// Gives up the locks of a job that were taken with this token or an older
  /// one: a worker that has lost its claim must not take them from the next.
  /// What the job does not have is passed over.
  virtual caf::error unlock_all(const std::string& holder,
                                std::uint64_t token) = 0;
};

} // namespace depositd
