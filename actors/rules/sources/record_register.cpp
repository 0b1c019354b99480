#include "actors/rules/sources/record_register.hpp"

#include <algorithm>
#include <iterator>

namespace depositd::rules {

namespace {

/// Keys and digests of one event.
constexpr std::size_t piece_entries = 1'000;

template <class T>
std::vector<std::vector<T>> pieces_of(std::vector<T> all) {
  std::vector<std::vector<T>> out;
  for (std::size_t at = 0; at < all.size(); at += piece_entries) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(at);
    const auto last =
      all.begin()
      + static_cast<std::ptrdiff_t>(std::min(at + piece_entries, all.size()));
    out.emplace_back(std::make_move_iterator(first),
                     std::make_move_iterator(last));
  }
  return out;
}

std::uint64_t how_of(bool failed) {
  return static_cast<std::uint64_t>(failed ? record_state::failed
                                           : record_state::finished);
}

} // namespace

// -- sources ------------------------------------------------------------------

const record_register::of_source*
record_register::source_of(std::string_view name, micros made_us) const {
  const auto at = sources_.find(name);
  return at == sources_.end() || at->second.made_us != made_us ? nullptr
                                                               : &at->second;
}

record_register::of_source* record_register::source_of(std::string_view name,
                                                       micros made_us) {
  return const_cast<of_source*>(std::as_const(*this).source_of(name, made_us));
}

void record_register::forget_all(const std::string& name, micros made_us) {
  auto& last = ended_[name];
  last = std::max(last, made_us);
}

record_register::of_source* record_register::reach(const std::string& name,
                                                   micros made_us) {
  auto& out = sources_[name];
  if (out.made_us != never && out.made_us < made_us) {
    forget_all(name, out.made_us);
    out = {};
  }
  if (out.made_us == never)
    out.made_us = made_us;
  return out.made_us == made_us ? &out : nullptr;
}

bool record_register::begin(const std::string& source, micros made_us,
                            std::uint64_t known_max) {
  auto* to = reach(source, made_us);
  if (to == nullptr)
    return false;
  to->known_max = known_max;
  cut(*to);
  return true;
}

void record_register::end_source(const std::string& source) {
  const auto at = sources_.find(source);
  if (at == sources_.end())
    return;
  forget_all(source, at->second.made_us);
  sources_.erase(at);
}

std::vector<std::pair<std::string, micros>> record_register::sources() const {
  std::vector<std::pair<std::string, micros>> out;
  for (const auto& [name, x] : sources_)
    out.emplace_back(name, x.made_us);
  return out;
}

record_register::counts record_register::count(const std::string& source,
                                               micros made_us) const {
  const auto* x = source_of(source, made_us);
  if (x == nullptr)
    return {};
  // A claim may be heard of before its item is counted, never the other way.
  const auto claimed =
    std::min(static_cast<std::uint64_t>(std::max<std::int64_t>(x->claimed, 0)),
             x->items);
  return {x->items - claimed, claimed, x->finished, x->failed, x->over.size()};
}

// -- records ------------------------------------------------------------------

record_register::finding record_register::find(const std::string& source,
                                               micros made_us,
                                               std::string_view key) const {
  const auto* of = source_of(source, made_us);
  if (of == nullptr)
    return {};
  if (const auto x = of->live.find(key))
    return {record_state::queued, x->user, x->tag};
  if (const auto x = of->over.find(key))
    return {static_cast<record_state>(x->tag), x->user, 0};
  return {};
}

/// What is too much is unknown at once, and journalled as that some time.
void record_register::cut(of_source& x) {
  while (x.over.size() > x.known_max)
    if (auto oldest = x.over.pop())
      x.keys.push_back(std::move(oldest->key));
}

void record_register::take(const record_taken& x, const std::string& user) {
  auto* to = reach(x.source, x.made_us);
  if (to == nullptr)
    return;
  to->over.remove(x.key);
  to->live.remove(x.key);
  to->live.add({x.key, user, {}, x.id});
  // It must not be forgotten as what it was before.
  if (!to->keys.empty())
    std::erase(to->keys, x.key);
  ++to->items;
  move(x.queue, user, 1);
}

void record_register::end(const record_ended& x, const std::string& user) {
  move(x.queue, user, -1); // also of a source that is no more
  auto* of = source_of(x.source, x.made_us);
  if (of == nullptr)
    return;
  of->items -= of->items > 0 ? 1 : 0;
  ++(x.failed ? of->failed : of->finished);
  const auto known = of->live.find(x.key);
  if (!known || known->tag != x.id)
    return;
  of->live.remove(x.key);
  of->over.add({x.key, user, {}, how_of(x.failed)});
  cut(*of);
}

