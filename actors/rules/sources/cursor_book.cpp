#include "actors/rules/sources/cursor_book.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace depositd::rules {

std::uint64_t cursor_book::opened(std::optional<std::string> cursor,
                                  std::uint64_t records) {
  open_.push_back({std::move(cursor), records});
  outstanding_ += records;
  const auto number = first_ + open_.size() - 1;
  advance();
  return number;
}

void cursor_book::applied(std::uint64_t number, std::uint64_t records) {
  if (number < first_ || number - first_ >= open_.size())
    return; // none of ours: fed by hand
  auto& left = open_[number - first_].left;
  assert(left >= records && "a record is applied once");
  records = std::min(records, left);
  left -= records;
  outstanding_ -= records;
  advance();
}

void cursor_book::advance() {
  for (; !open_.empty() && open_.front().left == 0; ++first_) {
    if (open_.front().cursor)
      moved_ = std::move(open_.front().cursor);
    open_.pop_front();
  }
}

std::optional<std::string> cursor_book::moved() {
  return std::exchange(moved_, std::nullopt);
}

} // namespace depositd::rules
