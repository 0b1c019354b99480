#include "adapters/doors/nsq/layer.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <zlib.h>

namespace depositd::nsq {

namespace {

constexpr int window_bits = -15; // negative: neither head nor checksum
constexpr std::size_t piece_bytes = 16 * 1024;

void give(z_stream& to, std::string_view bytes) {
  to.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  to.avail_in = static_cast<uInt>(bytes.size());
}

class deflate_layer final : public layer {
public:
  explicit deflate_layer(int level) {
    good_ = inflateInit2(&in_, window_bits) == Z_OK;
    good_ =
      deflateInit2(&out_, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY)
        == Z_OK
      && good_;
  }

  ~deflate_layer() override {
    inflateEnd(&in_);
    deflateEnd(&out_);
  }

  caf::error unpack(std::string_view& from, std::string& to,
                    std::size_t enough) override {
    if (!good_)
      return no_memory();
    // It may hold more of what it was given before.
    for (bool more = true; more && to.size() < enough;) {
      const auto bytes = from.substr(0, piece_bytes);
      give(in_, bytes);
      in_.next_out = reinterpret_cast<Bytef*>(piece_.data());
      in_.avail_out = static_cast<uInt>(piece_.size());
      const int code = inflate(&in_, Z_SYNC_FLUSH);
      from.remove_prefix(bytes.size() - in_.avail_in);
      to.append(piece_.data(), piece_.size() - in_.avail_out);
      if (code != Z_OK && code != Z_BUF_ERROR)
        return caf::make_error(ec::malformed, std::string{"bad deflate data"});
      more = in_.avail_out == 0 || (code == Z_OK && !from.empty());
    }
    return {};
  }

  caf::error pack(std::string_view from, std::string& to) override {
    if (!good_)
      return no_memory();
    constexpr std::size_t most = std::numeric_limits<uInt>::max();
    do {
      const auto bytes = from.substr(0, most);
      from.remove_prefix(bytes.size());
      give(out_, bytes);
      do {
        out_.next_out = reinterpret_cast<Bytef*>(piece_.data());
        out_.avail_out = static_cast<uInt>(piece_.size());
        deflate(&out_, from.empty() ? Z_SYNC_FLUSH : Z_NO_FLUSH);
        to.append(piece_.data(), piece_.size() - out_.avail_out);
      } while (out_.avail_out == 0);
    } while (!from.empty());
    return {};
  }

private:
  static caf::error no_memory() {
    return caf::make_error(ec::overloaded, std::string{"no memory for zlib"});
  }

  z_stream in_{};
  z_stream out_{};
  bool good_ = false;
  std::array<char, piece_bytes> piece_;
};

} // namespace

std::unique_ptr<layer> make_deflate_layer(int level) {
  return std::make_unique<deflate_layer>(std::clamp(level, 1, 9));
}

} // namespace depositd::nsq
