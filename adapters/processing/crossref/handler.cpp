#include "adapters/processing/crossref/handler.hpp"

namespace depositd::crossref {

handler_actor::behavior_type
handler(handler_actor::pointer,
        std::shared_ptr<const submission_handler> work) {
  return {
    [=](const handle_item& x) { return work->handle(x, *x.control); },
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

} // namespace depositd::crossref
