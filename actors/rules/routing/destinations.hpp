#pragma once

// Where a request goes when its queue or its users are spread over shards, and
// how it is split. Works on any message that has the fields it reads, so that
// it need not know the messages.

#include "messages/values/control.hpp"
#include "messages/values/sharding.hpp"
#include "messages/values/topic_names.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace depositd::rules::routing {

/// What decides where something is.
struct shard_map {
  shard_number count = 1;
  const control_state* control = nullptr; ///< null: not known yet
};

/// Where the items of a part stood in the request.
using places = std::vector<std::size_t>;

/// Of a request, what one shard is asked.
template <class Request>
struct part {
  shard_number shard = 0;
  Request what;
  places at; ///< empty if nothing was split
};

/// Where a request goes.
template <class Request>
struct plan {
  /// The shard that has all that it is about: it may answer in our place.
  std::optional<shard_number> whole;
  /// Else what is asked of whom, by shard.
  std::vector<part<Request>> parts;
};

template <class Request>
using plan_of = plan<std::remove_cvref_t<Request>>;

/// The name of the queue that a request is about.
template <class Request>
const std::string& queue_of(const Request& x) {
  if constexpr (requires { x.queue; })
    return x.queue;
  else
    return x.name;
}

/// Whether there is a queue of this name.
bool is_known(const shard_map& map, const std::string& queue);

/// Whether the queue is in all shards: each user's deposits, batches and jobs
/// are where the user is, a message queue is in one shard. False for a queue
/// that does not exist.
bool is_spread(const shard_map& map, const std::string& queue);

/// Every shard's number.
std::vector<shard_number> all_shards(const shard_map& map);

/// The same for each of these shards.
template <class Request>
plan<Request> same_for(const std::vector<shard_number>& shards,
                       const Request& x) {
  plan<Request> out;
  for (const auto shard : shards)
    out.parts.push_back({shard, x, {}});
  return out;
}

/// Divides `items`, each to the shard that `shard_of_one` says.
template <class Request, class ShardOfOne>
plan<Request> split_items(Request& x, ShardOfOne shard_of_one) {
  auto items = std::exchange(x.items, {});
  std::map<shard_number, part<Request>> parts;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto shard = shard_of_one(items[i]);
    const auto [at, fresh] = parts.try_emplace(shard);
    if (fresh) {
      at->second.shard = shard;
      at->second.what = x;
    }
    at->second.what.items.push_back(std::move(items[i]));
    at->second.at.push_back(i);
  }
  plan<Request> out;
  for (auto& [shard, one] : parts)
    out.parts.push_back(std::move(one));
  return out;
}

// -- destinations: (request, map) -> plan, or the one shard -------------------

/// Where its user is.
inline constexpr auto to_user = [](const auto& x, const shard_map& map) {
  return shard_of(x.user, map.count);
};

/// Where its queue is, which is one shard.
inline constexpr auto to_queue = [](const auto& x, const shard_map& map) {
  return shard_of_queue(queue_of(x), map.count);
};

/// All shards.
inline constexpr auto to_all = [](const auto& x, const shard_map& map) {
  return same_for(all_shards(map), x);
};

/// Where its topic is; all shards if it names none.
inline constexpr auto to_topic =
  [](const auto& x, const shard_map& map) -> plan_of<decltype(x)> {
  if (x.topic.empty())
    return to_all(x, map);
  return {shard_of(x.topic, map.count), {}};
};

/// Where its scheduler is; all shards if it names none.
inline constexpr auto to_scheduler =
  [](const auto& x, const shard_map& map) -> plan_of<decltype(x)> {
  if (x.scheduler.empty())
    return to_all(x, map);
  return {shard_of(x.scheduler, map.count), {}};
};

/// Items to where their users are.
inline constexpr auto to_users_of_items = [](auto& x, const shard_map& map) {
  return split_items(
    x, [&](const auto& item) { return shard_of(item.user, map.count); });
};

/// Batches for several queues to where these are; a queue that is in all shards
/// is where their user is.
inline constexpr auto to_queues_of_batches = [](auto& x, const shard_map& map) {
  using request = std::remove_cvref_t<decltype(x)>;
  std::map<shard_number, part<request>> parts;
  std::size_t at = 0;
  const auto add = [&](const std::string& queue, auto& items) {
    if (items.empty())
      return;
    const auto shard = is_spread(map, queue)
                         ? shard_of(items.front().user, map.count)
                         : shard_of_queue(queue, map.count);
    const auto [where, fresh] = parts.try_emplace(shard);
    auto& to = where->second;
    for (std::size_t i = 0; i < items.size(); ++i)
      to.at.push_back(at++);
    if (fresh) {
      to.shard = shard;
      to.what.queue = queue;
      to.what.items = std::move(items);
      to.what.whole = x.whole;
    } else {
      to.what.also.push_back({queue, std::move(items)});
    }
  };
  add(x.queue, x.items);
  for (auto& more : x.also)
    add(more.queue, more.items);
  plan<request> out;
  for (auto& [shard, one] : parts)
    out.parts.push_back(std::move(one));
  return out;
};

