// What the projector answers.

#include "actors/projection/parts.hpp"
#include "actors/projection/recovery.hpp"
#include "actors/rules/pages/pages.hpp"
#include "messages/values/test_points.hpp"

#include <algorithm>
#include <filesystem>

namespace depositd::projection {

namespace {

submissions_found in_one_answer(std::vector<submission_row> rows,
                                const submission_query& x) {
  rules::pages::page out{std::move(rows)};
  rules::pages::cut(out, x.bytes_max);
  return {std::move(out.rows), out.more};
}

} // namespace

/// Pollers ask about one submission again and again: what is folded tells, so
/// that the tables need not take it up for each of them.
caf::result<submissions_found> answer(self_pointer self,
                                      const submission_query& x) {
  auto& state = self->state;
  auto& tables = *state.options.projection;
  if (rules::asks_for_one(x)) {
    if (auto failed = fold_up(self))
      return failed;
    auto before = tables.submissions(x);
    if (!before)
      return std::move(before.error());
    if (auto found = state.fold->answer(x, std::move(*before)))
      return in_one_answer(std::move(*found), x);
  }
  if (auto failed = catch_up(self))
    return failed;
  auto ours = x;
  ours.after = rules::pages::of_shard(x.after, state.options.shard);
  auto rows = tables.submissions(ours);
  if (!rows)
    return std::move(rows.error());
  return in_one_answer(std::move(*rows), x);
}

namespace {

/// Rows of what lives in the shard, as the question orders them.
template <class Found, class Query, class Read>
caf::result<Found> answer_rows(self_pointer self, const Query& x, Read read) {
  if (auto failed = catch_up(self))
    return failed;
  auto ours = x;
  ours.after = rules::pages::of_shard(x.after, self->state.options.shard);
  auto rows = ((*self->state.options.projection).*read)(ours);
  if (!rows)
    return std::move(rows.error());
  return Found{std::move(*rows), false};
}

} // namespace

caf::result<batches_found> answer(self_pointer self, const batch_query& x) {
  return answer_rows<batches_found>(self, x, &projection_store::batches);
}

caf::result<jobs_found> answer(self_pointer self, const job_query& x) {
  return answer_rows<jobs_found>(self, x, &projection_store::jobs);
}

namespace {

/// Of the bodies in one answer: rows behind them are left out.
constexpr std::uint64_t peeked_bytes_max = 64 * 1024 * 1024;

caf::error read_bodies(journal_store& from, items_found& to) {
  std::uint64_t bytes = 0;
  for (const auto& row : to.rows) {
    bytes += row.place.length;
    if (bytes > peeked_bytes_max && !to.bodies.empty())
      break;
    auto body = from.read_body(row.place);
    if (!body)
      return std::move(body.error());
    to.bodies.push_back(std::move(*body));
  }
  to.rows.resize(to.bodies.size());
  return {};
}

} // namespace

caf::result<items_found> answer(self_pointer self, const peek_items& x) {
  if (auto failed = catch_up(self))
    return failed;
  auto rows =
    self->state.options.projection->items(x.queue, x.count_max, x.users);
  if (!rows)
    return std::move(rows.error());
  items_found out;
  if (x.pending_only)
    std::erase_if(*rows, [](const item_row& row) {
      return row.state != item_state::pending;
    });
  out.rows = std::move(*rows);
  if (x.with_bodies)
    if (auto failed = read_bodies(*self->state.options.journal, out))
      return failed;
  return out;
}

namespace {

/// So many leave at once that nobody else waits long.
constexpr std::uint32_t forgotten_per_slice = 2'000;

using ids = std::vector<item_id>;

/// Submissions of the user that have ended.
caf::expected<ids> ended_of(self_pointer self, const std::string& user) {
  if (auto failed = catch_up(self))
    return failed;
  submission_query theirs;
  theirs.user = user;
  theirs.has_status = true;
  theirs.status = submission_status::completed;
  theirs.count_max = forgotten_per_slice;
  theirs.with_documents = false;
  const auto rows = self->state.options.projection->submissions(theirs);
  if (!rows)
    return rows.error();
  ids out;
  for (const auto& row : *rows)
    out.push_back(row.id);
  return out;
}

caf::expected<submissions_forgotten> forget(self_pointer self,
                                            const ids& which) {
  auto& tables = *self->state.options.projection;
  const auto count = tables.forget_submissions(which);
  if (!count)
    return count.error();
  // It is in no journal: nothing would repeat it.
  if (auto failed = tables.flush())
    return failed;
  return submissions_forgotten{*count};
}

} // namespace

/// Who publishes how they ended needs their rows. What ends meanwhile is left
/// for the next time.
caf::result<submissions_forgotten> answer(self_pointer self,
                                          const forget_submissions& x) {
  auto which = ended_of(self, x.user);
  if (!which)
    return std::move(which.error());
  auto promise = self->make_response_promise<submissions_forgotten>();
  when_published(self, [=, which = *which](caf::error too_early) mutable {
    auto out = too_early ? caf::expected<submissions_forgotten>{too_early}
                         : forget(self, which);
    if (out)
      promise.deliver(*out);
    else
      promise.deliver(std::move(out.error()));
  });
  return promise;
}

caf::result<done> answer(self_pointer self, await_published) {
  auto promise = self->make_response_promise<done>();
  when_published(self, [=](caf::error too_early) mutable {
    if (too_early)
      promise.deliver(std::move(too_early));
    else
      promise.deliver(done{});
  });
  return promise;
}

caf::result<failed_found> answer(self_pointer self, const failed_query& x) {
  if (auto failed = catch_up(self))
    return failed;
  auto rows = self->state.options.projection->failed_records(x);
  if (!rows)
    return std::move(rows.error());
  return failed_found{std::move(*rows)};
}

caf::result<items_matched> answer(self_pointer self, const match_items& x) {
  if (auto failed = catch_up(self))
    return failed;
  auto found = self->state.options.projection->items_received(
    {x.queue, x.users, x.from_us, x.to_us, x.parked, x.after, x.count_max});
  if (!found)
    return std::move(found.error());
  items_matched out;
  for (auto& item : *found)
    out.items.push_back({item.id, item.queue, item.user, nullptr});
  return out;
}

caf::result<recovered> answer(self_pointer self, const recover&) {
  auto& state = self->state;
  std::vector<body_location> places;
  auto found = recover_state(*state.options.journal, *state.options.projection,
                             state.options.clock.at(self->clock().now())
                               - shard::ingest_ids_kept_us,
                             state.counted ? nullptr : &places);
  if (!found)
    return std::move(found.error());
  // Counted before the next slice: whoever waits for an answer need not wait
  // for that.
  if (!state.counted)
    state.uncounted = std::move(places);
  if (state.options.registry != nullptr) {
    // It may know submissions that the journal does not: their numbers are
    // taken all the same.
    auto known = state.options.registry->submission_max(
      ids_begin(state.options.shard + 1));
    if (!known)
      return std::move(known.error());
    (*found)->id_max = std::max((*found)->id_max, *known);
  }
  return recovered{std::shared_ptr<shard::recovered_state>{std::move(*found)}};
}

namespace {

/// Whether a folder, which need not be there, is another one or in it, wherever
/// links lead.
bool is_in(const std::filesystem::path& folder,
           const std::filesystem::path& other) {
  std::error_code failed;
  const auto inner = std::filesystem::weakly_canonical(folder, failed);
  const auto outer = std::filesystem::weakly_canonical(other, failed);
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end())
           .first
         == outer.end();
}

/// With those above it, for nobody else to read. One that is there stays as
/// whoever made it wanted it.
std::error_code make_private(const std::filesystem::path& folder) {
  std::error_code failed;
  if (folder.empty() || std::filesystem::is_directory(folder))
    return failed;
  if ((failed = make_private(folder.parent_path())))
    return failed;
  if (std::filesystem::create_directory(folder, failed))
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all,
                                 failed);
  return failed;
}

