#pragma once

// What every client of libcurl needs.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <curl/curl.h>

namespace depositd {

using curl_easy = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;
using curl_strings =
  std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;

/// Makes the library ready if it is not yet; null if it has no memory.
curl_easy make_curl_easy();

curl_strings curl_strings_of(const std::vector<std::string>& texts);

/// What holds for all that goes over the web: no proxy, redirection, netrc or
/// protocol that nobody has asked for, and no headers without end. For each
/// request; who reads headers asks `headers_fit`.
void set_up_web(CURL* easy);

/// Counts so many bytes of them; false: it is enough. The library keeps what
/// comes behind chunks (trailers), however much that is.
bool headers_fit(CURL* easy, std::size_t count);

/// Breaks off what the handle does once that is true; it is asked about once a
/// second. It may be null, and outlives what is done.
void stop_curl_if(CURL* easy, const std::function<bool()>& stopped);

/// Decimal digits and nothing else.
std::optional<std::uint64_t> header_number(std::string_view text);

/// Whether a line of a head is the header of that name, in lower case.
bool is_header_line(std::string_view line, std::string_view name);

/// What follows its colon, without blanks around it.
std::string_view header_value(std::string_view line);

} // namespace depositd
