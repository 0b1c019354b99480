#include "adapters/archives/extract.hpp"
#include "adapters/digests/digester.hpp"
#include "adapters/processing/merritt/arrivals.hpp"
#include "adapters/processing/merritt/file_digests.hpp"
#include "adapters/processing/merritt/job_steps.hpp"
#include "adapters/processing/merritt/manifest.hpp"
#include "adapters/processing/stages/unless_away.hpp"
#include "adapters/stores/files/file.hpp"
#include "messages/values/estimates.hpp"
#include "messages/values/payload_paths.hpp"
#include "messages/values/shown_addresses.hpp"

#include <optional>

namespace depositd::merritt {

namespace {

namespace fs = std::filesystem;

/// Of the archive, until it is unpacked.
fs::path container_of(const job_folder& folder) {
  return folder.root / "container";
}

fs::path place_of(const work_on_job& x) {
  switch (x.job.type) {
    case job_type::container:
      return container_of(x.folder);
    case job_type::manifest:
      return x.folder.submitted_manifest();
    case job_type::file:
      break;
  }
  return x.folder.producer() / x.job.payload.file_name;
}

/// How the stage ends, if it does.
std::optional<outcome> put_blob(const work_on_job& x, const fs::path& to) {
  const auto& from = x.job.payload;
  auto bytes = x.tools.blobs->get(from.blob);
  if (!bytes)
    return stages::unless_away(bytes.error(),
                               ended(bytes.error(), verdict::failed,
                                     in_quotes(from.file_name)));
  if (from.expected) {
    digester sum{from.expected->algorithm};
    sum.add(*bytes);
    const auto wrong = difference(sum.finish(), *from.expected);
    if (!wrong.empty())
      return ended(verdict::rejected, in_quotes(from.file_name) + ": " + wrong);
  }
  if (auto failure = write_to(x.folder, {"payload", to}, *bytes))
    return ended(failure, verdict::failed);
  return std::nullopt;
}

std::optional<outcome> put_fetched(const work_on_job& x, const fs::path& to) {
  const auto& from = x.job.payload;
  download_request request;
  request.url = from.url;
  request.expected = from.expected;
  request.size = from.bytes;
  request.stopped = x.put_back;
  if (x.job.type == job_type::manifest)
    request.bytes_max = manifest_bytes_max;
  auto got = fetch_to(*x.tools.downloader, x.folder, {"payload", to}, request);
  if (got)
    return std::nullopt;
  return ended(got.error(), verdict::rejected,
               in_quotes(from.file_name) + " ("
                 + without_secrets(from.url) + ")");
}

std::optional<outcome> put_payload(const work_on_job& x) {
  const auto to = place_of(x);
  const auto here = look_at(to);
  if (!here)
    return ended(here.error(), verdict::failed);
  if (*here != fs::file_type::not_found)
    return std::nullopt; // it was checked before it got there
  auto out = x.job.payload.blob.empty() ? put_fetched(x, to) : put_blob(x, to);
  if (out)
    return out;
  if (auto failure = end_arrivals(x.folder))
    return ended(failure, verdict::failed);
  return std::nullopt;
}

caf::error rename_unpacked(const fs::path& from, const job_folder& folder) {
  std::error_code code;
  fs::rename(from, folder.producer(), code);
  if (code)
    return file_failed("rename to", folder.producer(), code.value());
  return sync_folder(system_disk(), folder.root);
}

/// The payload's folder gets its name once all of it is there.
std::optional<outcome> unpack(const work_on_job& x) {
  const auto folder = x.folder.root / "unpacking";
  std::error_code code;
  fs::remove_all(folder, code);
  if (code)
    return ended(verdict::retry,
                 depositd::render(file_failed("remove", folder, code.value())));
  const auto& name = x.job.payload.file_name;
  const auto files =
    extract_archive({container_of(x.folder), name}, folder,
                    {.disk_free_min = x.tools.provision.free_min});
  if (!files)
    return ended(files.error(), verdict::rejected, in_quotes(name));
  if (files->empty()) {
    fs::remove_all(folder, code);
    return ended(verdict::rejected,
                 in_quotes(name) + ": there are no files in it");
  }
  if (auto failure = rename_unpacked(folder, x.folder))
    return ended(failure, verdict::failed);
  return std::nullopt;
}

outcome stage_container(const work_on_job& x) {
  std::error_code code;
  const auto unpacked = look_at(x.folder.producer());
  if (!unpacked)
    return ended(unpacked.error(), verdict::failed);
  if (*unpacked == fs::file_type::not_found) {
    if (auto ending = put_payload(x))
      return *ending;
    if (auto ending = unpack(x)) {
      // What cannot be unpacked need not fill the disk until it is forgotten.
      if (ending->says == verdict::rejected)
        fs::remove(container_of(x.folder), code);
      return *ending;
    }
  }
  fs::remove(container_of(x.folder), code);
  if (code)
    return ended(verdict::retry,
                 depositd::render(file_failed("remove", container_of(x.folder),
                                              code.value())));
  return ended(verdict::done);
}

/// Why nothing may be put anywhere.
std::string fault_of(const job_document& job) {
  if (!job.fault.empty())
    return job.fault;
  const auto& from = job.payload;
  if (from.blob.empty() && from.url.empty())
    return "there is no payload";
  if (job.type == job_type::container && !has_container_name(from.file_name))
    return in_quotes(from.file_name) + " is not the name of an archive";
  const auto fault = payload_path_fault(from.file_name);
  return fault.empty() || job.type == job_type::manifest
           ? std::string{}
           : "the file name " + in_quotes(from.file_name) + " " + fault;
}

outcome put_in_place(const work_on_job& x) {
  if (const auto fault = fault_of(x.job); !fault.empty())
    return ended(verdict::rejected, fault);
  if (x.job.type == job_type::container)
    return stage_container(x);
  auto ending = put_payload(x);
  return ending ? *ending : ended(verdict::done);
}

/// By the rules of who waits for room.
bool is_disk_full(const stages::stage_tools& tools) {
  std::error_code code;
  const auto space = fs::space(tools.work_folder, code);
  return !code
         && !has_room(tools.provision, {space.capacity, space.available}, 0, 0);
}

} // namespace

outcome stage_payload(work_on_job& x) {
  auto out = put_in_place(x);
  // What has come in part would be gone on with if an operator has it tried
  // again, but it must not keep the disk from all others until then.
  const bool over = out.says == verdict::failed
                    || out.says == verdict::rejected
                    || (out.says == verdict::retry && is_last_attempt(x));
  if (over && is_disk_full(x.tools))
    if (auto failure = end_arrivals(x.folder))
      out.reason += "; " + depositd::render(failure);
  return out;
}

} // namespace depositd::merritt
