#include "adapters/stores/postgres/projection_rows.hpp"
#include "adapters/stores/postgres/projection_statements.hpp"
#include "messages/values/row_changes.hpp"

#include <unordered_map>

namespace depositd::postgres {

namespace {

constexpr int document_column = 22;

} // namespace

std::uint64_t submission_table::checksum_of(const submission_row& x,
                                            std::uint64_t document_sum) {
  const auto& p = x.submission;
  checksum_.of("submissions")
    .all(x.id, x.user, x.queue, p.file_name, p.operation, p.login, p.source,
         p.blob, p.size, x.status, x.failed, x.parked, x.batch_id, x.processor,
         x.reason, x.received_us, x.started_us, x.finished_us, x.attempt,
         document_sum);
  // Rows of before there was one keep their checksum.
  if (!p.trace.empty())
    checksum_.add(p.trace);
  return checksum_.value();
}

std::uint64_t submission_table::document_sum_of(const submission_row& x) {
  return x.document.empty()
           ? 0
           : checksum_.of("documents").all(x.id, x.document).value();
}

caf::expected<std::uint64_t>
submission_table::read(const result& rows, int row, submission_row& x) {
  auto& p = x.submission;
  rows.read(row, 0, x.id);
  rows.read(row, 1, x.user);
  rows.read(row, 2, x.queue);
  rows.read(row, 3, p.file_name);
  rows.read(row, 4, p.operation);
  rows.read(row, 5, p.login);
  rows.read(row, 6, p.source);
  rows.read(row, 7, p.blob);
  rows.read(row, 8, p.size);
  rows.read(row, 9, x.status);
  rows.read(row, 10, x.failed);
  rows.read(row, 11, x.parked);
  rows.read(row, 12, x.batch_id);
  rows.read(row, 13, x.processor);
  rows.read(row, 14, x.reason);
  rows.read(row, 15, x.received_us);
  rows.read(row, 16, x.started_us);
  rows.read(row, 17, x.finished_us);
  rows.read(row, 18, x.attempt);
  const auto document_sum = rows.number(row, 19);
  rows.read(row, 21, p.trace);
  if (rows.number(row, 20) != checksum_of(x, document_sum))
    return damaged_table("submission " + std::to_string(x.id)
                         + " does not match its checksum");
  return document_sum;
}

caf::error submission_table::put(connection& to,
                                 const std::vector<submission_row>& rows) {
  if (rows.empty())
    return {};
  auto all = columns("ntttttttnnnntttnnnnnntt");
  for (const auto& x : rows) {
    const auto& p = x.submission;
    const auto document_sum = document_sum_of(x);
    add_row(all, x.id, x.user, x.queue, p.file_name, p.operation, p.login,
            p.source, p.blob, p.size, x.status, x.failed, x.parked, x.batch_id,
            x.processor, x.reason, x.received_us, x.started_us, x.finished_us,
            x.attempt, document_sum, checksum_of(x, document_sum), x.document,
            p.trace);
  }
  return insert(to, statements::put_submissions, with_columns(shard_, all),
                "submissions");
}

caf::error
submission_table::change(connection& to,
                         const std::vector<submission_change>& changes) {
  if (changes.empty())
    return {};
  struct changed {
    submission_row row;
    std::uint64_t document_sum = 0;
    bool finished = false;
  };
  auto ids = columns("n");
  for (const auto& x : changes)
    add_row(ids, x.id);
  const auto found
    = to.run(statements::submissions_by_id(), with_columns(shard_, ids));
  if (!found)
    return found.error();
  std::unordered_map<item_id, changed> by_id;
  for (int at = 0; at < found->rows(); ++at) {
    changed x;
    const auto document_sum = read(*found, at, x.row);
    if (!document_sum)
      return document_sum.error();
    x.document_sum = *document_sum;
    by_id.emplace(x.row.id, std::move(x));
  }
  for (const auto& change : changes)
    if (const auto at = by_id.find(change.id); at != by_id.end()) {
      auto& x = at->second;
      apply_change(x.row, change);
      if (change.has_finished) {
        x.finished = true;
        x.document_sum = document_sum_of(x.row);
      }
    }
  auto all = columns("nnnntttnnnnnnt");
  for (const auto& [id, x] : by_id)
    add_row(all, id, x.row.status, x.row.failed, x.row.parked, x.row.batch_id,
            x.row.processor, x.row.reason, x.row.started_us,
            x.row.finished_us, x.row.attempt, x.document_sum,
            checksum_of(x.row, x.document_sum), x.finished, x.row.document);
  auto done
    = to.run(statements::change_submissions, with_columns(shard_, all));
  return done ? caf::error{} : std::move(done.error());
}

caf::expected<std::vector<submission_row>>
submission_table::find(connection& from, const submission_query& query) {
  parameters x;
  x.add(shard_).add(query.id).text(query.user).text(query.queue);
  x.text(query.file_name).text(query.batch_id).add(query.status);
  x.add(query.count_max);
  auto ids = columns("n");
  for (const auto id : query.ids)
    add_row(ids, id);
  x.add(ids[0]);
  x.add(query.after.empty() ? item_id{0} : query.after.front());
  const auto rows = from.run(statements::submissions(query), x);
  if (!rows)
    return rows.error();
  std::vector<submission_row> out(static_cast<std::size_t>(rows->rows()));
  for (int at = 0; at < rows->rows(); ++at) {
    auto& row = out[static_cast<std::size_t>(at)];
    const auto document_sum = read(*rows, at, row);
    if (!document_sum)
      return document_sum.error();
    if (!query.with_documents)
      continue;
    rows->read(at, document_column, row.document);
    if (document_sum_of(row) != *document_sum)
      return damaged_table("the document of submission "
                           + std::to_string(row.id)
                           + " does not match its checksum");
  }
  return out;
}

caf::expected<bool> submission_table::show_received(
  connection& from, const std::string& source, micros since_us,
  projection_store::received_row& last,
  const std::function<void(const projection_store::received_row&)>& show) {
  constexpr std::uint64_t page = 10'000;
  const auto rows
    = from.run(statements::received_submissions,
               parameters{}.add(shard_).text(source).add(since_us).add(
                 last.id).add(page));
  if (!rows)
    return rows.error();
  for (int at = 0; at < rows->rows(); ++at) {
    rows->read(at, 0, last.id);
    rows->read(at, 1, last.user);
    rows->read(at, 2, last.file_name);
    rows->read(at, 3, last.size);
    rows->read(at, 4, last.received_us);
    show(last);
  }
  return static_cast<std::uint64_t>(rows->rows()) == page;
}

} // namespace depositd::postgres
