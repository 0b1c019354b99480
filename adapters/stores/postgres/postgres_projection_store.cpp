#include "adapters/stores/postgres/postgres_projection_store.hpp"

#include "adapters/stores/postgres/channel.hpp"
#include "adapters/stores/postgres/migrations.hpp"
#include "adapters/stores/postgres/projection_rows.hpp"
#include "adapters/stores/postgres/projection_statements.hpp"
#include "adapters/stores/postgres/statements.hpp"

#include <algorithm>

namespace depositd {

namespace {

using namespace postgres;

/// What is true of the tables as a whole; the row of `projection_watermarks`.
struct marks {
  sequence reached = 0;
  item_id id_max = 0;
  table_sum items;
  table_sum rings;
  table_sum controls;
};

std::uint64_t checksum_of(const marks& x) {
  return row_checksum{}
    .of("meta")
    .all(x.reached, x.id_max, x.items.rows, x.items.sum, x.rings.rows,
         x.rings.sum, x.controls.rows, x.controls.sum)
    .value();
}

class postgres_projection_store final : public projection_store {
public:
  explicit postgres_projection_store(const postgres_projection_options& options)
    : options_(options),
      shard_(options.server.shard),
      to_({.url = options.server.url, .name = "projection"},
          options.server.patience_ms),
      items_(shard_),
      keyed_(shard_),
      submissions_(shard_) {
    // nop
  }

  caf::error open();

  sequence reached() override {
    return marks_.reached;
  }

  item_id id_max() override {
    return marks_.id_max;
  }

  caf::expected<slice_applied> apply(const slice& x) override;

  caf::error
  load_items(const std::function<void(const item_row&)>& show) override {
    return to_.once([&](connection& from) {
      return items_.load(from, marks_.items, show);
    });
  }

  caf::error
  load_rings(const std::function<void(const ring_row&)>& show) override {
    return to_.once([&](connection& from) {
      return keyed_.load(from, marks_.rings, show);
    });
  }

  caf::error
  load_controls(const std::function<void(const control_row&)>& show) override {
    return to_.once([&](connection& from) {
      return keyed_.load(from, marks_.controls, show);
    });
  }

  caf::expected<std::vector<submission_row>>
  submissions(const submission_query& query) override {
    return get<std::vector<submission_row>>([&](connection& from) {
      return submissions_.find(from, query);
    });
  }

  caf::expected<std::vector<item_row>> items(const std::string& queue,
                                             std::uint32_t count_max) override;

  caf::expected<item_row> item(item_id id) override;

  caf::expected<std::vector<range_item>>
  items_received(const range& where) override;

  caf::expected<std::vector<range_item>>
  items_placed(std::uint64_t group_first, std::uint64_t group_last,
               std::uint32_t count_max) override;

  caf::error
  load_received(const std::string& source, micros since_us,
                const std::function<void(const received_row&)>& show) override;

  caf::expected<std::uint64_t>
  forget_submissions(micros finished_before_us,
                     std::uint32_t count_max) override;

  caf::expected<bool> blob_in_use(const std::string& sha256) override;

  caf::error backup(const std::filesystem::path&) override {
    return caf::make_error(ec::store_failed,
                           "the store is in PostgreSQL: back it up with its "
                           "own tools, pg_dump or pg_basebackup");
  }

private:
  caf::expected<std::vector<range_item>> ranges(std::string_view sql,
                                                const parameters& x);

  /// What may be asked twice.
  template <class T, class F>
  caf::expected<T> get(F body) {
    T out;
    auto failed = to_.repeatable([&](connection& from) -> caf::error {
      auto found = body(from);
      if (!found)
        return std::move(found.error());
      out = std::move(*found);
      return {};
    });
    if (failed)
      return failed;
    return out;
  }

  caf::error load_watermarks(connection& from);
  caf::error hold_epoch(connection& to);
  caf::error write(connection& to, const slice& x, marks& now,
                   slice_applied& out);
  caf::error move_watermarks(connection& to, const marks& now);

  /// After the connection was lost: whether the slice is in the tables.
  caf::expected<bool> arrived(const marks& now);

