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

/// Puts answers about something that has a name among those that there are,
/// which are in the order of their names. `join` takes one of two about the
/// same up into the first.
template <class List, class Name, class Join>
void merge_by_name(List& to, List& more, Name name_of, Join join) {
  const auto before = [&](const auto& a, const auto& b) {
    return name_of(a) < name_of(b);
  };
  std::sort(more.begin(), more.end(), before);
  List out;
  out.reserve(to.size() + more.size());
  auto at = to.begin();
  for (auto& x : more) {
    while (at != to.end() && before(*at, x))
      out.push_back(std::move(*at++));
    if (at == to.end() || before(x, *at))
      out.push_back(std::move(x));
    else
      join(*at, x);
  }
  std::move(at, to.end(), std::back_inserter(out));
  to = std::move(out);
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
  std::erase_if(x.queues, [](const auto& queue) {
    return is_empty_outbox(queue.name, queue.ready);
  });
  const auto name = [](const auto& queue) -> const auto& { return queue.name; };
  merge_by_name(sum.queues, x.queues, name, [](auto& to, const auto& queue) {
    to.ready += queue.ready;
    to.in_flight += queue.in_flight;
    to.users += queue.users;
    to.eligible_users += queue.eligible_users;
    // A processor of a queue in several shards has a door in each of them.
    to.processors = std::max(to.processors, queue.processors);
    to.handed_out += queue.handed_out;
    to.finished += queue.finished;
    to.items += queue.items;
  });
};

/// All users of each queue, by its name.
inline constexpr auto users_together = [](auto& sum, auto& x, const auto&) {
  for (auto& queue : x.queues)
    std::erase_if(queue.entries, [&](const auto& y) {
      return is_empty_outbox(queue.queue, y.report.ready);
    });
  merge_by_name(
    sum.queues, x.queues,
    [](const auto& queue) -> const auto& { return queue.queue; },
    [](auto& to, auto& queue) { add(to.entries, queue.entries); });
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

/// One ring of each queue, by its name.
inline constexpr auto rings_together = [](auto& sum, auto& x, const auto& of) {
  const std::size_t count_max = std::max<std::uint32_t>(of.what.count_max, 1);
  std::erase_if(x.rings, [](const auto& ring) {
    return is_empty_outbox(ring.queue, ring.ready);
  });
  const auto name = [](const auto& ring) -> const auto& { return ring.queue; };
  merge_by_name(sum.rings, x.rings, name, [&](auto& to, auto& ring) {
    to.suspended = to.suspended || ring.suspended;
    to.server_suspended = to.server_suspended || ring.server_suspended;
    to.processors = std::max(to.processors, ring.processors);
    to.eligible_users += ring.eligible_users;
    to.ready += ring.ready;
    to.in_flight += ring.in_flight;
    to.turns_taken += ring.turns_taken;
    to.finished_per_hour += ring.finished_per_hour;
    merge_turns(to.in_turn, ring.in_turn, count_max);
    add(to.out_of_turn, ring.out_of_turn);
    if (to.out_of_turn.size() > count_max)
      to.out_of_turn.resize(count_max);
  });
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
