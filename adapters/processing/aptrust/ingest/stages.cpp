#include "adapters/processing/aptrust/ingest/stages.hpp"

#include "adapters/processing/aptrust/ingest/steps.hpp"

#include <utility>

namespace depositd::aptrust {

namespace {

/// Without its collection nobody knows whose an object is and where it goes.
ingest_step of_collection(outcome (*step)(bag_in_hand&)) {
  return [step](bag_in_hand& x) {
    if (x.work.task.collection == nullptr)
      return merritt::ended(verdict::failed,
                            "there is no collection "
                              + merritt::in_quotes(x.work.job.collection)
                              + " any more");
    return step(x);
  };
}

} // namespace

stages::stage_handlers ingest_stages(ingest_options options) {
  const auto with = std::make_shared<const ingest_options>(std::move(options));
  stages::stage_handlers out;
  const auto add = [&](const char* name, item_stage stage,
                       outcome (*step)(bag_in_hand&)) {
    out[name] = ingest_handler(with, stage, of_collection(step));
  };
  using enum item_stage;
  add("aptrust.prefetch", receive, prefetch);
  add("aptrust.validate", validate, aptrust::validate);
  add("aptrust.reingest", reingest_check, check_reingest);
  add("aptrust.stage", copy_to_staging, stage_files);
  add("aptrust.identify", format_identification, identify_formats);
  add("aptrust.store", store, store_files);
  add("aptrust.check", storage_validation, check_storage);
  add("aptrust.record", record, record_ingest);
  add("aptrust.cleanup", cleanup, clean_up_ingest);
  return out;
}

} // namespace depositd::aptrust
