#include "actors/rules/control/control.hpp"

namespace depositd::rules {

namespace {

/// `put` makes an event of an entry that is new or other, `remove` one of an
/// entry that is gone.
template <class Map, class Put, class Remove>
void compare(const Map& from, const Map& to, std::vector<event>& out, Put put,
             Remove remove) {
  for (const auto& [key, value] : to) {
    const auto known = from.find(key);
    if (known == from.end() || !(known->second == value))
      out.emplace_back(put(key, value));
  }
  for (const auto& [key, value] : from)
    if (to.count(key) == 0)
      out.emplace_back(remove(key, value));
}

} // namespace

std::vector<event> differences(const control_state& from,
                               const control_state& to) {
  std::vector<event> out;
  // Queues never go, and one that came with its first use is in its shard only.
  for (const auto& [name, settings] : to.queues) {
    const auto known = from.queues.find(name);
    if (known == from.queues.end() || !(known->second == settings))
      out.emplace_back(queue_changed{name, settings});
  }
  const auto itself = [](const auto&, const auto& x) { return x; };
  compare(from.limits, to.limits, out, itself,
          [](const auto& key, const auto&) {
            user_limits_changed x;
            x.queue = key.first;
            x.user = key.second;
            return x;
          });
  compare(
    from.eligibilities, to.eligibilities, out,
    [](const auto& user, const user_eligibility& x) {
      return user_eligibility_changed{user, x.held, x.prohibited};
    },
    [](const auto& user, const user_eligibility&) {
      return user_eligibility_changed{user, false, false};
    });
  compare(from.accounts, to.accounts, out, itself,
          [](const auto& user, const auto&) {
            return account_changed{user, "", {}};
          });
  compare(
    from.processors, to.processors, out,
    [](const auto&, const processor_spec& x) {
      return processor_changed{x, false};
    },
    [](const auto&, const processor_spec& x) {
      return processor_changed{x, true};
    });
  compare(from.keys, to.keys, out, itself, [](const auto& name, const auto&) {
    return key_changed{name, "", {}};
  });
  compare(from.moves, to.moves, out, itself, [](const auto&, const auto& x) {
    auto gone = x;
    gone.forgotten = true;
    return gone;
  });
  if (from.server != to.server)
    out.emplace_back(to.server);
  if (from.configured != to.configured)
    out.emplace_back(to.configured);
  return out;
}

} // namespace depositd::rules
