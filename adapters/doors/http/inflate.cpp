#include "adapters/doors/http/inflate.hpp"

#include "messages/values/owned.hpp"

#include <algorithm>
#include <array>

#include <zlib.h>

namespace depositd::http {

caf::expected<std::string>
inflate(std::string_view packed, std::size_t bytes_max,
        const std::function<bool(std::size_t)>& room) {
  z_stream stream{};
  // 15: largest window; 32: gzip or zlib, whichever the header says
  if (inflateInit2(&stream, 15 + 32) != Z_OK)
    return caf::make_error(ec::overloaded, "no memory to unpack a body");
  const owned<z_stream, inflateEnd> end{&stream};
  // zlib's interface is older than const.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::array<char, 64 * 1024> piece;
  std::string out;
  for (;;) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    const int code = ::inflate(&stream, Z_NO_FLUSH);
    const auto count = piece.size() - stream.avail_out;
    if (count > bytes_max - out.size())
      return caf::make_error(ec::too_large, "the body unpacks to too much");
    if (out.size() + count > out.capacity()) {
      const auto wanted =
        std::min(bytes_max, 2 * std::max(out.capacity(), piece.size()));
      if (room && !room(wanted))
        return caf::make_error(ec::overloaded, "no memory to unpack a body");
      std::string larger;
      larger.reserve(wanted);
      larger = out;
      out = std::move(larger);
    }
    out.append(piece.data(), count);
    if (code == Z_STREAM_END) {
      if (stream.avail_in == 0)
        return out;
      // Gzip may have several members, each a stream of its own.
      inflateReset(&stream);
    } else if (code != Z_OK || (count == 0 && stream.avail_in == 0)) {
      return caf::make_error(ec::malformed, "the body is not gzip");
    }
  }
}

} // namespace depositd::http
