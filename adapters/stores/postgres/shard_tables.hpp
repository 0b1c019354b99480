#pragma once

// What the tables of a projection need of PostgreSQL: those of one shard, on a
// connection, changed in bulk.

#include "adapters/stores/postgres/connection.hpp"
#include "adapters/stores/postgres/projection_statements.hpp"
#include "adapters/stores/rows/checked_rows.hpp"

namespace depositd::postgres {

/// Collects the parameters of a statement that writes many rows, and runs it.
class bulk_writer : public rows::row_taker<bulk_writer> {
public:
  bulk_writer(connection& to, std::uint32_t shard, std::string_view sql,
              const rows::fields& all)
    : to_(to), shard_(shard), sql_(sql), rows_(all) {
    // nop
  }

  template <class... Values>
  caf::error add(const Values&... values) {
    rows_.add(values...);
    ++count_;
    return {};
  }

  /// `ec::store_damaged` if a new row is there already or an old one is not.
  caf::error finish();

private:
  connection& to_;
  std::uint32_t shard_;
  std::string_view sql_;
  bulk rows_;
  std::uint64_t count_ = 0;
};

/// The database of `rows::projection_tables`.
class shard_tables {
public:
  shard_tables(connection& on, std::uint32_t shard) : on_(on), shard_(shard) {
    // nop
  }

  /// Runs the statement with these parameters behind the shard and gives `show`
  /// every row; an error of it ends that.
  template <class... Values>
  caf::error each(std::string_view sql, const connection::show_row& show,
                  const Values&... values) {
    return on_.each(sql, parameters{shard_, values...}, show);
  }

  /// Texts as one parameter.
  static column list(const std::vector<std::string>& values) {
    return column_of(values);
  }
  /// Numbers, likewise.
  static column list(const std::vector<std::uint64_t>& values) {
    return column_of(values);
  }

  /// The same for all of a table, one row at a time in memory.
  caf::error load(std::string_view sql, const connection::show_row& show) {
    return on_.stream(sql, parameters{shard_}, show);
  }

  /// The same for a list of ids or of rows, which have keys.
  template <class List>
  caf::error each_of(std::string_view sql, const List& list,
                     const connection::show_row& show) {
    if (list.empty())
      return {};
    bulk keys{fields_of_key(list)};
    for (const auto x : list)
      std::apply([&](const auto&... key) { keys.add(key...); },
                 rows::key_of(x));
    return each(sql, show, keys);
  }

  /// Shows rows by their ids, or keys, while they are removed.
  template <class List>
  caf::error each_removed(std::string_view, std::string_view remove,
                          const List& list, const connection::show_row& show) {
    return each_of(remove, list, show);
  }

  bulk_writer writer(std::string_view sql, const rows::fields& all) {
    return {on_, shard_, sql, all};
  }

  connection& on() const noexcept {
    return on_;
  }

  std::uint32_t shard() const noexcept {
    return shard_;
  }

  static caf::error damaged(const std::string& what) {
    return row_view::damaged(what);
  }

  /// Name of the rows' table.
  template <class Row>
  static constexpr std::string_view table = statements::table_of<Row>;

private:
  static rows::fields fields_of_key(const std::vector<item_id>&) {
    return {{"id"}};
  }

  template <class Row>
  static rows::fields fields_of_key(const std::vector<const Row*>&) {
    return rows::fields_of<Row>(rows::is::key);
  }

  connection& on_;
  std::uint32_t shard_;
};

/// How documents are kept: in the row of their submission, with a checksum; and
/// contents, in a table of their own. For `rows::submission_table`.
class submission_documents {
public:
  using kept = std::uint64_t; ///< checksum of the document; 0: there is none

  static constexpr std::string_view of_id = statements::submissions_of_ids;
  static constexpr auto received = statements::received_submissions;

  explicit submission_documents(shard_tables& in) : in_(in) {
    // nop
  }

  kept kept_of(const submission_row& x) {
    return x.document.empty() ? 0 : rows::document_sum_of(x, document_);
  }

  /// Writes rows, and their contents into a table of their own.
  struct row_putter {
    bulk_writer rows;
    bulk_writer contents;

    caf::error finish() {
      auto error = rows.finish();
      return error ? error : contents.finish();
    }
  };

  row_putter putter() {
    return {in_.writer(statements::put_submissions,
                       statements::put_submission()),
            in_.writer(statements::put_contents,
                       statements::put_contents_fields())};
  }

  caf::error put(row_putter& to, const submission_row& x, kept sum,
                 std::uint64_t checksum) {
    auto error = to.rows.add_row(x, sum, checksum, x.document);
    return error || x.contents.empty()
             ? error
             : to.contents.add(x.id, x.contents,
                               rows::contents_sum_of(x, document_));
  }

  bulk_writer changer() {
    return in_.writer(statements::change_submissions,
                      statements::submission_changes() + rows::fields{{"id"}}
                        + statements::finished_submission());
  }

  static caf::error change(bulk_writer& to, const submission_row& x, kept sum,
                           std::uint64_t checksum, bool finished) {
    return to.add_changing(x, sum, checksum, x.id, finished, x.document);
  }

  caf::error find(const submission_query& x, const connection::show_row& show) {
    return in_.each(statements::submissions(x), show, x.id, x.user, x.queue,
                    x.file_name, x.batch_id, x.status, x.count_max,
                    column_of(x.ids),
                    x.after.empty() ? item_id{0} : x.after.front());
  }

  caf::error read(const row_view& from, submission_row& x, kept sum) {
    from.read(statements::document_column, x.document);
    return rows::check_document(from, x, kept_of(x) == sum);
  }

  caf::error read_contents(submission_row& x) {
    auto is_whole = true;
    auto failed = in_.each(
      statements::contents_of,
      [&](const auto& from) -> caf::error {
        from.read(0, x.contents);
        is_whole = from.number(1) == rows::contents_sum_of(x, document_);
        return {};
      },
      x.id);
    return failed ? failed : rows::check_contents(in_, x, is_whole);
  }

  caf::expected<std::uint64_t> forget(const std::vector<item_id>& ids);
  caf::expected<std::uint64_t> forget(micros finished_before_us,
                                      std::uint32_t count_max);

private:
  shard_tables& in_;
  row_checksum document_;
};

} // namespace depositd::postgres
