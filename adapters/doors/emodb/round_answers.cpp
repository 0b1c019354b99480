#include "adapters/doors/emodb/round_answers.hpp"

#include "adapters/doors/emodb/answers.hpp"
#include "adapters/doors/emodb/wire_id.hpp"

#include <caf/send.hpp>

#include <string>
#include <utility>

namespace depositd::emodb {

namespace {

using joint = std::shared_ptr<ack_and_poll>;
using poll_ptr = std::shared_ptr<claiming_poll>;

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

/// Items of `all` from `from` on are the poll's; a client that is gone gets
/// none of them, and one of many that read no long answers none now.
void give(const poll_ptr& x, const std::vector<received_item>& all,
          std::size_t from, std::size_t count) {
  auto found = messages(all, from, count, x->what.queue);
  found.repeatable = true; // once they have been given back
  std::vector<received_item> own;
  if (auto* to = std::get_if<http::responder>(&x->to);
      to != nullptr && to->send(std::move(found)))
    return;
  // Without their bodies.
  for (auto i = from; i < from + count; ++i)
    own.emplace_back().name = all[i].name;
  const auto give_all_back = [x, own = std::move(own)] {
    give_back(x->room, x->what, own, x->asked);
  };
  if (auto* both = std::get_if<joint>(&x->to))
    (*both)->polled(std::move(found), give_all_back);
  else
    give_all_back();
}

/// It found nothing: who owns the answer goes into the room.
void wait_on(const poll_ptr& x) {
  auto out = std::make_shared<waiting_poll>();
  out->what = x->what;
  out->wait = x->wait;
  out->found = [x](const std::vector<received_item>& items) {
    give(x, items, 0, items.size());
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
  if (found_ && !to_.send(std::move(*found_)))
    not_taken_();
}

void ack_and_poll::polled(http::response found,
                          std::function<void()> not_taken) {
  const std::lock_guard lock{guard_};
  if (!acknowledged_ && !failed_) {
    found_ = std::move(found);
    not_taken_ = std::move(not_taken);
  } else if (!to_.send(std::move(found))) {
    not_taken();
  }
}

void ack_and_poll::failed(http::response why) {
  const std::lock_guard lock{guard_};
  failed_ = true;
  to_.send(std::move(why));
  if (found_)
    not_taken_();
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
                          std::string_view) {
  const auto& x = std::get<poll_ptr>(to);
  if (count == 0 && x->wait.count() > 0)
    wait_on(x);
  else
    give(x, all, from, count);
}

void round_answers::failed(answer& to, const caf::error& why) {
  if (auto* x = std::get_if<poll_ptr>(&to))
    std::visit([&](auto& whom) { refuse(whom, failure(why)); }, (*x)->to);
  else if (auto* both = std::get_if<joint>(&to))
    refuse(*both, failure(why));
  else
    refuse(std::get<http::responder>(to), failure(why));
}

} // namespace depositd::emodb
