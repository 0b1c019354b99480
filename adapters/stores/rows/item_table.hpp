#pragma once

// The table of live items, whatever database it is in.

#include "adapters/stores/rows/changes.hpp"
#include "adapters/stores/rows/checked_rows.hpp"
#include "messages/ports/projection_store.hpp"

#include <algorithm>
#include <unordered_set>

namespace depositd::rows {

/// Live items in tables of `Database`, asked with the statements of `Sql`. Each
/// writer, which runs inside a transaction, keeps the table's sum.
template <class Database, class Sql>
class item_table {
public:
  using range_item = projection_store::range_item;

  explicit item_table(Database& in) : in_(in) {
    // nop
  }

  caf::error put(const std::vector<item_row>& items, table_sum& sum) {
    auto to = in_.writer(Sql::put, with_checksum<item_row>());
    for (const auto& x : items) {
      const auto checksum = checked_.checksum_of(x);
      if (auto error = to.add_row(x, checksum))
        return error;
      sum.put(checksum);
    }
    return to.finish();
  }

  /// Adds the places that bodies moved away from to `freed`.
  caf::error change(const std::vector<item_change>& changes, table_sum& sum,
                    std::vector<body_location>& freed) {
    const changes_by_id by_id{changes};
    const auto changing = fields_of<item_row>(is::changing);
    auto to = in_.writer(Sql::change, changing + fields{{"checksum"}, {"id"}});
    // Apart, so that whatever stays in its queue leaves the index alone.
    auto move =
      in_.writer(Sql::move, fields_of<item_row>(is::seldom) + fields{{"id"}});
    item_row x;
    std::size_t count = 0;
    auto failed = in_.each_of(Sql::of_id, by_id.ids(), [&](const auto& from) {
      const auto before = checked_.read(from, x);
      if (!before)
        return before.error();
      auto moved = false;
      by_id.each(x.id, [&](const item_change& change) {
        const auto place = x.place;
        apply_change(x, change);
        if (place.length > 0 && place != x.place)
          freed.push_back(place);
        moved = moved || change.has_queue || change.has_priority;
      });
      const auto after = checked_.checksum_of(x);
      sum.drop(*before);
      sum.put(after);
      ++count;
      auto error = to.add_changing(x, after, x.id);
      return error || !moved ? error : move.add_seldom(x, x.id);
    });
    if (!failed && count != by_id.ids().size())
      failed = missing("change");
    if (!failed)
      failed = to.finish();
    return failed ? failed : move.finish();
  }

  /// Adds the places of the bodies to `freed`.
  caf::error drop(std::vector<item_id> ids, table_sum& sum,
                  std::vector<body_location>& freed) {
    std::sort(ids.begin(), ids.end()); // neighbours share their pages
    freed.reserve(freed.size() + ids.size());
    std::size_t count = 0;
    auto failed =
      in_.each_removed(Sql::place, Sql::drop, ids, [&](const auto& from) {
        body_location place;
        from.take(place.group, place.offset, place.length);
        if (place.length > 0)
          freed.push_back(place);
        sum.drop(from.number(3));
        ++count;
        return caf::error{};
      });
    return !failed && count != ids.size() ? missing("leave") : failed;
  }

  /// Shows every row. `ec::store_damaged` after the last one if they are not
  /// what `sum` says.
  caf::error load(const table_sum& sum,
                  const std::function<void(const item_row&)>& show) {
    return load_rows(in_, Sql::all, checked_, sum, show);
  }

  /// The one of this number, if it is there.
  caf::expected<std::vector<item_row>> of_id(item_id id) {
    std::vector<item_row> out;
    auto failed = in_.each_of(Sql::of_id, std::vector{id}, taking(out));
    if (failed)
      return failed;
    return out;
  }

  /// By priority and id; of these users only, if any is named.
  caf::expected<std::vector<item_row>>
  of_queue(const std::string& queue, std::uint32_t count_max,
           const std::vector<std::string>& users) {
    if (users.empty())
      return find<item_row>(Sql::of_queue, queue, count_max);
    return find<item_row>(Sql::of_queue_and_users, queue, Database::list(users),
                          count_max);
  }

  caf::expected<std::vector<range_item>>
  received(const projection_store::range& where) {
    const auto lowest = where.parked ? item_state::parked : item_state::pending;
    const auto highest =
      where.parked ? item_state::parked : item_state::delayed;
    const std::unordered_set<std::string> users{where.users.begin(),
                                                where.users.end()};
    const auto page = std::min<std::size_t>(where.count_max, page_rows);
    std::vector<range_item> out;
    auto after = where.after;
    for (auto seen = page; seen == page && out.size() < where.count_max;) {
      seen = 0;
      auto failed = in_.each(
        Sql::received,
        [&](const auto& from) {
          range_item x;
          from.take(x.id, x.queue, x.user);
          after = x.id;
          ++seen;
          if (out.size() < where.count_max
              && (users.empty() || users.contains(x.user)))
            out.push_back(std::move(x));
          return caf::error{};
        },
        where.from_us, where.to_us, lowest, highest, item_state::claimed,
        where.queue, after, page);
      if (failed)
        return failed;
    }
    return out;
  }

  caf::expected<std::vector<range_item>> placed(std::uint64_t group_first,
                                                std::uint64_t group_last,
                                                std::uint32_t count_max) {
    return find<range_item>(Sql::placed, group_first, group_last, count_max);
  }

private:
  /// Rows that are looked at before the caller's users are picked of them.
  static constexpr std::size_t page_rows = 10'000;

  caf::error missing(const char* what) const {
    return in_.damaged(std::string{"an item that is to "} + what
                       + " is missing");
  }

  /// Takes a row behind the others.
  auto taking(std::vector<item_row>& out) {
    return [this, &out](const auto& from) {
      const auto checksum = checked_.read(from, out.emplace_back());
      return checksum ? caf::error{} : checksum.error();
    };
  }

  static auto taking(std::vector<range_item>& out) {
    return [&out](const auto& from) {
      auto& x = out.emplace_back();
      from.take(x.id, x.queue, x.user);
      return caf::error{};
    };
  }

  template <class Found, class... Values>
  caf::expected<std::vector<Found>> find(std::string_view sql,
                                         const Values&... values) {
    std::vector<Found> out;
    if (auto error = in_.each(sql, taking(out), values...))
      return error;
    return out;
  }

  Database& in_;
  checked_rows<item_row> checked_;
};

} // namespace depositd::rows
