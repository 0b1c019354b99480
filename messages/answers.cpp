#include "messages/answers.hpp"

#include "messages/message.hpp"
#include "messages/values/errors.hpp"

#include <caf/make_message.hpp>

#include <string>

namespace depositd {

namespace {

/// Actors that end take what is in their mailboxes with them.
caf::error lost() {
  return caf::make_error(ec::store_failed,
                         std::string{"the engine is starting over"});
}

void answer(const reply_address& x, caf::message what) {
  if (x.to && x.id.is_request())
    x.to->enqueue(nullptr, x.id.response_id(), std::move(what), nullptr);
}

} // namespace

shared_reply::~shared_reply() {
  if (shares > 0)
    answer(where, caf::make_message(lost()));
}

receive_answer::~receive_answer() {
  if (open > 0)
    fail(*this, lost());
}

void count(receive_answer& x, std::uint32_t picks) {
  if (x.open.fetch_sub(picks) != picks || x.failed)
    return;
  std::erase_if(x.items, [](const received_item& y) { return y.name.id == 0; });
  answer({x.to, x.id}, caf::make_message(items_received{std::move(x.items)}));
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
    answer({x.to, x.id}, caf::make_message(why));
}

} // namespace depositd
