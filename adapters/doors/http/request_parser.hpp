#pragma once

// Inside the server: one request after another, as their bytes come. llhttp
// reads them; what it lets pass and another reader may see otherwise is refused
// here.

#include "adapters/doors/http/text.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <llhttp/llhttp.h>

namespace depositd::http {

/// What a request says of itself before its body.
struct request_head {
  std::string method;
  std::string target;
  parameters headers; ///< in the order of arrival
  bool is_1_1 = true; ///< HTTP/1.0 if not
};

/// Whether lines are what everybody takes for lines: each ends with CR LF, and
/// none begins with a blank or holds a NUL.
class line_check {
public:
  /// The next bytes that are no body.
  bool passes(std::string_view bytes) noexcept;

  /// A piece of a chunk came between, or the whole of it.
  void after_chunk() noexcept {
    owed_ = 2;
  }

  void begin() noexcept {
    last_ = 0;
    owed_ = 0;
  }

private:
  char last_ = 0;
  std::uint8_t owed_ = 0; ///< bytes of the CR LF behind a chunk
};

/// Who takes bodies.
class body_taker {
public:
  /// False: no more of it is wanted.
  virtual bool take(std::string_view piece) = 0;

protected:
  ~body_taker() = default;
};

/// The requests of one connection. One thread.
class request_parser {
public:
  struct limits {
    std::size_t head_bytes_max;
    std::size_t headers_max;
  };

  enum class found : std::uint8_t {
    nothing, ///< all of it was read
    target,  ///< of a request that begins
    head,
    end,     ///< of the request
    refused, ///< of the body no more is wanted
    fault,   ///< nothing can be read any more
  };

  /// Why not, as it is answered.
  struct fault {
    unsigned status = 0;
    const char* text = "";
  };

  request_parser(const limits& most, body_taker& bodies);
  request_parser(const request_parser&) = delete;
  request_parser& operator=(const request_parser&) = delete;

  /// Reads on until something is found, and takes what it has read from the
  /// front of `bytes`.
  found next(std::string_view& bytes);

  /// As far as it was read. May be moved from once it was found.
  request_head& head() noexcept {
    return head_;
  }

  const fault& why() const noexcept {
    return why_;
  }

  /// Whether another request may follow the one that was found.
  bool stays() const noexcept {
    return stays_;
  }

private:
  static const llhttp_settings_t& settings();
  static request_parser& of(llhttp_t* parser);

  int on_begin();
  int on_url(std::string_view more);
  int on_name(std::string_view more);
  int on_value(std::string_view more);
  int on_value_end();
  int on_head();
  int on_body(std::string_view piece);
  int refuse(unsigned status, const char* text);
  bool check_to(const char* end);
  bool is_http(std::string_view bytes);
  found outcome(llhttp_errno_t said);
  fault fault_of(llhttp_errno_t said) const;

  const limits most_;
  body_taker& bodies_;
  llhttp_t parser_;
  request_head head_;
  std::size_t head_bytes_ = 0;
  bool in_head_ = true;
  bool names_protocol_ = false; ///< what comes next, behind blanks
  bool names_ = false; ///< the header that is read has a name only
  bool stays_ = true;
  bool wanted_ = true; ///< the body
  found paused_at_ = found::nothing;
  const char* unchecked_ = nullptr; ///< of the bytes that are read now
  line_check lines_;
  fault why_;
};

} // namespace depositd::http
