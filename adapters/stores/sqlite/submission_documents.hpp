#pragma once

// What is SQLite's own about submissions: documents and contents in tables of
// their own, and hashes that stand for texts in indexes.

#include "adapters/stores/rows/checked_rows.hpp"
#include "adapters/stores/sqlite/database.hpp"
#include "adapters/stores/sqlite/json_list.hpp"
#include "adapters/stores/sqlite/statements.hpp"

#include <string>
#include <vector>

namespace depositd::sqlite {

/// For `rows::submission_table`.
class submission_documents {
public:
  using kept = bool; ///< whether there is a document

  static constexpr std::string_view of_id = statements::submission;
  static constexpr auto received = statements::received_submissions;

  explicit submission_documents(database& in) : in_(in) {
    // nop
  }

  static kept kept_of(const submission_row& x) {
    return !x.document.empty();
  }

  auto putter() {
    return in_.writer(statements::put_submission);
  }

  caf::error put(auto& to, const submission_row& x, kept documented,
                 std::uint64_t checksum) {
    auto error = to.add_row(
      x, documented, checksum, lookup_key(x.user, x.submission.file_name),
      lookup_key(x.user, x.batch_id), lookup_key({}, x.submission.blob));
    if (error || x.contents.empty())
      return error ? error : put_document(x);
    error = in_.run(statements::put_contents, x.id, x.contents,
                    rows::contents_sum_of(x, document_));
    return error ? error : put_document(x);
  }

  auto changer() {
    return in_.writer(statements::change_submission);
  }

  caf::error change(auto& to, const submission_row& x, kept documented,
                    std::uint64_t checksum, bool) {
    auto error = to.add_changing(x, documented, checksum,
                                 lookup_key(x.user, x.batch_id), x.id);
    return error ? error : put_document(x);
  }

  caf::error find(const submission_query& x, const auto& show) {
    std::string ids{'['}; // JSON, signed as SQLite has them
    for (const auto id : x.ids) {
      if (ids.size() > 1)
        ids += ',';
      ids += std::to_string(static_cast<std::int64_t>(id));
    }
    ids += ']';
    return in_.each(statements::submissions(x), show, x.id, x.user, x.queue,
                    x.file_name, x.batch_id, x.status, x.count_max,
                    lookup_key(x.user, x.file_name),
                    lookup_key(x.user, x.batch_id), ids,
                    x.after.empty() ? item_id{0} : x.after.front());
  }

  caf::error read(const statement&, submission_row& x, kept is_there) {
    if (!is_there)
      return {};
    auto is_whole = false;
    auto failed = in_.each(
      statements::document,
      [&](const auto& from) {
        from.read(0, x.document);
        is_whole = from.number(1) == rows::document_sum_of(x, document_);
        return caf::error{};
      },
      x.id);
    return failed ? failed : rows::check_document(in_, x, is_whole);
  }

  caf::error read_contents(submission_row& x) {
    auto is_whole = true;
    auto failed = in_.each(
      statements::contents,
      [&](const auto& from) {
        from.read(0, x.contents);
        is_whole = from.number(1) == rows::contents_sum_of(x, document_);
        return caf::error{};
      },
      x.id);
    return failed ? failed : rows::check_contents(in_, x, is_whole);
  }

  caf::expected<std::uint64_t> forget(micros finished_before_us,
                                      std::uint32_t count_max) {
    return drop(statements::forget_submissions, finished_before_us, count_max);
  }

  caf::expected<std::uint64_t> forget(const std::vector<item_id>& ids) {
    return drop(statements::forget_these_submissions, json_list(ids));
  }

private:
  /// Those that the statement removes, with their documents and contents.
  caf::expected<std::uint64_t> drop(std::string_view statement,
                                    const auto&... parameters) {
    std::uint64_t out = 0;
    auto failed = in_.each(
      statement,
      [&](const auto& from) {
        ++out;
        const auto id = from.number(0);
        auto error = in_.run(statements::delete_document, id);
        return error ? error : in_.run(statements::delete_contents, id);
      },
      parameters...);
    if (failed)
      return failed;
    return out;
  }

  caf::error put_document(const submission_row& x) {
    return x.document.empty()
             ? caf::error{}
             : in_.run(statements::put_document, x.id, x.document,
                       rows::document_sum_of(x, document_));
  }

  database& in_;
  row_checksum document_;
};

} // namespace depositd::sqlite
