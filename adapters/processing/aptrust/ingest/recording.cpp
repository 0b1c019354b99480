// ingest08_record: the object goes into the inventory, with what was done.

#include "adapters/processing/aptrust/ingest/ingest_facts.hpp"
#include "adapters/processing/aptrust/ingest/steps.hpp"
#include "adapters/processing/aptrust/premis.hpp"
#include "adapters/processing/merritt/keeping_steps.hpp"
#include "messages/values/clock.hpp"
#include "messages/values/test_points.hpp"

#include <algorithm>
#include <utility>

namespace depositd::aptrust {

namespace {

using merritt::ended;

constexpr std::size_t events_at_once = 1'000;
constexpr const char* agent = "depositd";

std::string left_text(const bag_in_hand& x, const char* name) {
  const auto bag = x.work.job.more.find(left_by_ingest::bag);
  if (bag == x.work.job.more.end() || !bag->is_object())
    return {};
  const auto at = bag->find(name);
  return at != bag->end() && at->is_string() ? at->get<std::string>()
                                             : std::string{};
}

class recorder {
public:
  explicit recorder(bag_in_hand& x)
    : x_(x), scene_{x.object(), x.item.institution, x.work.job.uuid, agent,
                    engine_clock::system().now()} {
    // nop
  }

  outcome run() {
    if (auto ending = find_targets())
      return *ending;
    if (auto failure = record_object())
      return ended_recording(failure);
    crash_point("bag_recorded");
    auto failure = tell_of_files();
    // That it was ingested is said last: then all of it is there.
    if (!failure)
      failure = tell_of_object();
    if (!failure)
      failure = flush();
    return failure ? ended_recording(failure) : ended(verdict::done);
  }

private:
  std::optional<outcome> find_targets() {
    const auto numbers = merritt::stored_in(x_.work.job);
    if (numbers.empty())
      return ended(verdict::failed,
                   "nothing was stored yet, requeue to ingest06_storage");
    number_there_ = numbers.begin()->second;
    for (const auto& [name, number] : numbers) {
      // A target that came later counts from one; the object goes on.
      number_ = std::max(number_, number);
      targets_.push_back(name);
    }
    return std::nullopt;
  }

  /// Trouble of a store passes; what it refuses does not, nor does damage,
  /// be it of the inventory or of the lists of earlier stages.
  static outcome ended_recording(const caf::error& failure) {
    if (failure == ec::already_exists || failure == ec::invalid_argument
        || failure == ec::not_found || failure == ec::store_damaged)
      return ended(verdict::failed, "recording: " + render(failure));
    return ended_for_now(failure, "recording");
  }

  caf::error record_object() {
    const auto target = x_.work.tools.storage.find(targets_.front());
    if (target == x_.work.tools.storage.end())
      return caf::make_error(ec::store_failed, "no storage " + targets_.front()
                                                 + " is set up here");
    auto version = target->second->show(x_.object(), number_there_);
    if (!version)
      return std::move(version.error());
    const auto& job = x_.work.job;
    inventory_entry entry;
    entry.identifier = x_.object();
    entry.collection = x_.work.task.collection->name;
    entry.owner = x_.work.task.collection->owner;
    entry.storage = targets_;
    entry.version = {.number = number_,
                     .job = job.uuid,
                     .batch = job.batch_uuid,
                     .user = job.user,
                     .title = job.what.title,
                     .creator = left_text(x_, "source_organization"),
                     .date = job.what.date,
                     .bytes = 0,
                     .files = version->files.size(),
                     .recorded_us = scene_.at_us};
    for (const auto& file : version->files)
      entry.version.bytes += file.bytes;
    entry.files = std::move(version->files);
    if (auto failure = x_.work.tools.inventory->record(entry))
      return failure;
    return take_number();
  }

  /// The inventory may have known the number by other files, and have taken
  /// the next.
  caf::error take_number() {
    const auto found =
      x_.work.tools.inventory->find({.identifier = x_.object()});
    if (!found)
      return found.error();
    for (const auto& object : *found)
      for (const auto& version : object.versions)
        if (version.job == x_.work.job.uuid)
          number_ = version.number;
    return {};
  }

