#include "messages/ask.hpp"

#include <caf/behavior.hpp>
#include <caf/detail/behavior_impl.hpp>
#include <caf/scheduled_actor.hpp>

namespace depositd {

namespace {

/// Takes whatever comes.
class any_answer final : public caf::detail::behavior_impl {
public:
  explicit any_answer(asker_ptr asking) : asking_(std::move(asking)) {
  }

  caf::match_case::result invoke(caf::detail::invoke_result_visitor& say,
                                 caf::type_erased_tuple& x) override {
    if (x.match_elements<caf::error>())
      asking_->fail(x.get_as<caf::error>(0));
    else
      asking_->take(x);
    say(caf::unit); // else CAF says that nobody understood it
    return caf::match_case::match;
  }

private:
  asker_ptr asking_;
};

} // namespace

void ask_whole(caf::scheduled_actor* self, const caf::strong_actor_ptr& whom,
               answer_wait within, caf::message what,
               asker_ptr asking) {
  const auto id = self->new_request_id(caf::message_priority::normal);
  if (whom) {
    whom->enqueue(self->ctrl(), id, std::move(what), self->context());
    self->request_response_timeout(within.limit(), id);
  } else {
    auto nobody = caf::make_error(caf::sec::invalid_argument);
    self->enqueue(self->ctrl(), id.response_id(),
                  caf::make_message(std::move(nobody)), self->context());
  }
  self->add_multiplexed_response_handler(
    id.response_id(),
    caf::behavior{caf::behavior::impl_ptr{
      caf::make_counted<any_answer>(std::move(asking))}});
}

} // namespace depositd
