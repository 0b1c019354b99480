#include "adapters/doors/http/responder.hpp"

#include <utility>

namespace depositd::http {

namespace {

void give_up(std::shared_ptr<answer_sink>& to) {
  if (auto sink = std::exchange(to, nullptr))
    sink->answer(response::text(500, "The request was not answered.\n"));
}

} // namespace

responder::responder(std::shared_ptr<answer_sink> to) : to_(std::move(to)) {
  // nop
}

responder& responder::operator=(responder&& other) noexcept {
  if (this != &other) {
    give_up(to_);
    to_ = std::move(other.to_);
  }
  return *this;
}

responder::~responder() {
  give_up(to_);
}

bool responder::send(response what) {
  auto sink = std::exchange(to_, nullptr);
  return sink && sink->answer(std::move(what));
}

gatekeeper::gatekeeper(std::shared_ptr<answer_sink> to) : to_(std::move(to)) {
  // nop
}

gatekeeper& gatekeeper::operator=(gatekeeper&& other) noexcept {
  if (this != &other) {
    give_up(to_);
    to_ = std::move(other.to_);
  }
  return *this;
}

gatekeeper::~gatekeeper() {
  give_up(to_);
}

void gatekeeper::pass() {
  if (auto sink = std::exchange(to_, nullptr))
    sink->pass();
}

bool gatekeeper::refuse(response what) {
  auto sink = std::exchange(to_, nullptr);
  return sink && sink->answer(std::move(what));
}

} // namespace depositd::http
