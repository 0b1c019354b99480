#include "adapters/processing/crossref/submission_handler.hpp"

#include "messages/values/operations.hpp"
#include "messages/values/submission_body.hpp"

#include <exception>
#include <utility>

namespace depositd::crossref {

submission_handler::submission_handler(submission_handler_options options)
  : blobs_(std::move(options.blobs)),
    metadata_(options.registry, std::move(options.schemas), options.limits),
    query_(std::move(options.registry), options.limits) {
  // nop
}

outcome submission_handler::handle(const handle_item& what,
                                   const control_state& control) const {
  outcome out;
  try {
    out = process(what, control);
  } catch (const std::exception& x) {
    out = try_again(std::string{"processing stopped: "} + x.what());
  }
  out.id = what.item.id;
  out.token = what.item.token;
  out.member = what.item.member;
  return out;
}

caf::expected<submission_body>
submission_handler::body_of(const claimed_item& item) const {
  if (item.kind == body_kind::inline_bytes)
    return decode_submission_body(item.body);
  auto bytes = blobs_->get(item.body);
  if (!bytes)
    return std::move(bytes.error());
  return decode_submission_body(*bytes);
}

outcome submission_handler::process(const handle_item& what,
                                    const control_state& control) const {
  submission_job job;
  job.submission = what.item.id;
  job.user = what.item.user;
  job.processor = what.processor;
  const auto failed = [&](const caf::error& problem) {
    return problem == ec::malformed || problem == ec::store_damaged
             ? refuse_file(job, {}, render(problem))
             : try_again(render(problem));
  };
  auto found = body_of(what.item);
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
    auto kept = blobs_->get(submission.blob);
    if (!kept)
      return failed(kept.error());
    found->body = std::move(*kept);
  }
  return wanted->kind == submission_kind::query
           ? query_.handle(job, found->body, wanted->word == "doDOIQueryUpload")
           : metadata_.handle(job, found->body);
}

} // namespace depositd::crossref
