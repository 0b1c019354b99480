#pragma once

// Which handler answers which path and method.

#include "adapters/doors/http/answer_counts.hpp"
#include "adapters/doors/http/responder.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::http {

/// Answers a request. Runs on an I/O thread and must not block. The request is
/// the handler's own: it may be moved from.
using handler = std::function<void(request&&, responder)>;

/// Looks at a request whose body has not arrived. Runs on an I/O thread and
/// must not block; the request stays valid until the decision.
using gate = std::function<void(const request&, gatekeeper)>;

/// Why nobody can answer now.
struct hindrance {
  std::string text;   ///< a sentence
  bool stops = false; ///< the server ends: it will not pass
};

/// What a route wants other than the server's defaults.
struct route_options {
  std::size_t body_bytes_max = 0;            ///< 0: the server's own limit
  std::size_t urlencoded_bytes_max = 0; ///< of such a body; 0: like any other
  std::chrono::milliseconds answer_limit{0}; ///< 0: the server's own limit
  /// What a request may take beyond that, by its head; may be null.
  std::function<std::chrono::milliseconds(const request&)> more_time;
  gate before_body;                          ///< may be null
  /// The handler does more the longer the body is. With a long one it runs in
  /// the thread for such work, and other connections do not wait for it.
  bool laborious = false;
  std::size_t long_body_bytes = 64 * 1024; ///< is none yet
  /// How often the bytes of a body stand in memory at one time, beside the
  /// body itself, until the request is answered.
  std::uint32_t copies = 1;
  /// Whoever asks again gets the same. So a long answer may be put off, with
  /// 503, while others that nobody takes are in memory.
  bool repeatable = false;
  /// A packed body (Content-Encoding) is unpacked; false: the handler gets it
  /// as it came, whatever it is said to be.
  bool unpacks = true;
  bool head = true; ///< a GET that answers HEAD too; false if it changes things
  /// What is answered after the limit; null: 504.
  std::shared_ptr<const response> late;
  /// How it is said that nobody can answer now (503); null: as the server says
  /// it.
  std::function<response(const hindrance&)> unavailable;
};

struct route {
  handler answer;
  route_options options;
  std::string name; ///< method and pattern
  std::shared_ptr<status_counts> answered = std::make_shared<status_counts>();
};

/// Patterns are paths whose segments are literal or {name}: any one segment,
/// even an empty one; the last may be {name...}: all that follow, one at least,
/// with the slashes between them. A literal segment wins over {name}, and that
/// over {name...}. One slash at the end of a path does not matter; nothing else
/// is normalised.
class router {
public:
  router();
  ~router();
  router(router&&) noexcept;
  router& operator=(router&&) noexcept;

  /// Adds a route. HEAD is answered by GET unless it has a route of its own
  /// or the options forbid it.
  void add(std::string method, std::string_view pattern, handler answer,
           route_options options = {});

  /// Every route, in the order of names.
  std::vector<const route*> all() const;

  struct match {
    const route* found = nullptr;
    std::vector<std::string> captured;
    std::string allow; ///< methods of the path, if only the method is wrong
  };

  /// Both empty if nothing is known of the path.
  match find(std::string_view method,
             const std::vector<std::string>& segments) const;

private:
  struct node;
  std::unique_ptr<node> root_;
};

/// A target's path as segments: decoded, `;parameters` dropped, one slash at
/// the end ignored.
std::vector<std::string> split_path(std::string_view path);

} // namespace depositd::http
