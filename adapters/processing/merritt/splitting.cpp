#include "adapters/processing/merritt/splitting.hpp"

#include "adapters/fetching/url.hpp"
#include "adapters/processing/merritt/batch_plan.hpp"
#include "adapters/processing/merritt/fetching_turns.hpp"
#include "adapters/processing/merritt/keeping.hpp"
#include "adapters/processing/merritt/manifest.hpp"
#include "adapters/processing/merritt/work_on_job.hpp"
#include "adapters/stores/files/sha256.hpp"
#include "messages/values/trace_context.hpp"
#include "messages/values/uuid.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <optional>

namespace depositd::merritt {

namespace {

/// What all jobs of the batch have of its form.
job_document of_form(const batch_document& batch) {
  job_document out;
  out.batch_uuid = batch.uuid;
  out.user = batch.user;
  out.collection = batch.collection;
  out.what = batch.what;
  out.update = batch.update;
  out.note = batch.note;
  out.resource_type = batch.resource_type;
  out.dublin_core = batch.dublin_core;
  out.erc = batch.erc;
  out.submitted = batch.submitted;
  for (const auto* name : {work_item_member, traceparent_header})
    if (const auto at = batch.more.find(name); at != batch.more.end())
      out.more[name] = *at;
  return out;
}

/// Payloads that are somewhere else are called as they are there.
void name_payloads(batch_document& batch) {
  for (auto& x : batch.payloads)
    if (x.file_name.empty() && !x.url.empty())
      if (const auto url = parse_url(x.url))
        x.file_name = file_name_of(*url);
}

void prefer(std::string& to, const std::string& of_row) {
  if (!of_row.empty())
    to = of_row;
}

/// Identifiers of the form are those of one object, so rows do without them.
void describe(job_document& to, const manifest_row& row) {
  to.payload.file_name = row.file_name;
  to.payload.url = row.url;
  to.payload.bytes = row.size;
  to.payload.expected = row.expected;
  to.what.identifier = row.primary_identifier;
  to.what.local_ids = row.local_ids;
  prefer(to.what.title, row.title);
  prefer(to.what.creator, row.creator);
  prefer(to.what.date, row.date);
  if (!row.fault.empty())
    to.fault = render(manifest_fault{row.line, row.fault});
}

/// Goes through the jobs of a plan from one of them on.
class job_writer {
public:
  job_writer(const batch_document& batch, const batch_plan& plan,
             std::uint8_t priority)
    : batch_(batch), plan_(plan), form_(of_form(batch)) {
    form_.first_priority = priority;
    form_.priority = priority;
  }

