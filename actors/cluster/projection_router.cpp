#include "actors/cluster/projection_router.hpp"

#include "actors/rules/pages/pages.hpp"
#include "messages/projection.hpp"

#include <algorithm>

namespace depositd::cluster {

namespace {

using self_pointer =
  projection_router_self::stateful_pointer<projection_router_state>;

std::vector<shard_number> all_shards(self_pointer self) {
  std::vector<shard_number> out(self->state.to.places.size());
  for (shard_number i = 0; i < out.size(); ++i)
    out[i] = i;
  return out;
}

caf::result<submissions_found> search_all(self_pointer self,
                                          const submission_query& x) {
  auto promise = self->make_response_promise<submissions_found>();
  auto all = std::make_shared<shard_answers<submissions_found>>();
  all->then = [=](caf::expected<submissions_found> found) {
    fulfil(promise, std::move(found));
  };
  for (const auto shard : all_shards(self)) {
    ++all->open;
    ask_shard<submissions_found>(
      self, shard, x, repeats::harmless,
      [=](caf::expected<submissions_found> found) {
        if (found) {
          auto& sum = all->result;
          auto both = rules::pages::join({std::move(sum.rows), sum.more},
                                         {std::move(found->rows), found->more},
                                         x);
          sum = {std::move(both.rows), both.more};
        }
        all->arrived(found ? caf::error{} : found.error());
      });
  }
  all->arrived();
  return promise;
}

caf::result<submissions_found> search(self_pointer self,
                                      submission_query& x) {
  const auto count = self->state.to.options.count;
  if (!x.user.empty())
    return forward<submissions_found>(self, shard_of(x.user, count), x,
                                      repeats::harmless);
  if (x.id != 0 && shard_of_item(x.id) < count)
    return forward<submissions_found>(self, shard_of_item(x.id), x,
                                      repeats::harmless);
  return search_all(self, x);
}

void append(items_found& to, items_found& x) {
  std::move(x.rows.begin(), x.rows.end(), std::back_inserter(to.rows));
  std::move(x.bodies.begin(), x.bodies.end(), std::back_inserter(to.bodies));
}

/// In order of priority and time, no more than were asked for.
void order(items_found& x, std::uint32_t count_max) {
  std::vector<std::size_t> by(x.rows.size());
  for (std::size_t i = 0; i < by.size(); ++i)
    by[i] = i;
  const auto key = [&](std::size_t i) {
    const auto& row = x.rows[i];
    return std::tuple{row.priority, row.received_us, row.id};
  };
  std::sort(by.begin(), by.end(),
            [&](auto a, auto b) { return key(a) < key(b); });
  if (by.size() > count_max)
    by.resize(count_max);
  items_found out;
  for (const auto i : by) {
    out.rows.push_back(std::move(x.rows[i]));
    if (i < x.bodies.size())
      out.bodies.push_back(std::move(x.bodies[i]));
  }
  x = std::move(out);
}

/// Whether the queue is in one shard or in all: those that have nothing of it
/// say so quickly.
caf::result<items_found> peek(self_pointer self, const peek_items& x) {
  auto promise = self->make_response_promise<items_found>();
  auto all = std::make_shared<shard_answers<items_found>>();
  all->then = [=](caf::expected<items_found> found) {
    if (found)
      order(*found, x.count_max);
    fulfil(promise, std::move(found));
  };
  for (const auto shard : all_shards(self)) {
    ++all->open;
    ask_shard<items_found>(self, shard, x, repeats::harmless,
                           [=](caf::expected<items_found> found) {
                             if (found)
                               append(all->result, *found);
                             all->arrived(found ? caf::error{}
                                                : found.error());
                           });
  }
  all->arrived();
  return promise;
}

/// Of the shards that are here: others answer for theirs.
caf::result<store_report> report(self_pointer self, const report_store& x) {
  std::vector<shard_number> ours;
  const auto& places = self->state.to.places;
  for (shard_number i = 0; i < places.size(); ++i)
    if (places[i].who && places[i].here)
      ours.push_back(i);
  return ask_shards<store_report, store_report>(
    self, ours, x, repeats::harmless,
    [](store_report& sum, const store_report& y) {
      sum.journalled += y.journalled;
      sum.projected += y.projected;
      sum.journal_bytes += y.journal_bytes;
      sum.segments += y.segments;
    });
}

caf::error per_shard(const char* what) {
  return caf::make_error(ec::invalid_argument,
                         std::string{what} + " is for one shard at a time");
}

} // namespace

projection_router_self::behavior_type projection_router(
  projection_router_self::stateful_pointer<projection_router_state> self,
  forwarding_options options) {
  self->state.to.begin(std::move(options));
  self->set_down_handler(
    [=](const caf::down_msg& x) { owner_down(self, x.source); });
  self->delayed_send(self, tick_interval, request_tick{});
  return {
    [](recover) -> caf::result<recovered> { return per_shard("recovery"); },
    [](const meet_shard&) { /* for projectors alone */ },
    [=](submission_query& x) { return search(self, x); },
    [=](const peek_items& x) { return peek(self, x); },
    [](const match_items&) -> caf::result<items_matched> {
      return per_shard("matching");
    },
    [](const back_up&) -> caf::result<done> {
      return caf::make_error(ec::store_failed,
                             std::string{"the store is in PostgreSQL: back it "
                                         "up with its own tools, pg_dump or "
                                         "pg_basebackup"});
    },
    [=](const report_store& x) { return report(self, x); },
    [=](const shard_placed& x) { set_place(self, x, x.reads); },
    [=](request_tick) {
      tick_open(self);
      self->delayed_send(self, tick_interval, request_tick{});
    },
  };
}

} // namespace depositd::cluster
