#include "adapters/stores/sqlite/sqlite_projection_store.hpp"

#include "adapters/stores/files/row_checksum.hpp"
#include "adapters/stores/sqlite/database.hpp"
#include "adapters/stores/sqlite/item_rows.hpp"
#include "adapters/stores/sqlite/keyed_rows.hpp"
#include "adapters/stores/sqlite/statements.hpp"
#include "adapters/stores/sqlite/submission_rows.hpp"
#include "messages/values/test_points.hpp"

#include <algorithm>
#include <unordered_set>

namespace depositd {

namespace {

namespace statements = sqlite::statements;

constexpr std::int32_t application = 0x64707072; // "dppr"
constexpr std::int32_t schema_version = 2;

/// Checkpoints are cheap for long logs, for pages repeat; but a log is read
/// again at start.
constexpr std::uint64_t wal_bytes_max = 32 * 1024 * 1024;

/// What is true of the tables as a whole; the row of `meta`.
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

class sqlite_projection_store final : public projection_store {
public:
  explicit sqlite_projection_store(std::unique_ptr<sqlite::database> file)
    : file_(std::move(file)), items_(*file_), rings_(*file_), controls_(*file_),
      submissions_(*file_) {
    // nop
  }

  caf::error load_watermarks();

  sequence reached() override {
    return marks_.reached;
  }

  item_id id_max() override {
    return marks_.id_max;
  }

  caf::expected<slice_applied> apply(const slice& x) override;

  caf::error
  load_items(const std::function<void(const item_row&)>& show) override {
    return items_.load(marks_.items, show);
  }

  caf::error
  load_rings(const std::function<void(const ring_row&)>& show) override {
    return rings_.load(marks_.rings, show);
  }

  caf::error
  load_controls(const std::function<void(const control_row&)>& show) override {
    return controls_.load(marks_.controls, show);
  }

  caf::expected<std::vector<submission_row>>
  submissions(const submission_query& query) override {
    return submissions_.find(query);
  }

  caf::expected<std::vector<item_row>> items(const std::string& queue,
                                             std::uint32_t count_max) override {
    return items_.of_queue(queue, count_max);
  }

  caf::expected<item_row> item(item_id id) override {
    return items_.one(id);
  }

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

  caf::expected<bool> blob_in_use(const std::string& sha256) override {
    return submissions_.names_blob(sha256);
  }

  caf::error backup(const std::filesystem::path& folder) override {
    return file_->copy_to(folder / "projection.db");
  }

private:
  caf::error write(const slice& x, marks& now, slice_applied& out);
  caf::error put_marks(const marks& x);

