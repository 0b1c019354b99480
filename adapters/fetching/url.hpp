#pragma once

// Addresses on the web, as strangers give them.

#include "messages/values/errors.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace depositd {

inline constexpr std::size_t url_bytes_max = 8'192;

struct web_url {
  std::string text;   ///< as it was given
  std::string scheme; ///< "http" or "https"
  std::string host;   ///< lower case; IPv6 without brackets
  std::uint16_t port = 0;
  std::string path; ///< as it was given, "/" at least

  bool secure() const {
    return scheme == "https";
  }
};

/// Reads an address of http or https. `ec::malformed` says what is wrong: other
/// schemes, user and password, no host, blanks and control characters.
caf::expected<web_url> parse_url(std::string_view text);

/// What a link found at `base` means, unchecked; empty if it means nothing.
std::string resolve_link(const web_url& base, const std::string& link);

/// The last part of the path, not decoded; empty if it ends with '/'.
std::string file_name_of(const web_url& url);

} // namespace depositd
