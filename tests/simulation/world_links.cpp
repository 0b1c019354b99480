// Connections between engines: what one says does not arrive, in one direction
// or in both, until both notice; then they cannot reach each other for a while.

#include "tests/simulation/world.hpp"

#include <algorithm>

namespace depositd::simulation {

void world::trouble_links() {
  std::vector<engine_number> up;
  for (const auto& engine : engines_)
    if (!engine->gone)
      up.push_back(engine->number);
  auto& any = link_chance_;
  if (up.size() < 2)
    return;
  const auto some = [&] {
    const auto at =
      up.begin() + any.below(static_cast<std::uint32_t>(up.size()));
    const auto out = *at;
    up.erase(at);
    return out;
  };
  const auto one = some();
  const auto other = some();
  const auto troubled = [&](const troubled_link& x) {
    return std::minmax(x.one, x.other) == std::minmax(one, other);
  };
  if (std::any_of(troubled_links_.begin(), troubled_links_.end(), troubled))
    return;
  const auto both = any.one_in(2);
  tell(fault{engines_[other - 1]->name + " does not hear "
             + engines_[one - 1]->name + (both ? ", nor the other way" : "")});
  links_->mute(one, other);
  if (both)
    links_->mute(other, one);
  // Seen at once, as a reset is, or when nothing has come for long.
  const auto parts = now_us() + (any.one_in(3) ? 0 : 1000 * any.below(15'000));
  troubled_links_.push_back(
    {one, other, parts, parts + 1000 * any.below(2 * lease_ms_)});
  tick_links();
}

void world::tick_links() {
  for (auto& x : troubled_links_)
    if (x.parts_us != never && x.parts_us <= now_us()) {
      tell(fault{engines_[x.one - 1]->name + " and "
                 + engines_[x.other - 1]->name + " have lost each other"});
      links_->cut(x.one, x.other);
      x.parts_us = never;
    }
  std::erase_if(troubled_links_, [&](const troubled_link& x) {
    return x.parts_us == never && x.ends_us <= now_us();
  });
}

void world::calm_links() {
  for (auto& x : troubled_links_)
    if (x.parts_us != never)
      x.parts_us = now_us();
  tick_links();
  troubled_links_.clear();
}

bool world::can_reach(engine_number one, engine_number other) const {
  return std::none_of(troubled_links_.begin(), troubled_links_.end(),
                      [&](const troubled_link& x) {
                        return std::minmax(x.one, x.other)
                               == std::minmax(one, other);
                      });
}

} // namespace depositd::simulation
