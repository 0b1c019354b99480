#include "actors/rules/ledger/packed_items.hpp"

#include "messages/values/test_points.hpp"
#include "messages/values/varint.hpp"

#include <algorithm>
#include <cassert>

namespace depositd::rules {

namespace {

// An item is a byte of these, and then what they say is there: numbers in
// LEB128, as differences to the item before, modulo 2^64.
constexpr std::uint8_t is_blob = 1;
constexpr std::uint8_t has_digest = 2;
constexpr std::uint8_t has_attempt = 4;
constexpr std::uint8_t same_group = 8; ///< of the journal
constexpr std::uint8_t same_size = 16;
constexpr std::uint8_t same_length = 32;

constexpr std::size_t number_bytes_max = 10;
constexpr std::size_t item_bytes_max = 1 + 8 * number_bytes_max;

class packer {
public:
  explicit packer(std::uint8_t* at) : at_(at) {
    // nop
  }

  void number(std::uint64_t x) {
    for (; x >= 0x80; x >>= 7)
      *at_++ = static_cast<std::uint8_t>(x | 0x80);
    *at_++ = static_cast<std::uint8_t>(x);
  }

  /// Small for small differences in both directions.
  void difference(std::uint64_t x) {
    number(folded(x));
  }

  void byte(std::uint8_t x) {
    *at_++ = x;
  }

  std::uint8_t* end() const {
    return at_;
  }

private:
  std::uint8_t* at_;
};

class unpacker {
public:
  explicit unpacker(const std::uint8_t* at) : at_(at) {
    // nop
  }

  std::uint64_t number() {
    std::uint64_t out = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto x = *at_++;
      out |= std::uint64_t{x & 0x7fu} << shift;
      if (x < 0x80)
        return out;
    }
  }

  std::uint64_t difference() {
    return unfolded(number());
  }

  std::uint8_t byte() {
    return *at_++;
  }

private:
  const std::uint8_t* at_;
};

std::uint64_t bits(micros x) {
  return static_cast<std::uint64_t>(x);
}

void pack(packer& to, const stored_item& x, const stored_item& before) {
  std::uint8_t head = 0;
  const auto say = [&](bool yes, std::uint8_t what) {
    if (yes)
      head = static_cast<std::uint8_t>(head | what);
    return yes;
  };
  say(x.kind == body_kind::blob, is_blob);
  const auto digest = say(x.digest != 0, has_digest);
  const auto attempt = say(x.attempt != 0, has_attempt);
  const auto group = say(x.place.group == before.place.group, same_group);
  const auto size = say(x.size == before.size, same_size);
  const auto length = say(x.place.length == before.place.length, same_length);
  to.byte(head);
  to.number(x.id - before.id);
  to.difference(bits(x.received_us) - bits(before.received_us));
  if (!size)
    to.number(x.size);
  if (digest)
    to.number(x.digest);
  if (attempt)
    to.number(x.attempt);
  if (!group)
    to.difference(x.place.group - before.place.group);
  to.number(group ? x.place.offset - before.place.offset : x.place.offset);
  if (!length)
    to.number(x.place.length);
}

stored_item unpack(unpacker& from, const stored_item& before) {
  stored_item x;
  const auto head = from.byte();
  const auto says = [&](std::uint8_t what) { return (head & what) != 0; };
  x.kind = says(is_blob) ? body_kind::blob : body_kind::inline_bytes;
  x.id = before.id + from.number();
  x.received_us =
    static_cast<micros>(bits(before.received_us) + from.difference());
  x.size = says(same_size) ? before.size : from.number();
  if (says(has_digest))
    x.digest = from.number();
  if (says(has_attempt))
    x.attempt = static_cast<std::uint32_t>(from.number());
  if (seeded_bug("packed_attempt_forgotten"))
    x.attempt = 0;
  x.place.group =
    before.place.group + (says(same_group) ? 0 : from.difference());
  const auto offset = static_cast<std::uint32_t>(from.number());
  x.place.offset = says(same_group) ? before.place.offset + offset : offset;
  x.place.length = says(same_length)
                     ? before.place.length
                     : static_cast<std::uint32_t>(from.number());
  return x;
}

} // namespace

packed_items::packed_items(const std::vector<stored_item>& items)
  : count_(static_cast<std::uint32_t>(items.size())),
    priority_(items.front().priority), cls_(items.front().cls) {
  std::vector<std::uint8_t> room(items.size() * item_bytes_max);
  packer to{room.data()};
  stored_item first;
  const auto* before = &first;
  for (const auto& x : items) {
    assert(x.body == nullptr && x.priority == priority_ && x.cls == cls_);
    pack(to, x, *before);
    before = &x;
  }
  bytes_count_ = static_cast<std::uint32_t>(to.end() - room.data());
  bytes_ = std::make_unique_for_overwrite<std::uint8_t[]>(bytes_count_);
  std::copy(room.data(), to.end(), bytes_.get());
}

std::vector<stored_item> packed_items::unpacked() const {
  std::vector<stored_item> out;
  out.reserve(count_);
  unpacker from{bytes_.get()};
  const stored_item first;
  for (std::uint32_t i = 0; i < count_; ++i) {
    auto& x =
      out.emplace_back(unpack(from, out.empty() ? first : out.back()));
    x.priority = priority_;
    x.cls = cls_;
  }
  return out;
}

} // namespace depositd::rules
