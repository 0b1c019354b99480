#pragma once

// Port: the DOIs that deposits recorded. An effect outside the journal, so
// `record` is idempotent by submission and gives the same answer when it is
// repeated after a crash. The journal has it flushed before each group: no
// outcome may outlive what was recorded for it. Adapters: sqlite, postgres.

#include "messages/values/errors.hpp"
#include "messages/values/fields.hpp"
#include "messages/values/types.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace depositd {

/// What a deposit says of one DOI; what queries look for.
struct doi_record {
  std::string doi; ///< as written; compared without case
  std::string resource;
  std::string issn;
  std::string isbn;
  std::string journal_title;
  std::string title;
  std::string first_author; ///< surname
  std::string volume;
  std::string issue;
  std::string first_page;
  std::string year;
  /// User that recorded it first; once it was transferred, `owner_prefix` and
  /// the prefix whose holders have it now.
  std::string owner;
  std::string timestamp; ///< digits; compared as a number, empty is lowest
  std::string citations; ///< JSON: key, doi, text of each; empty: none

  friend bool operator==(const doi_record&, const doi_record&) = default;
};
DEPOSITD_FIELDS(doi_record, doi, resource, issn, isbn, journal_title, title,
                first_author, volume, issue, first_page, year, owner, timestamp,
                citations);

enum class doi_result : std::uint8_t {
  added,
  updated,
  outdated,
  unknown,   ///< not recorded here, and not to be recorded by this
  forbidden, ///< others hold it
};

/// What is done with the DOIs of a submission.
enum class doi_action : std::uint8_t {
  record,   ///< all that is known of them, but for their citations
  cite,     ///< only their citations, in place of those of before
  transfer, ///< another prefix holds them; a resource that is given is theirs
};

/// All DOIs of one submission, each named once.
struct doi_registration {
  item_id submission = 0;
  std::string user;
  std::string timestamp; ///< of the whole deposit
  std::vector<doi_record> records;
  doi_action action = doi_action::record;
  std::vector<std::string> prefixes; ///< that the user holds; empty: any
  std::string from;                  ///< transfer: prefixes
  std::string to;
};
DEPOSITD_FIELDS(doi_registration, submission, user, timestamp, records, action,
                prefixes, from, to);

/// Any field that is not empty must match; text without case.
struct doi_query {
  std::string doi;
  std::string issn;
  std::string journal_title;
  std::string first_author;
  std::string volume;
  std::string issue;
  std::string first_page;
  std::string year;
};
DEPOSITD_FIELDS(doi_query, doi, issn, journal_title, first_author, volume,
                issue, first_page, year);

/// Every function may be called from any thread; all of them block on I/O.
class doi_registry {
public:
  virtual ~doi_registry() = default;

  /// Records each DOI whose stored timestamp is lower (or absent), or does what
  /// else is to be done with each, in one transaction, and remembers the
  /// results under the submission: the same submission again gets the same
  /// results and changes nothing. A crash or a power cut may take it back until
  /// `flush`: the last ones, and none without those behind it. A crash takes
  /// back nothing that `find` has told.
  virtual caf::expected<std::vector<doi_result>>
  record(const doi_registration& registration) = 0;

  /// All that was recorded before the call survives a power cut. Costs nothing
  /// if there is nothing new. After an error it may be called again; if what
  /// was recorded can no longer be had, it fails until the registry is opened
  /// again.
  virtual caf::error flush() = 0;

  /// At most `count_max` matches.
  virtual caf::expected<std::vector<doi_record>>
  find(const doi_query& query, std::uint32_t count_max) = 0;

  /// Highest submission that was ever recorded and is not above `last` (a shard
  /// has a range of numbers); 0: none. None that its shard gave up to it may be
  /// given to another submission, even if the journal has never heard of it (a
  /// crash right after `record`, a backup taken a moment earlier).
  virtual caf::expected<item_id> submission_max(item_id last) = 0;

  virtual caf::error backup(const std::filesystem::path& folder) = 0;
};

} // namespace depositd
