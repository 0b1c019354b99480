#include "tests/simulation/shrink.hpp"

#include <algorithm>

namespace depositd::simulation {

namespace {

/// Courses of one smaller life that are tried before it is given up.
constexpr std::uint32_t variants_max = 6;

class shrinker {
public:
  shrinker(const judged& whole, const live_again& live, std::uint32_t lives_max)
    : live_(live), lives_max_(lives_max), invariant_(invariants_of(whole)) {
    best_.life = whole;
    best_.steps = whole.settings.steps;
  }

  shrunk run() {
    for (bool less = true; less && best_.lives < lives_max_;) {
      less = with_fewer_steps();
      less = without_knobs() || less;
      less = with_fewer(&lessened::users_max, &knobs::users) || less;
      less = with_fewer(&lessened::processors_max, &knobs::processors) || less;
      less = without_steps() || less;
    }
    return best_;
  }

private:
  static std::vector<std::string> invariants_of(const judged& x) {
    std::vector<std::string> out;
    for (const auto& one : x.wrong)
      out.push_back(one.invariant);
    return out;
  }

  /// Whether some course of the smaller life breaks what the whole broke.
  bool keep_if_wrong(lessened by) {
    for (std::uint32_t i = 0; i < variants_max && best_.lives < lives_max_;
         ++i) {
      by.variant = i == 0 ? best_.by.variant : best_.by.variant + i;
      ++best_.lives;
      auto life = live_(by);
      const auto same =
        std::any_of(life.wrong.begin(), life.wrong.end(), [&](const auto& x) {
          return std::find(invariant_.begin(), invariant_.end(), x.invariant)
                 != invariant_.end();
        });
      if (!same)
        continue;
      best_.by = std::move(by);
      best_.life = std::move(life);
      best_.steps = steps_of(best_);
      return true;
    }
    return false;
  }

  static std::uint32_t steps_of(const shrunk& x) {
    const auto all = x.life.settings.steps;
    const auto& skipped = x.by.skipped;
    return all
           - static_cast<std::uint32_t>(
             std::count_if(skipped.begin(), skipped.end(),
                           [=](std::uint32_t at) { return at < all; }));
  }

  bool with_fewer_steps() {
    bool out = false;
    for (std::uint32_t part = 2; part <= 16;) {
      const auto all = best_.life.settings.steps;
      auto by = best_.by;
      by.steps_max = all - std::max(1U, all / part);
      std::erase_if(by.skipped, [&](auto at) { return at >= by.steps_max; });
      if (all > 1 && keep_if_wrong(std::move(by)))
        out = true;
      else
        part *= 2;
    }
    return out;
  }

  bool without_knobs() {
    bool out = false;
    for (const auto& name : best_.life.settings.names()) {
      auto by = best_.by;
      by.without.push_back(name);
      out = keep_if_wrong(std::move(by)) || out;
    }
    return out;
  }

  bool with_fewer(std::uint32_t lessened::*bound, std::uint32_t knobs::*value) {
    bool out = false;
    while (best_.life.settings.*value > 1) {
      auto by = best_.by;
      by.*bound = best_.life.settings.*value / 2;
      if (!keep_if_wrong(std::move(by)))
        break;
      out = true;
    }
    return out;
  }

  /// In ever smaller pieces.
  bool without_steps() {
    bool out = false;
    const auto all = best_.life.settings.steps;
    for (auto piece = std::max(1U, all / 4); piece > 0; piece /= 2)
      for (std::uint32_t from = 0; from < all; from += piece) {
        auto by = best_.by;
        for (auto at = from; at < std::min(from + piece, all); ++at)
          if (std::find(by.skipped.begin(), by.skipped.end(), at)
              == by.skipped.end())
            by.skipped.push_back(at);
        if (by.skipped.size() > best_.by.skipped.size())
          out = keep_if_wrong(std::move(by)) || out;
      }
    return out;
  }

  const live_again& live_;
  std::uint32_t lives_max_;
  std::vector<std::string> invariant_;
  shrunk best_;
};

} // namespace

shrunk shrink(const judged& whole, const live_again& live,
              std::uint32_t lives_max) {
  return shrinker{whole, live, lives_max}.run();
}

} // namespace depositd::simulation
