#include "actors/rules/ring/draw_weights.hpp"

#include <algorithm>

namespace depositd::rules {

void draw_weights::weigh(std::size_t door, std::uint32_t users) {
  if (door >= doors_.size())
    doors_.resize(door + 1);
  sum_ += users;
  sum_ -= doors_[door].weight;
  doors_[door].weight = users;
}

std::uint32_t draw_weights::weight(std::size_t door) const noexcept {
  return door < doors_.size() ? doors_[door].weight : 0;
}

std::optional<std::size_t> draw_weights::next() const {
  std::optional<std::size_t> out;
  double most = 0;
  for (std::size_t i = 0; i < doors_.size(); ++i) {
    if (doors_[i].weight == 0)
      continue;
    const auto behind = doors_[i].behind + share(doors_[i]);
    if (!out || behind > most) {
      out = i;
      most = behind;
    }
  }
  return out;
}

/// Whoever comes now must not wait because of how much was handed out long ago.
void draw_weights::wear_off(bool nobody_else) {
  const auto step = 1.0 / static_cast<double>(doors_.size());
  for (auto& x : doors_)
    if (nobody_else || x.weight == 0)
      x.behind -= std::clamp(x.behind, -step, step);
}

void draw_weights::served(std::size_t door) {
  if (door >= doors_.size() || sum_ == 0)
    return;
  doors_[door].behind -= 1;
  // In turn nobody gets outside these bounds. Out of turn (a door that gave
  // while nobody was chosen) it must not become a debt of many hand-outs.
  const auto most = static_cast<double>(doors_.size());
  for (auto& x : doors_)
    x.behind = std::clamp(x.behind + share(x), -1.0, most);
  wear_off(doors_[door].weight == sum_);
}

} // namespace depositd::rules
