#include "actors/journal.hpp"

#include "actors/reply.hpp"

#include <spdlog/spdlog.h>

namespace depositd {

namespace {

using self_pointer = journal_self::stateful_pointer<journal_state>;

/// Gathers what a group holds for each processor into one message each.
class outgoing {
public:
  handed& of(const caf::strong_actor_ptr& to) {
    auto [at, fresh] = index_.try_emplace(to.get(), messages_.size());
    if (fresh)
      messages_.emplace_back(to, handed{});
    return messages_[at->second].second;
  }

  std::vector<std::pair<caf::strong_actor_ptr, handed>> take() {
    index_.clear();
    return std::move(messages_);
  }

private:
  std::unordered_map<caf::actor_control_block*, std::size_t> index_;
  std::vector<std::pair<caf::strong_actor_ptr, handed>> messages_;
};

void share_answered(self_pointer self, shared_reply& x) {
  if (--x.shares == 0)
    answer(x.where, x.what(), self->ctrl(), self->context());
}

void deliver(self_pointer self, std::vector<append>& members) {
  outgoing out;
  read_and_hand_out unread;
  for (auto& member : members)
    for (auto& x : member.deliveries) {
      if (auto* r = std::get_if<reply>(&x)) {
        answer(r->where, std::move(r->what), self->ctrl(), self->context());
      } else if (auto* s = std::get_if<std::shared_ptr<shared_reply>>(&x)) {
        share_answered(self, **s);
      } else if (auto* n = std::get_if<settlement_notice>(&x)) {
        out.of(n->to).settled.push_back({n->id, n->accepted});
      } else if (auto* h = std::get_if<hand_out>(&x)) {
        if (h->body == nullptr && h->place.length > 0) {
          unread.items.push_back(std::move(*h));
          continue;
        }
        if (h->body != nullptr)
          h->item.body = *h->body;
        out.of(h->to).items.push_back(std::move(h->item));
      }
    }
  for (auto& [to, message] : out.take())
    to->enqueue(self->ctrl(), caf::make_message_id(),
                caf::make_message(std::move(message)), self->context());
  if (!unread.items.empty())
    self->send(self->state.options.bodies, std::move(unread));
}

void tell_places(self_pointer self, std::uint64_t group) {
  auto& state = self->state;
  for (std::size_t i = 0; i < state.members.size(); ++i) {
    auto& member = state.members[i];
    if (member.slots.empty() || !member.places_to)
      continue;
    places message{member.places_queue, {}};
    for (const auto& slot : member.slots)
      message.found.emplace_back(
        slot.id,
        body_place{group,
                   static_cast<std::uint32_t>(state.offsets[i] + slot.offset),
                   slot.length});
    member.places_to->enqueue(self->ctrl(), caf::make_message_id(),
                              caf::make_message(std::move(message)),
                              self->context());
  }
}

/// Nothing of these appends is true: whoever waits is told so, and processors
/// hear nothing, because nothing was handed out.
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
      }
    }
}

void fail(self_pointer self, caf::error why) {
  auto& state = self->state;
  spdlog::error("journal_append_failed reason=\"{}\"", render(why));
  state.broken = true;
  refuse(state.members, why);
  if (state.options.shard_watcher)
    caf::anon_send(caf::actor_cast<shard_actor>(state.options.shard_watcher),
                   journal_failed{std::move(why)});
}

void flush(self_pointer self) {
  auto& state = self->state;
  if (state.members.empty())
    return;
  const auto written = state.bytes.size();
  std::uint64_t group = 0;
  caf::error failure;
  if (state.events > 0) {
    auto result = state.options.store->append(state.bytes, state.events, {});
    if (result)
      group = *result;
    else
      failure = std::move(result.error());
  }
  if (failure) {
    fail(self, std::move(failure));
  } else {
    tell_places(self, group);
    deliver(self, state.members);
  }
  state.bytes.clear();
  state.events = 0;
  state.members.clear();
  state.offsets.clear();
  if (state.options.backlog)
    state.options.backlog->bytes -= written;
}

void add(self_pointer self, append& x) {
  auto& state = self->state;
  if (state.broken || x.generation != state.generation) {
    std::vector<append> late;
    const auto bytes = x.bytes.size();
    late.push_back(std::move(x));
    refuse(late, caf::make_error(ec::store_failed,
                                 std::string{"the engine is starting over"}));
    if (state.options.backlog)
      state.options.backlog->bytes -= bytes;
    return;
  }
  state.offsets.push_back(state.bytes.size());
  state.bytes += x.bytes;
  state.events += x.events;
  x.bytes = {};
  state.members.push_back(std::move(x));
  if (state.bytes.size() >= state.options.group_bytes_max) {
    flush(self);
  } else if (!state.flush_pending) {
    state.flush_pending = true;
    self->send(self, flush_group{});
  }
}

} // namespace

journal_self::behavior_type
journal(journal_self::stateful_pointer<journal_state> self,
        journal_options options) {
  self->state.options = std::move(options);
  return {
    [=](append& x) { add(self, x); },
    [=](const begin_generation& x) {
      flush(self); // of the last generation: in the journal, or refused
      self->state.generation = x.generation;
      self->state.broken = false;
    },
    [=](flush_group) {
      self->state.flush_pending = false;
      flush(self);
    },
    [=](const meet_shard& x) { self->state.options.shard_watcher = x.shard; },
  };
}

} // namespace depositd
