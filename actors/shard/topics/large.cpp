// Publishes of very many copies, part by part, so that everybody else is served
// meanwhile. What a user publishes goes in its order.

#include "actors/shard/topics/topics.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

namespace depositd::shard {

namespace {

using large = std::shared_ptr<large_publish>;

/// The next messages of it, as a publish of their own; at least one.
std::shared_ptr<publish> cut_part(shard_pointer self, large_publish& x) {
  auto& bodies = x.what.bodies;
  const auto most = copies_at_once / copies_of_each(self, x.what.topic);
  const auto count =
    std::min(bodies.size() - x.at, std::max<std::size_t>(most, 1));
  const auto first = bodies.begin() + static_cast<std::ptrdiff_t>(x.at);
  const auto last = first + static_cast<std::ptrdiff_t>(count);
  auto out = std::make_shared<publish>();
  out->topic = x.what.topic;
  out->user = x.what.user;
  out->delay_ms = x.what.delay_ms;
  out->traceparent = x.what.traceparent;
  out->bodies.assign(std::make_move_iterator(first),
                     std::make_move_iterator(last));
  x.at += count;
  return out;
}

void go_on(shard_pointer self, const std::string& user);

/// The part has been stored, or nothing more of it will be.
void part_ended(shard_pointer self, const large& x, const caf::error& why) {
  if (!why && x->at < x->what.bodies.size())
    return go_on(self, x->what.user);
  auto& all = self->state.publishing;
  const auto at = all.find(x->what.user);
  at->second.pop_front();
  if (at->second.empty())
    all.erase(at);
  else
    go_on(self, x->what.user);
  if (why)
    journal::answer(x->where, why);
  else
    journal::answer(x->where,
                    caf::make_message(published{x->what.bodies.size()}));
}

void go_on(shard_pointer self, const std::string& user) {
  const auto x = self->state.publishing.at(user).front();
  // A disk takes as long as it takes.
  self
    ->request(shard_self{self}, caf::infinite, publish_part{cut_part(self, *x)})
    .then([=](const published&) { part_ended(self, x, {}); },
          [=](const caf::error& why) { part_ended(self, x, why); });
}

} // namespace

bool is_large(shard_pointer self, const publish& x) {
  return self->state.publishing.count(x.user) > 0
         || x.bodies.size() * copies_of_each(self, x.topic) > copies_at_once;
}

caf::result<published> publish_large(shard_pointer self, publish& x) {
  const auto user = x.user;
  auto& own = self->state.publishing[user];
  own.push_back(std::make_shared<large_publish>(
    large_publish{std::move(x), 0, journal::take_reply(self)}));
  if (own.size() == 1)
    go_on(self, user);
  return journal::answered_later<published>();
}

caf::result<published> take_part(shard_pointer self, publish_part& x) {
  if (auto refused = refuse_growth(self))
    return refused;
  return publish_now(self, *x.what);
}

} // namespace depositd::shard
