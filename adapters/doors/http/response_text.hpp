#pragma once

// Inside the server: how an answer is written before its body.

#include "adapters/doors/http/message.hpp"

#include <cstddef>
#include <ctime>
#include <optional>
#include <string>

namespace depositd::http {

/// How the answer's body is told from what comes behind it.
struct framing {
  std::optional<std::size_t> length; ///< none: in chunks, or until the end
  bool chunked = false;
  bool closes = false;
  bool says_that_it_stays = false; ///< to who would not expect it
};

/// The time of an answer as its header says it. One thread.
class date_line {
public:
  const std::string& now();

private:
  std::time_t at_ = -1;
  std::string text_;
};

/// Appends all of an answer that comes before its body.
void write_head(std::string& to, const response& what, const framing& how,
                date_line& date);

/// Whether answers of this status never have a body.
inline bool has_no_body(unsigned status) {
  return status < 200 || status == 204 || status == 304;
}

} // namespace depositd::http
