#include "actors/rules/control/control.hpp"
#include "actors/rules/control/operators.hpp"
#include "actors/rules/control/pipelines.hpp"
#include "actors/rules/control/sources.hpp"
#include "actors/rules/orders/deletions.hpp"
#include "messages/values/names.hpp"
#include "messages/values/topic_names.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <type_traits>
#include <variant>

namespace depositd::rules {

namespace {

constexpr std::uint32_t items_max = 1'000'000;
constexpr std::uint32_t slots_max = 1000;
constexpr std::size_t types_max = 8;
constexpr std::size_t hash_bytes_max = 1024;
constexpr std::size_t contact_bytes_max = 2048;
constexpr std::size_t permits_max = 100;

template <class Event, class... Others>
constexpr bool is_one_of = (std::is_same_v<Event, Others> || ...);

/// On and off, and what remembers the configuration and changes nothing.
template <class Event>
constexpr bool is_always_right
  = is_one_of<Event, server_changed, configuration_seen, pipelines_seen,
              sources_seen, fairness_seen>;

caf::error refuse(std::string text) {
  return caf::make_error(ec::invalid_argument, std::move(text));
}

caf::error unknown(const std::string& what) {
  return caf::make_error(ec::not_found, "no such " + what);
}

/// TOPIC, TOPIC/CHANNEL, or the beginning of these and a `*`.
bool legal_topic_pattern(std::string_view x) {
  const bool open = x.ends_with('*');
  if (open)
    x.remove_suffix(1);
  const auto slash = x.find('/');
  const auto legal = [&](std::string_view part, bool last) {
    return (open && last && part.empty()) || is_topic_name(part);
  };
  if (slash == x.npos)
    return legal(x, true);
  return legal(x.substr(0, slash), false) && legal(x.substr(slash + 1), true);
}

caf::error user_name(const std::string& name) {
  return legal_user_name(name) ? caf::error{}
                               : refuse("not a user name: '" + name + "'");
}

caf::error key_name(const std::string& name) {
  return legal_key_name(name) ? caf::error{}
                              : refuse("not a key's name: '" + name + "'");
}

caf::error queue_name(const std::string& name) {
  return legal_queue_name(name) ? caf::error{}
                                : refuse("not a queue name: '" + name + "'");
}

caf::error queue_pattern(std::string_view x) {
  return is_queue_pattern(x)
           ? caf::error{}
           : refuse("not a queue nor a pattern: '" + std::string{x} + "'");
}

caf::error allocation(std::uint32_t x) {
  return x <= items_max ? caf::error{} : refuse("allocation above 1000000");
}

caf::error concurrency(std::uint32_t x) {
  return x <= items_max || x == no_cap ? caf::error{}
                                       : refuse("concurrency above 1000000");
}

/// Runs checks until one objects.
template <class... Checks>
caf::error all(Checks... checks) {
  caf::error out;
  ((out = checks(), !out) && ...);
  return out;
}

caf::error settings(const queue_settings& x) {
  if (x.kind > queue_kind::outbox)
    return refuse("unknown kind of queue");
  if (x.priority > priority_mode::across_users)
    return refuse("unknown priority mode");
  if (x.dedup > dedup_mode::while_pending)
    return refuse("unknown dedup mode");
  if (x.attempts_max == 0)
    return refuse("attempts_max must be at least 1");
  if (x.retry_delay_ms > x.retry_delay_ms_max)
    return refuse("retry_delay_ms above retry_delay_ms_max");
  if (x.oldest_band_every == 0)
    return refuse("oldest_band_every must be at least 1");
  return all([&] { return allocation(x.allocation); },
             [&] { return concurrency(x.concurrency); });
}

/// "10." and digits in parts, as in 10.5555 or 10.1000.10.
bool legal_prefix(std::string_view x) {
  if (!x.starts_with("10.") || x.size() > 64 || x.back() == '.'
      || x.find("..") != x.npos)
    return false;
  return std::all_of(x.begin(), x.end(),
                     [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
}

caf::error users_of(const criteria& x) {
  const auto count = x.required.size() + x.preferred.size() + x.excluded.size();
  if (count > criteria_users_max)
    return refuse("more than " + std::to_string(criteria_users_max)
                  + " users in the criteria");
  for (const auto* names : {&x.required, &x.preferred, &x.excluded})
    for (const auto& name : *names)
      if (auto error = user_name(name))
        return error;
  const std::set<std::string_view> excluded(x.excluded.begin(),
                                            x.excluded.end());
  for (const auto* names : {&x.required, &x.preferred})
    for (const auto& name : *names)
      if (excluded.contains(name))
        return refuse("user is both wanted and excluded: '" + name + "'");
  return {};
}

caf::error processor(const processor_spec& x) {
  if (x.slots < 1 || x.slots > slots_max)
    return refuse("slots must be 1 to 1000");
  if (x.types.empty() || x.types.size() > types_max)
    return refuse("a processor serves 1 to 8 types of queue");
  for (const auto& name : x.types)
    if (auto error = queue_name(name))
      return error;
  if (std::set<std::string_view>(x.types.begin(), x.types.end()).size()
      != x.types.size())
    return refuse("a type of queue is named twice");
  if (x.wants.size_max == 0)
    return refuse("size_max must be at least 1");
  return users_of(x.wants);
}

struct checker {
  const control_state& state;

  caf::error operator()(const queue_changed& x) {
    const auto known = state.queues.find(x.queue);
    return all([&] { return queue_name(x.queue); },
               [&] { return settings(x.settings); },
               [&] {
                 return known == state.queues.end()
                            || with_fixed_of(known->second, x.settings)
                                 == x.settings
                          ? caf::error{}
                          : refuse(fixed_settings_text);
               });
  }

  caf::error operator()(const user_limits_changed& x) {
    if (auto error = all([&] { return queue_name(x.queue); },
                         [&] { return user_name(x.user); }))
      return error;
    if (!state.queues.contains(x.queue))
      return unknown("queue: '" + x.queue + "'");
    if (x.has_allocation)
      if (auto error = allocation(x.allocation))
        return error;
    return x.has_concurrency ? concurrency(x.concurrency) : caf::error{};
  }

  caf::error operator()(const user_eligibility_changed& x) {
    return user_name(x.user);
  }

  caf::error operator()(const account_changed& x) {
    if (auto error = user_name(x.user))
      return error;
    if (x.password_hash.empty())
      return state.accounts.contains(x.user)
               ? caf::error{}
               : unknown("account: '" + x.user + "'");
    if (x.password_hash.size() > hash_bytes_max)
      return refuse("password hash above 1024 bytes");
    for (const auto& prefix : x.prefixes)
      if (!legal_prefix(prefix))
        return refuse("not a DOI prefix: '" + prefix + "'");
    return {};
  }

  caf::error operator()(const contact_changed& x) {
    if (x.mail.size() > contact_bytes_max
        || x.callback.size() > contact_bytes_max)
      return refuse("mail and callback have at most 2048 bytes");
    return user_name(x.user);
  }

  caf::error operator()(const processor_changed& x) {
    if (!legal_processor_name(x.spec.name))
      return refuse("not a processor name: '" + x.spec.name + "'");
    if (x.removed)
      return state.processors.contains(x.spec.name)
               ? caf::error{}
               : unknown("processor: '" + x.spec.name + "'");
    return processor(x.spec);
  }

  caf::error operator()(const processor_placed& x) {
    if (!legal_processor_name(x.processor))
      return refuse("not a processor name: '" + x.processor + "'");
    if (x.nodes.size() > placement_nodes_max)
      return refuse("a processor names at most 64 nodes");
    for (const auto& node : x.nodes)
      if (!legal_processor_name(node))
        return refuse("not the name of a node: '" + node + "'");
    return {};
  }

  caf::error operator()(const key_changed& x) {
    if (auto error = key_name(x.name))
      return error;
    if (x.digest.empty())
      return state.keys.contains(x.name) ? caf::error{}
                                         : unknown("key: '" + x.name + "'");
    if (x.digest.size() != 64)
      return refuse("not a digest of a key");
    if (x.permits.empty() || x.permits.size() > permits_max)
      return refuse("a key has 1 to 100 permits");
    for (const auto& permit : x.permits)
      if (auto error = queue_pattern(permit.queue))
        return error;
    return {};
  }

  caf::error operator()(const operator_changed& x) {
    return check_operator(state, x);
  }

  caf::error operator()(const operator_token_changed& x) {
    return check_operator(state, x);
  }

  /// From the shard of its source. One that has ended never begins again,
  /// however late its beginning is repeated.
  caf::error operator()(const move_changed& x) {
    if (x.forgotten)
      return {};
    if (x.reference.empty() || x.from == x.to)
      return refuse("not a move between queues");
    const auto known = state.moves.find(x.reference);
    if (x.status == move_status::in_progress && known != state.moves.end()
        && known->second.status != move_status::in_progress)
      return refuse("the move has ended");
    return all([&] { return queue_name(x.from); },
               [&] { return queue_name(x.to); });
  }

  /// From a router, with the queue that is new.
  caf::error operator()(const queue_founded& x) {
    return all([&] { return queue_name(x.queue); },
               [&] { return user_name(x.founder); });
  }

  caf::error operator()(const quota_changed& x) {
    if (auto error = all(
          [&] { return queue_name(x.queue); },
          [&] { return x.user.empty() ? caf::error{} : user_name(x.user); }))
      return error;
    if (!state.queues.contains(x.queue))
      return unknown("queue: '" + x.queue + "'");
    return x.has_requests_per_second && x.requests_per_second == 0
             ? refuse("requests per second must be at least 1")
             : caf::error{};
  }

  caf::error operator()(const key_terms_changed& x) {
    if (auto error = key_name(x.key))
      return error;
    if (x.user.empty())
      return {};
    return all([&] { return user_name(x.user); },
               [&] {
                 return state.keys.contains(x.key)
                          ? caf::error{}
                          : unknown("key: '" + x.key + "'");
               });
  }

  caf::error operator()(const key_used& x) {
    return x.used_us == never || state.keys.contains(x.key)
             ? caf::error{}
             : unknown("key: '" + x.key + "'");
  }

  caf::error operator()(const collection_changed& x) {
    return check_collection(state, x);
  }

  caf::error operator()(const pipeline_changed& x) {
    return check_pipeline(x);
  }

  caf::error operator()(const deletion_changed& x) {
    return deletions::check(state, x);
  }

  template <class Other>
  caf::error operator()([[maybe_unused]] const Other& x) {
    if constexpr (requires { check_feeding(state, x); })
      return check_feeding(state, x);
    else if constexpr (is_always_right<Other>)
      return {};
    else
      return refuse("not a change that an operator may ask for");
  }
};

} // namespace

queue_settings settings_of_new_queue(const std::string& name) {
  queue_settings out;
  if (name.starts_with(dedup_queue_prefix))
    out.dedup = dedup_mode::between_polls;
  return out;
}

caf::error check_move(const control_state& state, const std::string& from,
                      const std::string& to) {
  for (const auto* name : {&from, &to})
    if (!legal_queue_name(*name))
      return refuse("not a queue name: " + name->substr(0, 64));
  if (from == to)
    return refuse("cannot move queue to itself");
  const auto settings_of = [&](const std::string& name) {
    const auto at = state.queues.find(name);
    return at != state.queues.end() ? at->second : settings_of_new_queue(name);
  };
  const auto source = settings_of(from);
  const auto target = settings_of(to);
  if (source.kind == queue_kind::deposit || target.kind == queue_kind::deposit)
    return refuse("cannot move deposits");
  if (source.kind == queue_kind::stage || target.kind == queue_kind::stage)
    return refuse("cannot move jobs: a job goes where its stage leads");
  if (source.kind == queue_kind::outbox || target.kind == queue_kind::outbox)
    return refuse("cannot move notifications");
  // Items of the source carry no digest of their payload.
  if (source.dedup == dedup_mode::none && target.dedup != dedup_mode::none)
    return refuse("cannot move a plain queue to one that collapses");
  return {};
}

caf::error check(const control_state& state, const event& change) {
  return std::visit(checker{state}, change);
}

bool is_queue_pattern(std::string_view x) {
  if (is_topic_queue(x))
    return legal_topic_pattern(x.substr(topic_queue_prefix.size()));
  if (!x.ends_with('*'))
    return legal_message_queue_name(x);
  x.remove_suffix(1);
  // No queue begins with one underscore, and a pattern that does not spell two
  // reaches none that begins with those.
  return x.empty() || x == "__" || legal_message_queue_name(x);
}

} // namespace depositd::rules
