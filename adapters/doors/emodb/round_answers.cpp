#include "adapters/doors/emodb/round_answers.hpp"

#include "adapters/doors/emodb/answers.hpp"
#include "adapters/doors/emodb/wire_id.hpp"

#include <string>
#include <utility>

namespace depositd::emodb {

namespace {

using joint = std::shared_ptr<ack_and_poll>;

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
  auto found = messages(all, from, count, queue);
  if (auto* both = std::get_if<joint>(&to))
    (*both)->polled(std::move(found));
  else
    std::get<http::responder>(to).send(std::move(found));
}

void round_answers::failed(answer& to, const caf::error& why) {
  if (auto* both = std::get_if<joint>(&to))
    (*both)->failed(failure(why));
  else
    std::get<http::responder>(to).send(failure(why));
}

} // namespace depositd::emodb
