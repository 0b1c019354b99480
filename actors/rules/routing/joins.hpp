#pragma once

// How the answers of several shards become one: each join takes the sum so far,
// one more answer, and what was asked.

#include "actors/rules/pages/pages.hpp"
#include "actors/rules/routing/destinations.hpp"
#include "messages/values/names.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <tuple>
#include <utility>
#include <vector>

namespace depositd::rules::routing {

/// What an answer is about.
template <class Request>
struct asked {
  const Request& what; ///< but for items that were split off
  const places& at;    ///< of the items that it answers
};

template <class List>
void add(List& to, List& more) {
  std::move(more.begin(), more.end(), std::back_inserter(to));
}

/// Puts answers about items where the items stood in the request.
template <class List>
void put(List& to, const List& part, const places& at) {
  for (std::size_t i = 0; i < at.size() && i < part.size(); ++i) {
    if (to.size() <= at[i])
      to.resize(at[i] + 1);
    to[at[i]] = part[i];
  }
}

// -- joins: (sum, answer, asked) ----------------------------------------------

/// That there are answers is all that they say.
inline constexpr auto nothing_to_join = [](auto&, auto&, const auto&) {};

/// Of `enqueue`.
inline constexpr auto ids_in_place = [](auto& sum, auto& x, const auto& of) {
  sum.refused += x.refused;
  sum.over_bytes = sum.over_bytes || x.over_bytes;
  put(sum.ids, x.ids, of.at);
};

/// Of `settle_items`.
inline constexpr auto ends_in_place = [](auto& sum, auto& x, const auto& of) {
  put(sum.accepted, x.accepted, of.at);
};

inline constexpr auto all_ports = [](auto& sum, auto& x, const auto&) {
  add(sum.ports, x.ports);
};

inline constexpr auto sum_of_matches = [](auto& sum, auto& x, const auto&) {
  sum.count += x.count;
};

inline constexpr auto sum_of_orders = [](auto& sum, auto& x, const auto&) {
  sum.matched += x.matched;
  sum.moved += x.moved;
};

inline constexpr auto sum_of_items = [](auto& sum, auto& x, const auto&) {
  sum.items += x.items;
  sum.claims += x.claims;
};

inline constexpr auto sum_of_records = [](auto& sum, auto& x, const auto&) {
  sum.accepted += x.accepted;
  sum.rejected += x.rejected;
  sum.skipped += x.skipped;
  add(sum.refused, x.refused);
};

inline constexpr auto sum_of_stores = [](auto& sum, auto& x, const auto&) {
  sum.journalled += x.journalled;
  sum.projected += x.projected;
  sum.journal_bytes += x.journal_bytes;
  sum.segments += x.segments;
};

/// Outboxes stay for ever; they are of interest while they hold something.
inline bool is_empty_outbox(const std::string& queue, std::uint64_t ready) {
  return ready == 0 && queue.starts_with(outbox_prefix);
}

/// One report of each queue, by name.
inline constexpr auto queues_together = [](auto& sum, auto& x, const auto&) {
  sum.suspended = sum.suspended || x.suspended;
  for (auto& queue : x.queues) {
    if (is_empty_outbox(queue.name, queue.ready))
      continue;
    const auto at = std::lower_bound(
      sum.queues.begin(), sum.queues.end(), queue.name,
      [](const auto& y, const auto& name) { return y.name < name; });
    if (at == sum.queues.end() || at->name != queue.name) {
      sum.queues.insert(at, std::move(queue));
      continue;
    }
    at->ready += queue.ready;
    at->in_flight += queue.in_flight;
    at->users += queue.users;
    at->eligible_users += queue.eligible_users;
    // A processor of a queue in several shards has a door in each of them.
    at->processors = std::max(at->processors, queue.processors);
    at->handed_out += queue.handed_out;
    at->finished += queue.finished;
    at->items += queue.items;
  }
};

/// All users of each queue.
inline constexpr auto users_together = [](auto& sum, auto& x, const auto&) {
  for (auto& queue : x.queues) {
    std::erase_if(queue.entries, [&](const auto& y) {
      return is_empty_outbox(queue.queue, y.report.ready);
    });
    const auto at =
      std::find_if(sum.queues.begin(), sum.queues.end(),
                   [&](const auto& y) { return y.queue == queue.queue; });
    if (at == sum.queues.end())
      sum.queues.push_back(std::move(queue));
    else
      add(at->entries, queue.entries);
  }
};

/// Users of several rings in one order. Rings get hand-outs by how many users
/// they have, so whoever is half way through a short one is as far as whoever
/// is half way through a long one.
template <class Entries>
void merge_turns(Entries& to, Entries& more, std::size_t count_max) {
  add(to, more);
  std::stable_sort(to.begin(), to.end(), [](const auto& a, const auto& b) {
    return std::uint64_t{a.report.turn} * b.report.length
           < std::uint64_t{b.report.turn} * a.report.length;
  });
  if (to.size() > count_max)
    to.resize(count_max);
}

/// One ring of each queue.
inline constexpr auto rings_together = [](auto& sum, auto& x, const auto& of) {
  const std::size_t count_max = std::max<std::uint32_t>(of.what.count_max, 1);
  for (auto& ring : x.rings) {
    if (is_empty_outbox(ring.queue, ring.ready))
      continue;
    const auto at =
      std::find_if(sum.rings.begin(), sum.rings.end(),
                   [&](const auto& y) { return y.queue == ring.queue; });
    if (at == sum.rings.end()) {
      sum.rings.push_back(std::move(ring));
      continue;
    }
    at->suspended = at->suspended || ring.suspended;
    at->server_suspended = at->server_suspended || ring.server_suspended;
    at->processors = std::max(at->processors, ring.processors);
    at->eligible_users += ring.eligible_users;
    at->ready += ring.ready;
    at->in_flight += ring.in_flight;
    at->turns_taken += ring.turns_taken;
    at->finished_per_hour += ring.finished_per_hour;
    merge_turns(at->in_turn, ring.in_turn, count_max);
    add(at->out_of_turn, ring.out_of_turn);
    if (at->out_of_turn.size() > count_max)
      at->out_of_turn.resize(count_max);
  }
};

/// Every topic is in one shard; in the order of their names.
inline constexpr auto topics_together = [](auto& sum, auto& x, const auto&) {
  add(sum.topics, x.topics);
  std::sort(sum.topics.begin(), sum.topics.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
};

/// Every scheduler is in one shard; in the order of their names.
inline constexpr auto schedulers_together = [](auto& sum, auto& x,
                                               const auto&) {
  add(sum.schedulers, x.schedulers);
  std::sort(sum.schedulers.begin(), sum.schedulers.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
};

/// Two pages of submissions as one, as the question orders them.
inline constexpr auto pages_together = [](auto& sum, auto& x, const auto& of) {
  auto both = pages::join({std::move(sum.rows), sum.more},
                          {std::move(x.rows), x.more}, of.what);
  sum = {std::move(both.rows), both.more};
};

/// The same of batches and jobs.
inline constexpr auto rows_in_turn = [](auto& sum, auto& x, const auto& of) {
  auto both = pages::merge(pages::page_of{std::move(sum.rows), sum.more},
                           pages::page_of{std::move(x.rows), x.more},
                           of.what.newest_first, of.what.count_max);
  sum = {std::move(both.rows), both.more};
};

/// In order of priority and time, no more than were asked for.
inline constexpr auto items_in_turn = [](auto& sum, auto& x, const auto& of) {
  add(sum.rows, x.rows);
  add(sum.bodies, x.bodies);
  std::vector<std::size_t> by(sum.rows.size());
  for (std::size_t i = 0; i < by.size(); ++i)
    by[i] = i;
  const auto key = [&](std::size_t i) {
    const auto& row = sum.rows[i];
    return std::tuple{row.priority, row.received_us, row.id};
  };
  std::sort(by.begin(), by.end(),
            [&](auto a, auto b) { return key(a) < key(b); });
  if (by.size() > of.what.count_max)
    by.resize(of.what.count_max);
  std::remove_cvref_t<decltype(sum)> out;
  for (const auto i : by) {
    out.rows.push_back(std::move(sum.rows[i]));
    if (i < sum.bodies.size())
      out.bodies.push_back(std::move(sum.bodies[i]));
  }
  sum = std::move(out);
};

} // namespace depositd::rules::routing
