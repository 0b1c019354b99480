// Batches and jobs: those who submit them, workers of stages, operators.

#include "actors/rules/control/pipelines.hpp"
#include "messages/operators.hpp"
#include "messages/values/job_documents.hpp"
#include "messages/values/orders.hpp"
#include "messages/work.hpp"
#include "tests/simulation/pipelines_of_lives.hpp"
#include "tests/simulation/queues_of_lives.hpp"
#include "tests/simulation/world.hpp"
#include "tests/simulation/world_ask.hpp"

#include <algorithm>
#include <iterator>

namespace depositd::simulation {

namespace {

constexpr std::uint32_t submitters_max = 4;

struct stage_of_lives {
  const char* name;
  job_state state;
};

/// By how many there are. Two may share a state.
const std::vector<std::vector<stage_of_lives>> stages_by_count{
  {{"first", job_state::pending}},
  {{"first", job_state::pending}, {"last", job_state::notify}},
  {{"first", job_state::pending},
   {"middle", job_state::processing},
   {"last", job_state::notify}},
  {{"first", job_state::pending},
   {"fetch", job_state::downloading},
   {"check", job_state::downloading},
   {"last", job_state::notify}},
};

bool is_split(const std::string& queue) {
  return queue.ends_with(std::string{"."} + split_stage);
}

bool is_report(const std::string& queue) {
  return queue.ends_with(std::string{"."} + report_stage);
}

/// What an operator would probably want of a job that looks so.
work_action sensible(job_state x) {
  switch (x) {
    case job_state::pending:
      return work_action::hold;
    case job_state::held:
      return work_action::release;
    case job_state::failed:
      return work_action::requeue;
    default:
      return work_action::fail;
  }
}

work_action sensible(batch_state x) {
  switch (x) {
    case batch_state::pending:
      return work_action::hold;
    case batch_state::held:
      return work_action::release;
    default:
      return work_action::update_report;
  }
}

} // namespace

// -- a pipeline, and who submits to it ----------------------------------------

pipeline world::pipeline_as_set() const {
  pipeline out{"p", {}};
  for (const auto& one : stages_by_count[knobs_.stages - 1]) {
    stage_settings stage;
    stage.name = one.name;
    stage.state = one.state;
    stage.kind = handler_kind::external;
    stage.attempts_max = 3;
    stage.retry_delay_ms_max = 4'000;
    stage.not_yet_delay_ms = 2'000;
    out.stages.push_back(std::move(stage));
  }
  return out;
}

collection_changed collection_as_set(const std::string& name, bool held) {
  collection_changed out;
  out.settings.name = name;
  out.settings.owner = "u0";
  for (std::uint32_t i = 1; i < submitters_max; ++i)
    out.settings.submitters.push_back(
      std::string{"u"}.append(std::to_string(i)));
  out.settings.pipeline = "p";
  out.settings.held = held;
  return out;
}

std::vector<std::string> world::stage_queues() const {
  std::vector<std::string> out;
  if (!knobs_.work)
    return out;
  out.push_back(stage_queue_name("p", split_stage));
  if (told_.with_pipeline_changes)
    for (auto& name : stages_of_changes())
      out.push_back(stage_queue_name("p", name));
  else
    for (const auto& one : stages_by_count[knobs_.stages - 1])
      out.push_back(stage_queue_name("p", one.name));
  out.push_back(stage_queue_name("p", report_stage));
  return out;
}

void world::tell_pipeline() {
  if (!knobs_.work)
    return;
  // Where they are not, whoever looks for work makes them queues of others.
  if (told_.with_pipeline_changes && !pipeline_chance_.one_in(6))
    change(rules::with_queues({}, {pipeline_of_all(), false}));
  auto changes = rules::with_queues({}, {pipeline_as_set(), false});
  changes.emplace_back(collection_as_set("books", false));
  changes.emplace_back(collection_as_set("maps", false));
  change(std::move(changes));
}

void world::submit_work() {
  batch_document document;
  document.uuid = std::string{"bid-"}.append(std::to_string(++bodies_));
  document.user = std::string{"u"}.append(
    std::to_string(work_chance_.below(std::min(knobs_.users, submitters_max))));
  document.collection = work_chance_.one_in(3) ? "maps" : "books";
  document.more["jobs"] =
    work_chance_.one_in(12) ? 0 : 1 + work_chance_.below(6);
  submit_batch message;
  message.user = document.user;
  message.info.uuid = document.uuid;
  message.info.collection = document.collection;
  message.priority = static_cast<std::uint8_t>(work_chance_.below(3));
  message.document = encode(document);
  tell(attempted{document.uuid, stage_queue_name("p", split_stage),
                 document.user});
  ask(std::move(message), [=, this](const batch_accepted& x) {
    tell(acknowledged{document.uuid, x.id});
  });
}

// -- workers ------------------------------------------------------------------

void world::add_stage_worker(const std::string& queue) {
  const auto alive =
    std::count_if(workers_.begin(), workers_.end(), [&](const auto& worker) {
      return !worker->gone && is_of_pipeline(worker->queue)
             && is_of_orders(worker->queue) == is_of_orders(queue);
    });
  if (alive >= stage_workers_max_)
    return;
  auto who = std::make_shared<simulated_worker>();
  who->queue = queue;
  who->slots = 1 + work_chance_.below(4);
  if (knobs_.work_leases && work_chance_.one_in(2))
    who->lease_ms = 2000 + work_chance_.below(8000);
  spawn_worker(std::move(who));
}

outcome world::stage_ended(const simulated_worker& who,
                           const claimed_item& item) {
  outcome what;
  what.id = item.id;
  what.token = item.token;
  what.member = item.member;
  static constexpr verdict verdicts[] = {verdict::skip,     verdict::retry,
                                         verdict::not_yet,  verdict::failed,
                                         verdict::rejected, verdict::release};
  const auto fails = knobs_.work_failures || is_of_orders(who.queue);
  if (!who.quick && fails && work_chance_.one_in(3))
    what.says = verdicts[work_chance_.below(6)];
  // Never the stage's own: that of a batch doubles into hours.
  what.delay_ms = 500 + work_chance_.below(4'000);
  what.reason = "by chance";
  if (is_split(who.queue)) {
    if (what.says == verdict::skip)
      what.says = verdict::not_yet;
    if (what.says == verdict::done)
      split(who, item, what);
  } else if (what.says != verdict::release && !who.quick
             && work_chance_.one_in(2)) {
    rewrite(who, item, what);
  }
  if (office_ && (what.says == verdict::done || what.says == verdict::skip))
    office_->end(who.queue, item, what);
  return what;
}

/// Some of the batch's jobs; a quick worker makes all of them.
void world::split(const simulated_worker& who, const claimed_item& item,
                  outcome& what) {
  auto batch = decode_batch_document(item.body);
  if (!batch) {
    tell(left_over{"a batch that cannot be read"});
    return;
  }
  split_slice out;
  const auto order = batch->more.find(order_member);
  const auto is_order = order != batch->more.end();
  out.expected
    = is_order ? 1 : batch->more.at("jobs").get<std::uint64_t>();
  const std::uint64_t slice = who.quick ? 1000 : 1 + work_chance_.below(3);
  for (std::uint64_t i = 0; i < slice && batch->split < out.expected; ++i) {
    job_document job;
    job.uuid = batch->uuid + '-' + std::to_string(++batch->split);
    job.batch_uuid = batch->uuid;
    job.user = item.user;
    job.collection = batch->collection;
    job.first_priority = job.priority = 5;
    if (is_order)
      job.more[order_member] = *order;
    tell(attempted{job.uuid,
                   is_order ? order_office::first_stage(who.queue)
                            : stage_queues()[1],
                   item.user});
    out.jobs.push_back(std::move(job));
  }
  out.last = batch->split == out.expected;
  out.batch = std::move(*batch);
  what.document = encode(out);
}

/// What a stage finds out is the item's body from then on.
void world::rewrite(const simulated_worker& who, const claimed_item& item,
                    outcome& what) {
  if (is_report(who.queue)) {
    auto batch = decode_batch_document(item.body);
    if (!batch)
      return;
    batch->more["rev"] = ++revisions_;
    what.document = encode(*batch);
  } else if (auto job = decode_job_document(item.body)) {
    job->more["rev"] = ++revisions_;
    job->space_needed = revisions_;
    what.document = encode(*job);
  }
}

std::string world::document_of(const simulated_worker& who,
                               const outcome& what) {
  if (what.document.empty() || !is_of_pipeline(who.queue))
    return {};
  if (!is_split(who.queue))
    return name_of_body(who.queue, what.document);
  const auto slice = decode_split_bodies(what.document);
  return slice ? name_of_body(who.queue, slice->batch) : "no slice";
}

// -- operators ----------------------------------------------------------------

void world::follow_work() {
  for (; work_seen_ < told_.entries.size(); ++work_seen_)
    if (const auto* record =
          std::get_if<journalled>(&told_.entries[work_seen_].what))
      work_.apply(*record);
}

void world::order_this_job(item_id id, work_action action,
                           const std::string& stage) {
  const auto number = ++orders_;
  tell(work_wanted{number, id, action, stage});
  ask(order_job{id, work_.job(id)->user, action, stage, "an operator"},
      [=, this](const job_ordered& x) {
        tell(work_done_as_wanted{number, word(x.status.state)});
      });
}

void world::order_this_batch(item_id id, work_action action) {
  const auto number = ++orders_;
  tell(work_wanted{number, id, action, {}});
  ask(order_batch{id, work_.batch(id)->user, action, "an operator"},
      [=, this](const batch_ordered& x) {
        tell(work_done_as_wanted{number, word(x.status.state)});
      });
}

void world::order_work() {
  static constexpr work_action actions[] = {
    work_action::hold, work_action::release, work_action::requeue,
    work_action::fail, work_action::remove};
  follow_work();
  const auto any = actions[work_chance_.below(5)];
  const auto sense = !work_chance_.one_in(3);
  const auto some = [&](const auto& all) {
    return std::next(
      all.begin(), work_chance_.below(static_cast<std::uint32_t>(all.size())));
  };
  if (!work_.jobs().empty() && !work_chance_.one_in(3)) {
    const auto& [id, job] = *some(work_.jobs());
    const auto action = sense ? sensible(job.state) : any;
    std::string stage;
    if (action == work_action::requeue && work_chance_.one_in(2))
      stage =
        stages_by_count[knobs_.stages - 1][work_chance_.below(knobs_.stages)]
          .name;
    order_this_job(id, action, stage);
  } else if (!work_.batches().empty()) {
    const auto& [id, batch] = *some(work_.batches());
    order_this_batch(id, sense ? sensible(batch.state) : any);
  }
}

/// All jobs of a collection in one state, on the server.
void world::order_many() {
  order_jobs message;
  message.which.collections = {"books"};
  const auto held = work_chance_.one_in(2);
  message.which.states = {held ? job_state::held : job_state::failed};
  message.action = held ? work_action::release : work_action::requeue;
  message.note = "an operator";
  tell(work_wanted{++orders_, 0, message.action, {}});
  ask(std::move(message), [](const jobs_ordered&) {});
}

/// Some of one user's jobs in one stage, whether they wait or not.
void world::wake_some() {
  follow_work();
  auto& any = wake_chance_;
  if (work_.jobs().empty())
    return submit_work();
  const auto& all = work_.jobs();
  const auto& [first, job] = *std::next(
    all.begin(), any.below(static_cast<std::uint32_t>(all.size())));
  wake_items what{job.user, job.queue, {first}};
  for (const auto& [id, other] : all)
    if (id != first && other.user == what.user && other.queue == what.queue
        && any.one_in(2))
      what.ids.push_back(id);
  tell(wake_wanted{what.ids});
  ask(std::move(what), [](const done&) {});
}

void world::hold_books() {
  books_held_ = !books_held_;
  change({collection_as_set("books", books_held_)});
}

void world::step_of_work() {
  const auto queues = stage_queues();
  switch (work_chance_.below(12)) {
    default:
      return submit_work();
    case 4:
    case 5:
      return add_stage_worker(
        queues[work_chance_.below(static_cast<std::uint32_t>(queues.size()))]);
    case 6:
    case 7:
    case 8:
      return knobs_.work_orders ? order_work() : submit_work();
    case 9:
      return knobs_.collection_holds ? hold_books() : submit_work();
    case 10:
      return knobs_.work_orders && work_chance_.one_in(3) ? order_many()
                                                          : submit_work();
    case 11:
      return ask(office_ ? office_->what_to_clean_up() : forget_batches{},
                 [](const batches_forgotten&) {});
  }
}

// -- the end ------------------------------------------------------------------

/// What waits for operators goes on, or is given up.
void world::mend_work(bool give_up) {
  follow_work();
  for (const auto& [id, job] : work_.jobs())
    if (job.state == job_state::held)
      order_this_job(id, work_action::release, {});
    else if (job.state == job_state::failed)
      order_this_job(
        id, give_up ? work_action::remove : work_action::requeue,
        is_stage_of_old(job.queue) ? "" : pipeline_as_set().stages[0].name);
    else if (!job.queue.empty() && !is_stage_of_old(job.queue))
      order_this_job(id, work_action::fail, {});
  for (const auto& [id, batch] : work_.batches())
    if (batch.state == batch_state::held)
      order_this_batch(id, work_action::release);
    else if (batch.state == batch_state::failed && batch.is.open == 0
             && !batch.due)
      order_this_batch(id, batch.split ? work_action::update_report
                                       : work_action::remove);
}

void world::drain_work() {
  const auto ended = [&] {
    follow_work();
    return std::all_of(work_.batches().begin(), work_.batches().end(),
                       [](const auto& x) { return x.second.queue.empty(); });
  };
  for (int i = 0; i < 40 && !ended(); ++i) {
    mend_work(i % 2 == 1);
    if (is_shared())
      let_time_pass(i < 5 ? 2s : 6s);
    else
      let_time_pass(i < 10 ? 2s : i < 30 ? 30s : 3600s);
  }
}

} // namespace depositd::simulation