  /// The job with this number; the first is 0. Numbers only grow.
  job_document write(std::uint64_t number) {
    while (number - first_ >= plan_.payloads[payload_].jobs())
      first_ += plan_.payloads[payload_++].jobs();
    const auto& planned = plan_.payloads[payload_];
    auto out = form_;
    out.uuid = job_uuid(batch_.uuid, number + 1);
    out.type = planned.type;
    if (planned.rows)
      describe(out, planned.rows->rows[number - first_]);
    else
      out.payload = batch_.payloads[payload_];
    return out;
  }

private:
  const batch_document& batch_;
  const batch_plan& plan_;
  job_document form_;
  std::size_t payload_ = 0;
  std::uint64_t first_ = 0; ///< number of this payload's first job
};

split_slice next_slice(batch_document batch, const batch_plan& plan,
                       const collection_settings& collection) {
  split_slice out;
  out.expected = plan.jobs();
  std::optional<std::uint8_t> fixed;
  if (collection.has_priority)
    fixed = collection.priority;
  job_writer writer{batch, plan, first_priority(out.expected, fixed)};
  std::size_t bytes = 0;
  auto at = batch.split;
  for (; at < out.expected && out.jobs.size() < slice_jobs_max
         && bytes < slice_bytes_max;
       ++at) {
    out.jobs.push_back(writer.write(at));
    bytes += encode(out.jobs.back()).size();
  }
  out.last = at >= out.expected;
  out.batch = batch;
  out.batch.split = at;
  return out;
}

std::string submitter_of(const batch_document& batch) {
  const auto at = batch.more.find(submitter_member);
  return at != batch.more.end() && at->is_string() ? at->get<std::string>()
                                                   : batch.user;
}

/// Once, when it is known what it is. A mail that fails holds nothing up.
void tell_depositor(const stages::stage_tools& tools,
                    stages::receiver_turns& turns,
                    const stages::stage_task& task,
                    const batch_document& batch) {
  batch_info info;
  info.uuid = batch.uuid;
  info.collection = batch.collection;
  info.submitter = submitter_of(batch);
  info.type = batch.type;
  info.file_name = batch.payloads.front().file_name;
  info.title = batch.what.title;
  if (const auto failed =
        send_queued_notice(tools, turns, task.collection, batch, info))
    spdlog::warn("notice_not_sent batch={} reason=\"{}\"", batch.uuid,
                 depositd::render(failed));
}

bool is_fetched(const batch_document& batch) {
  return std::any_of(batch.payloads.begin(), batch.payloads.end(),
                     [](const auto& x) { return x.blob.empty(); });
}

/// Two batches are split at once, and a server may need an hour for what it
/// sends: of depositors who name such servers only one.
constexpr std::size_t split_at_once = 2;

outcome split(const stages::stage_tools& tools, batch_plans& plans,
              stages::receiver_turns& turns, stages::receiver_turns& fetching,
              const stages::stage_task& task) {
  auto body = body_of(tools, task.item.item);
  if (!body)
    return ended(body.error(), verdict::failed, "the batch's document");
  auto batch = decode_batch_document(*body);
  if (!batch)
    return ended(verdict::failed, "the batch's document cannot be read: "
                                    + depositd::render(batch.error()));
  if (task.collection == nullptr)
    return ended(verdict::failed, "there is no collection "
                                    + in_quotes(batch->collection)
                                    + " any more");
  name_payloads(*batch);
  const bool fetched = is_fetched(*batch);
  auto turn = fetched ? fetching.enter(batch->user,
                                       fetching_limits(split_at_once))
                      : std::optional<stages::receiver_turns::turn>{};
  if (fetched && !turn)
    return wait_for_fetching("a batch of " + batch->user
                             + " or of others is");
  const auto put_back = [&](std::uint64_t more) {
    return turn && turn->is_to_end(split_at_once, more);
  };
  const auto found = plans.find(tools, *batch, put_back);
  if (const auto* ending = std::get_if<outcome>(&found))
    return ending->says == verdict::retry && put_back(0) ? put_back_for_others()
                                                        : *ending;
  const auto plan = std::get<std::shared_ptr<const batch_plan>>(found);
  if (batch->split == 0 && !batch->payloads.empty())
    tell_depositor(tools, turns, task, *batch);
  const auto slice = next_slice(*batch, *plan, *task.collection);
  if (slice.last) {
    plans.forget(batch->uuid);
    if (auto failure = forget_fetched(tools, *batch))
      return ended(verdict::retry, depositd::render(failure));
  }
  auto out = ended(verdict::done);
  out.document = encode(slice);
  return out;
}

} // namespace

stages::stage_handler
make_splitter(std::shared_ptr<const stages::stage_tools> tools,
              std::chrono::milliseconds slow_from) {
  return [tools = std::move(tools), plans = std::make_shared<batch_plans>(),
          turns = std::make_shared<stages::receiver_turns>(),
          fetching = make_fetching_turns(slow_from)](
           const stages::stage_task& task) {
    return split(*tools, *plans, *turns, *fetching, task);
  };
}

std::string job_uuid(const std::string& batch_uuid, std::uint64_t number) {
  return "jid-"
         + uuid_of_digest(
           sha256_hex(batch_uuid + "/" + std::to_string(number)));
}

} // namespace depositd::merritt
