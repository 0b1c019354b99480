#include "adapters/archives/single_file.hpp"

#include <archive.h>
#include <zlib.h>

namespace depositd {

namespace {

bool is_gzip_of_nothing(std::string_view whole) {
  constexpr int window_bits = 15 + 16; // gzip's head, not zlib's
  z_stream stream{};
  if (inflateInit2(&stream, window_bits) != Z_OK)
    return false;
  Bytef out = 0;
  stream.next_in =
    reinterpret_cast<Bytef*>(const_cast<char*>(whole.data()));
  stream.avail_in = static_cast<uInt>(whole.size());
  stream.next_out = &out;
  stream.avail_out = 1;
  const auto code = inflate(&stream, Z_FINISH);
  const bool nothing = code == Z_STREAM_END && stream.total_out == 0
                       && stream.avail_in == 0;
  inflateEnd(&stream);
  return nothing;
}

} // namespace

int filter_of_single(std::string_view begin) {
  return begin.starts_with("\x1f\x8b") ? ARCHIVE_FILTER_GZIP
         : begin.starts_with("BZh")    ? ARCHIVE_FILTER_BZIP2
                                       : ARCHIVE_FILTER_NONE;
}

bool is_compressed_nothing(std::string_view whole) {
  // The end of a stream without a block, and the checksum of nothing.
  constexpr std::string_view bzip2_end{"\x17\x72\x45\x38\x50\x90\0\0\0\0", 10};
  constexpr std::size_t bzip2_head = 4; // with the size of a block
  if (filter_of_single(whole) == ARCHIVE_FILTER_BZIP2)
    return whole.size() > bzip2_head && whole.substr(bzip2_head) == bzip2_end;
  return whole.size() <= compressed_nothing_bytes_max
         && is_gzip_of_nothing(whole);
}

} // namespace depositd