bool record_register::refuse(const std::string& source, micros made_us,
                             std::uint64_t digest) {
  auto* to = reach(source, made_us);
  if (to == nullptr || !to->refused_known.insert(digest).second)
    return false;
  // One that comes again while its end is still to be journalled stays.
  std::erase(to->digests, digest);
  to->refused.push_back(digest);
  if (to->refused.size() > refused_max) {
    to->refused_known.erase(to->refused.front());
    to->digests.push_back(to->refused.front());
    to->refused.pop_front();
  }
  return true;
}

std::vector<records_forgotten>
record_register::take_forgotten(std::size_t keys_min) {
  std::vector<records_forgotten> out;
  for (const auto& [name, made_us] : std::exchange(ended_, {})) {
    auto& all = out.emplace_back();
    all.source = name;
    all.made_us = made_us;
    all.all = true;
  }
  for (auto& entry : sources_) {
    auto& x = entry.second;
    if (x.keys.size() + x.digests.size() < std::max<std::size_t>(keys_min, 1))
      continue;
    const auto add = [&]() -> records_forgotten& {
      auto& to = out.emplace_back();
      to.source = entry.first;
      to.made_us = x.made_us;
      return to;
    };
    for (auto& piece : pieces_of(std::exchange(x.keys, {})))
      add().keys = std::move(piece);
    for (auto& piece : pieces_of(std::exchange(x.digests, {})))
      add().refused = std::move(piece);
  }
  return out;
}

// -- items --------------------------------------------------------------------

void record_register::change_claims(const std::string& source, micros made_us,
                                    std::int32_t by) {
  if (auto* of = source_of(source, made_us))
    of->claimed += by;
}

void record_register::move(const std::string& queue, const std::string& user,
                           std::int64_t by) {
  if (by > 0) {
    users_[queue][user] += static_cast<std::uint64_t>(by);
    return;
  }
  const auto in = users_.find(queue);
  if (in == users_.end())
    return;
  const auto at = in->second.find(user);
  if (at == in->second.end())
    return;
  const auto gone = static_cast<std::uint64_t>(-by);
  if (at->second > gone) {
    at->second -= gone;
    return;
  }
  in->second.erase(at);
  if (in->second.empty())
    users_.erase(in);
}

std::uint64_t record_register::of_user(const std::string& queue,
                                       const std::string& user) const {
  const auto in = users_.find(queue);
  if (in == users_.end())
    return 0;
  const auto at = in->second.find(user);
  return at == in->second.end() ? 0 : at->second;
}

// -- after a crash ------------------------------------------------------------

void record_register::restore(const record_row& x) {
  auto* to = reach(x.source, x.made_us);
  if (to == nullptr) {
    forget_all(x.source, x.made_us); // left over of an earlier one
    return;
  }
  if (x.refused != 0) {
    if (to->refused_known.insert(x.refused).second)
      to->refused.push_back(x.refused);
  } else if (x.state == record_state::finished
             || x.state == record_state::failed) {
    to->over.add({x.key, x.user, {}, static_cast<std::uint64_t>(x.state)});
  } else {
    to->live.add({x.key, x.user, {}, x.id});
  }
}

void record_register::restore(const record_totals& x) {
  auto* to = reach(x.source, x.made_us);
  if (to == nullptr) {
    forget_all(x.source, x.made_us);
    return;
  }
  to->finished = x.finished;
  to->failed = x.failed;
}

void record_register::forget(const records_forgotten& x) {
  const auto at = sources_.find(x.source);
  if (at == sources_.end() || at->second.made_us > x.made_us)
    return;
  if (x.all) {
    sources_.erase(at);
    return;
  }
  auto& of = at->second;
  if (of.made_us != x.made_us)
    return;
  for (const auto& key : x.keys)
    of.over.remove(key);
  for (const auto digest : x.refused)
    if (of.refused_known.erase(digest) > 0)
      std::erase(of.refused, digest);
}

void record_register::begin_items() {
  users_.clear();
  for (auto& [name, x] : sources_) {
    x.items = 0;
    x.claimed = 0;
  }
}

void record_register::count_item(const record_taken& x, const std::string& user,
                                 bool claimed) {
  auto* of = source_of(x.source, x.made_us);
  if (of == nullptr)
    return;
  ++of->items;
  of->claimed += claimed ? 1 : 0;
  move(x.queue, user, 1);
}

} // namespace depositd::rules
