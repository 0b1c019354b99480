#include "actors/shard/body_reader.hpp"

#include "actors/journal/outgoing.hpp"
#include "actors/shard/shard.hpp"

#include <spdlog/spdlog.h>

namespace depositd::shard {

namespace {

using self_pointer = actor_with<body_reader_state>*;

/// Handing out an item without its bytes would be worse than not at all.
void send_back(self_pointer self, queue::look_again unread) {
  if (unread.items.empty())
    return;
  if (self->state.shard)
    self->send(caf::actor_cast<shard_self>(self->state.shard),
               std::move(unread));
  else
    for (const auto& item : unread.items)
      if (item.receiver)
        count(*item.receiver, 1);
}

void read_and_send(self_pointer self, journal_store* store,
                   read_and_hand_out& x) {
  journal::outgoing<> out;
  queue::look_again unread;
  for (auto& item : x.items) {
    auto body = store->read_body(item.place);
    if (!body) {
      spdlog::warn("body_not_read item={} user={} reason=\"{}\"", item.item.id,
                   item.item.user, render(body.error()));
      unread.items.push_back(std::move(item));
      continue;
    }
    if (item.receiver) {
      fill(*item.receiver, item.slot, std::move(item.item),
           std::make_shared<const std::string>(std::move(*body)));
      continue;
    }
    item.item.body = std::move(*body);
    out.of(item.to).items.push_back(std::move(item.item));
  }
  out.send(self->ctrl(), self->context());
  send_back(self, std::move(unread));
}

} // namespace

body_reader_self::behavior_type body_reader(actor_with<body_reader_state>* self,
                                            journal_store* store) {
  return {
    [=](read_and_hand_out& x) { read_and_send(self, store, x); },
    [=](const meet_shard& x) { self->state.shard = x.shard; },
  };
}

} // namespace depositd::shard