/// Items to the shards that gave their numbers.
inline constexpr auto to_named_items = [](auto& x, const shard_map& map) {
  return split_items(x, [&](const auto& item) {
    if constexpr (requires { item.name; })
      return shard_of_item(item.name.id) % map.count;
    else
      return shard_of_item(item.id) % map.count;
  });
};

/// Where the queue is, if that is one shard.
template <class Spread>
constexpr auto to_queue_or(Spread otherwise) {
  return [=](auto& x, const shard_map& map) -> plan_of<decltype(x)> {
    if (is_spread(map, queue_of(x)))
      return otherwise(x, map);
    return {to_queue(x, map), {}};
  };
}

/// Every shard that may have something of the queue: of an engine that does not
/// know yet where queues are, all. To be asked about one that is not there
/// does no harm.
inline constexpr auto to_all_of_queue =
  [](auto& x, const shard_map& map) -> plan_of<decltype(x)> {
  if (map.control == nullptr)
    return to_all(x, map);
  return to_queue_or(to_all)(x, map);
};

/// Items of a queue, or of several if they are one batch.
inline constexpr auto to_places_of_items =
  [](auto& x, const shard_map& map) -> plan_of<decltype(x)> {
  if (!x.also.empty())
    return to_queues_of_batches(x, map);
  return to_queue_or(to_users_of_items)(x, map);
};

/// Where the user's items of this queue are. Of a queue that the settings do
/// not know (yet), where they are of deposits.
inline constexpr auto to_user_in_queue = [](const auto& x,
                                            const shard_map& map) {
  const auto& queue = queue_of(x);
  const auto is_elsewhere =
    is_topic_queue(queue) || (is_known(map, queue) && !is_spread(map, queue));
  return is_elsewhere ? to_queue(x, map) : to_user(x, map);
};

/// Every shard that has something of the queue.
inline constexpr auto to_shards_of_queue = [](const auto& x,
                                              const shard_map& map) {
  if (is_spread(map, queue_of(x)))
    return to_all(x, map);
  return same_for({shard_of_queue(queue_of(x), map.count)}, x);
};

/// Where there may be items of these users in this queue; of either, none named
/// means any.
inline constexpr auto to_matching = [](const auto& x, const shard_map& map) {
  // Only a queue of deposits is where its users are.
  if (!x.queue.empty() && !is_spread(map, x.queue))
    return same_for({shard_of_queue(x.queue, map.count)}, x);
  if (x.users.empty() || x.queue.empty())
    return to_all(x, map);
  std::set<shard_number> shards;
  for (const auto& user : x.users)
    shards.insert(shard_of(user, map.count));
  return same_for({shards.begin(), shards.end()}, x);
};

/// Records of a partition to where their users are; one without a user, and a
/// batch without records, to the shard that the partition's name stands for.
inline constexpr auto to_users_of_records = [](auto& x, const shard_map& map) {
  using request = std::remove_cvref_t<decltype(x)>;
  std::map<shard_number, request> parts;
  const auto part_of = [&](const std::string& user) -> request& {
    return parts[shard_of(user.empty() ? x.partition : user, map.count)];
  };
  for (auto& deposit : x.deposits)
    part_of(deposit.user).deposits.push_back(std::move(deposit));
  for (auto& work : x.works)
    part_of(work.what.user).works.push_back(std::move(work));
  // A deposit that was refused goes back to the shard that did so: others may
  // have applied all up to its offset, and would skip it.
  for (auto& rejected : x.rejected)
    part_of(rejected.user).rejected.push_back(std::move(rejected));
  if (parts.empty())
    part_of({});
  plan<request> out;
  for (auto& [shard, one] : parts) {
    one.partition = x.partition;
    one.last = x.last;
    out.parts.push_back({shard, std::move(one), {}});
  }
  return out;
};

/// Where its user is, if it is about one; its search may name that user.
inline constexpr auto to_user_or_all =
  [](const auto& x, const shard_map& map) -> plan_of<decltype(x)> {
  const auto& user = [&]() -> const std::string& {
    if constexpr (requires { x.which; })
      return x.which.user;
    else
      return x.user;
  }();
  if (!user.empty())
    return {shard_of(user, map.count), {}};
  return to_all(x, map);
};

/// Whoever has the submission, as far as the question says whose or which it
/// is.
inline constexpr auto to_submission =
  [](const auto& x, const shard_map& map) -> plan_of<decltype(x)> {
  if (!x.user.empty())
    return {shard_of(x.user, map.count), {}};
  if (x.id != 0 && shard_of_item(x.id) < map.count)
    return {shard_of_item(x.id), {}};
  return to_all(x, map);
};

/// The same of jobs, which are where their batch is.
inline constexpr auto to_job = [](const auto& x, const shard_map& map) {
  if (x.user.empty() && x.id == 0 && x.batch != 0
      && shard_of_item(x.batch) < map.count)
    return plan_of<decltype(x)>{shard_of_item(x.batch), {}};
  return to_submission(x, map);
};

} // namespace depositd::rules::routing
