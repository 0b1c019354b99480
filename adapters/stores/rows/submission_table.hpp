#pragma once

// The table of submissions, whatever database it is in. It is the archive, so
// it is checked row by row when it is read, not as a whole at start.

#include "adapters/stores/rows/changes.hpp"
#include "adapters/stores/rows/checked_rows.hpp"
#include "messages/ports/projection_store.hpp"
#include "messages/values/operations.hpp"

#include <functional>

namespace depositd::rows {

/// `Documents` says how `Database` keeps what pollers get and what depositors
/// have sent, and has the
/// statements that differ for it. What it calls `kept` stands behind the
/// columns of a submission and says whether there is a document.
template <class Database, class Documents>
class submission_table {
public:
  using received_row = projection_store::received_row;

  explicit submission_table(Database& in) : in_(in), documents_(in) {
    // nop
  }

  /// Inside a transaction.
  caf::error put(const std::vector<submission_row>& rows) {
    auto to = documents_.putter();
    for (const auto& x : rows) {
      const auto kept = documents_.kept_of(x);
      if (auto error =
            documents_.put(to, x, kept, checked_.checksum_of(x, kept)))
        return error;
    }
    return to.finish();
  }

  /// The same. Changes of submissions that are forgotten already do nothing.
  caf::error change(const std::vector<submission_change>& changes) {
    const changes_by_id by_id{changes};
    auto to = documents_.changer();
    auto failed =
      in_.each_of(Documents::of_id, by_id.ids(), [&](const auto& from) {
        submission_row x;
        typename Documents::kept kept{};
        if (const auto read = checked_.read(from, x, kept); !read)
          return read.error();
        auto finished = false;
        by_id.each(x.id, [&](const submission_change& change) {
          apply_change(x, change);
          finished = finished || change.has_finished;
        });
        if (finished)
          kept = documents_.kept_of(x);
        return documents_.change(to, x, kept, checked_.checksum_of(x, kept),
                                 finished);
      });
    return failed ? failed : to.finish();
  }

  /// Removes finished ones, oldest first; returns how many.
  caf::expected<std::uint64_t> forget(micros finished_before_us,
                                      std::uint32_t count_max) {
    return documents_.forget(finished_before_us, count_max);
  }

  /// Those of these that have finished.
  caf::expected<std::uint64_t> forget(const std::vector<item_id>& ids) {
    return documents_.forget(ids);
  }

  caf::expected<std::vector<submission_row>>
  find(const submission_query& query) {
    std::vector<submission_row> out;
    auto failed = documents_.find(query, [&](const auto& from) {
      auto& x = out.emplace_back();
      typename Documents::kept kept{};
      if (const auto read = checked_.read(from, x, kept); !read)
        return read.error();
      auto error =
        query.with_documents ? documents_.read(from, x, kept) : caf::error{};
      return error || !query.with_contents ? error : read_contents(x);
    });
    if (failed)
      return failed;
    return out;
  }

  /// Shows a page of those from the source since a time that are behind `last`,
  /// which becomes the last one shown. Whether there may be more.
  caf::expected<bool>
  load_received(const std::string& source, micros since_us, received_row& last,
                const std::function<void(const received_row&)>& show) {
    constexpr std::uint64_t page = 10'000;
    std::uint64_t count = 0;
    auto failed = in_.each(
      Documents::received,
      [&](const auto& from) {
        from.take(last.id, last.user, last.file_name, last.size,
                  last.digest, last.received_us);
        show(last);
        ++count;
        return caf::error{};
      },
      source, since_us, last.id, page);
    if (failed)
      return failed;
    return count == page;
  }

private:
  caf::error read_contents(submission_row& x) {
    auto error = documents_.read_contents(x);
    const auto& y = x.submission;
    const bool missing = x.contents.empty() && y.blob.empty() && y.size > 0
                         && keeps_contents(y.source);
    return error || !missing ? error
                             : in_.damaged("the contents of " + described(x)
                                           + " are missing");
  }

  Database& in_;
  Documents documents_;
  checked_rows<submission_row> checked_;
};

} // namespace depositd::rows
