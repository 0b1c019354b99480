#include "actors/body_reader.hpp"

#include <spdlog/spdlog.h>

#include <unordered_map>

namespace depositd {

namespace {

void read_and_send(body_reader_actor::pointer self, journal_store* store,
                   read_and_hand_out& x) {
  std::unordered_map<caf::actor_control_block*, std::size_t> index;
  std::vector<std::pair<caf::strong_actor_ptr, handed>> out;
  for (auto& item : x.items) {
    auto body = store->read_body(item.place);
    if (!body) {
      // The claim stays with its processor until that is gone or the lease
      // ends; handing out an item without its bytes would be worse.
      spdlog::error("body_unreadable item={} user={} reason=\"{}\"",
                    item.item.id, item.item.user, render(body.error()));
      if (item.poll)
        count(*item.poll, 1);
      continue;
    }
    if (item.poll) {
      fill(*item.poll, item.slot, std::move(item.item),
           std::make_shared<const std::string>(std::move(*body)));
      continue;
    }
    item.item.body = std::move(*body);
    auto [at, fresh] = index.try_emplace(item.to.get(), out.size());
    if (fresh)
      out.emplace_back(item.to, handed{});
    out[at->second].second.items.push_back(std::move(item.item));
  }
  for (auto& [to, message] : out)
    to->enqueue(self->ctrl(), caf::make_message_id(),
                caf::make_message(std::move(message)), self->context());
}

} // namespace

body_reader_actor::behavior_type body_reader(body_reader_actor::pointer self,
                                             journal_store* store) {
  return {
    [=](read_and_hand_out& x) { read_and_send(self, store, x); },
  };
}

} // namespace depositd
