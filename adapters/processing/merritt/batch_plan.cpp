#include "adapters/processing/merritt/batch_plan.hpp"

#include "adapters/digests/digester.hpp"
#include "adapters/processing/merritt/file_digests.hpp"
#include "adapters/processing/merritt/work_on_job.hpp"
#include "adapters/processing/stages/unless_away.hpp"
#include "adapters/stores/files/file.hpp"
#include "messages/values/shown_addresses.hpp"

#include <algorithm>

namespace depositd::merritt {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t plans_max = 8;

/// Bytes, or how the stage ends without them.
using bytes_or_ending = std::variant<std::string, outcome>;

std::optional<outcome> check_bytes(const payload& x, std::string_view bytes) {
  if (!x.expected)
    return std::nullopt;
  digester sum{x.expected->algorithm};
  sum.add(bytes);
  const auto wrong = difference(sum.finish(), *x.expected);
  if (wrong.empty())
    return std::nullopt;
  return ended(verdict::rejected, in_quotes(x.file_name) + ": " + wrong);
}

bool is_batch(submission_type x) {
  return x == submission_type::batch_of_manifests
         || x == submission_type::batch_of_containers
         || x == submission_type::batch_of_files;
}

job_type type_of_rows(manifest_kind kind) {
  switch (kind) {
    case manifest_kind::batch_of_manifests:
      return job_type::manifest;
    case manifest_kind::batch_of_containers:
      return job_type::container;
    default:
      return job_type::file;
  }
}

job_type type_of_single(submission_type x) {
  switch (x) {
    case submission_type::container:
      return job_type::container;
    case submission_type::object_manifest:
      return job_type::manifest;
    default:
      return job_type::file;
  }
}

class planner {
public:
  planner(const stages::stage_tools& tools, const batch_document& batch,
          const put_back_function& put_back)
    : tools_(tools), batch_(batch), put_back_(put_back) {
    // nop
  }

  plan_or_ending run() {
    if (batch_.payloads.empty())
      return ended(verdict::rejected, "nothing was submitted");
    std::optional<submission_type> type;
    if (!batch_.type.empty()) {
      type = find_submission_type(batch_.type);
      if (!type)
        return ended(verdict::rejected,
                     "there is no type " + in_quotes(batch_.type));
    }
    auto out = std::make_shared<batch_plan>();
    for (std::size_t i = 0; i < batch_.payloads.size(); ++i) {
      auto one = plan(i, type);
      if (auto* ending = std::get_if<outcome>(&one))
        return std::move(*ending);
      out->payloads.push_back(std::move(std::get<planned_payload>(one)));
    }
    return out;
  }

private:
  std::variant<planned_payload, outcome>
  plan(std::size_t number, std::optional<submission_type> type) {
    const auto& from = batch_.payloads[number];
    if (!type && detect_type(from.file_name, {}) == submission_type::container)
      type = submission_type::container;
    if (type && !is_batch(*type))
      return planned_payload{type_of_single(*type), std::nullopt};
    auto bytes = read(number, !type);
    if (auto* ending = std::get_if<outcome>(&bytes))
      return std::move(*ending);
    const auto& text = std::get<std::string>(bytes);
    if (!type)
      type = detect_type(from.file_name, text);
    if (!is_batch(*type))
      return planned_payload{type_of_single(*type), std::nullopt};
    if (auto ending = check_bytes(from, text))
      return std::move(*ending);
    return plan_rows(from, text);
  }

  static std::variant<planned_payload, outcome>
  plan_rows(const payload& from, const std::string& text) {
    const auto about = in_quotes(from.file_name) + ": ";
    if (text.size() > batch_manifest_bytes_max)
      return ended(verdict::rejected, about + too_many_bytes());
    auto read = read_manifest(text);
    if (read.fault)
      return ended(verdict::rejected, about + render(*read.fault));
    if (!merritt::is_batch(read.found.kind))
      return ended(verdict::rejected,
                   about + "the profile is not that of a batch manifest");
    const auto type = type_of_rows(read.found.kind);
    return planned_payload{type, std::move(read.found)};
  }

