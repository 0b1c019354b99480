#include "tests/adapters/doors/emodb/acceptance_model.hpp"

#include <algorithm>

namespace depositd::testing {

namespace {

/// Clocks of two processes, milliseconds cut off.
constexpr std::chrono::milliseconds inexact{10};

/// How late the end of a claim may be seen on a busy machine.
constexpr std::chrono::milliseconds late{3000};

} // namespace

void queue_model::complain(const std::string& what) {
  complaints.push_back(what);
}

void queue_model::send(const std::string& payload, bool known) {
  auto& x = waiting_[payload];
  const bool collapses = dedup_ && x.open;
  if (!collapses)
    ++x.most;
  if (!known)
    return;
  if (!dedup_)
    ++x.least;
  else
    x.least = std::max(x.least, 1);
  x.open = dedup_;
}

void queue_model::hand_out_known(copy& x, const message& got,
                                 std::chrono::seconds ttl, call_time when) {
  if (x.payload != got.payload)
    complain("payload of " + got.id + " was " + x.payload + " and is "
             + got.payload);
  if (x.held_until > when.answered)
    complain(got.id + " was handed out while it was claimed");
  x.gone = false;
  x.held_until = when.sent + ttl - inexact;
  x.free_after = when.answered + ttl + late;
}

void queue_model::hand_out_new(const message& got, std::chrono::seconds ttl,
                               call_time when) {
  auto& x = waiting_[got.payload];
  if (x.most == 0)
    complain(got.id + " with " + got.payload
             + (dedup_ ? " is a duplicate or was never sent"
                       : " was never sent, or comes under a second id"));
  x.most = std::max(x.most - 1, 0);
  x.least = std::max(x.least - 1, 0);
  x.open = false;
  copies_[got.id] = {got.payload, when.sent + ttl - inexact,
                     when.answered + ttl + late, false};
}

std::size_t queue_model::surely_free(moment when) const {
  std::size_t out = 0;
  for (const auto& [id, x] : copies_)
    out += !x.gone && x.free_after < when;
  if (unseen_claims_until_ < when)
    for (const auto& [payload, x] : waiting_)
      out += static_cast<std::size_t>(x.least);
  return out;
}

void queue_model::poll(const std::vector<message>& found, std::size_t limit,
                       std::chrono::seconds ttl, call_time when) {
  const auto free = surely_free(when.sent);
  if (found.size() > limit)
    complain("more than the limit");
  if (found.size() < std::min(limit, free))
    complain("a poll for " + std::to_string(limit) + " got "
             + std::to_string(found.size()) + " of " + std::to_string(free));
  std::set<std::string> ids;
  for (const auto& got : found) {
    if (!ids.insert(got.id).second)
      complain(got.id + " is in one answer twice");
    if (dead_.count(got.id) > 0)
      complain(got.id + " was handed out after its ack");
    const auto at = copies_.find(got.id);
    if (at != copies_.end())
      hand_out_known(at->second, got, ttl, when);
    else
      hand_out_new(got, ttl, when);
  }
}

void queue_model::poll_unanswered(std::chrono::seconds ttl, call_time when) {
  unseen_claims_until_ =
    std::max(unseen_claims_until_, when.answered + ttl + late);
  for (auto& [id, x] : copies_)
    x.free_after = std::max(x.free_after, when.answered + ttl + late);
  for (auto& [payload, x] : waiting_)
    x.open = false;
}

void queue_model::ack(const std::vector<message>& messages, bool known) {
  for (const auto& x : messages) {
    const auto at = copies_.find(x.id);
    if (at == copies_.end())
      continue;
    if (known) {
      copies_.erase(at);
      dead_.insert(x.id);
    } else {
      at->second.gone = true;
    }
  }
}

void queue_model::renew(const std::vector<message>& messages,
                        std::chrono::seconds ttl, call_time when, bool known) {
  for (const auto& one : messages) {
    const auto at = copies_.find(one.id);
    if (at == copies_.end())
      continue;
    auto& x = at->second;
    if (ttl.count() == 0) {
      x.held_until = {};
      if (known)
        x.free_after = when.answered;
      continue;
    }
    x.free_after = std::max(x.free_after, when.answered + ttl + late);
    if (known)
      x.held_until = std::max(x.held_until, when.sent + ttl - inexact);
  }
}

void queue_model::unclaim_all(call_time when, bool known) {
  for (auto& [id, x] : copies_) {
    x.held_until = {};
    if (known)
      x.free_after = when.answered;
  }
  if (known)
    unseen_claims_until_ = when.answered;
}

void queue_model::purge(bool known) {
  for (auto& [payload, x] : waiting_) {
    x.least = 0;
    x.open = false;
    if (known)
      x.most = 0;
  }
  for (auto& [id, x] : copies_) {
    x.gone = true;
    if (known)
      dead_.insert(id);
  }
  if (known)
    copies_.clear();
}

void queue_model::peek(const std::vector<message>& found) {
  for (const auto& x : found) {
    if (dead_.count(x.id) > 0)
      complain(x.id + " was peeked after its ack");
    if (copies_.count(x.id) == 0 && waiting_[x.payload].most == 0)
      complain(x.id + " with " + x.payload + " was peeked and never sent");
  }
}

void queue_model::size(std::int64_t seen) {
  std::int64_t least = 0;
  auto most = static_cast<std::int64_t>(copies_.size());
  for (const auto& [id, x] : copies_)
    least += !x.gone;
  for (const auto& [payload, x] : waiting_) {
    least += x.least;
    most += x.most;
  }
  // Equal messages count before a poll, and nobody knows how many there are.
  if (seen < least || (!dedup_ && seen > most))
    complain("the size is " + std::to_string(seen) + " and not from "
             + std::to_string(least) + " to " + std::to_string(most));
}

void queue_model::claims(std::int64_t seen, call_time when) {
  std::int64_t least = 0;
  std::int64_t most = 0;
  for (const auto& [id, x] : copies_) {
    least += !x.gone && x.held_until > when.answered;
    most += x.free_after >= when.sent;
  }
  if (unseen_claims_until_ >= when.sent)
    for (const auto& [payload, x] : waiting_)
      most += x.most;
  if (seen < least || seen > most)
    complain("there are " + std::to_string(seen) + " claims and not from "
             + std::to_string(least) + " to " + std::to_string(most));
}

void queue_model::end() {
  for (const auto& [id, x] : copies_)
    if (!x.gone)
      complain(id + " with " + x.payload + " is lost");
  for (const auto& [payload, x] : waiting_)
    if (x.least > 0)
      complain(payload + " is lost");
}

std::vector<message> queue_model::handed_out() const {
  std::vector<message> out;
  for (const auto& [id, x] : copies_)
    out.push_back({id, x.payload});
  return out;
}

} // namespace depositd::testing