  caf::error tell(premis_facts facts) {
    waiting_.push_back(make_event(scene_, std::move(facts)));
    return waiting_.size() < events_at_once ? caf::error{} : flush();
  }

  caf::error flush() {
    if (waiting_.empty())
      return {};
    auto failure = x_.work.tools.inventory->record_events(waiting_);
    if (!failure)
      waiting_.clear();
    return failure;
  }

  /// Lists of the stages are in the order of the bag, so they are walked side
  /// by side.
  caf::error tell_of_files() {
    auto found = findings_reader::open(x_.files);
    if (!found)
      return std::move(found.error());
    return each_file(x_.files, [&](const listed_file& file) -> caf::error {
      if (!is_kept(file.path))
        return {};
      if (auto failure = found->next(file.path))
        return failure;
      return tell_of(file, *found);
    });
  }

  caf::error tell_of(const listed_file& file, const findings_reader& found) {
    using namespace premis_types;
    if (auto failure = tell({.type = fixity_check,
                             .detail = "compared with the bag's manifests",
                             .outcome_detail = "sha256:" + file.sha256,
                             .file = file.path}))
      return failure;
    if (found.is_unchanged())
      return {};
    const auto& format = found.format();
    auto failure = tell(
      {.type = digest_calculation,
       .detail = "sha256 and sha512",
       .outcome_detail = "sha256:" + file.sha256 + " sha512:" + file.sha512,
       .file = file.path});
    if (!failure)
      failure = tell({.type = identifier_assignment,
                      .detail = "identifier of the file",
                      .outcome_detail = x_.object() + "/" + file.path,
                      .file = file.path});
    if (!failure)
      failure =
        tell({.type = format_identification,
              .detail = format.method,
              .outcome_detail =
                format.mime + (format.puid.empty() ? "" : " " + format.puid),
              .file = file.path});
    if (!failure)
      failure = tell({.type = ingestion,
                      .detail = "stored in " + targets_.front(),
                      .outcome_detail = std::to_string(file.bytes) + " bytes",
                      .file = file.path});
    for (std::size_t i = 1; !failure && i < targets_.size(); ++i)
      failure = tell({.type = replication,
                      .detail = "copied to " + targets_[i],
                      .outcome_detail = std::to_string(file.bytes) + " bytes",
                      .file = file.path});
    return failure;
  }

  caf::error tell_of_object() {
    using namespace premis_types;
    if (auto failure = flush())
      return failure;
    crash_point("bag_files_told");
    auto failure = tell({.type = validation,
                         .detail = "the bag is valid",
                         .outcome_detail = left_text(x_, "profile")});
    const auto encoding = left_text(x_, "encoding");
    if (!failure && !encoding.empty())
      failure = tell({.type = format_identification,
                      .detail = tag_file_encoding,
                      .outcome_detail = encoding});
    if (!failure)
      failure = tell({.type = identifier_assignment,
                      .detail = "identifier of the object",
                      .outcome_detail = x_.object()});
    const auto access = left_text(x_, "access");
    if (!failure && !access.empty())
      failure = tell({.type = access_assignment,
                      .detail = "rights of access, as the bag has them",
                      .outcome_detail = access});
    if (!failure)
      failure =
        tell({.type = ingestion,
              .detail = "ingested as version " + std::to_string(number_),
              .outcome_detail = etag_text(x_.item.etag)});
    return failure;
  }

  bag_in_hand& x_;
  const premis_scene scene_;
  std::vector<std::string> targets_;
  std::uint32_t number_ = 0;       ///< of the version
  std::uint32_t number_there_ = 0; ///< in the first target
  std::vector<premis_event> waiting_;
};

} // namespace

outcome record_ingest(bag_in_hand& x) {
  return merritt::locked(
    [&](merritt::work_on_job&) { return recorder{x}.run(); })(x.work);
}

} // namespace depositd::aptrust