  static std::string too_many_bytes() {
    return "a batch manifest has at most "
           + std::to_string(batch_manifest_bytes_max) + " bytes";
  }

  /// With `guessing`, a file that is too large to be a batch manifest and has
  /// to be fetched is taken for what its name says.
  bytes_or_ending read(std::size_t number, bool guessing) {
    const auto& from = batch_.payloads[number];
    if (!from.blob.empty()) {
      auto bytes = tools_.blobs->get(from.blob);
      if (bytes)
        return std::move(*bytes);
      return stages::unless_away(bytes.error(),
                                 ended(bytes.error(), verdict::failed,
                                       in_quotes(from.file_name)));
    }
    auto folder = batch_folder(tools_.work_folder, batch_.uuid);
    if (!folder)
      return ended(verdict::failed, depositd::render(folder.error()));
    const auto to = *folder / "split" / std::to_string(number);
    const auto here = look_at(to);
    if (!here)
      return ended(verdict::retry, depositd::render(here.error()));
    if (*here == fs::file_type::not_found)
      if (auto failure = fetch(from, to)) {
        if (failure == ec::too_large && guessing)
          return std::string{};
        if (failure == ec::too_large)
          return ended(verdict::rejected,
                       in_quotes(from.file_name) + ": " + too_many_bytes());
        return ended(failure, verdict::rejected,
                     in_quotes(from.file_name) + " ("
                       + without_secrets(from.url) + ")");
      }
    auto bytes = read_file(to);
    if (bytes)
      return std::move(*bytes);
    return ended(verdict::retry, depositd::render(bytes.error()));
  }

  caf::error fetch(const payload& from, const fs::path& to) {
    if (auto failure = make_folders(system_disk(), to.parent_path()))
      return failure;
    download_request request;
    request.url = from.url;
    request.to = to;
    request.expected = from.expected;
    request.size = from.bytes;
    request.bytes_max = batch_manifest_bytes_max;
    request.stopped = put_back_;
    auto got = tools_.downloader->fetch(request);
    return got ? caf::error{} : std::move(got.error());
  }

  const stages::stage_tools& tools_;
  const batch_document& batch_;
  const put_back_function& put_back_;
};

} // namespace

std::uint64_t batch_plan::jobs() const {
  std::uint64_t out = 0;
  for (const auto& x : payloads)
    out += x.jobs();
  return out;
}

plan_or_ending make_plan(const stages::stage_tools& tools,
                         const batch_document& batch,
                         const put_back_function& put_back) {
  return planner{tools, batch, put_back}.run();
}

caf::error forget_fetched(const stages::stage_tools& tools,
                          const batch_document& batch) {
  const auto folder = batch_folder(tools.work_folder, batch.uuid);
  if (!folder)
    return {};
  std::error_code code;
  fs::remove_all(*folder / "split", code);
  return code ? file_failed("remove", *folder / "split", code.value())
              : caf::error{};
}

plan_or_ending batch_plans::find(const stages::stage_tools& tools,
                                 const batch_document& batch,
                                 const put_back_function& put_back) {
  {
    const std::lock_guard guard{mutex_};
    const auto at =
      std::find_if(entries_.begin(), entries_.end(),
                   [&](const entry& x) { return x.batch == batch.uuid; });
    if (at != entries_.end()) {
      entries_.splice(entries_.begin(), entries_, at);
      return at->plan;
    }
  }
  auto out = make_plan(tools, batch, put_back);
  if (const auto* made = std::get_if<std::shared_ptr<const batch_plan>>(&out)) {
    const std::lock_guard guard{mutex_};
    entries_.push_front({batch.uuid, *made});
    if (entries_.size() > plans_max)
      entries_.pop_back();
  }
  return out;
}

void batch_plans::forget(const std::string& batch_uuid) {
  const std::lock_guard guard{mutex_};
  entries_.remove_if([&](const entry& x) { return x.batch == batch_uuid; });
}

} // namespace depositd::merritt