/// The journal, and with it what stages know to be done: nobody stores anything
/// between the two, so neither knows of more than the other.
caf::error copy_journal(self_pointer self, const back_up& x,
                        const std::filesystem::path& folder) {
  if (x.work != nullptr)
    if (auto error = x.work->hold())
      return error;
  if (auto error = self->state.options.journal->backup(folder / "journal"))
    return error;
  crash_point("backup_journal");
  return x.work != nullptr ? x.work->copy_catalogue() : caf::error{};
}

} // namespace

/// Everything in one folder. Nothing is dropped meanwhile, because only this
/// actor drops; appends go on.
caf::result<done> answer(self_pointer self, const back_up& x) {
  auto& options = self->state.options;
  std::error_code failed;
  const std::filesystem::path folder{x.folder};
  if (!options.data_folder.empty() && is_in(folder, options.data_folder))
    return caf::make_error(ec::invalid_argument,
                           "a copy cannot be in the folder that it is of: "
                             + x.folder);
  if (std::filesystem::exists(folder, failed)
      && !std::filesystem::is_empty(folder, failed))
    return caf::make_error(ec::already_exists,
                           "the folder is not empty: " + x.folder);
  for (const auto& part : {folder, folder / "journal", folder / "blobs"})
    if ((failed = make_private(part)))
      return caf::make_error(ec::store_failed,
                             x.folder + ": " + failed.message());
  // Tables first: the journal then holds at least all that they lack. What
  // handlers leave behind last: it is repeated if the journal lacks its end.
  if (auto error = catch_up(self))
    return error;
  if (auto error = options.projection->backup(folder))
    return error;
  crash_point("backup_tables");
  if (auto error = copy_journal(self, x, folder))
    return error;
  if (options.blobs != nullptr)
    if (auto error = options.blobs->backup(folder / "blobs"))
      return error;
  if (options.registry != nullptr)
    if (auto error = options.registry->backup(folder))
      return error;
  return done{};
}

caf::result<store_report> answer(self_pointer self, const report_store&) {
  auto& options = self->state.options;
  return store_report{options.journal->last(), options.projection->reached(),
                      options.journal->disk_bytes(),
                      options.journal->segments().size()};
}

} // namespace depositd::projection
