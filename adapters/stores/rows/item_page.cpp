#include "adapters/stores/rows/item_page.hpp"

#include "messages/values/varint.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace depositd::rows {

namespace {

// A page is its format, the number of items, a column for each number of ids
// and places, the names of users, the lanes (queue and priority), and the other
// columns. Numbers are LEB128, names have their length in front.
constexpr char format = 1;

// A column is its first value and then what is between one and the next, modulo
// 2^64: the same all along, one number for each, or values as they are.
enum class column_kind : std::uint8_t { steady, differences, values };

void add_text(std::string& to, std::string_view x) {
  add_number(to, x.size());
  to += x;
}

void add_column(std::string& to, const std::vector<std::uint64_t>& values) {
  const auto kind_at = to.size();
  to += static_cast<char>(column_kind::steady);
  add_number(to, values.front());
  const auto step = values.size() > 1 ? values[1] - values[0] : 0;
  auto is_steady = true;
  for (std::size_t i = 1; i < values.size() && is_steady; ++i)
    is_steady = values[i] - values[i - 1] == step;
  if (is_steady)
    return add_number(to, folded(step));
  const auto begin = to.size();
  to[kind_at] = static_cast<char>(column_kind::differences);
  for (std::size_t i = 1; i < values.size(); ++i)
    add_number(to, folded(values[i] - values[i - 1]));
  const auto bytes = (values.size() - 1) * sizeof values[0];
  if (to.size() - begin <= bytes)
    return;
  to[kind_at] = static_cast<char>(column_kind::values);
  to.resize(begin + bytes);
  std::memcpy(to.data() + begin, values.data() + 1, bytes);
}

/// Never reads beyond the end: from there on all is 0, and it is not `whole`.
class page_reader {
public:
  explicit page_reader(std::string_view bytes) : bytes_(bytes) {
    // nop
  }

  std::uint64_t number() {
    return take_number(bytes_, at_, is_whole_);
  }

  std::string_view bytes(std::uint64_t count) {
    if (count > bytes_.size() - at_) {
      is_whole_ = false;
      return {};
    }
    const auto out = bytes_.substr(at_, count);
    at_ += count;
    return out;
  }

  std::string_view text() {
    return bytes(number());
  }

  /// How many of something that takes a byte at least.
  std::size_t count() {
    const auto out = number();
    if (out <= bytes_.size())
      return out;
    is_whole_ = false;
    return 0;
  }

  /// Gives `set` the value of each row.
  template <class Set>
  void column(std::vector<item_row>& rows, const Set& set) {
    const auto kind = static_cast<column_kind>(number());
    auto value = number();
    set(rows.front(), value);
    const auto rest = rows.size() - 1;
    if (kind == column_kind::steady) {
      const auto step = unfolded(number());
      for (std::size_t i = 1; i <= rest; ++i)
        set(rows[i], value += step);
    } else if (kind == column_kind::differences) {
      for (std::size_t i = 1; i <= rest; ++i)
        set(rows[i], value += unfolded(number()));
    } else {
      const auto raw = bytes(rest * sizeof value);
      for (std::size_t i = 1; i <= rest && is_whole_; ++i) {
        std::memcpy(&value, raw.data() + (i - 1) * sizeof value, sizeof value);
        set(rows[i], value);
      }
    }
  }

  bool whole() const {
    return is_whole_ && at_ == bytes_.size();
  }

  bool whole_so_far() const {
    return is_whole_;
  }

private:
  std::string_view bytes_;
  std::size_t at_ = 0;
  bool is_whole_ = true;
};

/// Names of users, each once, and which of them an item has.
class user_list {
public:
  std::uint64_t number_of(std::string_view user) {
    const auto [at, is_new] = known_.try_emplace(user, all_.size());
    if (is_new)
      all_.push_back(user);
    return at->second;
  }