  std::unique_ptr<sqlite::database> file_;
  sqlite::item_rows items_;
  sqlite::ring_rows rings_;
  sqlite::control_rows controls_;
  sqlite::submission_rows submissions_;
  marks marks_;
};

caf::error sqlite_projection_store::load_watermarks() {
  auto select = file_->prepare(statements::meta);
  if (!select)
    return std::move(select.error());
  const auto row = select->next();
  if (!row)
    return row.error();
  if (!*row)
    return file_->damaged("table meta is empty");
  select->read(0, marks_.reached);
  select->read(1, marks_.id_max);
  select->read(2, marks_.items.rows);
  select->read(3, marks_.items.sum);
  select->read(4, marks_.rings.rows);
  select->read(5, marks_.rings.sum);
  select->read(6, marks_.controls.rows);
  select->read(7, marks_.controls.sum);
  if (select->number(8) != checksum_of(marks_))
    return file_->damaged("table meta does not match its checksum");
  return {};
}

caf::error sqlite_projection_store::put_marks(const marks& x) {
  auto insert = file_->prepare(statements::put_meta);
  if (!insert)
    return std::move(insert.error());
  return insert
    ->bind(x.reached, x.id_max, x.items.rows, x.items.sum, x.rings.rows,
           x.rings.sum, x.controls.rows, x.controls.sum, checksum_of(x))
    .run();
}

caf::error sqlite_projection_store::write(const slice& x, marks& now,
                                          slice_applied& out) {
  now.reached = x.last;
  now.id_max = std::max(now.id_max, x.id_max);
  if (auto error = items_.put(x.items_put, now.items))
    return error;
  if (auto error = items_.change(x.items_changed, now.items, out.freed))
    return error;
  if (auto error = items_.drop(x.items_gone, now.items, out.freed))
    return error;
  if (auto error = rings_.put(x.rings, now.rings))
    return error;
  if (auto error = controls_.put(x.controls, now.controls))
    return error;
  if (auto error = submissions_.put(x.submissions_put))
    return error;
  if (auto error = submissions_.change(x.submissions_changed))
    return error;
  return put_marks(now);
}

caf::expected<slice_applied> sqlite_projection_store::apply(const slice& x) {
  if (x.from != marks_.reached || x.last < x.from)
    return caf::make_error(ec::invalid_argument,
                           "a slice from " + std::to_string(x.from) + " to "
                             + std::to_string(x.last)
                             + " does not follow what is reached, "
                             + std::to_string(marks_.reached));
  // Before the slice, so that a failure leaves nothing half said.
  if (auto error = file_->checkpoint_if_due(wal_bytes_max))
    return error;
  crash_point("slice_checkpointed");
  slice_applied out;
  auto now = marks_;
  if (auto error = file_->transact([&] { return write(x, now, out); }))
    return error;
  marks_ = now;
  return out;
}

caf::expected<std::vector<projection_store::range_item>>
sqlite_projection_store::items_received(const range& where) {
  auto find = file_->prepare(statements::items_received);
  if (!find)
    return std::move(find.error());
  const auto lowest = where.parked ? item_state::parked : item_state::pending;
  const auto highest = where.parked ? item_state::parked : item_state::delayed;
  find->bind(where.from_us, where.to_us, lowest, highest, item_state::claimed,
             where.queue, where.after);
  const std::unordered_set<std::string> users{where.users.begin(),
                                              where.users.end()};
  std::vector<range_item> out;
  range_item x;
  while (out.size() < where.count_max) {
    const auto row = find->next();
    if (!row)
      return row.error();
    if (!*row)
      break;
    find->read(0, x.id);
    find->read(1, x.queue);
    find->read(2, x.user);
    if (users.empty() || users.contains(x.user))
      out.push_back(x);
  }
  return out;
}

caf::expected<std::vector<projection_store::range_item>>
sqlite_projection_store::items_placed(std::uint64_t group_first,
                                      std::uint64_t group_last,
                                      std::uint32_t count_max) {
  auto find = file_->prepare(statements::items_placed);
  if (!find)
    return std::move(find.error());
  find->bind(group_first, group_last, count_max);
  std::vector<range_item> out;
  for (;;) {
    const auto row = find->next();
    if (!row)
      return row.error();
    if (!*row)
      return out;
    auto& x = out.emplace_back();
    find->read(0, x.id);
    find->read(1, x.queue);
    find->read(2, x.user);
  }
}

caf::error sqlite_projection_store::load_received(
  const std::string& source, micros since_us,
  const std::function<void(const received_row&)>& show) {
  auto find = file_->prepare(statements::received_submissions);
  if (!find)
    return std::move(find.error());
  find->bind(source, since_us);
  for (;;) {
    const auto row = find->next();
    if (!row)
      return row.error();
    if (!*row)
      return {};
    received_row x;
    find->read(0, x.id);
    find->read(1, x.user);
    find->read(2, x.file_name);
    find->read(3, x.size);
    find->read(4, x.received_us);
    show(x);
  }
}

caf::expected<std::uint64_t>
sqlite_projection_store::forget_submissions(micros finished_before_us,
                                            std::uint32_t count_max) {
  if (auto error = file_->checkpoint_if_due(wal_bytes_max))
    return error;
  std::uint64_t out = 0;
  auto error = file_->transact([&]() -> caf::error {
    auto count = submissions_.forget(finished_before_us, count_max);
    if (!count)
      return std::move(count.error());
    out = *count;
    return {};
  });
  if (error)
    return error;
  return out;
}

} // namespace

caf::expected<std::unique_ptr<projection_store>>
open_sqlite_projection(const std::filesystem::path& path,
                       const sqlite_projection_options& options) {
  // The first row of `meta` comes with the schema: a table without it is
  // damaged, never new.
  const auto schema = std::string{statements::projection_schema}
                      + statements::first_meta(checksum_of(marks{}));
  auto file = sqlite::database::open(
    path, {.name = "projection",
           .application = application,
           .version = schema_version,
           .schema = schema,
           .upgrades = statements::projection_upgrades,
           .page_bytes = 4096,
           .cache_kib = 48 * 1024,
           .pages_max = options.pages_max,
           .checked_bytes_max = options.checked_bytes_max});
  if (!file)
    return std::move(file.error());
  auto out = std::make_unique<sqlite_projection_store>(std::move(*file));
  if (auto error = out->load_watermarks())
    return error;
  return std::unique_ptr<projection_store>{std::move(out)};
}

} // namespace depositd
