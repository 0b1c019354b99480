// What else can be asked of a running engine: of schedulers and their records,
// of batches, and of the store. Each has to be answered or refused.

#include "messages/projection.hpp"
#include "messages/sources.hpp"
#include "messages/work.hpp"
#include "tests/simulation/world.hpp"
#include "tests/simulation/world_question.hpp"

#include <string>

namespace depositd::simulation {

namespace {

constexpr const char* asked_scheduler = "puller";
constexpr const char* asked_queue = "pulled";
constexpr micros all_made_us = 1; ///< of all sources

} // namespace

void world::inquire() {
  if (!is_shared() && engine_)
    inquire_of(engine_->core.shard, engine_->core.projector);
  else if (const auto* engine = is_shared() ? some_engine() : nullptr)
    inquire_of(engine->router, engine->reader);
}

void world::inquire_of(const shards_actor& shards,
                       const read_model_actor& reads) {
  auto& any = inquiry_chance_;
  const auto source = std::string{"s"}.append(std::to_string(any.below(3)));
  switch (any.below(7)) {
    case 0:
      return question<schedulers_reported>(
        "report_schedulers", shards,
        report_schedulers{any.one_in(2) ? asked_scheduler : ""}, not_judged);
    case 1:
      return question<record_found>("find_record", shards,
                                    find_record{asked_scheduler, source, "k1"},
                                    not_judged);
    case 2:
      return question<strategy_explained>(
        "explain_strategy", shards, explain_strategy{asked_scheduler, "", 3},
        not_judged);
    case 3:
      return question<records_counted>(
        "count_records", shards,
        count_records{asked_queue, source, all_made_us}, not_judged);
    case 4: {
      failed_query what;
      what.queue = asked_queue;
      what.source = source;
      what.made_us = all_made_us;
      return question<failed_found>("failed_query", reads, std::move(what),
                                    not_judged);
    }
    case 5:
      return question<store_report>("report_store", reads, report_store{},
                                    not_judged);
    default:
      return question<batches_found>("batch_query", reads, batch_query{},
                                     not_judged);
  }
}

} // namespace depositd::simulation
