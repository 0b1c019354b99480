#include "adapters/doors/http/responder.hpp"

namespace depositd::http {

responder& responder::operator=(responder&& other) noexcept {
  // What was owed is dropped at once.
  const responder before{std::exchange(to_, std::exchange(other.to_, nullptr))};
  return *this;
}

responder::~responder() {
  if (to_)
    send(response::text(500, "The request was not answered.\n"));
}

bool responder::send(response what) {
  const auto sink = std::exchange(to_, nullptr);
  return sink && sink->answer(std::move(what));
}

void gatekeeper::pass() {
  if (const auto sink = std::exchange(to_, nullptr))
    sink->pass();
}

} // namespace depositd::http
