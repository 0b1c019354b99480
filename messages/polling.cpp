#include "messages/polling.hpp"

#include "messages/actors.hpp"

#include <algorithm>

namespace depositd {

namespace {

void answer_poll(const receive_answer& x, caf::message what) {
  if (x.to && x.id.is_request())
    x.to->enqueue(nullptr, x.id.response_id(), std::move(what), nullptr);
}

} // namespace

void count(receive_answer& x, std::uint32_t picks) {
  if (x.open.fetch_sub(picks) != picks || x.failed)
    return;
  std::erase_if(x.items, [](const received_item& y) { return y.name.id == 0; });
  answer_poll(x, caf::make_message(items_received{std::move(x.items)}));
}

void fill(receive_answer& x, std::uint32_t slot, claimed_item&& item,
          std::shared_ptr<const std::string> body) {
  auto& to = x.items[slot];
  to.name = {item.id, digest_of_user(item.user)};
  to.attempt = item.attempt;
  to.kind = item.kind;
  to.received_us = item.received_us;
  to.user = std::move(item.user);
  to.body = std::move(body);
  count(x, 1);
}

void fail(receive_answer& x, const caf::error& why) {
  if (!x.failed.exchange(true))
    answer_poll(x, caf::make_message(why));
}

} // namespace depositd
