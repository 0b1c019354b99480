#include "actors/journal/writer.hpp"

#include "actors/journal/outgoing.hpp"
#include "actors/journal/reply.hpp"
#include "messages/values/free_memory.hpp"
#include "messages/values/tallies.hpp"
#include "messages/values/test_points.hpp"

#include <spdlog/spdlog.h>

namespace depositd::journal {

namespace {

using self_pointer = actor_with<journal_writer_state>*;

void share_answered(self_pointer self, shared_reply& x) {
  if (--x.shares == 0)
    answer(x.where, x.what(), self->ctrl(), self->context());
}

void hand_out_one(hand_out& x, outgoing<>& out, read_and_hand_out& unread) {
  if (x.body == nullptr && x.place.length > 0) {
    unread.items.push_back(std::move(x));
  } else if (x.receiver) {
    fill(*x.receiver, x.slot, std::move(x.item), std::move(x.body));
  } else {
    if (x.body != nullptr)
      x.item.body = *x.body;
    out.of(x.to).items.push_back(std::move(x.item));
  }
}

void send_out(self_pointer self, std::vector<append>& members) {
  outgoing<> out;
  outgoing<claims_purged> purged;
  read_and_hand_out unread;
  for (auto& member : members)
    for (auto& x : member.deliveries) {
      if (auto* r = std::get_if<reply>(&x))
        answer(r->where, std::move(r->what), self->ctrl(), self->context());
      else if (auto* s = std::get_if<std::shared_ptr<shared_reply>>(&x))
        share_answered(self, **s);
      else if (auto* n = std::get_if<settlement_notice>(&x))
        out.of(n->to).settled.push_back({n->id, n->accepted});
      else if (auto* h = std::get_if<hand_out>(&x))
        hand_out_one(*h, out, unread);
      else if (auto* m = std::get_if<receive_missed>(&x))
        count(*m->receiver, m->count);
      else if (auto* p = std::get_if<purge_notice>(&x))
        purged.of(p->to).claims.push_back(std::move(p->claim));
    }
  out.send(self->ctrl(), self->context());
  purged.send(self->ctrl(), self->context());
  if (!unread.items.empty())
    self->send(self->state.options.bodies, std::move(unread));
}

void tell_locations(self_pointer self, const std::vector<append>& members,
                    std::uint64_t group) {
  std::size_t begin = 0; // of the member in the group
  for (const auto& member : members) {
    if (!member.slots.empty() && member.locations_to) {
      body_locations message{member.locations_queue, {}};
      for (const auto& slot : member.slots)
        message.found.emplace_back(
          slot.id,
          body_location{group, static_cast<std::uint32_t>(begin + slot.offset),
                        slot.length});
      member.locations_to->enqueue(self->ctrl(), caf::make_message_id(),
                                   caf::make_message(std::move(message)),
                                   self->context());
    }
    begin += member.bytes.size();
  }
}

/// Mistakes that tests ask for: answers or hand-outs that do not wait.
void leave_early(self_pointer self, std::vector<append>& members) {
  const auto replies = seeded_bug("reply_before_commit");
  const auto items = seeded_bug("hand_out_before_commit");
  if (!replies && !items)
    return;
  std::vector<append> early(1);
  for (auto& member : members)
    std::erase_if(member.deliveries, [&](delivery& x) {
      const auto goes =
        std::holds_alternative<hand_out>(x)
          ? items
          : replies && !std::holds_alternative<receive_missed>(x);
      if (goes)
        early[0].deliveries.push_back(std::move(x));
      return goes;
    });
  send_out(self, early);
}

/// Nothing of these appends is true: whoever waits is told so, and processors
/// hear nothing, because nothing was handed out or purged.
void refuse(std::vector<append>& members, const caf::error& why) {
  for (auto& member : members)
    for (auto& x : member.deliveries) {
      if (auto* r = std::get_if<reply>(&x)) {
        answer(r->where, why);
      } else if (auto* s = std::get_if<std::shared_ptr<shared_reply>>(&x)) {
        // The other shares of the answer must not turn it into a yes.
        (*s)->what = [why] { return caf::make_message(why); };
        if (--(*s)->shares == 0)
          answer((*s)->where, (*s)->what());
      } else if (auto* h = std::get_if<hand_out>(&x)) {
        if (h->receiver)
          fail(*h->receiver, why);
      } else if (auto* m = std::get_if<receive_missed>(&x)) {
        fail(*m->receiver, why);
      }
    }
}

void give_back(self_pointer self, const std::vector<append>& members) {
  if (!self->state.options.backlog)
    return;
  for (const auto& x : members)
    self->state.options.backlog->bytes -= x.bytes.size();
}

/// A group was written, or failed to be, since then.
void count_group(self_pointer self, std::uint32_t events,
                 caf::actor_clock::time_point since) {
  using std::chrono::duration_cast, std::chrono::microseconds;
  auto& state = self->state;
  if (!state.options.backlog)
    return;
  auto& to = state.options.backlog->counters;
  const auto add = [&](std::size_t at, std::uint64_t x) {
    to[at].fetch_add(x, std::memory_order_relaxed);
  };
  const micros took =
    duration_cast<microseconds>(self->clock().now() - since).count();
  add(count_groups, 1);
  add(count_events, events);
  add(count_bytes, state.bytes.size());
  count_group_size(events);
  add(count_flushes + time_bucket(took), 1);
  add(count_flushes + time_buckets, static_cast<std::uint64_t>(took));
}

/// A group needs more now and then; it need not be kept for the next.
constexpr std::size_t bytes_kept_max = 4 * 1024 * 1024;

/// What outcomes in the group say was recorded must not be lost when they are
/// not: it is flushed first (docs/decisions/0063).
caf::expected<std::uint64_t> append_group(journal_writer_state& state,
                                          const std::vector<watermark>& marks,
                                          std::uint32_t events) {
  auto& options = state.options;
  if (options.registry != nullptr)
    if (auto failed = options.registry->flush())
      return failed;
  return options.store->append(state.bytes, events, marks);
}

group_written write(self_pointer self, write_group& x) {
  auto& state = self->state;
  group_written out;
  std::uint32_t events = 0;
  state.bytes.clear();
  for (const auto& member : x.members) {
    state.bytes += member.bytes;
    events += member.events;
  }
  std::uint64_t group = 0;
  leave_early(self, x.members);
  if (events > 0) {
    crash_point("append_before");
    const auto since = self->clock().now();
    auto result = append_group(state, x.watermarks, events);
    count_group(self, events, since);
    crash_point("append_after");
    if (result)
      group = *result;
    else
      out.failure = std::move(result.error());
  }
  if (out.failure) {
    spdlog::error("journal_append_failed reason=\"{}\"", render(out.failure));
    refuse(x.members, out.failure);
  } else {
    tell_locations(self, x.members, group);
    send_out(self, x.members);
    crash_point("append_answered");
  }
  give_back(self, x.members);
  if (state.bytes.capacity() > bytes_kept_max)
    state.bytes = {};
  free_memory_if_asked();
  return out;
}

} // namespace

journal_writer_self::behavior_type
journal_writer(actor_with<journal_writer_state>* self,
               journal_writer_options options) {
  self->state.options = std::move(options);
  return {
    [=](write_group& x) { return write(self, x); },
    [=](refuse_appends& x) {
      refuse(x.members, x.why);
      give_back(self, x.members);
      return appends_refused{};
    },
  };
}

} // namespace depositd::journal
