#include "actors/rules/sources/fifo_set.hpp"

#include <algorithm>
#include <cassert>
#include <functional>

namespace depositd::rules {

namespace {

std::uint32_t hash_of_key(std::string_view key) noexcept {
  const auto hash = std::hash<std::string_view>{}(key);
  return static_cast<std::uint32_t>(hash ^ (hash >> 32));
}

} // namespace

// -- the table: open, linear, at most half full -------------------------------

/// Where the key is in the table, or the empty place where it would be.
std::size_t fifo_set::place_of(std::string_view key,
                               std::uint32_t hash) const noexcept {
  const auto mask = table_.size() - 1;
  auto i = hash & mask;
  while (table_[i] != none) {
    const auto& x = nodes_[table_[i]];
    if (x.hash == hash && std::string_view{x.bytes.get(), x.key} == key)
      break;
    i = (i + 1) & mask;
  }
  return i;
}

void fifo_set::grow() {
  if (table_.size() >= 2 * (used_ + 1))
    return;
  const auto before = std::move(table_);
  table_.assign(std::max<std::size_t>(16, 2 * before.size()), none);
  const auto mask = table_.size() - 1;
  for (const auto at : before) {
    if (at == none)
      continue;
    auto i = nodes_[at].hash & mask;
    while (table_[i] != none)
      i = (i + 1) & mask;
    table_[i] = at;
  }
}

void fifo_set::unindex(std::uint32_t at) {
  const auto mask = table_.size() - 1;
  auto hole = nodes_[at].hash & mask;
  while (table_[hole] != at)
    hole = (hole + 1) & mask;
  // Whoever sits behind the hole and may sit in it moves up, so that no search
  // ends too early.
  for (auto i = (hole + 1) & mask; table_[i] != none; i = (i + 1) & mask) {
    const auto wanted = nodes_[table_[i]].hash & mask;
    if (((i - wanted) & mask) >= ((i - hole) & mask)) {
      table_[hole] = table_[i];
      hole = i;
    }
  }
  table_[hole] = none;
}

// -- lines --------------------------------------------------------------------

void fifo_set::append(line& to, std::uint32_t at) {
  nodes_[at].prev = to.tail;
  nodes_[at].next = none;
  (to.tail == none ? to.head : nodes_[to.tail].next) = at;
  to.tail = at;
  ++to.size;
}

void fifo_set::unlink(line& from, std::uint32_t at) {
  const auto prev = nodes_[at].prev;
  const auto next = nodes_[at].next;
  (prev == none ? from.head : nodes_[prev].next) = next;
  (next == none ? from.tail : nodes_[next].prev) = prev;
  --from.size;
}

waiting_record fifo_set::view(std::uint32_t at) const noexcept {
  const auto& x = nodes_[at];
  const auto* bytes = x.bytes.get();
  return {{bytes, x.key},
          {bytes + x.key, x.user},
          {bytes + x.key + x.user, x.body},
          x.tag};
}

// -- the set ------------------------------------------------------------------

bool fifo_set::add(const waiting_record& x) {
  grow();
  const auto hash = hash_of_key(x.key);
  const auto place = place_of(x.key, hash);
  if (table_[place] != none)
    return false;
  auto at = free_;
  if (at == none) {
    at = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
  } else {
    free_ = nodes_[at].next;
  }
  auto& fresh = nodes_[at];
  fresh.bytes.reset(new char[x.key.size() + x.user.size() + x.body.size()]);
  auto* to = fresh.bytes.get();
  for (const auto part : {x.key, x.user, x.body})
    to = std::copy(part.begin(), part.end(), to);
  fresh.key = static_cast<std::uint32_t>(x.key.size());
  fresh.user = static_cast<std::uint32_t>(x.user.size());
  fresh.body = static_cast<std::uint32_t>(x.body.size());
  fresh.tag = x.tag;
  fresh.hash = hash;
  fresh.aside = false;
  table_[place] = at;
  append(line_, at);
  ++used_;
  return true;
}

bool fifo_set::contains(std::string_view key) const noexcept {
  return find(key).has_value();
}

std::optional<waiting_record>
fifo_set::find(std::string_view key) const noexcept {
  if (table_.empty())
    return std::nullopt;
  const auto at = table_[place_of(key, hash_of_key(key))];
  if (at == none)
    return std::nullopt;
  return view(at);
}

void fifo_set::drop(std::uint32_t at) {
  auto& x = nodes_[at];
  if (x.aside) {
    const auto of = aside_.find(std::string{view(at).user});
    assert(of != aside_.end());
    unlink(of->second, at);
    if (of->second.size == 0)
      aside_.erase(of);
  } else {
    unlink(line_, at);
  }
  unindex(at);
  x.bytes.reset();
  x.next = free_;
  free_ = at;
  --used_;
}

bool fifo_set::remove(std::string_view key) {
  if (table_.empty())
    return false;
  const auto at = table_[place_of(key, hash_of_key(key))];
  if (at == none)
    return false;
  drop(at);
  return true;
}

std::optional<waiting_record> fifo_set::front() const noexcept {
  if (line_.head == none)
    return std::nullopt;
  return view(line_.head);
}

std::optional<taken_record> fifo_set::pop() {
  const auto x = front();
  if (!x)
    return std::nullopt;
  taken_record out{std::string{x->key}, std::string{x->user},
                   std::string{x->body}, x->tag};
  drop(line_.head);
  return out;
}

// -- set aside ----------------------------------------------------------------

void fifo_set::set_aside() {
  const auto at = line_.head;
  if (at == none)
    return;
  unlink(line_, at);
  nodes_[at].aside = true;
  append(aside_[std::string{view(at).user}], at);
}

std::size_t fifo_set::aside(std::string_view user) const noexcept {
  if (aside_.empty())
    return 0;
  const auto at = aside_.find(std::string{user});
  return at == aside_.end() ? 0 : at->second.size;
}

std::size_t fifo_set::bring_back(std::string_view user, std::size_t count) {
  const auto of = aside_.find(std::string{user});
  if (of == aside_.end() || count == 0)
    return 0;
  line back;
  for (; back.size < count && of->second.size > 0;) {
    const auto at = of->second.head;
    unlink(of->second, at);
    nodes_[at].aside = false;
    append(back, at);
  }
  if (of->second.size == 0)
    aside_.erase(of);
  nodes_[back.tail].next = line_.head;
  (line_.head == none ? line_.tail : nodes_[line_.head].prev) = back.tail;
  line_.head = back.head;
  line_.size += back.size;
  return back.size;
}

void fifo_set::clear() {
  *this = fifo_set{};
}

} // namespace depositd::rules
