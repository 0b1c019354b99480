#pragma once

// The table of records of sources, whatever database it is in. Their bodies
// have a checksum of their own, so that recovery need not read them.

#include "adapters/stores/rows/checked_rows.hpp"
#include "messages/ports/projection_store.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace depositd::rows {

/// What is kept with a row, behind its columns.
constexpr fields record_fields() {
  return fields_of<record_row>()
         + fields{{"body_sum"}, {"checksum"}, {"body", kind::bytes}};
}

/// What is read of a row where nobody wants its body.
constexpr fields bare_record_fields() {
  return fields_of<record_row>() + fields{{"body_sum"}, {"checksum"}};
}

/// Where the body is in `record_fields`.
inline constexpr int record_body_column =
  static_cast<int>(record_fields().size()) - 1;

/// What is set of a record that ends.
constexpr fields record_end_fields() {
  return fields_of<record_row>(is::changing)
         + fields{{"body_sum"}, {"checksum"}, {"body", kind::bytes}};
}

/// By which the row of a record, which is not a bad one, is found then.
constexpr fields record_key_fields() {
  return {{"source", kind::text}, {"made_us"}, {"key", kind::text}};
}

/// Statements know it by this number.
static_assert(static_cast<int>(record_state::failed) == 5);

/// Records in tables of `Database`, asked with the statements of `Sql`. Each
/// writer, which runs inside a transaction, keeps the table's sum.
template <class Database, class Sql>
class record_table {
public:
  explicit record_table(Database& in) : in_(in) {
    // nop
  }

  /// Changes of records that are not there, or whose key another item has, do
  /// nothing.
  caf::error change(const std::vector<record_change>& changes, table_sum& sum) {
    const by_key ends{changes};
    auto to =
      in_.writer(Sql::change, record_end_fields() + record_key_fields());
    record_row x;
    auto failed = in_.each_of(Sql::of_key, ends.rows(), [&](const auto& from) {
      std::uint64_t body_sum = 0;
      const auto before = checked_.read(from, x, body_sum);
      if (!before)
        return before.error();
      const auto* end = ends.find(x);
      if (end == nullptr)
        return caf::error{};
      x.state = end->state;
      x.place = end->place;
      x.ended_us = end->ended_us;
      x.reason = end->reason;
      x.body = end->body;
      body_sum = body_sum_of(x);
      const auto after = checked_.checksum_of(x, body_sum);
      sum.drop(*before);
      sum.put(after);
      return to.add_changing(x, body_sum, after, x.body, x.source, x.made_us,
                             x.key);
    });
    return failed ? failed : to.finish();
  }

  caf::error drop(const std::vector<records_removed>& gone, table_sum& sum) {
    const auto forget = [&](const auto& old) {
      sum.drop(old.number(0));
      return caf::error{};
    };
    for (const auto& x : gone) {
      auto failed = x.all
                      ? in_.each(Sql::drop_source, forget, x.source, x.made_us)
                      : drop_some(x, forget);
      if (failed)
        return failed;
    }
    return {};
  }

  /// Puts or replaces rows; each key stands there once.
  caf::error put(const std::vector<record_row>& rows, table_sum& sum) {
    if (rows.empty())
      return {};
    const auto all = sorted(rows);
    auto failed = in_.each_of(Sql::checksum, all, [&](const auto& old) {
      sum.drop(old.number(0));
      return caf::error{};
    });
    if (failed)
      return failed;
    auto to = in_.writer(Sql::put, record_fields());
    for (const auto* x : all) {
      const auto body_sum = body_sum_of(*x);
      const auto checksum = checked_.checksum_of(*x, body_sum);
      if (auto error = to.add_row(*x, body_sum, checksum, x->body))
        return error;
      sum.put(checksum);
    }
    return to.finish();
  }

  /// Shows every row without its body, by `place`. `ec::store_damaged` after
  /// the last one if they are not what `sum` says.
  caf::error load(const table_sum& sum,
                  const std::function<void(const record_row&)>& show) {
    table_sum found;
    record_row x;
    auto failed = in_.load(Sql::all, [&](const auto& from) {
      std::uint64_t body_sum = 0;
      const auto checksum = checked_.read(from, x, body_sum);
      if (!checksum)
        return checksum.error();
      found.put(*checksum);
      show(x);
      return caf::error{};
    });
    if (failed || found == sum)
      return failed;
    return in_.damaged(
      "table " + std::string{Database::template table<record_row>} + " has "
      + std::to_string(found.rows) + " rows that are not the "
      + std::to_string(sum.rows) + " last written");
  }

