#pragma once

// What calls of the blob store and the registry look like between nodes:
// arguments and results of each call in CAF's binary form. Private to
// adapters/node.

#include "messages/ports/doi_registry.hpp"
#include "messages/values/errors.hpp"

#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace depositd {

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, doi_record& x) {
  return f(x.doi, x.resource, x.issn, x.isbn, x.journal_title, x.title,
           x.first_author, x.volume, x.issue, x.first_page, x.year, x.owner,
           x.timestamp);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, doi_registration& x) {
  return f(x.submission, x.user, x.timestamp, x.records);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, doi_query& x) {
  return f(x.doi, x.issn, x.journal_title, x.first_author, x.volume, x.issue,
           x.first_page, x.year);
}

namespace node {

/// Calls by name.
namespace effect {
inline constexpr const char* put_blob = "blobs.put";
inline constexpr const char* get_blob = "blobs.get";
inline constexpr const char* list_blobs = "blobs.list";
inline constexpr const char* remove_blobs = "blobs.remove";
inline constexpr const char* record_dois = "registry.record";
inline constexpr const char* find_dois = "registry.find";
inline constexpr const char* submission_max = "registry.submission_max";
} // namespace effect

/// Far below what the node port takes in one message.
inline constexpr std::size_t effect_bytes_max = 48u << 20;

/// Blobs travel in pieces, so that heartbeats find a gap between them.
inline constexpr std::size_t blob_piece_bytes = 4u << 20;

/// Blobs that one call lists; a collection goes on with the next call.
inline constexpr std::size_t blobs_listed_max = 500'000;

inline constexpr std::uint32_t dois_found_max = 10'000;

struct blob_piece_wanted {
  std::string sha256;
  std::uint64_t offset = 0;
};

struct blob_piece {
  std::uint64_t bytes_total = 0;
  std::string bytes;
};

struct blobs_wanted {
  std::int64_t age_min_s = 0;
  std::vector<std::string> names; ///< of `remove_blobs`
};

struct dois_wanted {
  doi_query query;
  std::uint32_t count_max = 0;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, blob_piece_wanted& x) {
  return f(x.sha256, x.offset);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, blob_piece& x) {
  return f(x.bytes_total, x.bytes);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, blobs_wanted& x) {
  return f(x.age_min_s, x.names);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, dois_wanted& x) {
  return f(x.query, x.count_max);
}

template <class T>
std::string to_bytes(T x) {
  std::vector<char> out;
  caf::binary_serializer sink{nullptr, out};
  // Writing to memory cannot fail.
  static_cast<void>(sink(x));
  return {out.data(), out.size()};
}

/// `ec::malformed` if the bytes are not one T.
template <class T>
caf::expected<T> from_bytes(const std::string& bytes) {
  T out{};
  caf::binary_deserializer source{nullptr, bytes.data(), bytes.size()};
  if (source(out) || source.remaining() != 0)
    return caf::make_error(ec::malformed, "these bytes are no such argument");
  return out;
}

} // namespace node
} // namespace depositd
