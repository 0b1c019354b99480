#include "adapters/processing/crossref/submission_handler.hpp"

#include "adapters/processing/stages/unless_away.hpp"
#include "messages/values/operations.hpp"
#include "messages/values/test_points.hpp"
#include "messages/values/submission_body.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <optional>
#include <utility>

namespace depositd::crossref {

namespace {

caf::expected<submission_body> body_of(const claimed_item& item,
                                       blob_store& blobs) {
  if (item.kind == body_kind::inline_bytes)
    return decode_submission_body(item.body);
  auto bytes = blobs.get(item.body);
  if (!bytes)
    return std::move(bytes.error());
  return decode_submission_body(*bytes);
}

/// What becomes of a deposit that cannot be read. A store that is away says
/// nothing of it, however long that lasts; one that has lost it does.
outcome unreadable(const submission_job& job, const caf::error& why) {
  // It was there when it was acknowledged: not the depositor's affair alone.
  if (why != ec::store_failed)
    spdlog::error("deposit_unreadable submission={} user={} reason=\"{}\"",
                  job.submission, job.user, render(why));
  if (why == ec::malformed || why == ec::store_damaged
      || seeded_bug("away_taken_for_lost"))
    return refuse_file(job, {}, render(why));
  return stages::unless_away(why, try_again(render(why)));
}

outcome work_on(const submission_handler& with, const operation& wanted,
                const submission_job& job, std::string_view bytes) {
  switch (wanted.kind) {
    case submission_kind::metadata:
      break;
    case submission_kind::query:
      return query_handler{with.registry, with.limits}.handle(
        job, bytes, wanted.word == "doDOIQueryUpload");
    case submission_kind::citations:
      return citation_handler{with.registry, with.limits}.handle(job, bytes);
    case submission_kind::transfer:
      return transfer_handler{with.registry, with.limits}.handle(job, bytes);
  }
  return metadata_handler{with.registry, with.schemas, with.limits}.handle(
    job, bytes);
}

outcome process(const submission_handler& with, const handle_item& what,
                const control_state& control) {
  submission_job job;
  job.submission = what.item.id;
  job.user = what.item.user;
  job.processor = what.processor;
  auto found = body_of(what.item, *with.blobs);
  if (!found)
    return unreadable(job, found.error());
  const auto& submission = found->submission;
  // Unread, so nobody knows whom it names: whoever tells will see.
  const auto unread = [&](outcome x) {
    x.tell = find_source(submission.source).told;
    return x;
  };
  const auto account = control.accounts.find(job.user);
  if (account != control.accounts.end())
    job.prefixes = account->second.prefixes;
  else if (needs_account(submission.source))
    return unread(refuse_file(job, {}, "The account has been removed"));
  const auto* wanted = find_operation_or_default(submission.operation);
  if (wanted == nullptr)
    return unread(refuse_file(job, {},
                              "Operation " + submission.operation
                                + " is not supported here"));
  // Before the file is fetched: from here on it costs memory.
  std::optional<parsing_room::place> room;
  if (with.room)
    room.emplace(with.room->enter(
      std::max<std::uint64_t>(submission.size, found->body.size())));
  if (found->body.empty()) {
    auto kept = with.blobs->get(submission.blob);
    if (!kept)
      return unread(unreadable(job, kept.error()));
    found->body = std::move(*kept);
    if (room)
      room->grow_to(found->body.size());
  }
  auto out = work_on(with, *wanted, job, found->body);
  const auto contact = control.contacts.find(job.user);
  out.tell = find_source(submission.source).told
             && (out.tell || contact != control.contacts.end());
  return out;
}

} // namespace

outcome submission_handler::handle(const handle_item& what,
                                   const control_state& control) const {
  outcome out;
  try {
    out = process(*this, what, control);
  } catch (const std::exception& x) {
    out = try_again(std::string{"processing stopped: "} + x.what());
  }
  out.id = what.item.id;
  out.token = what.item.token;
  out.member = what.item.member;
  return out;
}

} // namespace depositd::crossref
