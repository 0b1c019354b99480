#include "adapters/doors/http/response_text.hpp"

#include <array>
#include <string_view>

#include <llhttp/llhttp.h>

namespace depositd::http {

namespace {

// The library has the names as constants.
std::string_view reason_of(unsigned status) {
  switch (status) {
#define DEPOSITD_REASON(number, name, text)                                    \
  case number:                                                                 \
    return #text;
    HTTP_STATUS_MAP(DEPOSITD_REASON)
#undef DEPOSITD_REASON
    default:
      return "";
  }
}

/// NOT_FOUND as Not Found.
void append_reason(std::string& to, unsigned status) {
  if (status == 200) {
    to += "OK";
    return;
  }
  bool begins = true;
  for (const char c : reason_of(status)) {
    if (c == '_')
      to += ' ';
    else
      to += begins || c < 'A' || c > 'Z' ? c : static_cast<char>(c - 'A' + 'a');
    begins = c == '_';
  }
}

/// What would end its line, and be a header of somebody else's, is left out.
bool is_one_line(std::string_view text) {
  return text.find_first_of(std::string_view{"\r\n\0", 3})
         == std::string_view::npos;
}

} // namespace

const std::string& date_line::now() {
  const auto at = std::time(nullptr);
  if (at == at_)
    return text_;
  at_ = at;
  std::tm parts{};
  gmtime_r(&at, &parts);
  std::array<char, 64> text{};
  const auto size = std::strftime(text.data(), text.size(),
                                  "Date: %a, %d %b %Y %H:%M:%S GMT\r\n",
                                  &parts);
  text_.assign(text.data(), size);
  return text_;
}

void write_head(std::string& to, const response& what, const framing& how,
                date_line& date) {
  to += "HTTP/1.1 ";
  to += std::to_string(what.status);
  to += ' ';
  append_reason(to, what.status);
  to += "\r\n";
  to += date.now();
  for (const auto& [name, value] : what.headers) {
    if (!is_one_line(name) || !is_one_line(value))
      continue;
    to += name;
    to += ": ";
    to += value;
    to += "\r\n";
  }
  if (how.closes)
    to += "Connection: close\r\n";
  else if (how.says_that_it_stays)
    to += "Connection: Keep-Alive\r\n";
  if (how.chunked)
    to += "Transfer-Encoding: chunked\r\n";
  else if (how.length) {
    to += "Content-Length: ";
    to += std::to_string(*how.length);
    to += "\r\n";
  }
  to += "\r\n";
}

} // namespace depositd::http
