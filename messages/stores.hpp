#pragma once

// What processors on other nodes ask of the engine's stores: a message for each
// operation of the ports `blob_store`, `doi_registry`, `inventory` and
// `minter`.

#include "messages/message.hpp"
#include "messages/ports/doi_registry.hpp"
#include "messages/ports/inventory.hpp"
#include "messages/ports/minter.hpp"
#include "messages/values/types.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace depositd {

/// Bytes that one message carries: far below what the node port takes.
inline constexpr std::size_t store_message_bytes_max = 48u << 20;

// -- blobs --------------------------------------------------------------------

struct put_blob {
  std::string bytes;
};
DEPOSITD_MESSAGE(65, put_blob, bytes);

struct blob_put {
  std::string sha256;
};
DEPOSITD_MESSAGE(66, blob_put, sha256);

/// Blobs are read in pieces, so that heartbeats find a gap between them.
inline constexpr std::size_t blob_piece_bytes = 4u << 20;

struct read_blob {
  std::string sha256;
  std::uint64_t offset = 0; ///< of the piece
};
DEPOSITD_MESSAGE(75, read_blob, sha256, offset);

struct blob_piece {
  std::uint64_t bytes_total = 0; ///< of the blob
  std::string bytes;
};
DEPOSITD_MESSAGE(76, blob_piece, bytes_total, bytes);

// -- the registry -------------------------------------------------------------

struct record_dois {
  doi_registration what;
};
DEPOSITD_MESSAGE(77, record_dois, what);

struct dois_recorded {
  std::vector<doi_result> results;
};
DEPOSITD_MESSAGE(78, dois_recorded, results);

inline constexpr std::uint32_t dois_found_max = 10'000;

struct find_dois {
  doi_query query;
  std::uint32_t count_max = 0; ///< up to `dois_found_max`
};
DEPOSITD_MESSAGE(79, find_dois, query, count_max);

struct dois_found {
  std::vector<doi_record> records;
};
DEPOSITD_MESSAGE(80, dois_found, records);

/// The highest submission that was recorded and is not above this one.
struct find_submission {
  item_id last = 0;
};
DEPOSITD_MESSAGE(81, find_submission, last);

struct submission_found {
  item_id id = 0; ///< 0: none
};
DEPOSITD_MESSAGE(82, submission_found, id);

// -- the catalogue of objects -------------------------------------------------

inline constexpr std::uint32_t objects_found_max = 1'000;

struct find_objects {
  inventory_search what; ///< `count_max` up to `objects_found_max`
};
DEPOSITD_MESSAGE(106, find_objects, what);

struct objects_found {
  std::vector<inventory_object> objects;
};
DEPOSITD_MESSAGE(107, objects_found, objects);

struct find_object_files {
  std::string identifier;
  std::uint32_t version = 0; ///< 0: the last
};
DEPOSITD_MESSAGE(108, find_object_files, identifier, version);

struct object_files_found {
  std::vector<stored_file> files;
};
DEPOSITD_MESSAGE(109, object_files_found, files);

struct find_local_id {
  std::string owner;
  std::string local_id;
};
DEPOSITD_MESSAGE(110, find_local_id, owner, local_id);

struct local_id_found {
  bool found = false;
  std::string identifier; ///< if `found`
};
DEPOSITD_MESSAGE(111, local_id_found, found, identifier);

struct bind_object {
  std::string owner;
  std::string local_id;
  std::string identifier;
};
DEPOSITD_MESSAGE(112, bind_object, owner, local_id, identifier);

struct record_object {
  inventory_entry what;
};
DEPOSITD_MESSAGE(113, record_object, what);

struct lock_object {
  object_lock what;
  micros now = 0;
  bool only_asks = false; ///< whether it is held; takes nothing
};
DEPOSITD_MESSAGE(114, lock_object, what, now, only_asks);

struct object_locked {
  bool yes = false;
};
DEPOSITD_MESSAGE(115, object_locked, yes);

struct unlock_objects {
  std::string holder;
  std::uint64_t token = 0;
};
DEPOSITD_MESSAGE(116, unlock_objects, holder, token);

struct measure_collections {
  micros since_us = never;
};
DEPOSITD_MESSAGE(117, measure_collections, since_us);

struct collections_measured {
  std::vector<collection_use> uses;
};
DEPOSITD_MESSAGE(118, collections_measured, uses);

struct measure_recorded {
  recorded_query what;
};
DEPOSITD_MESSAGE(121, measure_recorded, what);

struct recorded_measured {
  std::vector<recorded_use> uses;
};
DEPOSITD_MESSAGE(122, recorded_measured, uses);

/// The answer is `done`.
struct record_premis {
  std::vector<premis_event> events;
};
DEPOSITD_MESSAGE(129, record_premis, events);

inline constexpr std::uint32_t events_found_max = 10'000;

struct find_premis {
  premis_query what; ///< `count_max` up to `events_found_max`
};
DEPOSITD_MESSAGE(130, find_premis, what);

struct premis_found {
  std::vector<premis_event> events;
};
DEPOSITD_MESSAGE(131, premis_found, events);

// -- identifiers --------------------------------------------------------------

struct mint_identifier {
  mint_request what;
};
DEPOSITD_MESSAGE(119, mint_identifier, what);

struct identifier_minted {
  std::string identifier;
};
DEPOSITD_MESSAGE(120, identifier_minted, identifier);

} // namespace depositd
