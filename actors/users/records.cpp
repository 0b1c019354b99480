// Items that are records of sources: what is written of them, and what their
// shard hears, which answers for all records of a source.

#include "actors/users/command.hpp"

#include <algorithm>
#include <utility>

namespace depositd::users {

namespace {

/// Of events that begin or end a claim, or end the item; 0 of others.
item_id id_of_claim(const event& x) {
  if (const auto* claimed = std::get_if<item_claimed>(&x))
    return claimed->id;
  if (const auto* released = std::get_if<item_released>(&x))
    return released->id;
  const auto* finished = std::get_if<item_finished>(&x);
  return finished != nullptr ? finished->id : 0;
}

void change_claims(records_moved& news, const record_origin& of,
                   std::int32_t by) {
  if (by == 0)
    return;
  for (auto& x : news.claimed)
    if (x.source == of.source && x.made_us == of.made_us) {
      x.change += by;
      return;
    }
  news.claimed.push_back({of.source, of.made_us, by});
}

} // namespace

record_ended end_of_record(const item_finished& x, const record_origin& of) {
  record_ended out;
  out.id = x.id;
  out.queue = x.queue;
  out.source = of.source;
  out.made_us = of.made_us;
  out.key = of.key;
  out.failed = x.how == ending::failed;
  out.ended_us = x.finished_us;
  if (out.failed)
    out.reason = x.reason;
  return out;
}

void user_command::take_record(item_id id,
                               std::shared_ptr<const record_origin> origin) {
  note(record_taken{id, queue->name, origin->source, origin->made_us,
                    origin->key});
  self_->state.origins.insert_or_assign(id, std::move(origin));
}

records_moved& user_command::moved_in(const std::string& where) {
  for (auto& x : moved_)
    if (x.queue == where)
      return x;
  auto& out = moved_.emplace_back();
  out.user = self_->state.options.user;
  out.queue = where;
  return out;
}

void user_command::follow_record(user_queue& in, const event& x) {
  auto& origins = self_->state.origins;
  const auto id = id_of_claim(x);
  const auto at = id == 0 ? origins.end() : origins.find(id);
  if (at == origins.end())
    return;
  const auto was = in.ledger.token_of(id) != 0 ? 1 : 0;
  const auto is = std::holds_alternative<item_claimed>(x) ? 1 : 0;
  auto& news = moved_in(in.name);
  change_claims(news, *at->second, is - was);
  const auto* finished = std::get_if<item_finished>(&x);
  if (finished == nullptr)
    return;
  auto end = end_of_record(*finished, *at->second);
  news.ended.push_back({end.source, end.made_us, end.key, id, end.failed});
  note(std::move(end));
  origins.erase(at);
}

void user_command::follow_move(const item_moved& x) {
  const auto at = self_->state.origins.find(x.id);
  if (at == self_->state.origins.end())
    return;
  auto& from = moved_in(x.queue);
  --from.moved;
  if (queue->ledger.token_of(x.id) != 0) // which ends with the move
    change_claims(from, *at->second, -1);
  ++moved_in(x.to).moved;
}

void user_command::tell_records() {
  for (auto& x : std::exchange(moved_, {}))
    self_->send(self_->state.options.shard, std::move(x));
}

} // namespace depositd::users
