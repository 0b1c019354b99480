#pragma once

// What S3 says in XML, and what is said to it.

#include "messages/values/errors.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::s3 {

/// Why something was refused.
struct refusal {
  std::string code;    ///< e.g. "NoSuchKey"; empty if it is no such document
  std::string message; ///< printable, not long
  std::string region;
};

refusal read_refusal(std::string_view text);

struct listed {
  std::string key;
  std::uint64_t bytes = 0;
  std::string etag = {};     ///< without quotes; empty: the server says none
  std::string modified = {}; ///< ISO 8601, as the server writes it
};

/// An entity tag as it is compared: without quotes.
std::string bare_etag(std::string_view etag);

struct listing {
  std::vector<listed> entries;
  std::string next; ///< where to go on; empty: that was all
};

/// `ec::store_failed` if it is no such document.
caf::expected<listing> read_listing(std::string_view text);

/// The number of an upload that was begun.
caf::expected<std::string> read_upload_id(std::string_view text);

/// Asks for what is archived, for so many days.
std::string write_recall(std::uint32_t days);

/// By the tags of all parts in order.
std::string write_completion(const std::vector<std::string>& etags);

} // namespace depositd::s3
