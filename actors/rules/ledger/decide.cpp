#include "actors/rules/ledger/ledger.hpp"
#include "actors/rules/ledger/retry.hpp"
#include "actors/rules/ledger/state.hpp"
#include "messages/values/test_points.hpp"

#include <algorithm>
#include <limits>
#include <unordered_set>
#include <utility>

namespace depositd::rules {

namespace {

constexpr micros us_per_ms = 1000;

micros after_ms(micros now, std::uint32_t delay_ms) {
  // No delay: at once, not "delayed until now".
  return delay_ms == 0 ? never : now + delay_ms * us_per_ms;
}

caf::error stale(item_id id) {
  return caf::make_error(ec::stale_claim,
                         "no such claim of item " + std::to_string(id));
}

item_released released(const std::string& queue, const stored_item& x) {
  item_released out;
  out.id = x.id;
  out.queue = queue;
  out.attempt = x.attempt;
  return out;
}

item_finished finished(const std::string& queue, item_id id, ending how,
                       micros now) {
  item_finished out;
  out.id = id;
  out.queue = queue;
  out.how = how;
  out.finished_us = now;
  return out;
}

/// The claim ended without a word of its processor: the attempt counts.
event lost_claim(const std::string& queue, const queue_settings& settings,
                 const stored_item& x, micros now, const std::string& why) {
  if (may_retry(settings, x.attempt)) {
    auto out = released(queue, x);
    out.reason = why;
    if (seeded_bug("lost_attempt_not_counted") && out.attempt > 0)
      --out.attempt;
    return out;
  }
  auto out = finished(queue, x.id, ending::failed, now);
  out.reason = "attempts exhausted (" + std::to_string(x.attempt) + "): " + why;
  return out;
}

item_id id_of(const event& x) {
  return std::visit(
    [](const auto& fields) -> item_id {
      if constexpr (requires { fields.id; })
        return fields.id;
      else
        return 0;
    },
    x);
}

/// Hash tables have no order of their own; decisions do.
std::vector<event> by_id(std::vector<event> events) {
  std::sort(events.begin(), events.end(),
            [](const auto& a, const auto& b) { return id_of(a) < id_of(b); });
  return events;
}

} // namespace

std::uint64_t ledger::room() const noexcept {
  const auto limit = state_->settings.pending_limit;
  if (limit == no_cap)
    return std::numeric_limits<std::uint64_t>::max();
  const auto taken = state_->pending();
  return taken < limit ? limit - taken : 0;
}

bool ledger::has_room_for(std::uint64_t more_bytes) const noexcept {
  const auto& s = *state_;
  return s.bytes_max == no_size_limit
         || (s.bytes <= s.bytes_max && more_bytes <= s.bytes_max - s.bytes);
}

std::vector<item_enqueued> ledger::accept(const std::vector<incoming>& items,
                                          micros now,
                                          std::vector<item_id>* refused,
                                          bool beyond_limit) const {
  const auto& s = *state_;
  const auto limit
    = beyond_limit ? std::numeric_limits<std::uint64_t>::max() : room();
  const auto collapse = s.settings.dedup == dedup_mode::while_pending;
  std::unordered_set<std::uint64_t> seen;
  std::uint64_t bytes = 0;
  std::vector<item_enqueued> out;
  out.reserve(std::min<std::uint64_t>(items.size(), limit));
  for (const auto& x : items) {
    const auto keyed = collapse && x.digest != 0;
    if (keyed && (s.digests.contains(x.digest) || seen.contains(x.digest)))
      continue;
    if (out.size() >= limit
        || (!beyond_limit && !has_room_for(bytes + x.size))) {
      if (refused != nullptr)
        refused->push_back(x.id);
      continue;
    }
    if (keyed)
      seen.insert(x.digest);
    bytes += x.size;
    auto& e = out.emplace_back();
    e.id = x.id;
    e.queue = s.queue;
    e.priority = x.priority;
    e.size = x.size;
    e.received_us = now;
    e.digest = x.digest;
    e.kind = x.kind;
    if (x.body != nullptr)
      e.body = *x.body;
  }
  return out;
}

std::optional<handed_item>
ledger::choose(const pick& what, const taker_limits& who, micros now) const {
  const auto& s = *state_;
  const auto* x = s.first(what);
  if (x == nullptr)
    return std::nullopt;
  std::optional<handed_item> out{std::in_place};
  auto& claim = out->claim;
  claim.id = x->id;
  claim.queue = s.queue;
  claim.token = s.token_last + 1;
  claim.attempt = x->attempt + 1;
  claim.claimed_us = now;
  claim.deadline_us = who.deadline_us;
  claim.stamp = what.stamp;
  claim.credit = what.credit;
  claim.by = what.by;
  claim.local = who.local;
  claim.processor = who.processor;
  auto& item = out->item;
  item.id = x->id;
  item.token = claim.token;
  item.member = what.member;
  item.attempt = claim.attempt;
  item.priority = x->priority;
  item.kind = x->kind;
  item.received_us = x->received_us;
  item.deadline_us = who.deadline_us;
  out->body = x->body;
  out->place = x->place;
  out->size = x->size;
  return out;
}

caf::expected<event> ledger::settle(const outcome& what, micros now) const {
  const auto& s = *state_;
  const auto* claim = s.live_claim(what.id, what.token);
  if (claim == nullptr)
    return stale(what.id);
  const auto& x = claim->item;
  const auto end = [&](ending how) -> event {
    auto out = finished(s.queue, x.id, how, now);
    out.reason = what.reason;
    out.batch_id = what.batch_id;
    out.document = what.document;
    return out;
  };
  const auto give_back = [&](std::uint32_t attempt, micros when) -> event {
    auto out = released(s.queue, x);
    out.attempt = attempt;
    out.available_us = when;
    out.reason = what.reason;
    return out;
  };
  // A hand-out that said nothing about the item does not count; but where
  // payloads collapse, attempt 0 says that it was never handed out.
  const auto lowest = s.settings.dedup == dedup_mode::between_polls ? 1u : 0u;
  const auto uncounted = std::max(x.attempt - std::min(x.attempt, 1u), lowest);
  const auto delay_ms = [&](std::uint32_t policy_ms) {
    return after_ms(now, what.delay_ms != 0 ? what.delay_ms : policy_ms);
  };
  switch (what.says) {
    case verdict::done:
    case verdict::skip:
      return end(ending::done);
    case verdict::failed:
    case verdict::rejected:
      return end(ending::failed);
    case verdict::retry: {
      if (may_retry(s.settings, x.attempt))
        return give_back(x.attempt,
                         delay_ms(retry_delay_ms(s.settings, x.attempt)));
      auto out = end(ending::failed);
      if (what.reason.empty())
        std::get<item_finished>(out).reason =
          "attempts exhausted (" + std::to_string(x.attempt) + ")";
      return out;
    }
    case verdict::not_yet:
      return give_back(uncounted, delay_ms(s.settings.retry_delay_ms));
    case verdict::release:
      return give_back(uncounted, never);
  }
  // A number that a remote processor made up.
  return caf::make_error(ec::invalid_argument, std::string{"unknown verdict"});
}

caf::expected<event> ledger::finish(const outcome& what, micros now) const {
  if (state_->find(what.id).item == nullptr)
    return caf::make_error(ec::not_found,
                           "no item " + std::to_string(what.id));
  auto out = finished(state_->queue, what.id, ending::done, now);
  out.reason = what.reason;
  out.batch_id = what.batch_id;
  out.document = what.document;
  return event{std::move(out)};
}

std::optional<item_claimed> ledger::claim(item_id id, const taker_limits& who,
                                          micros now) const {
  const auto& s = *state_;
  const auto where = state_->find(id);
  if (where.item == nullptr || where.claimed != nullptr
      || (where.set_aside != nullptr
          && where.set_aside->where != state::set_aside_as::unadmitted))
    return std::nullopt;
  item_claimed out;
  out.id = id;
  out.queue = s.queue;
  out.token = s.token_last + 1;
  out.attempt = where.item->attempt + 1;
  out.claimed_us = now;
  out.deadline_us = who.deadline_us;
  out.local = who.local;
  out.processor = who.processor;
  return out;
}

claim_token ledger::token_of(item_id id) const noexcept {
  const auto at = state_->claims.find(id);
  return at == state_->claims.end() ? 0 : at->second.token;
}

caf::expected<event> ledger::extend(item_id id, claim_token token,
                                    micros deadline_us) const {
  const auto* claim = state_->live_claim(id, token);
  if (claim == nullptr)
    return stale(id);
  claim_renewed out;
  out.id = id;
  out.queue = state_->queue;
  out.token = token;
  out.deadline_us = claim->deadline_us == never || deadline_us == never
                      ? never
                      : std::max(claim->deadline_us, deadline_us);
  if (seeded_bug("claim_cut_short"))
    out.deadline_us = deadline_us;
  return event{std::move(out)};
}

std::vector<event> ledger::expire(micros now, std::size_t count_max) const {
  const auto& s = *state_;
  std::vector<event> out;
  for (const auto& [deadline_us, id] : s.deadlines) {
    if (deadline_us > now || out.size() == count_max)
      break;
    out.push_back(lost_claim(s.queue, s.settings, s.claims.at(id).item, now,
                             "claim expired"));
  }
  return out;
}

std::vector<event>
ledger::release_claims(const std::string& processor, micros now,
                       const std::unordered_set<item_id>* keep) const {
  const auto& s = *state_;
  std::vector<event> out;
  for (const auto& [id, x] : s.claims)
    if ((processor.empty() || x.processor == processor)
        && (keep == nullptr || keep->count(id) == 0))
      out.push_back(
        lost_claim(s.queue, s.settings, x.item, now, "processor gone"));
  return by_id(std::move(out));
}

std::vector<event> ledger::release_claims(claim_token token_last, micros now,
                                          std::size_t count_max) const {
  const auto& s = *state_;
  std::vector<event> out;
  for (const auto& [id, x] : s.claims) {
    if (out.size() == count_max)
      break;
    if (x.token <= token_last)
      out.push_back(
        lost_claim(s.queue, s.settings, x.item, now, "processor gone"));
  }
  return by_id(std::move(out));
}

claim_token ledger::token_last() const noexcept {
  return state_->token_last;
}

std::vector<event> ledger::release_local_claims(micros now) const {
  const auto& s = *state_;
  std::vector<event> out;
  const auto lasts_as_its_holder = [](const auto& x) {
    return x.local != seeded_bug("local_claims_mixed_up")
           || x.deadline_us == never;
  };
  for (const auto& [id, x] : s.claims)
    if (lasts_as_its_holder(x))
      out.push_back(
        lost_claim(s.queue, s.settings, x.item, now, "engine restarted"));
  return by_id(std::move(out));
}

std::vector<event> ledger::purge(micros now, item_id id_last,
                                 std::size_t count_max) const {
  const auto& s = *state_;
  std::vector<event> out;
  for (const auto& x : s.items_up_to(id_last, count_max)) {
    auto end = finished(s.queue, x.id, ending::purged, now);
    end.reason = "purged";
    out.emplace_back(std::move(end));
  }
  return out;
}

std::vector<event> ledger::park(const std::vector<item_id>& ids,
                                bool parked) const {
  std::vector<event> out;
  std::unordered_set<item_id> seen;
  for (const auto id : ids) {
    const auto where = state_->find(id);
    if (where.item == nullptr || where.claimed != nullptr
        || !seen.insert(id).second)
      continue;
    const auto is_parked =
      where.set_aside != nullptr
      && where.set_aside->where == state::set_aside_as::parked;
    if (is_parked != parked)
      out.emplace_back(item_parked{id, state_->queue, parked});
  }
  return out;
}

std::vector<event> ledger::cancel(const std::vector<item_id>& ids,
                                  const std::string& reason, micros now) const {
  std::vector<event> out;
  std::unordered_set<item_id> seen;
  for (const auto id : ids) {
    const auto where = state_->find(id);
    if (where.item == nullptr || where.claimed != nullptr
        || !seen.insert(id).second)
      continue;
    auto end = finished(state_->queue, id, ending::failed, now);
    end.reason = reason;
    out.emplace_back(std::move(end));
  }
  return out;
}

} // namespace depositd::rules
