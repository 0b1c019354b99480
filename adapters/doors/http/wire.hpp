#pragma once

// Inside the server: what libmicrohttpd says about a request, and what it must
// be asked in a roundabout way.

#include "adapters/doors/http/message.hpp"

#include <cstdint>
#include <string_view>

#include <sys/types.h>

struct MHD_Connection;

namespace depositd::http {

/// The headers in the order of arrival.
parameters read_headers(MHD_Connection* from);

/// Bytes of the request's head as sent, 0 if unknown.
std::size_t head_bytes(MHD_Connection* from);

/// Whether every line of the head ends with CR LF and none is folded or holds
/// a NUL. The library accepts both, and reads a folded value wrongly.
bool has_clean_lines(MHD_Connection* from, const char* method,
                     const char* version);

/// Whether the first chunk, whose data begins here, claims more than 2^60
/// bytes. The library would wait for them.
bool claims_absurd_chunk(const char* data);

/// Whether a line of chunks before this data ended with a line feed only, as
/// far as the library still has it. It accepts that.
bool has_bare_line_feed(const char* data);

/// Whether headers behind the body end with CR LF, as far as that can be seen.
bool has_clean_trailers(MHD_Connection* from);

/// Queues the answer. The body must stay where it is until the request ends.
bool queue_response(MHD_Connection* to, const response& what, bool close);

/// What the library asks for more of a body, as it says.
using read_more = ssize_t (*)(void* of, std::uint64_t at, char* to,
                              std::size_t bytes_max);

/// The same with a body that goes on, in chunks. `of` must live as long as the
/// request.
bool queue_stream(MHD_Connection* to, const response& what, bool close,
                  read_more more, void* of);

/// An answer that is longer is sent in parts.
constexpr std::size_t long_answer_bytes = 256 * 1024;

/// As `queue_response`, with a body that is asked for part by part. `of` must
/// live as long as the request.
bool queue_parts(MHD_Connection* to, const response& what, bool close,
                 read_more more, void* of);

/// Writes the answer to the socket past the library, which has no way to
/// answer in the middle of a body.
void write_response(MHD_Connection* to, int socket, const response& what);

} // namespace depositd::http
