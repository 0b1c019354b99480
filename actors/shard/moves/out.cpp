// Moves to a queue in another shard, a batch at a time: items go into an outbox
// here, are sent until they are durable there, and end here. A batch gets its
// number before it is filled, and the next one when it is gone, so that whoever
// recovers an outbox with something in it knows the number that this was, or
// would have been, sent under. The target takes each item of a number once.

#include "actors/shard/moves/batches.hpp"
#include "actors/shard/parts.hpp"
#include "messages/values/test_points.hpp"

#include <algorithm>
#include <numeric>

namespace depositd::shard {

namespace {

using step = shard_move::step;
using moving = std::shared_ptr<shard_move>;

/// Of a batch; with bodies of the greatest size it takes 64 MiB.
constexpr std::uint32_t batch_items = 250;

/// Of one message, so that it fits into a frame between engines.
constexpr std::size_t part_bytes = 4u << 20;

/// More than any outbox ever holds.
constexpr std::uint32_t outbox_items = 100'000;

/// A batch on its way.
struct shipment {
  std::vector<carry_items> parts;
  std::size_t sent = 0;
};

std::string outbox_of(const std::string& target) {
  return std::string{outbox_prefix}.append(target);
}

queue_number reach_outbox(shard_pointer self, const std::string& target) {
  const auto name = outbox_of(target);
  if (const auto number = find_queue(self, name))
    return *number;
  commit_control(self, {queue_changed{name, queue_settings{}}});
  return *find_queue(self, name);
}

std::int64_t batch_now(shard_pointer self) {
  return watermark_of(self, batches_watermark, 0);
}

/// Only while the outbox is empty. The watermark is durable no later than what
/// comes into the outbox after it.
void count_batch(shard_pointer self) {
  if (seeded_bug("batches_not_counted"))
    return;
  self->send(self->state.journal.actor,
             keep_watermark{raise_watermark(self, batches_watermark,
                                            batch_now(self) + 1, 0)});
}

/// The ranks are the same whoever sends the batch again: it only ever gets
/// smaller when all of it has arrived.
shipment pack(shard_pointer self, const std::string& target, items_found& x) {
  std::vector<std::size_t> order(x.rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](auto a, auto b) {
    if (seeded_bug("moved_items_turned_round"))
      std::swap(a, b);
    return x.rows[a].id < x.rows[b].id;
  });
  shipment out;
  const auto batch = batch_now(self);
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto& row = x.rows[order[i]];
    auto& body = x.bodies[order[i]];
    if (out.parts.empty() || bytes + body.size() > part_bytes) {
      bytes = 0;
      out.parts.push_back({self->state.options.number, target, 0, {}});
    }
    bytes += body.size();
    auto& part = out.parts.back();
    part.last = moved_offset(batch, static_cast<std::int64_t>(i) + 1);
    part.items.push_back(
      {part.last, row.user, row.priority, row.size, row.kind, std::move(body)});
  }
  out.parts.back().last = moved_offset(batch, rank_max);
  return out;
}

void next_batch(shard_pointer self, const moving& run);

/// Asks for the next step, unless the move has ended by then. What fails is
/// shipped again.
template <class Answer, class Handle, class Request, class F>
void ask_for(shard_pointer self, const moving& run, const Handle& whom,
             Request what, F then) {
  self->request(whom, 2 * self->state.options.request_timeout, std::move(what))
    .then(
      [=](Answer& x) {
        if (!still_moves(self, *run))
          return;
        (void)run->stopping.is_over();
        then(x);
      },
      [=](const caf::error& why) { resume_later(self, run, step::ship, why); });
}

/// The batch is durable at its target, so it ends here. Nothing else is in the
/// outbox.
void empty_outbox(shard_pointer self, const moving& run) {
  ask_for<done>(self, run, shard_self{self},
                purge_queue{outbox_of(run->what.to)},
                [=](const done&) { next_batch(self, run); });
}

void send_parts(shard_pointer self, const moving& run,
                const std::shared_ptr<shipment>& what) {
  if (seeded_bug("outbox_emptied_unsent"))
    return empty_outbox(self, run);
  // Kept until it has arrived: it may have to be sent again.
  ask_for<items_carried>(self, run, self->state.options.router,
                         what->parts[what->sent], [=](const items_carried&) {
                           if (++what->sent < what->parts.size())
                             send_parts(self, run, what);
                           else
                             empty_outbox(self, run);
                         });
}

/// Sends what the outbox durably has.
void ship(shard_pointer self, const moving& run) {
  ask_for<items_found>(
    self, run, self->state.options.projector,
    peek_items{outbox_of(run->what.to), outbox_items, false, true},
    [=](items_found& x) {
      if (x.rows.empty())
        next_batch(self, run);
      else
        send_parts(self, run,
                   std::make_shared<shipment>(pack(self, run->what.to, x)));
    });
}

void fill(shard_pointer self, const moving& run);

void filled(shard_pointer self, const moving& run, const items_moved& x) {
  run->room -= std::min(run->room, x.moved);
  if (!x.more)
    ++run->user;
  fill(self, run);
}

/// Takes from one user after the other until the batch is full.
void fill(shard_pointer self, const moving& run) {
  if (run->room == 0 || run->user == run->users.size()) {
    ship(self, run);
    return;
  }
  const auto& user = run->users[run->user];
  with_user(self, user, run->from, [=](const user_actor& whom) {
    if (!still_moves(self, *run))
      return;
    reach_user(self, run->users[run->user], run->to);
    self
      ->request(whom, self->state.options.request_timeout,
                move_items{run->from, run->to, run->what.id_last, run->room})
      .then(
        [=](const items_moved& x) {
          if (!still_moves(self, *run))
            return;
          (void)run->stopping.is_over();
          filled(self, run, x);
        },
        // A slow store, or a failed append, which we hear of before the journal
        // says so and everything starts over. What has moved all the same is
        // no longer in the source.
        [=](const caf::error& why) {
          resume_later(self, run, step::fill, why);
        });
  });
}

/// The outbox is empty.
void next_batch(shard_pointer self, const moving& run) {
  if (run->what.reference.empty()) {
    self->state.moving.reset();
    run_moves(self);
  } else if (run->user == run->users.size()) {
    finish_move(self, run);
  } else {
    count_batch(self);
    run->room = batch_items;
    fill(self, run);
  }
}

} // namespace

void move_away(shard_pointer self, const std::shared_ptr<shard_move>& run) {
  if (!run->users.empty())
    run->to = reach_outbox(self, run->what.to);
  next_batch(self, run);
}

void go_on_moving_away(shard_pointer self,
                       const std::shared_ptr<shard_move>& run) {
  if (run->next == step::ship)
    ship(self, run);
  else
    fill(self, run);
}

bool ship_left_over(shard_pointer self) {
  auto& state = self->state;
  if (state.outboxes_looked == state.journal.generation)
    return false;
  // No outbox gets anything while another has something.
  for (queue_number i = 0; i < state.queues.size(); ++i) {
    const auto& name = state.queues[i].name;
    if (!name.starts_with(outbox_prefix) || members_of(self, i).empty())
      continue;
    auto run = std::make_shared<shard_move>();
    run->what.to = name.substr(outbox_prefix.size());
    run->generation = state.journal.generation;
    state.moving = run;
    state.outboxes_looked = state.journal.generation;
    ship(self, run);
    return true;
  }
  state.outboxes_looked = state.journal.generation;
  return false;
}

} // namespace depositd::shard
