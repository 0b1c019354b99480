#include "adapters/processing/crossref/handler.hpp"

#include "messages/values/errors.hpp"

#include <caf/response_promise.hpp>

#include <algorithm>
#include <atomic>
#include <utility>

namespace depositd::crossref {

namespace {

using handler_ptr = std::shared_ptr<const submission_handler>;

} // namespace

handler_actor::behavior_type
handler(handler_actor::pointer,
        std::shared_ptr<const submission_handler> work) {
  return {
    [=](const handle_item& x) { return work->handle(x, *x.control); },
  };
}

handler_actor::behavior_type
slot_handler(handler_actor::pointer self, handler_ptr work,
             std::shared_ptr<slot_threads> threads) {
  const auto held = std::make_shared<std::atomic<std::size_t>>(0);
  return {
    [=](handle_item& x) -> caf::result<outcome> {
      if (*held >= stuck_items_max)
        return caf::make_error(ec::overloaded, "earlier items are stuck");
      ++*held;
      auto promise = self->make_response_promise();
      auto done = [work, held, what = std::move(x), to = promise.next(),
                   id = promise.id()] {
        auto ended = caf::make_message(work->handle(what, *what.control));
        --*held; // before the next one can come
        if (to && id.is_request())
          to->enqueue(nullptr, id.response_id(), std::move(ended), nullptr);
      };
      if (!threads->take(std::move(done))) {
        --*held;
        promise.deliver(
          caf::make_error(ec::overloaded, "no thread can be started"));
      }
      return caf::delegated<outcome>{};
    },
  };
}

delaying_handler_actor::behavior_type
delaying_handler(delaying_handler_actor::pointer self,
                 std::chrono::milliseconds delay) {
  return {
    [=](const handle_item& x) -> caf::result<outcome> {
      outcome ended;
      ended.id = x.item.id;
      ended.token = x.item.token;
      ended.member = x.item.member;
      auto answer = self->make_response_promise<outcome>();
      self->delayed_send(self, delay, delay_over{std::move(ended), answer});
      return answer;
    },
    [](delay_over& x) { x.answer.deliver(std::move(x.ended)); },
  };
}

delaying_handler_actor::behavior_type
slowed_handler(delaying_handler_actor::pointer self, const handler_actor& work,
               std::chrono::milliseconds least) {
  self->link_to(work); // nobody else knows it, and an engine ends all it has
  return {
    [=](const handle_item& x) -> caf::result<outcome> {
      const auto until = self->clock().now() + least;
      auto answer = self->make_response_promise<outcome>();
      // Who does the work knows how long it may take.
      self->request(work, caf::infinite, x)
        .then(
          [=](outcome& ended) {
            const caf::timespan left = std::max<caf::timespan>(
              until - self->clock().now(), caf::timespan{0});
            self->delayed_send(self, left,
                               delay_over{std::move(ended), answer});
          },
          [answer](caf::error& why) mutable {
            answer.deliver(std::move(why));
          });
      return answer;
    },
    [](delay_over& x) { x.answer.deliver(std::move(x.ended)); },
  };
}

} // namespace depositd::crossref
