#include "tests/simulation/book.hpp"

namespace depositd::simulation {

item_id id_in(const event& x) {
  return std::visit(
    [](const auto& fields) -> item_id {
      if constexpr (requires { fields.id; })
        return fields.id;
      else
        return 0;
    },
    x);
}

// -- items --------------------------------------------------------------------

void item_book::become(tracked_item& x, life next) {
  auto& counts = *x.among;
  counts.pending -= x.now == life::pending;
  counts.claimed -= x.now == life::claimed;
  x.now = next;
  counts.pending += x.now == life::pending;
  counts.claimed += x.now == life::claimed;
}

void item_book::move(tracked_item& x, const item_place& to) {
  become(x, life::gone);
  if (to.queue.empty())
    return;
  x.queue = to.queue;
  x.among = &counts_[{x.queue, x.user}];
  x.attempt = to.attempt;
  x.available_us = to.available_us;
  become(x, to.parked                  ? life::parked
            : to.available_us != never ? life::delayed
                                       : life::pending);
}

void item_book::apply(const journalled& x) {
  if (const auto* fresh = std::get_if<item_enqueued>(&x.what)) {
    auto [at, is_new] = items_.try_emplace(fresh->id);
    auto& item = at->second;
    if (is_new)
      item.now = life::gone; // counted by `become`
    else
      become(item, life::gone);
    item.shard = x.shard;
    item.queue = fresh->queue;
    item.user = x.user;
    item.body = fresh->body;
    item.among = &counts_[{item.queue, item.user}];
    become(item, life::pending);
    return;
  }
  const auto at = items_.find(id_in(x.what));
  if (at == items_.end())
    return;
  auto& item = at->second;
  if (const auto* claimed = std::get_if<item_claimed>(&x.what)) {
    become(item, life::claimed);
    item.token = claimed->token;
    item.attempt = claimed->attempt;
    item.local = claimed->local;
  } else if (const auto* longer = std::get_if<claim_renewed>(&x.what)) {
    // The shard has come to where its holder is.
    item.local = item.local || longer->deadline_us == never;
  } else if (const auto* back = std::get_if<item_released>(&x.what)) {
    become(item, back->available_us == never ? life::pending : life::delayed);
    item.attempt = back->attempt;
    item.available_us = back->available_us;
  } else if (const auto* later = std::get_if<item_delayed>(&x.what)) {
    become(item, later->available_us == never ? life::pending : life::delayed);
    item.available_us = later->available_us;
  } else if (const auto* parked = std::get_if<item_parked>(&x.what)) {
    become(item, parked->parked ? life::parked : life::pending);
    item.available_us = never;
  } else if (std::holds_alternative<item_finished>(x.what)) {
    become(item, life::gone);
  } else if (const auto* moved = std::get_if<item_moved>(&x.what)) {
    item_place there;
    there.queue = moved->to;
    move(item, there);
  } else if (const auto* job = std::get_if<job_moved>(&x.what)) {
    move(item, job->place);
  } else if (const auto* batch = std::get_if<batch_moved>(&x.what)) {
    move(item, batch->place);
  }
}

// -- settings -----------------------------------------------------------------

void settings_book::apply(const event& x, micros at_us) {
  if (const auto* queue = std::get_if<queue_changed>(&x)) {
    queues_[queue->queue] = queue->settings;
    caps_[queue->queue].set(queue->settings.concurrency, at_us, slack_us_);
    suspended_[queue->queue].set(queue->settings.suspended, at_us, slack_us_);
    for (const auto& [key, own] : own_caps_)
      if (key.first == queue->queue)
        refresh(key.first, key.second, at_us);
  } else if (const auto* limits = std::get_if<user_limits_changed>(&x)) {
    const item_book::user_key key{limits->queue, limits->user};
    if (own_caps_.count(key) == 0) {
      // Until now the queue's was the user's, and earlier ones of it were.
      const auto all = caps_.find(key.first);
      own_caps_.emplace(key, all == caps_.end()
                               ? lenient<std::uint32_t>{cap(key.first,
                                                            key.second)}
                               : all->second);
    }
    limits_[key] = *limits;
    refresh(key.first, key.second, at_us);
  } else if (const auto* who = std::get_if<user_eligibility_changed>(&x)) {
    eligibilities_[who->user].set({who->held, who->prohibited}, at_us,
                                  slack_us_);
  } else if (const auto* server = std::get_if<server_changed>(&x)) {
    server_suspended_.set(server->suspended, at_us, slack_us_);
  }
}

void settings_book::refresh(const std::string& queue, const std::string& user,
                            micros at_us) {
  own_caps_[{queue, user}].set(cap(queue, user), at_us, slack_us_);
}

std::uint32_t settings_book::cap(const std::string& queue,
                                 const std::string& user) const {
  const auto own = limits_.find({queue, user});
  if (own != limits_.end() && own->second.has_concurrency)
    return own->second.concurrency;
  const auto all = queues_.find(queue);
  return all == queues_.end() ? no_cap : all->second.concurrency;
}

std::uint32_t settings_book::allocation(const std::string& queue,
                                        const std::string& user) const {
  const auto own = limits_.find({queue, user});
  if (own != limits_.end() && own->second.has_allocation)
    return own->second.allocation;
  const auto all = queues_.find(queue);
  return all == queues_.end() ? 1 : all->second.allocation;
}

bool settings_book::across_users(const std::string& queue) const {
  const auto at = queues_.find(queue);
  return at != queues_.end()
         && at->second.priority == priority_mode::across_users;
}

void settings_book::hold_up(micros from_us, micros until_us) {
  until_us += slack_us_;
  server_suspended_.hold_up(from_us, until_us);
  for (auto& [queue, x] : suspended_)
    x.hold_up(from_us, until_us);
  for (auto& [member, x] : own_caps_)
    x.hold_up(from_us, until_us);
  for (auto& [queue, x] : caps_)
    x.hold_up(from_us, until_us);
  for (auto& [user, x] : eligibilities_)
    x.hold_up(from_us, until_us);
}

bool settings_book::may_hold(const std::string& queue, const std::string& user,
                             std::uint32_t claims, micros at_us) const {
  const auto fits = [=](std::uint32_t cap) { return claims <= cap; };
  const auto own = own_caps_.find({queue, user});
  if (own != own_caps_.end())
    return own->second.any(at_us, fits);
  const auto all = caps_.find(queue);
  return all == caps_.end() || all->second.any(at_us, fits);
}

bool settings_book::may_be_served(const std::string& user, micros at_us) const {
  const auto at = eligibilities_.find(user);
  return at == eligibilities_.end()
         || at->second.any(at_us, [](const eligibility& x) { return !x.held; });
}

bool settings_book::may_be_prohibited_no_more(const std::string& user,
                                              micros at_us) const {
  const auto at = eligibilities_.find(user);
  return at == eligibilities_.end()
         || at->second.any(at_us,
                           [](const eligibility& x) { return !x.prohibited; });
}

bool settings_book::may_hand_out(const std::string& queue, micros at_us) const {
  const auto open = [](bool suspended) { return !suspended; };
  const auto at = suspended_.find(queue);
  return (at == suspended_.end() || at->second.any(at_us, open))
         && server_suspended_.any(at_us, open);
}

bool settings_book::plain(const std::string& queue,
                          const std::string& user) const {
  const auto who = eligibilities_.find(user);
  if (who != eligibilities_.end() && !(who->second.now() == eligibility{}))
    return false;
  const auto at = suspended_.find(queue);
  return !server_suspended_.now()
         && (at == suspended_.end() || !at->second.now());
}

} // namespace depositd::simulation
