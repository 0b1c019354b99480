#pragma once

// A sorted map whose copies share what they have in common, so that a copy with
// one change of thousands of entries costs next to nothing.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

namespace depositd {

/// As far as it goes, what `std::map` is. Entries are kept in pieces that
/// copies share until one of them changes an entry. Copies may live in
/// different threads. Whatever changes the map ends its iterators.
template <class Key, class Value>
class shared_map {
public:
  using key_type = Key;
  using mapped_type = Value;
  using value_type = std::pair<Key, Value>;
  using size_type = std::size_t;

  class const_iterator {
  public:
    using iterator_category = std::bidirectional_iterator_tag;
    using value_type = shared_map::value_type;
    using difference_type = std::ptrdiff_t;
    using pointer = const value_type*;
    using reference = const value_type&;

    const_iterator() = default;

    reference operator*() const {
      return (*in_->pieces_[piece_])[at_];
    }

    pointer operator->() const {
      return &**this;
    }

    const_iterator& operator++() {
      if (++at_ == in_->pieces_[piece_]->size()) {
        ++piece_;
        at_ = 0;
      }
      return *this;
    }

    const_iterator operator++(int) {
      auto out = *this;
      ++*this;
      return out;
    }

    const_iterator& operator--() {
      if (at_ == 0)
        at_ = in_->pieces_[--piece_]->size();
      --at_;
      return *this;
    }

    const_iterator operator--(int) {
      auto out = *this;
      --*this;
      return out;
    }

    friend bool operator==(const const_iterator&,
                           const const_iterator&) = default;

  private:
    friend shared_map;

    const_iterator(const shared_map* in, std::size_t piece, std::size_t at)
      : in_(in), piece_(piece), at_(at) {
      // nop
    }

    const shared_map* in_ = nullptr;
    std::size_t piece_ = 0; ///< their number at the end
    std::size_t at_ = 0;
  };

  using iterator = const_iterator;

  shared_map() = default;

  shared_map(std::initializer_list<value_type> entries) {
    for (const auto& [key, value] : entries)
      try_emplace(key, value);
  }

  // -- looking

  bool empty() const noexcept {
    return size_ == 0;
  }

  std::size_t size() const noexcept {
    return size_;
  }

  const_iterator begin() const {
    return {this, 0, 0};
  }

  const_iterator end() const {
    return {this, pieces_.size(), 0};
  }

  const_iterator lower_bound(const Key& key) const {
    return bound(key,
                 [](const value_type& x, const Key& y) { return x.first < y; });
  }

  const_iterator upper_bound(const Key& key) const {
    return bound(
      key, [](const value_type& x, const Key& y) { return !(y < x.first); });
  }

  const_iterator find(const Key& key) const {
    const auto at = lower_bound(key);
    return at != end() && !(key < at->first) ? at : end();
  }

  bool contains(const Key& key) const {
    return find(key) != end();
  }

  std::size_t count(const Key& key) const {
    return contains(key) ? 1 : 0;
  }

  const Value& at(const Key& key) const {
    const auto found = find(key);
    if (found == end())
      throw std::out_of_range{"shared_map::at"};
    return found->second;
  }

  /// Whether both share everything, so that no look at the entries is needed.
  bool is_same(const shared_map& other) const noexcept {
    return pieces_ == other.pieces_;
  }

  friend bool operator==(const shared_map& x, const shared_map& y) {
    return x.is_same(y)
           || (x.size_ == y.size_ && std::equal(x.begin(), x.end(), y.begin()));
  }

  // -- changing

  /// The value, which is new unless the key is known; for changing it.
  Value& operator[](const Key& key) {
    return own(try_emplace(key).first).second;
  }

  template <class... Args>
  std::pair<const_iterator, bool> try_emplace(const Key& key, Args&&... args) {
    const auto where = lower_bound(key);
    if (where != end() && !(key < where->first))
      return {where, false};
    value_type entry{std::piecewise_construct, std::forward_as_tuple(key),
                     std::forward_as_tuple(std::forward<Args>(args)...)};
    return {insert(where, std::move(entry)), true};
  }

