#pragma once

// What the nine stages of an ingest do with one bag. Each can be repeated after
// a crash at any point: what is done already is found done.

#include "adapters/processing/aptrust/ingest/bag_in_hand.hpp"

namespace depositd::aptrust {

/// Lists the files of the bag with their sizes and digests. Rejected: what is
/// no tar file, is cut off, or has names that are not allowed.
outcome prefetch(bag_in_hand& x);

/// Rejected: a bag that is not valid, or has names that storage does not keep,
/// with what is wrong.
outcome validate(bag_in_hand& x);

/// Finds out which files the object has already.
outcome check_reingest(bag_in_hand& x);

/// Unpacks the files that are kept into the working folder.
outcome stage_files(bag_in_hand& x);

/// Finds out what kinds of files they are.
outcome identify_formats(bag_in_hand& x);

/// Puts them into every storage target of the collection. Targets that have
/// them are passed over.
outcome store_files(bag_in_hand& x);

/// Whether every target has every file as it was staged: all bytes are read
/// again, but for those of cold storage, which gives none back so soon.
outcome check_storage(bag_in_hand& x);

/// Records the object and what was done with it.
outcome record_ingest(bag_in_hand& x);

/// Removes the bag from the receiving place, if it is still the one, and all
/// that was made on the way.
outcome clean_up_ingest(bag_in_hand& x);

/// Members of `job_document::more` that stages leave, beside
/// `merritt::left_by_store::stored_in`.
namespace left_by_ingest {

/// Tags of the bag: {"profile", "access", "title", "description", ...}.
inline constexpr const char* bag = "bag";
/// {"version", "unchanged", "changed", "new"} of files, against the last
/// version; not there for a new object.
inline constexpr const char* reingest = "reingest";

} // namespace left_by_ingest

} // namespace depositd::aptrust
