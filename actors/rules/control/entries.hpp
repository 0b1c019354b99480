#pragma once

// Where the control state keeps what an event sets: one entry for each kind of
// event, from which it is applied, named in the projection and said again.

#include "messages/values/control.hpp"
#include "messages/values/events.hpp"

#include <type_traits>
#include <utility>

namespace depositd::rules {

/// One map of the control state. `Ends` says whether an event ends its entry,
/// `Gone` makes the event that does so; `Value` is what is kept of an event,
/// `Set` the event that says it again.
template <class Map, class Key, class Ends, class Gone, class Value, class Set>
struct control_entry {
  Map map;
  Key key;
  Ends ends;
  Gone gone;
  Value value;
  Set set;
};

/// The event itself is kept.
inline constexpr auto itself = [](const auto& x) -> const auto& {
  return x;
};
inline constexpr auto said_again = [](const auto&, const auto& x) { return x; };

/// Nothing ends it.
inline constexpr auto is_kept = [](const auto&) { return false; };

/// Not a change of an entry.
struct no_entry {};

template <class Event>
inline constexpr auto entry = no_entry{};

// clang-format off

// None goes because another shard says so: what waits in it may be here.
template <> inline constexpr auto entry<queue_changed> = control_entry{
  &control_state::queues, &queue_changed::queue, is_kept, no_entry{},
  &queue_changed::settings,
  [](const auto& name, const auto& x) { return queue_changed{name, x}; }};

template <> inline constexpr auto entry<user_limits_changed> = control_entry{
  &control_state::limits,
  [](const auto& x) { return std::pair{x.queue, x.user}; },
  [](const auto& x) { return !x.has_allocation && !x.has_concurrency; },
  [](const auto& key, auto x) {
    x = {};
    x.queue = key.first;
    x.user = key.second;
    return x;
  },
  [](auto x) { // numbers that mean nothing do not make a difference
    x.allocation = x.has_allocation ? x.allocation : 0;
    x.concurrency = x.has_concurrency ? x.concurrency : 0;
    return x;
  },
  said_again};

template <>
inline constexpr auto entry<user_eligibility_changed> = control_entry{
  &control_state::eligibilities, &user_eligibility_changed::user,
  [](const auto& x) { return !x.held && !x.prohibited; },
  [](const auto& user, const auto&) {
    return user_eligibility_changed{user, false, false};
  },
  [](const auto& x) { return user_eligibility{x.held, x.prohibited}; },
  [](const auto& user, const auto& x) {
    return user_eligibility_changed{user, x.held, x.prohibited};
  }};

template <> inline constexpr auto entry<account_changed> = control_entry{
  &control_state::accounts, &account_changed::user,
  [](const auto& x) { return x.password_hash.empty(); },
  [](const auto& user, const auto&) { return account_changed{user, "", {}}; },
  itself, said_again};

template <> inline constexpr auto entry<contact_changed> = control_entry{
  &control_state::contacts, &contact_changed::user,
  [](const auto& x) { return x.mail.empty() && x.callback.empty(); },
  [](const auto& user, const auto&) { return contact_changed{user, "", ""}; },
  itself, said_again};

template <> inline constexpr auto entry<processor_changed> = control_entry{
  &control_state::processors, [](const auto& x) { return x.spec.name; },
  &processor_changed::removed,
  [](const auto&, const auto& x) { return processor_changed{x, true}; },
  &processor_changed::spec,
  [](const auto&, const auto& x) { return processor_changed{x, false}; }};

template <> inline constexpr auto entry<processor_placed> = control_entry{
  &control_state::placements, &processor_placed::processor,
  [](const auto& x) { return x.nodes.empty(); },
  [](const auto& name, const auto&) { return processor_placed{name, {}}; },
  itself, said_again};

template <> inline constexpr auto entry<key_changed> = control_entry{
  &control_state::keys, &key_changed::name,
  [](const auto& x) { return x.digest.empty(); },
  [](const auto& name, const auto&) { return key_changed{name, "", {}}; },
  itself, said_again};

template <> inline constexpr auto entry<move_changed> = control_entry{
  &control_state::moves, &move_changed::reference, &move_changed::forgotten,
  [](const auto&, auto x) { x.forgotten = true; return x; },
  itself, said_again};

template <> inline constexpr auto entry<operator_changed> = control_entry{
  &control_state::operators, &operator_changed::name,
  &operator_changed::removed,
  [](const auto& name, const auto&) {
    operator_changed out;
    out.name = name;
    out.removed = true;
    return out;
  },
  itself, said_again};

template <> inline constexpr auto entry<operator_token_changed> = control_entry{
  &control_state::operator_tokens,
  [](const auto& x) { return std::pair{x.operator_name, x.name}; },
  &operator_token_changed::removed,
  [](const auto& key, const auto&) {
    return operator_token_changed{key.first, key.second, "", never, true};
  },
  itself, said_again};

// What came later.

inline constexpr auto of_nobody = [](const auto& x) { return x.user.empty(); };

template <> inline constexpr auto entry<queue_founded> = control_entry{
  &control_state::founders, &queue_founded::queue, is_kept, no_entry{},
  itself, said_again};

template <> inline constexpr auto entry<quota_changed> = control_entry{
  &control_state::quotas,
  [](const auto& x) { return std::pair{x.queue, x.user}; },
  [](const auto& x) { return !x.has_bytes_max && !x.has_requests_per_second; },
  [](const auto& key, auto x) {
    x = {};
    x.queue = key.first;
    x.user = key.second;
    return x;
  },
  [](auto x) { // as of limits
    x.bytes_max = x.has_bytes_max ? x.bytes_max : 0;
    x.requests_per_second =
      x.has_requests_per_second ? x.requests_per_second : 0;
    return x;
  },
  said_again};

template <> inline constexpr auto entry<key_terms_changed> = control_entry{
  &control_state::key_terms, &key_terms_changed::key, of_nobody,
  [](const auto& key, const auto&) { return key_terms_changed{key, ""}; },
  itself, said_again};

template <> inline constexpr auto entry<key_used> = control_entry{
  &control_state::keys_used, &key_used::key,
  [](const auto& x) { return x.used_us == never; },
  [](const auto& key, const auto&) { return key_used{key}; },
  itself, said_again};

template <> inline constexpr auto entry<collection_changed> = control_entry{
  &control_state::collections, [](const auto& x) { return x.settings.name; },
  &collection_changed::removed,
  [](const auto&, const auto& x) { return collection_changed{x, true}; },
  &collection_changed::settings,
  [](const auto&, const auto& x) { return collection_changed{x, false}; }};

template <> inline constexpr auto entry<pipeline_changed> = control_entry{
  &control_state::pipelines, [](const auto& x) { return x.what.name; },
  &pipeline_changed::removed,
  [](const auto&, const auto& x) { return pipeline_changed{x, true}; },
  &pipeline_changed::what,
  [](const auto&, const auto& x) { return pipeline_changed{x, false}; }};

template <> inline constexpr auto entry<topic_changed> = control_entry{
  &control_state::topics, &topic_changed::topic, &topic_changed::removed,
  [](const auto&, auto x) { x.removed = true; return x; },
  itself, said_again};

template <> inline constexpr auto entry<deletion_changed> = control_entry{
  &control_state::deletions, &deletion_changed::reference,
  &deletion_changed::forgotten,
  [](const auto&, auto x) { x.forgotten = true; return x; },
  itself, said_again};

// Work that is pulled.

inline constexpr auto off = [](auto&, auto x) { x.removed = true; return x; };

template <> inline constexpr auto entry<source_changed> = control_entry{
  &control_state::sources, &source_changed::name, &source_changed::removed,
  off, itself, said_again};

template <> inline constexpr auto entry<scheduler_changed> = control_entry{
  &control_state::schedulers, &scheduler_changed::name,
  &scheduler_changed::removed, off, itself, said_again};

template <> inline constexpr auto entry<source_read> = control_entry{
  &control_state::positions, &source_read::source, &source_read::forgotten,
  [](const auto&, auto x) { x.forgotten = true; return x; },
  itself, said_again};

template <> inline constexpr auto entry<fairness_changed> = control_entry{
  &control_state::fairness, &fairness_changed::queue,
  [](const auto& x) { return x.by == fair_by::turns; },
  [](const auto& queue, const auto&) {
    return fairness_changed{queue, fair_by::turns};
  },
  itself, said_again};

// clang-format on

template <class Event>
inline constexpr bool has_entry =
  !std::is_same_v<decltype(entry<Event>), const no_entry>;

} // namespace depositd::rules
