#include "adapters/doors/http/responder.hpp"

namespace depositd::http {

owed_answer& owed_answer::operator=(owed_answer&& other) noexcept {
  // What was owed is dropped at once.
  const owed_answer before{
    std::exchange(to_, std::exchange(other.to_, nullptr))};
  return *this;
}

owed_answer::~owed_answer() {
  if (to_)
    give(response::text(500, "The request was not answered.\n"));
}

bool owed_answer::give(response what) {
  const auto sink = std::exchange(to_, nullptr);
  return sink && sink->answer(std::move(what));
}

void gatekeeper::pass() {
  if (const auto sink = std::exchange(to_, nullptr))
    sink->pass();
}

} // namespace depositd::http
