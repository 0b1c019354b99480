#include "adapters/stores/sqlite/submission_rows.hpp"

#include "adapters/stores/sqlite/statements.hpp"
#include "messages/values/row_changes.hpp"

namespace depositd::sqlite {

namespace {

std::string json_array(const std::vector<item_id>& ids) {
  std::string out = "[";
  for (const auto id : ids) {
    if (out.size() > 1)
      out += ',';
    out += std::to_string(static_cast<std::int64_t>(id)); // as SQLite has it
  }
  return out + ']';
}

} // namespace

submission_rows::submission_rows(database& file) : file_(file) {
  // nop
}

std::uint64_t submission_rows::checksum_of(const submission_row& x,
                                           bool documented) {
  const auto& p = x.submission;
  checksum_.of("submissions")
    .all(x.id, x.user, x.queue, p.file_name, p.operation, p.login, p.source,
         p.blob, p.size, x.status, x.failed, x.parked, x.batch_id, x.processor,
         x.reason, x.received_us, x.started_us, x.finished_us, x.attempt,
         documented);
  // Rows of before there was one keep their checksum.
  if (!p.trace.empty())
    checksum_.add(p.trace);
  return checksum_.value();
}

caf::expected<bool> submission_rows::read(const statement& from,
                                          submission_row& x) {
  bool documented = false;
  std::uint64_t checksum = 0;
  from.read(0, x.id);
  from.read(1, x.user);
  from.read(2, x.queue);
  from.read(3, x.submission.file_name);
  from.read(4, x.submission.operation);
  from.read(5, x.submission.login);
  from.read(6, x.submission.source);
  from.read(7, x.submission.blob);
  from.read(8, x.submission.size);
  from.read(9, x.status);
  from.read(10, x.failed);
  from.read(11, x.parked);
  from.read(12, x.batch_id);
  from.read(13, x.processor);
  from.read(14, x.reason);
  from.read(15, x.received_us);
  from.read(16, x.started_us);
  from.read(17, x.finished_us);
  from.read(18, x.attempt);
  from.read(19, documented);
  from.read(20, checksum);
  from.read(24, x.submission.trace);
  if (checksum != checksum_of(x, documented))
    return file_.damaged("submission " + std::to_string(x.id)
                         + " does not match its checksum");
  return documented;
}

caf::error submission_rows::put_document(const submission_row& x) {
  if (x.document.empty())
    return {};
  auto insert = file_.prepare(statements::put_document);
  if (!insert)
    return std::move(insert.error());
  const auto checksum = checksum_.of("documents").all(x.id, x.document).value();
  return insert->bind(x.id, x.document, checksum).run();
}

caf::error submission_rows::read_document(submission_row& x) {
  auto find = file_.prepare(statements::document);
  if (!find)
    return std::move(find.error());
  const auto found = find->bind(x.id).next();
  if (!found)
    return found.error();
  if (*found) {
    find->read(0, x.document);
    const auto checksum =
      checksum_.of("documents").all(x.id, x.document).value();
    if (checksum == find->number(1))
      return {};
  }
  return file_.damaged("the document of submission " + std::to_string(x.id)
                       + " does not match its checksum");
}

caf::error submission_rows::put(const std::vector<submission_row>& rows) {
  auto insert = file_.prepare(statements::put_submission);
  if (!insert)
    return std::move(insert.error());
  for (const auto& x : rows) {
    const auto& p = x.submission;
    const auto documented = !x.document.empty();
    auto error =
      insert
        ->bind(x.id, x.user, x.queue, p.file_name, p.operation, p.login,
               p.source, p.blob, p.size, x.status, x.failed, x.parked,
               x.batch_id, x.processor, x.reason, x.received_us, x.started_us,
               x.finished_us, x.attempt, documented, checksum_of(x, documented),
               lookup_key(x.user, p.file_name), lookup_key(x.user, x.batch_id),
               lookup_key({}, p.blob), p.trace)
        .run();
    if (error)
      return error;
    if (auto failed = put_document(x))
      return failed;
  }
  return {};
}

caf::error
submission_rows::change(const std::vector<submission_change>& changes) {
  auto find = file_.prepare(statements::submission);
  auto update = file_.prepare(statements::change_submission);
  if (!find || !update)
    return std::move(!find ? find.error() : update.error());
  for (const auto& change : changes) {
    const auto found = find->bind(change.id).next();
    if (!found)
      return found.error();
    if (!*found)
      continue;
    submission_row x;
    const auto was_documented = read(*find, x);
    if (!was_documented)
      return was_documented.error();
    apply_change(x, change);
    const auto documented =
      change.has_finished ? !x.document.empty() : *was_documented;
    auto error =
      update
        ->bind(x.status, x.failed, x.parked, x.batch_id, x.processor, x.reason,
               x.started_us, x.finished_us, x.attempt, documented,
               checksum_of(x, documented), lookup_key(x.user, x.batch_id), x.id)
        .run();
    if (error)
      return error;
    if (auto failed = put_document(x))
      return failed;
  }
  return {};
}

caf::expected<std::uint64_t> submission_rows::forget(micros finished_before_us,
                                                     std::uint32_t count_max) {
  auto old = file_.prepare(statements::finished_submissions);
  auto remove = file_.prepare(statements::delete_submission);
  auto remove_document = file_.prepare(statements::delete_document);
  if (!old || !remove || !remove_document)
    return std::move(!old      ? old.error()
                     : !remove ? remove.error()
                               : remove_document.error());
  old->bind(finished_before_us, count_max);
  std::vector<item_id> ids;
  for (;;) {
    const auto row = old->next();
    if (!row)
      return row.error();
    if (!*row)
      break;
    ids.push_back(old->number(0));
  }
  for (const auto id : ids) {
    if (auto error = remove->bind(id).run())
      return error;
    if (auto error = remove_document->bind(id).run())
      return error;
  }
  return ids.size();
}

caf::expected<std::vector<submission_row>>
submission_rows::find(const submission_query& query) {
  auto select = file_.prepare(statements::submissions(query));
  if (!select)
    return std::move(select.error());
  const auto ids = json_array(query.ids); // bound where it stands
  select->bind(query.id, query.user, query.queue, query.file_name,
               query.batch_id, query.status, query.count_max,
               lookup_key(query.user, query.file_name),
               lookup_key(query.user, query.batch_id), ids,
               query.after.empty() ? item_id{0} : query.after.front());
  std::vector<submission_row> out;
  for (;;) {
    const auto row = select->next();
    if (!row)
      return row.error();
    if (!*row)
      return out;
    auto& x = out.emplace_back();
    const auto documented = read(*select, x);
    if (!documented)
      return documented.error();
    if (*documented && query.with_documents)
      if (auto error = read_document(x))
        return error;
  }
}

caf::expected<bool> submission_rows::names_blob(const std::string& sha256) {
  auto find = file_.prepare(statements::submission_of_blob);
  if (!find)
    return std::move(find.error());
  return find->bind(lookup_key({}, sha256), sha256).next();
}

} // namespace depositd::sqlite
