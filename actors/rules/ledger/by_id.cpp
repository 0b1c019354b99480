// Claims as workers name them who know no tokens: by item.

#include "actors/rules/ledger/ledger.hpp"

#include <utility>

namespace depositd::rules {

namespace {

std::optional<event> if_any(caf::expected<event> x) {
  if (!x)
    return std::nullopt;
  return std::move(*x);
}

} // namespace

caf::expected<event> ledger::end_by_id(outcome what, micros now) const {
  if (what.says == verdict::done)
    return finish(what, now);
  what.token = token_of(what.id);
  return settle(what, now);
}

std::optional<event> ledger::renew_by_id(item_id id, const taker_limits& who,
                                         micros now) const {
  if (const auto token = token_of(id); token != 0)
    return if_any(extend(id, token, who.deadline_us));
  if (auto fresh = claim(id, who, now))
    return event{std::move(*fresh)};
  return std::nullopt;
}

std::optional<event> ledger::release_by_id(item_id id, micros now) const {
  outcome what;
  what.id = id;
  what.token = token_of(id);
  what.says = verdict::release;
  if (what.token == 0)
    return std::nullopt;
  return if_any(settle(what, now));
}

} // namespace depositd::rules
