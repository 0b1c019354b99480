#include "adapters/stores/segments/window.hpp"

#include <algorithm>

namespace depositd::segments {

namespace {

constexpr std::uint64_t piece_bytes = 1024 * 1024;

} // namespace

window::window(const segment_file& file, std::uint64_t limit)
  : file_(file), limit_(limit) {
  // nop
}

caf::expected<std::string_view> window::bytes(std::uint64_t offset,
                                              std::uint64_t size) {
  if (offset >= limit_)
    return std::string_view{};
  size = std::min(size, limit_ - offset);
  if (offset < start_ || offset + size > start_ + filled_) {
    const auto piece = std::min(std::max(size, piece_bytes), limit_ - offset);
    if (buffer_.size() < piece)
      buffer_.resize(piece);
    filled_ = 0;
    auto count =
      read_file_at(file_.file, file_.path, {buffer_.data(), piece}, offset);
    if (!count)
      return std::move(count.error());
    start_ = offset;
    filled_ = *count;
    size = std::min<std::uint64_t>(size, filled_);
  }
  return std::string_view{buffer_.data() + (offset - start_), size};
}

caf::expected<place_holds> window::at(std::uint64_t offset, look how,
                                      found_group& into) {
  auto& header = into.header;
  auto front = bytes(offset, sizeof(group_header));
  if (!front)
    return std::move(front.error());
  if (!decode_group_header(*front, file_.header, offset, header))
    return place_holds::nothing;
  front = bytes(offset, header.front_bytes());
  if (!front)
    return std::move(front.error());
  if (front->size() != header.front_bytes()
      || !front_matches(*front, file_.header))
    return place_holds::nothing;
  if (how == look::all) {
    // Both at once, so that none is pushed out of the buffer by the other.
    front = bytes(offset, header.front_bytes() + header.payload_bytes);
    if (!front)
      return std::move(front.error());
  }
  into.base = front->substr(sizeof(group_header), header.base_bytes);
  into.own =
    front->substr(sizeof(group_header) + header.base_bytes, header.own_bytes);
  into.payload = front->substr(header.front_bytes());
  if (how == look::header) {
    into.payload = {};
    return place_holds::group;
  }
  if (into.payload.size() != header.payload_bytes
      || !payload_matches(header, into.payload, file_.header))
    return place_holds::bad_payload;
  return place_holds::group;
}

caf::expected<std::optional<group_header>>
window::search(std::uint64_t offset) {
  found_group found;
  for (; offset < limit_; offset += page_bytes) {
    auto holds = at(offset, look::header, found);
    if (!holds)
      return std::move(holds.error());
    if (*holds == place_holds::group)
      return std::optional{found.header};
  }
  return std::optional<group_header>{};
}

} // namespace depositd::segments
