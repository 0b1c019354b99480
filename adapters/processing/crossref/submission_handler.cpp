#include "adapters/processing/crossref/submission_handler.hpp"

#include "messages/values/operations.hpp"
#include "messages/values/submission_body.hpp"

#include <exception>
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

outcome process(const submission_handler& with, const handle_item& what,
                const control_state& control) {
  submission_job job;
  job.submission = what.item.id;
  job.user = what.item.user;
  job.processor = what.processor;
  const auto failed = [&](const caf::error& problem) {
    return problem == ec::malformed || problem == ec::store_damaged
             ? refuse_file(job, {}, render(problem))
             : try_again(render(problem));
  };
  auto found = body_of(what.item, *with.blobs);
  if (!found)
    return failed(found.error());
  const auto& submission = found->submission;
  const auto account = control.accounts.find(job.user);
  if (account != control.accounts.end())
    job.prefixes = account->second.prefixes;
  else if (needs_account(submission.source))
    return refuse_file(job, {}, "The account has been removed");
  const auto* wanted = find_operation_or_default(submission.operation);
  if (wanted == nullptr || wanted->kind == submission_kind::foreign)
    return refuse_file(
      job, {}, "Operation " + submission.operation + " is not supported here");
  if (found->body.empty()) {
    auto kept = with.blobs->get(submission.blob);
    if (!kept)
      return failed(kept.error());
    found->body = std::move(*kept);
  }
  if (wanted->kind == submission_kind::query)
    return query_handler{with.registry, with.limits}.handle(
      job, found->body, wanted->word == "doDOIQueryUpload");
  return metadata_handler{with.registry, with.schemas, with.limits}.handle(
    job, found->body);
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
