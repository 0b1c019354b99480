#include "adapters/doors/http/request_parser.hpp"

#include <utility>

namespace depositd::http {

namespace {

/// What is longer can only be meant to be waited for.
constexpr std::uint64_t chunk_bytes_max = std::uint64_t{1} << 60;

constexpr const char* bad_lines = "The request's lines must end with CR LF.";
constexpr const char* bad_version = "The version of HTTP is not known.";
constexpr const char* bad_request_line = "The request line is malformed.";

} // namespace

// -- lines --------------------------------------------------------------------

bool line_check::passes(std::string_view bytes) noexcept {
  for (const char c : bytes) {
    if (owed_ > 0) {
      if (c != (owed_ == 2 ? '\r' : '\n'))
        return false;
      --owed_;
    }
    const bool begins = last_ == '\n';
    if ((c == '\n') != (last_ == '\r') || c == '\0'
        || (begins && (c == ' ' || c == '\t')))
      return false;
    last_ = c;
  }
  return true;
}

// -- requests -----------------------------------------------------------------

request_parser::request_parser(const limits& most, body_taker& bodies)
  : most_(most), bodies_(bodies) {
  llhttp_init(&parser_, HTTP_REQUEST, &settings());
  parser_.data = this;
}

request_parser& request_parser::of(llhttp_t* parser) {
  return *static_cast<request_parser*>(parser->data);
}

const llhttp_settings_t& request_parser::settings() {
  static const auto out = [] {
    llhttp_settings_t x;
    llhttp_settings_init(&x);
    x.on_message_begin = [](llhttp_t* p) { return of(p).on_begin(); };
    x.on_url = [](llhttp_t* p, const char* at, std::size_t size) {
      return of(p).on_url({at, size});
    };
    x.on_url_complete = [](llhttp_t* p) {
      of(p).paused_at_ = found::target;
      return static_cast<int>(HPE_PAUSED);
    };
    x.on_header_field = [](llhttp_t* p, const char* at, std::size_t size) {
      return of(p).on_name({at, size});
    };
    x.on_header_value = [](llhttp_t* p, const char* at, std::size_t size) {
      return of(p).on_value({at, size});
    };
    x.on_header_value_complete = [](llhttp_t* p) {
      return of(p).on_value_end();
    };
    x.on_headers_complete = [](llhttp_t* p) { return of(p).on_head(); };
    x.on_body = [](llhttp_t* p, const char* at, std::size_t size) {
      return of(p).on_body({at, size});
    };
    x.on_chunk_header = [](llhttp_t* p) {
      return p->content_length > chunk_bytes_max
               ? of(p).refuse(400, "The size of a chunk makes no sense.")
               : 0;
    };
    x.on_message_complete = [](llhttp_t* p) {
      of(p).paused_at_ = found::end;
      return static_cast<int>(HPE_PAUSED);
    };
    return x;
  }();
  return out;
}

int request_parser::refuse(unsigned status, const char* text) {
  why_ = {status, text};
  return HPE_USER;
}

int request_parser::on_begin() {
  head_ = {};
  names_ = false;
  return 0;
}

int request_parser::on_url(std::string_view more) {
  if (head_.target.size() + more.size() > most_.head_bytes_max)
    return refuse(414, "The request line is too long.");
  head_.target += more;
  return 0;
}

int request_parser::on_name(std::string_view more) {
  // Behind the body are headers, too; nobody asks for those.
  if (!in_head_)
    return 0;
  if (!std::exchange(names_, true))
    head_.headers.emplace_back();
  head_.headers.back().first += more;
  return 0;
}

int request_parser::on_value(std::string_view more) {
  if (in_head_)
    head_.headers.back().second += more;
  return 0;
}

int request_parser::on_value_end() {
  if (!in_head_)
    return 0;
  names_ = false;
  auto& value = head_.headers.back().second;
  value.erase(value.find_last_not_of(" \t") + 1);
  return head_.headers.size() > most_.headers_max
           ? refuse(431, "The request's headers are too large.")
           : 0;
}

int request_parser::on_head() {
  if (parser_.http_major != 1)
    return refuse(505, bad_version);
  in_head_ = false;
  head_.method =
    llhttp_method_name(static_cast<llhttp_method_t>(parser_.method));
  head_.is_1_1 = parser_.http_minor == 1;
  stays_ = llhttp_should_keep_alive(&parser_) != 0;
  // No other protocol is spoken: what asks for one is a request like any.
  parser_.upgrade = 0;
  paused_at_ = found::head;
  return HPE_PAUSED;
}

int request_parser::on_body(std::string_view piece) {
  if (!check_to(piece.data()))
    return HPE_USER;
  unchecked_ = piece.data() + piece.size();
  if ((parser_.flags & F_CHUNKED) != 0)
    lines_.after_chunk();
  wanted_ = bodies_.take(piece);
  return wanted_ ? 0 : static_cast<int>(HPE_USER);
}

// What was read since the last time, and is no body.
bool request_parser::check_to(const char* end) {
  const std::string_view framing{
    unchecked_, static_cast<std::size_t>(end - unchecked_)};
  unchecked_ = end;
  if (lines_.passes(framing))
    return true;
  why_ = {400, bad_lines};
  return false;
}

/// Behind the target stands what is spoken. The parser takes two others than
/// HTTP, and does not say which it was.
bool request_parser::is_http(std::string_view bytes) {
  const auto at = bytes.find_first_not_of(' ');
  if (!names_protocol_ || at == bytes.npos)
    return true;
  names_protocol_ = false;
  if (bytes[at] != 'R' && bytes[at] != 'I') // "RTSP/1.0", "ICE/1.0"
    return true;
  why_ = {505, bad_version};
  return false;
}

request_parser::found request_parser::next(std::string_view& bytes) {
  if (why_.status != 0)
    return found::fault;
  const auto before = std::exchange(paused_at_, found::nothing);
  names_protocol_ = names_protocol_ || before == found::target;
  if (!is_http(bytes))
    return found::fault;
  if (before == found::end) {
    lines_.begin();
    // Empty lines before a request are of its head.
    head_bytes_ = 0;
    in_head_ = true;
  }
  // Where there is no body, the end of the head is that of the request.
  if (bytes.empty() && before != found::head)
    return found::nothing;
  if (llhttp_get_errno(&parser_) == HPE_PAUSED)
    llhttp_resume(&parser_);
  unchecked_ = bytes.data();
  const auto said = llhttp_execute(&parser_, bytes.data(), bytes.size());
  const auto* stop = said == HPE_OK ? nullptr : llhttp_get_error_pos(&parser_);
  const auto* end = stop != nullptr ? stop : bytes.data() + bytes.size();
  const auto count = static_cast<std::size_t>(end - bytes.data());
  if (in_head_ || paused_at_ == found::head)
    head_bytes_ += count;
  if (unchecked_ < end)
    check_to(end);
  bytes.remove_prefix(count);
  return outcome(said);
}

request_parser::found request_parser::outcome(llhttp_errno_t said) {
  if (!wanted_)
    return found::refused;
  if (why_.status != 0)
    return found::fault;
  if (said != HPE_OK && said != HPE_PAUSED) {
    why_ = fault_of(said);
    return found::fault;
  }
  if (head_bytes_ > most_.head_bytes_max) {
    why_ = {431, "The request's headers are too large."};
    return found::fault;
  }
  return paused_at_;
}

request_parser::fault request_parser::fault_of(llhttp_errno_t said) const {
  const std::string_view reason =
    parser_.reason != nullptr ? parser_.reason : "";
  switch (said) {
    case HPE_INVALID_CONTENT_LENGTH:
      if (reason.find("overflow") != std::string_view::npos)
        return {413, "The body is too large."};
      return {400, "The length of the body is not a number."};
    case HPE_UNEXPECTED_CONTENT_LENGTH:
      return {400, reason.find("Duplicate") != std::string_view::npos
                     ? "Two lengths of the body."
                     : "A length and chunks exclude each other."};
    case HPE_INVALID_TRANSFER_ENCODING:
      return {400, "The transfer encoding is not known."};
    case HPE_INVALID_CHUNK_SIZE:
      return {400, "The size of a chunk makes no sense."};
    case HPE_INVALID_HEADER_TOKEN:
      return {400, "A header of the request is malformed."};
    case HPE_CR_EXPECTED:
    case HPE_LF_EXPECTED:
    case HPE_STRICT:
      return {400, bad_lines};
    case HPE_INVALID_METHOD:
      // What is no word at all may be another protocol.
      if (is_token({llhttp_get_error_pos(&parser_), 1}))
        return {501, "The method is not known."};
      return {400, bad_request_line};
    case HPE_INVALID_VERSION:
      // Of one that is known it may be what follows it.
      if (reason.find("CRLF") != std::string_view::npos)
        return {400, bad_request_line};
      return {505, bad_version};
    default:
      return {400, bad_request_line};
  }
}

} // namespace depositd::http