  /// With their bodies. Beyond the bytes that the query allows only the first.
  caf::expected<std::vector<record_row>>
  find_failed(const failed_query& query) {
    std::vector<record_row> out;
    std::uint64_t bytes = 0;
    auto full = false;
    auto failed = in_.each(
      Sql::failed,
      [&](const auto& from) {
        if (full)
          return caf::error{};
        record_row x;
        std::uint64_t body_sum = 0;
        if (const auto read = checked_.read(from, x, body_sum); !read)
          return read.error();
        from.read(record_body_column, x.body);
        if (body_sum_of(x) != body_sum)
          return from.damaged("the body of " + described(x)
                              + " does not match its checksum");
        bytes += x.key.size() + x.user.size() + x.reason.size() + x.body.size();
        full = query.bytes_max > 0 && bytes > query.bytes_max;
        if (!full || out.empty())
          out.push_back(std::move(x));
        return caf::error{};
      },
      query.source, query.made_us, query.after, query.count_max);
    if (failed)
      return failed;
    return out;
  }

private:
  static std::vector<const record_row*>
  sorted(const std::vector<record_row>& rows) {
    std::vector<const record_row*> out;
    out.reserve(rows.size());
    for (const auto& x : rows)
      out.push_back(&x);
    // Neighbours share their pages.
    std::sort(out.begin(), out.end(), [](const auto* x, const auto* y) {
      return key_of(*x) < key_of(*y);
    });
    return out;
  }

  /// Ends of records, found by the row of their key. Refers to them.
  class by_key {
  public:
    explicit by_key(const std::vector<record_change>& changes) {
      for (const auto& x : changes)
        ends_.push_back(&x);
      std::stable_sort(ends_.begin(), ends_.end(), less);
      for (const auto* x : ends_)
        if (keys_.empty() || key(keys_.back()) != key(*x)) {
          auto& row = keys_.emplace_back();
          row.source = x->source;
          row.made_us = x->made_us;
          row.key = x->key;
        }
      for (const auto& x : keys_)
        rows_.push_back(&x);
    }
    by_key(const by_key&) = delete;
    by_key& operator=(const by_key&) = delete;

    /// Each key once, as the rows are in a file.
    const std::vector<const record_row*>& rows() const noexcept {
      return rows_;
    }

    /// The end of the item that has the key; null if that goes on.
    const record_change* find(const record_row& x) const {
      auto at = std::lower_bound(
        ends_.begin(), ends_.end(), x,
        [](const auto* end, const auto& row) { return key(*end) < key(row); });
      for (; at != ends_.end() && key(**at) == key(x); ++at)
        if ((*at)->id == x.id)
          return *at;
      return nullptr;
    }

  private:
    template <class X>
    static auto key(const X& x) {
      return std::tie(x.source, x.made_us, x.key);
    }
    static bool less(const record_change* x, const record_change* y) {
      return key(*x) < key(*y);
    }

    std::vector<const record_change*> ends_;
    std::vector<record_row> keys_;
    std::vector<const record_row*> rows_;
  };

  template <class Forget>
  caf::error drop_some(const records_removed& x, const Forget& forget) {
    std::vector<record_row> keys;
    keys.reserve(x.keys.size());
    for (const auto& key : x.keys) {
      auto& row = keys.emplace_back();
      row.source = x.source;
      row.made_us = x.made_us;
      row.key = key;
    }
    auto failed =
      in_.each_removed(Sql::checksum, Sql::drop_one, sorted(keys), forget);
    if (failed || x.refused.empty())
      return failed;
    return in_.each(Sql::drop_refused, forget, x.source, x.made_us,
                    Database::list(x.refused));
  }

  std::uint64_t body_sum_of(const record_row& x) {
    return x.body.empty()
             ? 0
             : body_.of("bodies").all(x.source, x.key, x.body).value();
  }

  Database& in_;
  checked_rows<record_row> checked_;
  row_checksum body_;
};

} // namespace depositd::rows
