#include "actors/rules/ring/far_lists.hpp"

#include <cassert>

namespace depositd::rules {

namespace {

/// Room for so many is kept for the next list.
constexpr std::size_t room_kept = 4'096;

} // namespace

far_lists::list& far_lists::list_of(std::uint64_t tag, std::uint64_t last) {
  assert(tag > last && "it stands with the lowest");
  const auto depth =
    (static_cast<unsigned>(std::bit_width(tag ^ last)) - 1) / digit_bits;
  const auto digit =
    static_cast<std::size_t>(tag >> (depth * digit_bits)) & (digits - 1);
  auto& at = levels_[depth];
  if (!at)
    at = std::make_unique<level>();
  at->filled |= std::uint64_t{1} << digit;
  ++size_;
  return at->lists[digit];
}

std::uint32_t far_lists::new_chunk() {
  if (free_ != none) {
    const auto out = free_;
    free_ = next_chunks_[out];
    next_chunks_[out] = none;
    return out;
  }
  const auto out = static_cast<std::uint32_t>(next_chunks_.size());
  next_chunks_.push_back(none);
  places_.resize(places_.size() + chunk_size);
  return out;
}

void far_lists::push_back(const entry& x, std::uint64_t last) {
  auto& to = list_of(x.tag, last);
  if (to.first == none) {
    to.first = to.last = new_chunk();
    to.begin = to.end = 0;
  } else if (to.end == chunk_size) {
    const auto fresh = new_chunk();
    next_chunks_[to.last] = fresh;
    to.last = fresh;
    to.end = 0;
  }
  places_[std::size_t{to.last} * chunk_size + to.end++] = x;
}

void far_lists::push_front(const entry& x, std::uint64_t last) {
  auto& to = list_of(x.tag, last);
  if (to.first == none) {
    to.first = to.last = new_chunk();
    to.begin = to.end = chunk_size;
  } else if (to.begin == 0) {
    const auto fresh = new_chunk();
    next_chunks_[fresh] = to.first;
    to.first = fresh;
    to.begin = chunk_size;
  }
  places_[std::size_t{to.first} * chunk_size + --to.begin] = x;
}

void far_lists::copy(const list& from, std::vector<entry>& to) const {
  for (auto chunk = from.first; chunk != none; chunk = next_chunks_[chunk]) {
    const auto* const at = places_.data() + std::size_t{chunk} * chunk_size;
    to.insert(to.end(), at + (chunk == from.first ? from.begin : 0),
              at + (chunk == from.last ? from.end : chunk_size));
  }
}

void far_lists::take(list& from) {
  const auto before = taken_.size();
  copy(from, taken_);
  size_ -= taken_.size() - before;
  next_chunks_[from.last] = free_;
  free_ = from.first;
  from = {};
}

const std::vector<far_lists::entry>& far_lists::take_lowest() {
  assert(size_ > 0 && "there is a lowest");
  auto at = levels_.begin();
  while (!*at || (*at)->filled == 0)
    ++at;
  auto& level = **at;
  if (taken_.capacity() > room_kept && taken_.size() < taken_.capacity() / 16)
    taken_ = {};
  taken_.clear();
  take(level.lists[static_cast<std::size_t>(std::countr_zero(level.filled))]);
  level.filled &= level.filled - 1;
  return taken_;
}

const std::vector<far_lists::entry>& far_lists::take_all() {
  taken_.clear();
  for (auto& level : levels_)
    for (; level && level->filled != 0; level->filled &= level->filled - 1)
      take(level->lists[static_cast<std::size_t>(
        std::countr_zero(level->filled))]);
  places_ = {};
  next_chunks_ = {};
  free_ = none;
  return taken_;
}

} // namespace depositd::rules
