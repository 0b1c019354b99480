#include "adapters/doors/kit/turnstile.hpp"

#include <array>
#include <cstring>

#include <arpa/inet.h>
#include <netinet/in.h>

namespace depositd::kit {

std::string holder_of(const std::string& address) {
  in6_addr bytes{};
  if (inet_pton(AF_INET6, address.c_str(), &bytes) != 1)
    return address;
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (IN6_IS_ADDR_V4MAPPED(&bytes))
    return inet_ntop(AF_INET, bytes.s6_addr + 12, text.data(), text.size());
  std::memset(bytes.s6_addr + 8, 0, 8);
  return std::string{inet_ntop(AF_INET6, &bytes, text.data(), text.size())}
         + "/64";
}

turnstile::turnstile(const arrival_limits& limits) : limits_(limits) {
  // nop
}

std::optional<turnstile::id> turnstile::enter(id who, const std::string& holder,
                                              time_point now) {
  std::optional<id> instead_of;
  const auto known = holders_.find(holder);
  const auto has =
    known == holders_.end() ? 0 : known->second.unfinished.size();
  if (has >= limits_.unfinished_per_address_max)
    instead_of = *known->second.unfinished.begin();
  else if (unfinished_ >= limits_.unfinished_max && !by_unfinished_.empty())
    instead_of = to_make_room(now);
  if (instead_of)
    leave(*instead_of);
  auto& at = places_[who];
  at.holder = holder;
  at.limited = false;
  holders_[holder].unfinished.insert(who);
  reorder(holder, holders_[holder].unfinished.size() - 1);
  ++unfinished_;
  limit(who, at, now + limits_.handshake);
  return instead_of;
}

/// The oldest of the first that has had its grace, among those who have most.
/// Where strangers come faster than grace ends, who came first of those that
/// have their share: a client's handshake takes less than their turn does.
turnstile::id turnstile::to_make_room(time_point now) const {
  constexpr int looked_at_max = 4; // in a flood there are very many
  const auto oldest = [&](const auto& entry) {
    return *holders_.at(entry.second).unfinished.begin();
  };
  int looked_at = 0;
  for (auto at = by_unfinished_.rbegin();
       at != by_unfinished_.rend() && looked_at < looked_at_max;
       ++at, ++looked_at) {
    const auto came = places_.at(oldest(*at)).until - limits_.handshake;
    if (now - came >= grace)
      return oldest(*at);
  }
  constexpr int passed_over_max = 64;
  int passed_over = 0;
  for (const auto& [until, who] : deadlines_) {
    const auto& at = places_.at(who);
    const auto has = holders_.at(at.holder).unfinished.size();
    if (!at.finished && has * by_unfinished_.size() >= unfinished_)
      return who;
    if (++passed_over == passed_over_max)
      break;
  }
  return oldest(*by_unfinished_.rbegin());
}

bool turnstile::finish(id who) {
  const auto at = places_.find(who);
  if (at == places_.end())
    return false; // another has its place
  if (at->second.finished)
    return true;
  auto& holder = holders_[at->second.holder];
  if (finished() >= limits_.connections_max
      || holder.finished >= limits_.connections_per_address_max)
    return false;
  forget_unfinished(who, at->second.holder);
  ++holder.finished;
  at->second.finished = true;
  unlimit(who, at->second);
  return true;
}

void turnstile::closing(id who, time_point now) {
  const auto at = places_.find(who);
  if (at != places_.end() && !at->second.limited)
    limit(who, at->second, now + limits_.handshake);
}

void turnstile::leave(id who) {
  const auto at = places_.find(who);
  if (at == places_.end())
    return;
  const auto holder = at->second.holder;
  unlimit(who, at->second);
  if (at->second.finished)
    --holders_[holder].finished;
  else
    forget_unfinished(who, holder);
  places_.erase(at);
  drop_if_empty(holder);
}

std::vector<turnstile::id> turnstile::overdue(time_point now) {
  std::vector<id> out;
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    const auto who = deadlines_.begin()->second;
    unlimit(who, places_[who]);
    out.push_back(who);
  }
  return out;
}

void turnstile::limit(id who, place& at, time_point until) {
  at.limited = true;
  at.until = until;
  deadlines_.emplace(until, who);
}

void turnstile::unlimit(id who, place& at) {
  if (at.limited)
    deadlines_.erase({at.until, who});
  at.limited = false;
}

void turnstile::reorder(const std::string& holder, std::size_t before) {
  by_unfinished_.erase({before, holder});
  const auto now = holders_[holder].unfinished.size();
  if (now > 0)
    by_unfinished_.emplace(now, holder);
}

void turnstile::forget_unfinished(id who, const std::string& holder) {
  auto& all = holders_[holder].unfinished;
  if (all.erase(who) == 0)
    return;
  --unfinished_;
  reorder(holder, all.size() + 1);
}

void turnstile::drop_if_empty(const std::string& holder) {
  const auto at = holders_.find(holder);
  if (at->second.unfinished.empty() && at->second.finished == 0)
    holders_.erase(at);
}

} // namespace depositd::kit
