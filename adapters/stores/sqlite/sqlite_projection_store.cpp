#include "adapters/stores/sqlite/sqlite_projection_store.hpp"

#include "adapters/stores/rows/lost_numbers.hpp"
#include "adapters/stores/rows/table_projection.hpp"
#include "adapters/stores/sqlite/paged_items.hpp"
#include "adapters/stores/sqlite/record_statements.hpp"
#include "adapters/stores/sqlite/statements.hpp"
#include "adapters/stores/sqlite/submission_documents.hpp"
#include "adapters/stores/sqlite/work_statements.hpp"
#include "messages/values/test_points.hpp"

#include <utility>

namespace depositd {

namespace {

namespace statements = sqlite::statements;

constexpr std::int32_t application = 0x64707072; // "dppr"
constexpr std::int32_t schema_version = 8;

/// Checkpoints are cheap for long logs, for pages repeat; but a log is read
/// again at start.
constexpr std::uint64_t wal_bytes_max = 32 * 1024 * 1024;

/// The file, and the tables in it.
class projection_file {
public:
  using tables =
    rows::projection_tables<sqlite::database, sqlite::paged_items,
                            statements::keyed, sqlite::submission_documents,
                            statements::work, statements::records>;

  projection_file(std::shared_ptr<sqlite::database> file,
                  const page_sizes& pages)
    : file_(std::move(file)), tables_(*file_) {
    tables_.items.set_sizes(pages);
  }

  auto read(const auto& body) {
    return body(tables_);
  }

  auto load(const auto& body) {
    return body(tables_);
  }

  caf::expected<std::uint64_t> write(const auto& body) {
    if (auto error = file_->checkpoint_if_due(wal_bytes_max))
      return error;
    return file_->transacted([&] { return body(tables_); });
  }

  caf::error load_watermarks(rows::watermarks& out);

  /// Each commit is heard of.
  static caf::error settle(rows::watermarks&) {
    return {};
  }

  caf::expected<slice_applied> apply(const slice& x, rows::watermarks& reached);
  caf::error commit(rows::watermarks& reached);
  void roll_back(rows::watermarks& reached);

  caf::error flush() {
    return file_->flush();
  }

  caf::error backup(const std::filesystem::path& folder) {
    const auto copy = folder / "projection.db";
    if (auto error = file_->copy_to(copy))
      return error;
    auto error = pass_over_later(copy);
    std::error_code ignored;
    if (error)
      std::filesystem::remove(copy, ignored);
    return error;
  }

private:
  /// Workers outside may have what was handed out after the copy was made: what
  /// they say of it must be of nothing that a store on the copy gives.
  static caf::error pass_over_later(const std::filesystem::path& copy);
  caf::error move_marks(const rows::watermarks& now);

  std::shared_ptr<sqlite::database> file_;
  tables tables_;
  rows::checked_rows<rows::watermarks> marks_;
  bool is_open_ = false;       ///< slices are applied and not committed
  rows::watermarks committed_; ///< while it is
};

caf::error
projection_file::pass_over_later(const std::filesystem::path& copy) {
  // It was read just now, and is on a disk that may be slow.
  auto file = open_projection_file(copy, {.checked_bytes_max = 0});
  if (!file)
    return std::move(file.error());
  projection_file in{std::move(*file), {}};
  rows::watermarks marks;
  if (auto error = in.load_watermarks(marks))
    return error;
  if (!seeded_bug("numbers_given_again"))
    marks.id_max += rows::lost_numbers_max;
  if (auto error = in.file_->transact([&] { return in.move_marks(marks); }))
    return error;
  return in.flush();
}

caf::error projection_file::move_marks(const rows::watermarks& now) {
  return file_->writer(statements::move_meta)
    .add_row(now, marks_.checksum_of(now), 1);
}

caf::error projection_file::load_watermarks(rows::watermarks& out) {
  auto is_there = false;
  auto failed = file_->each(statements::meta, [&](const auto& from) {
    is_there = true;
    const auto checksum = marks_.read(from, out);
    return checksum ? caf::error{} : checksum.error();
  });
  if (failed || is_there)
    return failed;
  return file_->damaged("table meta is empty");
}

caf::expected<slice_applied> projection_file::apply(const slice& x,
                                                    rows::watermarks& reached) {
  if (!is_open_) {
    // Before the slice, so that a failure leaves nothing half said.
    if (auto error = file_->checkpoint_if_due(wal_bytes_max))
      return error;
    crash_point("slice_checkpointed");
    committed_ = reached;
    if (auto error = file_->begin())
      return error;
    is_open_ = true;
  }
  slice_applied out;
  auto now = reached;
  auto failed = rows::write_slice(tables_, x, now, out);
  if (!failed)
    failed = move_marks(now);
  if (failed) {
    roll_back(reached);
    return failed;
  }
  reached = now;
  return out;
}

/// Many slices are one transaction while somebody asks for one after the other:
/// most of what a small one costs is its commit.
caf::error projection_file::commit(rows::watermarks& reached) {
  if (!is_open_)
    return {};
  auto failed = file_->commit();
  if (failed)
    roll_back(reached);
  is_open_ = false;
  return failed;
}

void projection_file::roll_back(rows::watermarks& reached) {
  if (!std::exchange(is_open_, false))
    return;
  file_->roll_back();
  reached = committed_;
}

} // namespace

caf::expected<std::shared_ptr<sqlite::database>>
open_projection_file(const std::filesystem::path& path,
                     const sqlite_projection_options& options) {
  // The first row of `meta` comes with the schema: a table without it is
  // damaged, never new.
  const auto schema = std::string{statements::projection_schema}
                      + statements::first_meta(
                        rows::checked_rows<rows::watermarks>{}.checksum_of({}));
  auto file = sqlite::database::open(
    path, {.name = "projection",
           .application = application,
           .version = schema_version,
           .schema = schema,
           .upgrades = statements::projection_upgrades,
           .page_bytes = 4096,
           .cache_kib = 48 * 1024,
           .pages_max = options.pages_max,
           .flushes = false, // the journal has what a power cut takes
           .checked_bytes_max = options.checked_bytes_max});
  if (!file)
    return std::move(file.error());
  return std::shared_ptr<sqlite::database>{std::move(*file)};
}

caf::expected<std::unique_ptr<projection_store>>
open_sqlite_projection(std::shared_ptr<sqlite::database> file,
                       const page_sizes& pages) {
  auto out = std::make_unique<rows::table_projection<projection_file>>(
    projection_file{std::move(file), pages});
  if (auto error = out->load_watermarks())
    return error;
  return std::unique_ptr<projection_store>{std::move(out)};
}

caf::expected<std::unique_ptr<projection_store>>
open_sqlite_projection(const std::filesystem::path& path,
                       const sqlite_projection_options& options) {
  auto file = open_projection_file(path, options);
  if (!file)
    return std::move(file.error());
  return open_sqlite_projection(std::move(*file), options.pages);
}

} // namespace depositd
