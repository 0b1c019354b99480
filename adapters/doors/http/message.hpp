#pragma once

// A request as a handler sees it, and a response as it gives one.

#include "adapters/doors/http/text.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::http {

class body_stream;

/// The first header of this name, null if there is none.
inline const std::string* find_header(const parameters& headers,
                                      std::string_view name) {
  for (const auto& x : headers)
    if (same_token(x.first, name))
      return &x.second;
  return nullptr;
}

/// A request; with its body once that has been received.
struct request {
  std::string method;
  /// The path as sent, without the query. Log this, never the target.
  std::string path;
  /// Between the slashes, each percent-decoded and without `;parameters`.
  /// "." and ".." are names like any other.
  std::vector<std::string> segments;
  /// What stood for each {name} of the route's pattern, in order.
  std::vector<std::string> captured;
  parameters query;
  parameters headers;
  /// Decoded if it came chunked, or compressed to a route that unpacks it.
  std::string body;
  /// The client's numeric address, without the port; behind trusted proxies the
  /// one that they tell.
  std::string peer;
  bool secure = false;
  /// What stood behind the question mark, as sent; `query` is read from it by a
  /// rule that takes anything. It may hold secrets.
  std::string query_text = {};

  const std::string* header(std::string_view name) const {
    return find_header(headers, name);
  }
};

/// An answer. Content-Length, Date and Connection are the server's.
struct response {
  unsigned status = 200;
  parameters headers;
  std::string body;
  /// A body that goes on, in place of the other; null: there is none.
  std::shared_ptr<body_stream> stream = nullptr;
  bool repeatable = false; ///< as `route_options` has it, of this answer

  /// Plain text.
  static response text(unsigned status, std::string body);

  static response of(unsigned status, std::string content_type,
                     std::string body);

  /// The same with one header more.
  response&& with(std::string name, std::string value) &&;
};

/// One line that says what is wrong with the request.
response refusal(unsigned status, std::string text);

/// The page that says that nobody can answer now, with a Retry-After.
response unavailable(unsigned retry_after_s);

} // namespace depositd::http
