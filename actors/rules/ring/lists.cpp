#include "actors/rules/ring/lists.hpp"

#include <algorithm>
#include <functional>

namespace depositd::rules {

// -- cells --------------------------------------------------------------------

std::uint32_t cell_store::add(member_number member, std::uint8_t band,
                              std::uint32_t next) {
  auto cell = free_;
  if (cell != nobody) {
    free_ = head(cell)[1];
  } else {
    cell = static_cast<std::uint32_t>(quads_.size() / (1 + classes_));
    quads_.resize(quads_.size() + 1 + classes_);
  }
  head(cell) = {member, next, band, 0};
  for (size_class cls = 0; cls < classes_; ++cls)
    at(cell, cls) = empty_class;
  return cell;
}

void cell_store::remove(std::uint32_t cell) {
  head(cell) = {nobody, free_, 0, 0};
  free_ = cell;
}

std::uint32_t cell_store::available(std::uint32_t cell) const noexcept {
  std::array<std::int64_t, size_classes_max> left{};
  std::int64_t sum = 0;
  for (size_class cls = 0; cls < classes_; ++cls)
    left[cls] = sum += std::int64_t{ready(cell, cls)} - reserved(cell, cls);
  std::uint32_t out = 0;
  for (auto cls = classes_; cls > 0 && left[cls - 1] > 0; --cls)
    out |= 1u << (cls - 1);
  return out;
}

bool cell_store::idle(std::uint32_t cell) const noexcept {
  for (size_class cls = 0; cls < classes_; ++cls)
    if (ready(cell, cls) != 0 || reserved(cell, cls) != 0)
      return false;
  return true;
}

void cell_store::insert_class(size_class at) {
  std::vector<quad> wider;
  wider.reserve(quads_.size() / (1 + classes_) * (2 + classes_));
  for (std::size_t i = 0; i < quads_.size(); ++i) {
    const auto within = i % (1 + classes_);
    if (within == 1u + at)
      wider.push_back(empty_class);
    wider.push_back(quads_[i]);
    if (within == classes_ && at == classes_)
      wider.push_back(empty_class);
  }
  quads_ = std::move(wider);
  ++classes_;
}

// -- names --------------------------------------------------------------------

std::size_t name_index::home(std::string_view name) const noexcept {
  return std::hash<std::string_view>{}(name) & (table_.size() - 1);
}

member_number name_index::find(std::string_view name) const noexcept {
  if (table_.empty())
    return nobody;
  for (auto i = home(name);; i = (i + 1) & (table_.size() - 1))
    if (table_[i] == nobody || names_[table_[i]] == name)
      return table_[i];
}

void name_index::place(member_number m) noexcept {
  auto i = home(names_[m]);
  while (table_[i] != nobody)
    i = (i + 1) & (table_.size() - 1);
  table_[i] = m;
}

void name_index::add(member_number m) {
  assert(find(names_[m]) == nobody && "names are unique");
  if (table_.size() < 2 * (used_ + 1)) {
    auto before = std::move(table_);
    table_.assign(std::max<std::size_t>(16, 2 * before.size()), nobody);
    for (auto known : before)
      if (known != nobody)
        place(known);
  }
  place(m);
  ++used_;
}

void name_index::remove(member_number m) {
  const auto mask = table_.size() - 1;
  auto hole = home(names_[m]);
  while (table_[hole] != m)
    hole = (hole + 1) & mask;
  --used_;
  // Whoever sits behind the hole and may sit in it moves up, so that no search
  // ends too early.
  for (auto i = (hole + 1) & mask; table_[i] != nobody; i = (i + 1) & mask) {
    const auto wanted = home(names_[table_[i]]);
    if (((i - wanted) & mask) >= ((i - hole) & mask)) {
      table_[hole] = table_[i];
      hole = i;
    }
  }
  table_[hole] = nobody;
}

} // namespace depositd::rules
