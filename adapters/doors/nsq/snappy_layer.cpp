// https://github.com/google/snappy/blob/main/framing_format.txt

#include "adapters/doors/nsq/layer.hpp"

#include <algorithm>
#include <cstdint>

#include <isa-l/crc.h>
#include <snappy-c.h>

namespace depositd::nsq {

namespace {

constexpr std::string_view stream_identifier{"\xff\x06\x00\x00sNaPpY", 10};
constexpr std::size_t head_bytes = 4; ///< type and length
constexpr std::size_t checksum_bytes = 4;
constexpr std::size_t data_bytes_max = 65'536; ///< of a chunk, unpacked

enum chunk_type : unsigned char {
  compressed = 0x00,
  uncompressed = 0x01,
  identifier = 0xff,
};

std::uint32_t masked_checksum(std::string_view bytes) {
  // The library reads only; its signature says otherwise.
  auto* data =
    reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data()));
  const auto crc =
    ~crc32_iscsi(data, static_cast<int>(bytes.size()), ~std::uint32_t{0});
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8U;
}

std::uint32_t little(std::string_view bytes) {
  std::uint32_t out = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    out = out << 8 | static_cast<unsigned char>(bytes[i]);
  return out;
}

void append_little(std::string& to, std::uint32_t x, int bytes) {
  for (int i = 0; i < bytes; ++i)
    to += static_cast<char>(x >> 8 * i & 0xff);
}

caf::error malformed(const char* why) {
  return caf::make_error(ec::malformed, std::string{why});
}

class snappy_layer final : public layer {
public:
  caf::error unpack(std::string_view& from, std::string& to,
                    std::size_t enough) override {
    while (to.size() < enough) {
      if (!collect(from, head_bytes))
        return {};
      const auto size = little(std::string_view{chunk_}.substr(1, 3));
      if (size > most(static_cast<unsigned char>(chunk_[0])))
        return caf::make_error(ec::too_large,
                               std::string{"a snappy chunk is too long"});
      if (!collect(from, head_bytes + size))
        return {};
      auto wrong = take_chunk(to);
      chunk_.clear();
      if (wrong)
        return wrong;
    }
    return {};
  }

  caf::error pack(std::string_view from, std::string& to) override {
    if (!begun_)
      to += stream_identifier;
    begun_ = true;
    for (; !from.empty();
         from.remove_prefix(std::min(from.size(), data_bytes_max)))
      pack_chunk(from.substr(0, data_bytes_max), to);
    return {};
  }

private:
  /// Bytes behind the head, by the chunk's type.
  static std::size_t most(unsigned char type) {
    return type == compressed
             ? checksum_bytes + snappy_max_compressed_length(data_bytes_max)
             : checksum_bytes + data_bytes_max;
  }

  bool collect(std::string_view& from, std::size_t size) {
    const auto count =
      std::min(size - std::min(size, chunk_.size()), from.size());
    chunk_.append(from.substr(0, count));
    from.remove_prefix(count);
    return chunk_.size() >= size;
  }

  caf::error take_chunk(std::string& to) {
    const std::string_view bytes{chunk_};
    const auto type = static_cast<unsigned char>(bytes[0]);
    if (!identified_ || type == identifier) {
      identified_ = bytes == stream_identifier;
      return identified_ ? caf::error{} : malformed("no snappy stream");
    }
    if (type == compressed || type == uncompressed)
      return take_data(bytes.substr(head_bytes), type, to);
    // What must be understood, and what may be passed over.
    return type < 0x80 ? malformed("an unknown snappy chunk") : caf::error{};
  }

  caf::error take_data(std::string_view bytes, unsigned char type,
                       std::string& to) {
    if (bytes.size() < checksum_bytes)
      return malformed("a snappy chunk is cut off");
    const auto wanted = little(bytes.substr(0, checksum_bytes));
    bytes.remove_prefix(checksum_bytes);
    const auto before = to.size();
    if (type == uncompressed) {
      to += bytes;
    } else {
      std::size_t size = 0;
      if (snappy_uncompressed_length(bytes.data(), bytes.size(), &size)
            != SNAPPY_OK
          || size > data_bytes_max)
        return malformed("a snappy chunk unpacks to too much");
      to.resize(before + size);
      if (snappy_uncompress(bytes.data(), bytes.size(), to.data() + before,
                            &size)
          != SNAPPY_OK)
        return malformed("bad snappy data");
    }
    if (masked_checksum(std::string_view{to}.substr(before)) != wanted)
      return malformed("a snappy chunk does not match its checksum");
    return {};
  }

  void pack_chunk(std::string_view data, std::string& to) {
    auto size = snappy_max_compressed_length(data.size());
    packed_.resize(size);
    const bool smaller =
      snappy_compress(data.data(), data.size(), packed_.data(), &size)
        == SNAPPY_OK
      && size < data.size();
    const auto bytes =
      smaller ? std::string_view{packed_}.substr(0, size) : data;
    to += static_cast<char>(smaller ? compressed : uncompressed);
    append_little(to, static_cast<std::uint32_t>(bytes.size() + checksum_bytes),
                  3);
    append_little(to, masked_checksum(data), 4);
    to += bytes;
  }

  std::string chunk_;  ///< the beginning of one, with its head
  std::string packed_; ///< kept for its memory
  bool identified_ = false;
  bool begun_ = false;
};

} // namespace

std::unique_ptr<layer> make_snappy_layer() {
  return std::make_unique<snappy_layer>();
}

} // namespace depositd::nsq