  const std::vector<std::string_view>& all() const {
    return all_;
  }

private:
  std::vector<std::string_view> all_;
  std::unordered_map<std::string_view, std::uint64_t> known_;
};

template <class F>
void with_number(auto item_row::* at, const F& f) {
  f([at](const item_row& x) { return static_cast<std::uint64_t>(x.*at); },
    [at](item_row& x, std::uint64_t value) {
      x.*at = static_cast<std::remove_reference_t<decltype(x.*at)>>(value);
    });
}

template <class F>
void with_place(auto body_location::* at, const F& f) {
  f([at](const item_row& x) { return std::uint64_t{x.place.*at}; },
    [at](item_row& x, std::uint64_t value) {
      x.place.*at =
        static_cast<std::remove_reference_t<decltype(x.place.*at)>>(value);
    });
}

/// Calls `f` with what reads and what sets each number that tells which item it
/// is and where.
template <class F>
void each_of_place(const F& f) {
  with_number(&item_row::id, f);
  with_place(&body_location::group, f);
  with_place(&body_location::offset, f);
  with_place(&body_location::length, f);
}

/// The same of all others.
template <class F>
void each_other(const F& f) {
  with_number(&item_row::size, f);
  with_number(&item_row::received_us, f);
  with_number(&item_row::digest, f);
  with_number(&item_row::kind, f);
}

caf::error no_page(const item_page& x) {
  return caf::make_error(ec::store_damaged, described(x) + " cannot be read");
}

bool read_places(const item_page& x, page_reader& from,
                 std::vector<item_row>& out) {
  if (from.number() != static_cast<std::uint64_t>(format))
    return false;
  if (x.count == 0 || x.count > page_items_max || from.number() != x.count)
    return false;
  out.resize(x.count);
  each_of_place([&](const auto&, const auto& set) { from.column(out, set); });
  return from.whole_so_far();
}

} // namespace

std::size_t number_of(const page_lanes& lanes, const item_row& x) {
  const auto at =
    std::find_if(lanes.begin(), lanes.end(), [&](const auto& lane) {
      return lane.second == x.priority && lane.first == x.queue;
    });
  return static_cast<std::size_t>(at - lanes.begin());
}

bool is_untouched(const item_row& x) {
  return x.state == item_state::pending && x.attempt == 0
         && x.available_us == never && x.token == 0 && x.deadline_us == never
         && !x.local && x.processor.empty();
}

item_page paged(const std::vector<const item_row*>& items, page_lanes& lanes) {
  lanes.clear();
  user_list users;
  std::vector<std::uint64_t> user_of;
  std::vector<std::uint64_t> lane_of;
  for (const auto* x : items) {
    user_of.push_back(users.number_of(x->user));
    lane_of.push_back(number_of(lanes, *x));
    if (lane_of.back() == lanes.size())
      lanes.emplace_back(x->queue, x->priority);
  }
  item_page out;
  out.id = items.front()->id;
  out.last = items.back()->id;
  out.count = static_cast<std::uint32_t>(items.size());
  auto& to = out.items;
  std::vector<std::uint64_t> values(items.size());
  const auto add_numbers = [&](const auto& get, const auto&) {
    std::transform(items.begin(), items.end(), values.begin(),
                   [&](const item_row* x) { return get(*x); });
    add_column(to, values);
  };
  to += format;
  add_number(to, items.size());
  each_of_place(add_numbers);
  add_number(to, users.all().size());
  for (const auto user : users.all())
    add_text(to, user);
  add_number(to, lanes.size());
  for (const auto& [queue, priority] : lanes) {
    add_text(to, queue);
    add_number(to, priority);
  }
  add_column(to, user_of);
  add_column(to, lane_of);
  each_other(add_numbers);
  return out;
}

caf::error unpack_places(const item_page& x, std::vector<item_row>& out) {
  page_reader from{x.items};
  return read_places(x, from, out) ? caf::error{} : no_page(x);
}

caf::error unpack(const item_page& x, std::vector<item_row>& out) {
  page_reader from{x.items};
  if (!read_places(x, from, out))
    return no_page(x);
  std::vector<std::string_view> users(from.count());
  for (auto& user : users)
    user = from.text();
  std::vector<std::pair<std::string_view, std::uint8_t>> lanes(from.count());
  for (auto& [queue, priority] : lanes) {
    queue = from.text();
    priority = static_cast<std::uint8_t>(from.number());
  }
  auto is_known = from.whole_so_far();
  from.column(out, [&](item_row& row, std::uint64_t at) {
    is_known = is_known && at < users.size();
    if (is_known)
      row.user.assign(users[at]);
  });
  from.column(out, [&](item_row& row, std::uint64_t at) {
    is_known = is_known && at < lanes.size();
    if (is_known) {
      row.queue.assign(lanes[at].first);
      row.priority = lanes[at].second;
    }
  });
  each_other([&](const auto&, const auto& set) { from.column(out, set); });
  return is_known && from.whole() ? caf::error{} : no_page(x);
}

} // namespace depositd::rows
