#pragma once

#include <string>

#include <zlib.h>

namespace depositd::testing {

/// As clients send it with `Content-Encoding: gzip`.
inline std::string gzip(const std::string& plain) {
  z_stream x{};
  deflateInit2(&x, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&x, plain.size()) + 64, '\0');
  x.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  x.avail_in = static_cast<uInt>(plain.size());
  x.next_out = reinterpret_cast<Bytef*>(out.data());
  x.avail_out = static_cast<uInt>(out.size());
  deflate(&x, Z_FINISH);
  out.resize(x.total_out);
  deflateEnd(&x);
  return out;
}

} // namespace depositd::testing