  postgres_projection_options options_;
  std::uint32_t shard_;
  channel to_;
  item_table items_;
  keyed_tables keyed_;
  submission_table submissions_;
  marks marks_;
};

caf::error postgres_projection_store::open() {
  return to_.once([&](connection& to) -> caf::error {
    if (auto error = migrate(to))
      return error;
    const auto first
      = to.run(statements::first_marks,
               parameters{}.add(shard_).add(checksum_of(marks{})));
    if (!first)
      return first.error();
    return load_watermarks(to);
  });
}

caf::error postgres_projection_store::load_watermarks(connection& from) {
  const auto found = from.run(statements::marks, parameters{}.add(shard_));
  if (!found)
    return found.error();
  if (found->rows() == 0)
    return damaged_table("projection_marks has no row for shard "
                         + std::to_string(shard_));
  found->read(0, 0, marks_.reached);
  found->read(0, 1, marks_.id_max);
  found->read(0, 2, marks_.items.rows);
  found->read(0, 3, marks_.items.sum);
  found->read(0, 4, marks_.rings.rows);
  found->read(0, 5, marks_.rings.sum);
  found->read(0, 6, marks_.controls.rows);
  found->read(0, 7, marks_.controls.sum);
  if (found->number(0, 8) != checksum_of(marks_))
    return damaged_table("projection_marks does not match its checksum");
  return {};
}

caf::error postgres_projection_store::hold_epoch(connection& to) {
  if (options_.epoch == 0)
    return {};
  const auto owner = to.run(statements::hold_epoch,
                            parameters{}.add(shard_).add(options_.epoch));
  if (!owner)
    return owner.error();
  return owner->rows() == 1
           ? caf::error{}
           : caf::make_error(ec::fenced,
                             "another engine has shard "
                               + std::to_string(shard_));
}

caf::error postgres_projection_store::move_watermarks(connection& to,
                                                      const marks& now) {
  parameters x;
  x.add(shard_).add(marks_.reached).add(now.reached).add(now.id_max);
  x.add(now.items.rows).add(now.items.sum).add(now.rings.rows);
  x.add(now.rings.sum).add(now.controls.rows).add(now.controls.sum);
  x.add(checksum_of(now));
  const auto done = to.run(statements::move_watermarks, x);
  if (!done)
    return done.error();
  return done->changed() == 1
           ? caf::error{}
           : damaged_table("somebody else has moved the projection of shard "
                           + std::to_string(shard_));
}

caf::error postgres_projection_store::write(connection& to, const slice& x,
                                            marks& now, slice_applied& out) {
  now.reached = x.last;
  now.id_max = std::max(now.id_max, x.id_max);
  if (auto error = hold_epoch(to))
    return error;
  if (auto error = items_.put(to, x.items_put, now.items))
    return error;
  if (auto error = items_.change(to, x.items_changed, now.items, out.freed))
    return error;
  if (auto error = items_.drop(to, x.items_gone, now.items, out.freed))
    return error;
  if (auto error = keyed_.put(to, x.rings, now.rings))
    return error;
  if (auto error = keyed_.put(to, x.controls, now.controls))
    return error;
  if (auto error = submissions_.put(to, x.submissions_put))
    return error;
  if (auto error = submissions_.change(to, x.submissions_changed))
    return error;
  return move_watermarks(to, now);
}

caf::expected<bool> postgres_projection_store::arrived(const marks& now) {
  return get<bool>([&](connection& from) -> caf::expected<bool> {
    const auto found
      = from.run(statements::marks_settled, parameters{}.add(shard_));
    if (!found)
      return found.error();
    return found->rows() == 1 && found->number(0, 0) == now.reached
           && found->number(0, 1) == checksum_of(now);
  });
}

caf::expected<slice_applied> postgres_projection_store::apply(const slice& x) {
  if (x.from != marks_.reached || x.last < x.from)
    return caf::make_error(ec::invalid_argument,
                           "a slice from " + std::to_string(x.from) + " to "
                             + std::to_string(x.last)
                             + " does not follow what is reached, "
                             + std::to_string(marks_.reached));
  constexpr auto attempts = 2;
  caf::error failed;
  for (auto attempt = 0; attempt < attempts; ++attempt) {
    slice_applied out;
    auto now = marks_;
    bool lost = false;
    bool written = false; // but for the commit
    failed = to_.once([&](connection& to) {
      auto error = to.transact([&] {
        auto unwritten = write(to, x, now, out);
        written = !unwritten;
        return unwritten;
      });
      lost = to.lost();
      return error;
    });
    if (failed && !lost)
      return failed;
    if (failed && !written)
      continue;
    if (failed) {
      const auto there = arrived(now);
      if (!there)
        return there.error();
      if (!*there)
        continue;
    }
    marks_ = now;
    return out;
  }
  return failed;
}

caf::expected<std::vector<item_row>>
postgres_projection_store::items(const std::string& queue,
                                 std::uint32_t count_max) {
  return get<std::vector<item_row>>([&](connection& from) {
    return items_.find(
      from, " AND queue = $2 ORDER BY priority, id LIMIT $3",
      parameters{}.add(shard_).text(queue).add(count_max));
  });
}

caf::expected<item_row> postgres_projection_store::item(item_id id) {
  auto found = get<std::vector<item_row>>([&](connection& from) {
    return items_.find(from, " AND id = $2", parameters{}.add(shard_).add(id));
  });
  if (!found)
    return std::move(found.error());
  if (found->empty())
    return caf::make_error(ec::not_found, "no item " + std::to_string(id));
  return std::move(found->front());
}

caf::expected<std::vector<projection_store::range_item>>
postgres_projection_store::ranges(std::string_view sql, const parameters& x) {
  return get<std::vector<range_item>>(
    [&](connection& from) -> caf::expected<std::vector<range_item>> {
      const auto rows = from.run(sql, x);
      if (!rows)
        return rows.error();
      std::vector<range_item> out(static_cast<std::size_t>(rows->rows()));
      for (int at = 0; at < rows->rows(); ++at) {
        auto& item = out[static_cast<std::size_t>(at)];
        rows->read(at, 0, item.id);
        rows->read(at, 1, item.queue);
        rows->read(at, 2, item.user);
      }
      return out;
    });
}

caf::expected<std::vector<projection_store::range_item>>
postgres_projection_store::items_received(const range& where) {
  const auto lowest = where.parked ? item_state::parked : item_state::pending;
  const auto highest = where.parked ? item_state::parked : item_state::delayed;
  column users{text_type};
  for (const auto& user : where.users)
    users.add(user);
  parameters x;
  x.add(shard_).add(where.from_us).add(where.to_us).add(lowest).add(highest);
  x.add(item_state::claimed).text(where.queue).add(users);
  x.add(where.after).add(where.count_max);
  return ranges(statements::items_received, x);
}

caf::expected<std::vector<projection_store::range_item>>
postgres_projection_store::items_placed(std::uint64_t group_first,
                                        std::uint64_t group_last,
                                        std::uint32_t count_max) {
  parameters x;
  x.add(shard_).add(group_first).add(group_last).add(count_max);
  return ranges(statements::items_placed, x);
}

caf::error postgres_projection_store::load_received(
  const std::string& source, micros since_us,
  const std::function<void(const received_row&)>& show) {
  received_row last;
  for (;;) {
    const auto more = get<bool>([&](connection& from) {
      return submissions_.show_received(from, source, since_us, last, show);
    });
    if (!more || !*more)
      return more ? caf::error{} : more.error();
  }
}

caf::expected<std::uint64_t>
postgres_projection_store::forget_submissions(micros finished_before_us,
                                              std::uint32_t count_max) {
  return get<std::uint64_t>(
    [&](connection& to) -> caf::expected<std::uint64_t> {
      const auto done = to.run(
        statements::forget_submissions,
        parameters{}.add(shard_).add(finished_before_us).add(count_max));
      if (!done)
        return done.error();
      return done->changed();
    });
}

caf::expected<bool>
postgres_projection_store::blob_in_use(const std::string& sha256) {
  return get<bool>([&](connection& from) -> caf::expected<bool> {
    const auto found
      = from.run(statements::blob_in_use, parameters{}.text(sha256));
    if (!found)
      return found.error();
    return found->rows() > 0;
  });
}

} // namespace

caf::expected<std::unique_ptr<projection_store>>
open_postgres_projection(const postgres_projection_options& options) {
  auto out = std::make_unique<postgres_projection_store>(options);
  if (auto error = out->open())
    return error;
  return std::unique_ptr<projection_store>{std::move(out)};
}

} // namespace depositd
