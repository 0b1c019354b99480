#pragma once

// What was done to preserve an object or a file, in the words of PREMIS.

#include "messages/values/fields.hpp"
#include "messages/values/types.hpp"

#include <cstdint>
#include <string>

namespace depositd {

/// An event of PREMIS. One that is recorded never changes.
struct premis_event {
  std::string id;   ///< a UUID; the same again is the same event
  std::string type; ///< a word of PREMIS, see `premis_types`
  micros at_us = never;
  std::string detail;         ///< what was done, for people
  std::string outcome;        ///< `premis_success` or `premis_failure`
  std::string outcome_detail; ///< what came of it: a digest, a tag, a reason
  std::string object;         ///< identifier of the object
  std::string file;           ///< path inside the object; empty: of it as whole
  std::string agent;          ///< which program did it
  std::string owner;          ///< whose object it is
  std::string job; ///< uuid of the job in which it was done; or empty

  friend bool operator==(const premis_event&, const premis_event&) = default;
};
DEPOSITD_FIELDS(premis_event, id, type, at_us, detail, outcome, outcome_detail,
                object, file, agent, owner, job);

inline constexpr const char* premis_success = "success";
inline constexpr const char* premis_failure = "failure";

namespace premis_types {

inline constexpr const char* ingestion = "ingestion";
inline constexpr const char* validation = "validation";
inline constexpr const char* digest_calculation = "message digest calculation";
inline constexpr const char* fixity_check = "fixity check";
inline constexpr const char* identifier_assignment = "identifier assignment";
inline constexpr const char* format_identification = "format identification";
inline constexpr const char* replication = "replication";
inline constexpr const char* access_assignment = "access assignment";
inline constexpr const char* dissemination = "dissemination";
inline constexpr const char* deletion = "deletion";

} // namespace premis_types

/// Which events to read, oldest first. What is empty does not restrict.
struct premis_query {
  std::string object;     ///< exactly; needed
  std::string file;       ///< exactly
  std::string type;       ///< exactly
  bool of_object = false; ///< only those of the object as a whole
  micros since_us = never;
  std::string after; ///< id of the last one seen; those behind it only
  std::uint32_t count_max = 100;
};
DEPOSITD_FIELDS(premis_query, object, file, type, of_object, since_us, after,
                count_max);

} // namespace depositd
