#pragma once

// PREMIS events as APTrust's workers make them.

#include "messages/values/premis.hpp"

#include <string>
#include <string_view>

namespace depositd::aptrust {

/// The detail of the event that says, by the name in bagit.txt, what the tag
/// files of an ingested bag are written in.
inline constexpr const char* tag_file_encoding = "encoding of tag files";

/// What every event of one piece of work has alike.
struct premis_scene {
  std::string object; ///< identifier
  std::string owner;  ///< the institution
  std::string job;    ///< uuid
  std::string agent;  ///< e.g. "depositd ingest08_record"
  micros at_us = never;
};

/// What differs from one event to the next.
struct premis_facts {
  std::string_view type; ///< one of `premis_types`
  std::string detail;
  std::string outcome = premis_success;
  std::string outcome_detail;
  std::string file; ///< empty: of the object
};

/// The event. Its id follows from object, job, type, file and `detail`, so
/// that a repeat of the same work makes the same event, which is recorded once.
premis_event make_event(const premis_scene& scene, premis_facts facts);

} // namespace depositd::aptrust