  std::pair<const_iterator, bool> emplace(const Key& key, Value value) {
    return try_emplace(key, std::move(value));
  }

  void insert_or_assign(const Key& key, Value value) {
    (*this)[key] = std::move(value);
  }

  std::size_t erase(const Key& key) {
    const auto where = find(key);
    if (where == end())
      return 0;
    auto& from = writable(where.piece_);
    from.erase(from.begin() + static_cast<std::ptrdiff_t>(where.at_));
    --size_;
    if (from.empty())
      pieces_.erase(pieces_.begin()
                    + static_cast<std::ptrdiff_t>(where.piece_));
    return 1;
  }

  void clear() {
    pieces_.clear();
    size_ = 0;
  }

private:
  using piece = std::vector<value_type>;

  static constexpr std::size_t piece_entries_max = 64;

  template <class Before>
  const_iterator bound(const Key& key, Before before) const {
    const auto first =
      std::partition_point(pieces_.begin(), pieces_.end(), [&](const auto& x) {
        return before(x->back(), key);
      });
    const auto number = static_cast<std::size_t>(first - pieces_.begin());
    if (first == pieces_.end())
      return end();
    const auto at =
      std::partition_point((*first)->begin(), (*first)->end(),
                           [&](const auto& x) { return before(x, key); });
    return {this, number, static_cast<std::size_t>(at - (*first)->begin())};
  }

  /// The piece for changing it: a copy, unless nobody else has it.
  piece& writable(std::size_t number) {
    auto& out = pieces_[number];
    if (out.use_count() > 1)
      out = std::make_shared<piece>(*out);
    else // whoever has just let go of it has read it before
      std::atomic_thread_fence(std::memory_order_acquire);
    return *out;
  }

  value_type& own(const const_iterator& where) {
    return writable(where.piece_)[where.at_];
  }

  /// A new entry in front of `where`.
  const_iterator insert(const_iterator where, value_type entry) {
    if (pieces_.empty()) {
      pieces_.push_back(std::make_shared<piece>());
      where = begin();
    } else if (where.piece_ == pieces_.size()) { // behind all of them
      where.piece_ = pieces_.size() - 1;
      where.at_ = pieces_.back()->size();
    }
    auto& to = writable(where.piece_);
    to.insert(to.begin() + static_cast<std::ptrdiff_t>(where.at_),
              std::move(entry));
    ++size_;
    if (to.size() > piece_entries_max)
      where = split(where);
    return where;
  }

  const_iterator split(const_iterator where) {
    auto& first = *pieces_[where.piece_];
    const auto half = first.size() / 2;
    const auto middle = first.begin() + static_cast<std::ptrdiff_t>(half);
    auto second = std::make_shared<piece>(std::make_move_iterator(middle),
                                          std::make_move_iterator(first.end()));
    first.erase(middle, first.end());
    pieces_.insert(pieces_.begin()
                     + static_cast<std::ptrdiff_t>(where.piece_ + 1),
                   std::move(second));
    if (where.at_ >= half)
      where = {this, where.piece_ + 1, where.at_ - half};
    return where;
  }

  std::vector<std::shared_ptr<piece>> pieces_; ///< in order, none empty
  std::size_t size_ = 0;
};

/// On the wire: their number, then each key with its value, as of a map.
template <class Inspector, class Key, class Value>
typename Inspector::result_type inspect(Inspector& f,
                                        shared_map<Key, Value>& x) {
  std::vector<std::pair<Key, Value>> entries;
  if constexpr (Inspector::reads_state) {
    entries.assign(x.begin(), x.end());
    return f(entries);
  } else {
    // Nothing in here fails half-way: what cannot be read ends the message.
    auto result = f(entries);
    x.clear();
    for (auto& [key, value] : entries)
      x[key] = std::move(value);
    return result;
  }
}

} // namespace depositd
