#include "adapters/processing/merritt/job_steps.hpp"
#include "adapters/processing/merritt/object_identity.hpp"
#include "adapters/processing/merritt/system_files.hpp"

namespace depositd::merritt {

namespace {

outcome process(work_on_job& x) {
  const auto payload = look_at(x.folder.producer());
  if (!payload)
    return ended(payload.error(), verdict::failed);
  if (*payload != std::filesystem::file_type::directory)
    return ended(verdict::failed, "the payload is no longer in the working "
                                  "folder: requeue to pending");
  auto read = read_payload_metadata(x);
  if (auto* ending = std::get_if<outcome>(&read))
    return std::move(*ending);
  const auto& found = std::get<payload_metadata>(read);
  if (auto ending = describe_job(x.job, found))
    return std::move(*ending);
  if (auto ending = find_identity(x))
    return std::move(*ending);
  if (auto failure = write_system_files(x, found))
    return ended(failure, verdict::failed);
  if (auto failure = write_list_to_store(x))
    return ended(failure, verdict::failed);
  return ended(verdict::done);
}

} // namespace

outcome process_object(work_on_job& x) {
  if (x.task.collection == nullptr)
    return ended(verdict::failed, "there is no collection "
                                    + in_quotes(x.job.collection)
                                    + " any more");
  auto out = process(x);
  // If the locks stay they end by themselves, only later.
  if (is_fatal(x, out.says))
    static_cast<void>(give_up_locks(x));
  return out;
}

} // namespace depositd::merritt
