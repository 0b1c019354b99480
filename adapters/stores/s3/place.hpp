#pragma once

// Where a bucket is, who asks, and how names are spelled on the way there.

#include "messages/values/errors.hpp"

#include <string>
#include <string_view>

namespace depositd {

struct s3_place {
  std::string endpoint; ///< "https://HOST" or "http://HOST:PORT", no path
  std::string region = "us-east-1";
  std::string bucket;
  std::string prefix;      ///< of all keys; empty, or without '/' around it
  bool path_style = false; ///< the bucket is in the path, not in the host
  std::string access_key;
  std::string secret_key;
  std::string ca_file; ///< PEM; empty: the system's
};

namespace s3 {

/// Why an endpoint cannot be one; empty if it can.
std::string endpoint_fault(std::string_view endpoint);

/// Why the bucket's name is none; empty if it may be one.
std::string bucket_fault(std::string_view bucket);

/// Why this prefix cannot be kept to by every server.
std::string prefix_fault(std::string_view prefix);

/// Why the region cannot be part of a signature.
std::string region_fault(std::string_view region);

/// As signatures want it: all but letters, digits and "-._~" is %XX; '/' stays
/// if it is part of a key.
std::string encoded(std::string_view text, bool is_key);

/// %XX read back; nothing else is special.
std::string decoded(std::string_view text);

/// Of an object, or of the bucket if `key` is empty. `query` comes encoded, its
/// names in order and each with '='.
std::string url_of(const s3_place& place, std::string_view key,
                   std::string_view query);

} // namespace s3

} // namespace depositd
