#pragma once

// What processors on other nodes ask of the engine's stores: a message for each
// operation of the ports `blob_store` and `doi_registry`.

#include "messages/message.hpp"
#include "messages/ports/doi_registry.hpp"
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

} // namespace depositd
