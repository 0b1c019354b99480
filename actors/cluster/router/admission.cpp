// What comes in, and the doors of queues. A deposit queue is in all shards, a
// user's part of it in one; a message queue is in one shard.

#include "actors/cluster/router/parts.hpp"
#include "messages/values/test_points.hpp"

#include <map>

namespace depositd::cluster {

namespace {

/// What was sent and not answered may be in a journal.
repeats repeats_of_items() {
  return seeded_bug("lost_answer_sent_again") ? repeats::harmless
                                              : repeats::never;
}

/// Items of one batch for one shard, with their places in the batch.
struct batch_part {
  enqueue what;
  std::vector<std::size_t> positions;
};

caf::result<enqueued> distribute_by_user(shard_router_pointer self,
                                         enqueue& x) {
  std::map<shard_number, batch_part> parts;
  const auto count = self->state.to.options.count;
  for (std::size_t i = 0; i < x.items.size(); ++i) {
    auto& part = parts[shard_of(x.items[i].user, count)];
    part.what.items.push_back(std::move(x.items[i]));
    part.positions.push_back(i);
  }
  auto promise = self->make_response_promise<enqueued>();
  auto all = std::make_shared<shard_answers<enqueued>>();
  all->result.ids.resize(x.items.size());
  all->then = [=](caf::expected<enqueued> y) { fulfil(promise, std::move(y)); };
  for (auto& [shard, part] : parts) {
    part.what.queue = x.queue;
    ++all->open;
    ask_shard<enqueued>(
      self, shard, std::move(part.what), repeats_of_items(),
      [=, positions = std::move(part.positions)](caf::expected<enqueued> y) {
        if (y) {
          all->result.refused += y->refused;
          for (std::size_t i = 0; i < positions.size(); ++i)
            all->result.ids[positions[i]] = y->ids[i];
        }
        all->arrived(y ? caf::error{} : y.error());
      });
  }
  all->arrived();
  return promise;
}

} // namespace

caf::result<enqueued> distribute(shard_router_pointer self, enqueue& x) {
  if (auto refused = refuse(self))
    return refused;
  const auto& control = self->state.control;
  if (control && control->queues.count(x.queue) > 0) {
    if (is_spread(self, x.queue))
      return distribute_by_user(self, x);
    const auto shard = shard_of(x.queue, self->state.to.options.count);
    return forward<enqueued>(self, shard, x, repeats_of_items());
  }
  // A queue that is new comes into being everywhere first.
  auto promise = self->make_response_promise<enqueued>();
  const auto name = x.queue;
  auto what = std::make_shared<const enqueue>(std::move(x));
  with_queue(self, name, [=](const caf::error& why) mutable {
    if (why) {
      promise.deliver(why);
      return;
    }
    // It is a message queue, or somebody has just configured it otherwise.
    if (is_spread(self, name)) {
      promise.deliver(caf::make_error(ec::overloaded,
                                      std::string{"the queue has just been "
                                                  "made: try again"}));
      return;
    }
    const auto& options = self->state.to.options;
    ask_shard<enqueued>(
      self, shard_of(name, options.count), what, repeats_of_items(),
      self->clock().now() + options.owner_wait,
      [=](caf::expected<enqueued> y) { fulfil(promise, std::move(y)); });
  });
  return promise;
}

caf::result<queue_port_actor> open_one_port(shard_router_pointer self,
                                            open_queue& x) {
  if (auto refused = refuse(self))
    return refused;
  auto promise = self->make_response_promise<queue_port_actor>();
  with_queue(self, x.name, [=](const caf::error& why) mutable {
    if (why) {
      promise.deliver(why);
      return;
    }
    if (is_spread(self, x.name)) {
      promise.deliver(caf::make_error(
        ec::invalid_argument,
        "queue " + x.name + " is in several shards: ask for its doors"));
      return;
    }
    ask_shard<queue_port_actor>(
      self, shard_of(x.name, self->state.to.options.count), x,
      repeats::harmless, [=](caf::expected<queue_port_actor> y) {
        fulfil(promise, std::move(y));
      });
  });
  return promise;
}

caf::result<ports_opened> open_all_ports(shard_router_pointer self,
                                         open_ports& x) {
  if (auto refused = refuse(self))
    return refused;
  auto promise = self->make_response_promise<ports_opened>();
  with_queue(self, x.name, [=](const caf::error& why) mutable {
    if (why) {
      promise.deliver(why);
      return;
    }
    auto all = std::make_shared<shard_answers<ports_opened>>();
    all->then = [=](caf::expected<ports_opened> y) {
      fulfil(promise, std::move(y));
    };
    auto shards = all_shards(self);
    if (!is_spread(self, x.name))
      shards = {shard_of(x.name, self->state.to.options.count)};
    for (const auto shard : shards) {
      ++all->open;
      ask_shard<ports_opened>(
        self, shard, x, repeats::harmless, [=](caf::expected<ports_opened> y) {
          if (y)
            all->result.ports.insert(all->result.ports.end(), y->ports.begin(),
                                     y->ports.end());
          all->arrived(y ? caf::error{} : y.error());
        });
    }
    all->arrived();
  });
  return promise;
}

caf::result<ingested> ingest_everywhere(shard_router_pointer self, ingest& x) {
  if (auto refused = refuse(self))
    return refused;
  const auto count = self->state.to.options.count;
  std::map<shard_number, ingest> parts;
  // A deposit that was refused goes back to the shard that did so: others may
  // have applied all up to its offset, and would skip it.
  const auto part_of = [&](const std::string& user) -> ingest& {
    return parts[shard_of(user.empty() ? x.partition : user, count)];
  };
  for (auto& deposit : x.deposits)
    part_of(deposit.user).deposits.push_back(std::move(deposit));
  for (auto& rejected : x.rejected)
    part_of(rejected.user).rejected.push_back(std::move(rejected));
  if (parts.empty())
    part_of({});
  auto promise = self->make_response_promise<ingested>();
  auto all = std::make_shared<shard_answers<ingested>>();
  all->then = [=](caf::expected<ingested> y) { fulfil(promise, std::move(y)); };
  for (auto& [shard, part] : parts) {
    part.partition = x.partition;
    part.last = x.last;
    ++all->open;
    // A shard skips what it has applied, so a repeat does no harm.
    ask_shard<ingested>(self, shard, std::move(part), repeats::harmless,
                        [=](caf::expected<ingested> y) {
                          if (y) {
                            all->result.accepted += y->accepted;
                            all->result.rejected += y->rejected;
                            all->result.skipped += y->skipped;
                            auto& refused = all->result.refused;
                            refused.insert(refused.end(), y->refused.begin(),
                                           y->refused.end());
                          }
                          all->arrived(y ? caf::error{} : y.error());
                        });
  }
  all->arrived();
  return promise;
}

/// Of each partition the lowest mark, if all shards have one: whatever is at or
/// below it was applied everywhere.
caf::result<watermarks_read> read_all_watermarks(shard_router_pointer self,
                                                 const read_watermarks& x) {
  struct seen {
    std::int64_t lowest = 0;
    std::size_t shards = 0;
  };
  auto promise = self->make_response_promise<watermarks_read>();
  auto all = std::make_shared<shard_answers<std::map<std::string, seen>>>();
  const auto count = self->state.to.options.count;
  all->then = [=](caf::expected<std::map<std::string, seen>> y) mutable {
    if (!y) {
      promise.deliver(y.error());
      return;
    }
    watermarks_read out;
    for (const auto& [partition, at] : *y)
      if (at.shards == count)
        out.watermarks.push_back({partition, at.lowest});
    promise.deliver(std::move(out));
  };
  for (const auto shard : all_shards(self)) {
    ++all->open;
    ask_shard<watermarks_read>(
      self, shard, x, repeats::harmless,
      [=](caf::expected<watermarks_read> y) {
        if (y)
          for (const auto& mark : y->watermarks) {
            auto& at = all->result[mark.partition];
            at.lowest = at.shards++ == 0 ? mark.offset
                                         : std::min(at.lowest, mark.offset);
          }
        all->arrived(y ? caf::error{} : y.error());
      });
  }
  all->arrived();
  return promise;
}

} // namespace depositd::cluster
