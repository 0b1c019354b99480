#include "actors/rules/control/control.hpp"

#include "actors/rules/control/entries.hpp"
#include "messages/values/topic_names.hpp"

#include <functional>
#include <type_traits>
#include <variant>

namespace depositd::rules {

member_limits limits_of(const control_state& state, const std::string& queue,
                        const std::string& user) {
  member_limits out;
  if (const auto at = state.queues.find(queue); at != state.queues.end()) {
    out.allocation = at->second.allocation;
    out.concurrency = at->second.concurrency;
  }
  if (const auto at = state.limits.find({queue, user});
      at != state.limits.end()) {
    if (at->second.has_allocation)
      out.allocation = at->second.allocation;
    if (at->second.has_concurrency)
      out.concurrency = at->second.concurrency;
  }
  if (const auto at = state.eligibilities.find(user);
      at != state.eligibilities.end()) {
    out.held = at->second.held;
    out.prohibited = at->second.prohibited;
  }
  return out;
}

queue_settings with_fixed_of(const queue_settings& known,
                             queue_settings wanted) {
  wanted.kind = known.kind;
  wanted.priority = known.priority;
  wanted.oldest_band_every = known.oldest_band_every;
  wanted.dedup = known.dedup;
  return wanted;
}

control_state for_nodes(const control_state& state) {
  control_state out;
  out.queues = state.queues;
  out.processors = state.processors;
  out.placements = state.placements;
  out.server = state.server;
  out.configured = state.configured;
  out.pipelines = state.pipelines;
  // Callbacks are signed by engines.
  for (const auto& [name, x] : state.collections) {
    auto settings = x;
    settings.callback_key.clear();
    out.collections[name] = std::move(settings);
  }
  for (const auto& [name, account] : state.accounts)
    out.accounts[name] = {account.user, "", account.prefixes};
  // A callback's password stays here, too; that there is one they know.
  for (const auto& [name, contact] : state.contacts)
    out.contacts[name] = {name, contact.mail,
                          contact.callback.empty() ? "" : "-"};
  return out;
}

namespace {

template <class Value>
bool assign(Value& to, const Value& x) {
  const auto differs = to != x;
  to = x;
  return differs;
}

template <class Event>
bool put(control_state& state, const Event& x) {
  constexpr auto& kind = entry<Event>;
  auto& map = state.*kind.map;
  const auto key = std::invoke(kind.key, x);
  if (std::invoke(kind.ends, x))
    return map.erase(key) > 0;
  const auto& value = std::invoke(kind.value, x);
  const auto [at, added] = map.try_emplace(key, value);
  if (added || at->second == value)
    return added;
  map[key] = value;
  return true;
}

bool put(control_state& state, const queue_retired& x) {
  state.founders.erase(x.queue);
  return state.queues.erase(x.queue) > 0;
}

std::string joined(const std::string& name) {
  return name;
}

std::string joined(const std::pair<std::string, std::string>& names) {
  return names.first + '\n' + names.second;
}

/// Whether the shard that has an entry decides it alone: others neither have it
/// nor take it away.
template <class Event, class Key>
bool is_own([[maybe_unused]] const Key& key) {
  if constexpr (std::is_same_v<Event, queue_changed>)
    return is_topic_queue(key);
  else
    return std::is_same_v<Event, topic_changed>
           || std::is_same_v<Event, source_read>;
}

/// Adds what makes `from` equal to `to` in the entries of one kind.
template <class Event>
void compare(const control_state& from, const control_state& to,
             std::vector<event>& out) {
  constexpr auto& kind = entry<Event>;
  const auto& before = from.*kind.map;
  const auto& after = to.*kind.map;
  for (const auto& [key, value] : after) {
    if (is_own<Event>(key))
      continue;
    const auto known = before.find(key);
    if (known == before.end() || !(known->second == value))
      out.emplace_back(kind.set(key, value));
  }
  if constexpr (!std::is_same_v<decltype(kind.gone), no_entry>)
    for (const auto& [key, value] : before)
      if (!is_own<Event>(key) && after.count(key) == 0)
        out.emplace_back(kind.gone(key, value));
}

/// In the order of the journal's kinds.
template <class... Events>
void compare_all(const control_state& from, const control_state& to,
                 std::vector<event>& out, const std::variant<Events...>*) {
  const auto one = [&]<class Event>(std::type_identity<Event>) {
    if constexpr (has_entry<Event>)
      compare<Event>(from, to, out);
  };
  (one(std::type_identity<Events>{}), ...);
}

} // namespace

bool apply(control_state& state, const event& change) {
  return std::visit(
    [&]<class Event>(const Event& x) {
      if constexpr (has_entry<Event> || std::is_same_v<Event, queue_retired>)
        return put(state, x);
      else if constexpr (std::is_same_v<Event, server_changed>)
        return assign(state.server, x);
      else if constexpr (std::is_same_v<Event, configuration_seen>)
        return assign(state.configured, x);
      else if constexpr (std::is_same_v<Event, pipelines_seen>)
        return assign(state.pipelines_configured, x);
      else if constexpr (std::is_same_v<Event, sources_seen>)
        return assign(state.sources_configured, x);
      else if constexpr (std::is_same_v<Event, fairness_seen>)
        return assign(state.fairness_configured, x);
      else
        return false; // what happens to items is not control
    },
    change);
}

std::vector<event> differences(const control_state& from,
                               const control_state& to) {
  std::vector<event> out;
  compare_all(from, to, out, static_cast<const event*>(nullptr));
  if (from.server != to.server)
    out.emplace_back(to.server);
  if (from.configured != to.configured)
    out.emplace_back(to.configured);
  if (from.pipelines_configured != to.pipelines_configured)
    out.emplace_back(to.pipelines_configured);
  if (from.sources_configured != to.sources_configured)
    out.emplace_back(to.sources_configured);
  if (from.fairness_configured != to.fairness_configured)
    out.emplace_back(to.fairness_configured);
  return out;
}

namespace {

template <class T, class... Others>
constexpr bool is_any_of = (std::is_same_v<T, Others> || ...);

/// Of these there is one.
template <class Event>
constexpr bool is_alone =
  is_any_of<Event, server_changed, configuration_seen, pipelines_seen,
            sources_seen, fairness_seen>;

} // namespace

std::optional<std::pair<std::uint8_t, std::string>>
control_key(const event& change) {
  using key = std::optional<std::string>;
  auto found = std::visit(
    []<class Event>(const Event& x) -> key {
      if constexpr (has_entry<Event>)
        return joined(std::invoke(entry<Event>.key, x));
      else if constexpr (is_alone<Event>)
        return "";
      else
        return std::nullopt;
    },
    change);
  if (!found)
    return std::nullopt;
  return std::pair{static_cast<std::uint8_t>(change.index()),
                   std::move(*found)};
}

bool ends_entry(const event& change) {
  return std::visit(
    []<class Event>([[maybe_unused]] const Event& x) -> bool {
      if constexpr (has_entry<Event>)
        return std::invoke(entry<Event>.ends, x);
      else
        return false;
    },
    change);
}

} // namespace depositd::rules
