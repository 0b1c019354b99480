#include "adapters/doors/emodb/round_answers.hpp"

#include "adapters/doors/emodb/answers.hpp"
#include "adapters/doors/emodb/wire_id.hpp"

#include <caf/send.hpp>

#include <string>
#include <utility>

namespace depositd::emodb {

namespace {

using joint = std::shared_ptr<ack_and_poll>;
using patient = std::shared_ptr<patient_poll>;

http::response messages(const std::vector<received_item>& all, std::size_t from,
                        std::size_t count, std::string_view queue) {
  std::size_t bytes = 2;
  for (auto i = from; i < from + count; ++i)
    bytes += (all[i].body ? all[i].body->size() : 0) + 64;
  std::string out;
  out.reserve(bytes);
  out += '[';
  for (auto i = from; i < from + count; ++i) {
    // Empty, from another door: no JSON.
    if (!all[i].body)
      continue;
    begin_message(out, all[i].name, queue);
    out += *all[i].body;
    out += '}';
  }
  out += ']';
  return json_answer(std::move(out));
}

// -- who is answered ----------------------------------------------------------

void give(http::responder& to, http::response found) {
  to.send(std::move(found));
}

void give(joint& to, http::response found) {
  to->polled(std::move(found));
}

void refuse(http::responder& to, http::response why) {
  to.send(std::move(why));
}

void refuse(joint& to, http::response why) {
  to->failed(std::move(why));
}

bool is_over(const http::responder& to) {
  return to.over();
}

bool is_over(const joint& to) {
  return to->over();
}

/// It found nothing: who owns the answer goes into the room.
void wait_on(const patient& x) {
  auto out = std::make_shared<waiting_poll>();
  out->what = x->what;
  out->wait = x->wait;
  out->found = [x](const std::vector<received_item>& items) {
    std::visit(
      [&](auto& to) {
        give(to, messages(items, 0, items.size(), x->what.queue));
      },
      x->to);
  };
  out->failed = [x](const caf::error& why) {
    std::visit([&](auto& to) { refuse(to, failure(why)); }, x->to);
  };
  out->over = [x] {
    return std::visit([](auto& to) { return is_over(to); }, x->to);
  };
  out->refused = [x] {
    auto why = x->forbidden();
    if (why)
      std::visit([&](auto& to) { refuse(to, std::move(*why)); }, x->to);
    return why.has_value();
  };
  caf::anon_send(x->room, wait_for_items{std::move(out)});
}

} // namespace

// -- both in one --------------------------------------------------------------

void ack_and_poll::acknowledged() {
  const std::lock_guard lock{guard_};
  acknowledged_ = true;
  if (found_)
    to_.send(std::move(*found_));
}

void ack_and_poll::polled(http::response found) {
  const std::lock_guard lock{guard_};
  if (acknowledged_)
    to_.send(std::move(found));
  else
    found_ = std::move(found);
}

void ack_and_poll::failed(http::response why) {
  const std::lock_guard lock{guard_};
  to_.send(std::move(why));
}

bool ack_and_poll::over() {
  const std::lock_guard lock{guard_};
  return to_.over();
}

// -- one by one ---------------------------------------------------------------

void round_answers::sent(answer& to, bool accepted, bool over_bytes) {
  std::get<http::responder>(to).send(accepted ? success()
                                              : queue_full(over_bytes));
}

void round_answers::acknowledged(answer& to) {
  if (auto* both = std::get_if<joint>(&to))
    (*both)->acknowledged();
  else
    std::get<http::responder>(to).send(success());
}

void round_answers::taken(answer& to, const std::vector<received_item>& all,
                          std::size_t from, std::size_t count,
                          std::string_view queue) {
  const auto found = [&] { return messages(all, from, count, queue); };
  if (auto* x = std::get_if<patient>(&to)) {
    if (count == 0)
      wait_on(*x);
    else
      std::visit([&](auto& whom) { give(whom, found()); }, (*x)->to);
  } else if (auto* both = std::get_if<joint>(&to)) {
    give(*both, found());
  } else {
    give(std::get<http::responder>(to), found());
  }
}

void round_answers::failed(answer& to, const caf::error& why) {
  if (auto* x = std::get_if<patient>(&to))
    std::visit([&](auto& whom) { refuse(whom, failure(why)); }, (*x)->to);
  else if (auto* both = std::get_if<joint>(&to))
    refuse(*both, failure(why));
  else
    refuse(std::get<http::responder>(to), failure(why));
}

} // namespace depositd::emodb
