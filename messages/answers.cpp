// Answers that several parts of the work share, and what becomes of them when
// a part is lost: actors that end take what is in their mailboxes with them.

#include "messages/actors.hpp"

namespace depositd {

namespace {

caf::error lost() {
  return caf::make_error(ec::store_failed,
                         std::string{"the engine is starting over"});
}

} // namespace

shared_reply::~shared_reply() {
  if (shares > 0 && where.to && where.id.is_request())
    where.to->enqueue(nullptr, where.id.response_id(),
                      caf::make_message(lost()), nullptr);
}

receive_answer::~receive_answer() {
  if (open > 0)
    fail(*this, lost());
}

} // namespace depositd
