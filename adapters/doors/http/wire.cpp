#include "adapters/doors/http/wire.hpp"

#include <cstring>
#include <string>

#include <gnutls/gnutls.h>
#include <microhttpd.h>
#include <sys/socket.h>

namespace depositd::http {

namespace {

MHD_Result add_header(void* out, MHD_ValueKind, const char* key,
                      const char* value) {
  static_cast<parameters*>(out)->emplace_back(key, value ? value : "");
  return MHD_YES;
}

// Where the line before must have ended for the next to begin at `begin`.
struct line_chain {
  const char* end; ///< of the text of the last line; null: there is none
  bool clean = true;

  void next(const char* begin) {
    clean = clean && (end == nullptr || begin == end + 2);
  }
};

MHD_Result check_header(void* out, MHD_ValueKind, const char* key,
                        const char* value) {
  auto* chain = static_cast<line_chain*>(out);
  chain->next(key);
  chain->end = value + std::strlen(value);
  return MHD_YES;
}

constexpr std::size_t stream_block_bytes = 16 * 1024;
constexpr std::size_t part_bytes = 64 * 1024;

/// `out` may be null: there was no memory for it.
bool queue_made(MHD_Connection* to, const response& what, bool close,
                MHD_Response* out) {
  if (!out)
    return false;
  for (const auto& [name, value] : what.headers)
    MHD_add_response_header(out, name.c_str(), value.c_str());
  if (close)
    MHD_add_response_header(out, "Connection", "close");
  const auto queued = MHD_queue_response(to, what.status, out);
  MHD_destroy_response(out);
  return queued == MHD_YES;
}

std::string status_line(unsigned status) {
  const char* reason = MHD_get_reason_phrase_for(status);
  return "HTTP/1.1 " + std::to_string(status) + ' ' + (reason ? reason : "")
         + "\r\n";
}

} // namespace

parameters read_headers(MHD_Connection* from) {
  parameters out;
  MHD_get_connection_values(from, MHD_HEADER_KIND, add_header, &out);
  return out;
}

std::size_t head_bytes(MHD_Connection* from) {
  const auto* info =
    MHD_get_connection_info(from, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return info ? info->header_size : 0;
}

bool has_clean_lines(MHD_Connection* from, const char* method,
                     const char* version) {
  // The library cuts the head into strings in place: what lies between the end
  // of one line and the begin of the next is what was between them.
  line_chain chain{version + std::strlen(version)};
  MHD_get_connection_values(from, MHD_HEADER_KIND, check_header, &chain);
  const auto size = head_bytes(from);
  return chain.clean && (size == 0 || method + size == chain.end + 4);
}

bool claims_absurd_chunk(const char* data) {
  // The size line is what the library has read just before the first data.
  if (data[-1] != '\n')
    return false;
  const char* end = data - (data[-2] == '\r' ? 2 : 1);
  std::string_view digits{end, 0};
  while (digits.size() < 17
         && std::strchr("0123456789abcdefABCDEF", digits.data()[-1])
         && digits.data()[-1] != '\0')
    digits = {digits.data() - 1, digits.size() + 1};
  const auto first = digits.find_first_not_of('0');
  return first != std::string_view::npos && digits.size() - first > 15;
}

bool has_bare_line_feed(const char* data) {
  if (data[-1] != '\n')
    return false;
  if (data[-2] != '\r')
    return true;
  // Before the size is the end of the chunk before, or of the head, which the
  // library has overwritten with NUL.
  const char* at = data - 3;
  while (static_cast<unsigned char>(*at) >= 0x20 || *at == '\t')
    --at;
  return *at == '\n' && at[-1] != '\r';
}

bool has_clean_trailers(MHD_Connection* from) {
  line_chain chain{nullptr};
  MHD_get_connection_values(from, MHD_FOOTER_KIND, check_header, &chain);
  // Behind the last of them both ends of lines are overwritten with NUL.
  return chain.end == nullptr || (chain.clean && chain.end[3] == '\0');
}

bool queue_response(MHD_Connection* to, const response& what, bool close) {
  auto* body = const_cast<char*>(what.body.data()); // read only, says the mode
  return queue_made(to, what, close,
                    MHD_create_response_from_buffer(what.body.size(), body,
                                                    MHD_RESPMEM_PERSISTENT));
}

bool queue_stream(MHD_Connection* to, const response& what, bool close,
                  read_more more, void* of) {
  return queue_made(to, what, close,
                    MHD_create_response_from_callback(
                      MHD_SIZE_UNKNOWN, stream_block_bytes, more, of, nullptr));
}

bool queue_parts(MHD_Connection* to, const response& what, bool close,
                 read_more more, void* of) {
  return queue_made(to, what, close,
                    MHD_create_response_from_callback(
                      what.body.size(), part_bytes, more, of, nullptr));
}

void write_response(MHD_Connection* to, int socket, const response& what) {
  auto text = status_line(what.status);
  for (const auto& [name, value] : what.headers)
    text += name + ": " + value + "\r\n";
  text += "Connection: close\r\nContent-Length: "
          + std::to_string(what.body.size()) + "\r\n\r\n" + what.body;
  const auto* tls =
    MHD_get_connection_info(to, MHD_CONNECTION_INFO_GNUTLS_SESSION);
  // One try: the answer is small and nothing else waits in the buffer.
  if (tls && tls->tls_session)
    gnutls_record_send(static_cast<gnutls_session_t>(tls->tls_session),
                       text.data(), text.size());
  else
    ::send(socket, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

} // namespace depositd::http
