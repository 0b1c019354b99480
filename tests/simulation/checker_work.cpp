// I-11: batches and jobs, by what the journals say and who wanted it.

#include "tests/simulation/work_checker.hpp"

namespace depositd::simulation {

namespace {

/// As for other orders of operators: shard, queue, node, journal.
constexpr micros hops_max = 6;

/// After a fault a shard may need so long to recover and hold again.
constexpr micros grace_us = 5'000'000;

} // namespace

// -- who wanted it ------------------------------------------------------------

bool work_checker::use_wish(item_id id, work_action action) {
  return use_wish(id, [=](const wish& x) { return x.action == action; });
}

bool work_checker::is_wanted(item_id id, work_action action) const {
  const auto all = wishes.find(id);
  return all != wishes.end()
         && std::any_of(all->second.begin(), all->second.end(),
                        [=](const wish& x) { return x.action == action; });
}

bool work_checker::has_said(item_id id,
                            std::initializer_list<verdict> any) const {
  const auto* item = items.find(id);
  if (item == nullptr || item->now != life::claimed)
    return false;
  const auto words = said.find({id, item->token});
  if (words == said.end())
    return false;
  const auto body = rewritten.find(id);
  const auto document = body == rewritten.end() ? std::string{} : body->second;
  return std::any_of(
    words->second.begin(), words->second.end(), [&](const word_of_worker& x) {
      return x.document == document
             && std::find(any.begin(), any.end(), x.says) != any.end();
    });
}

bool work_checker::is_claimed(item_id id) const {
  const auto* item = items.find(id);
  return item != nullptr && item->now == life::claimed;
}

bool work_checker::may_be_free(shard_number shard,
                               const std::string& collection,
                               micros at_us) const {
  const auto at = holds.find({shard, collection});
  return at == holds.end()
         || at->second.any(at_us, [](bool held) { return !held; });
}

void work_checker::doubt(micros at_us) {
  for (auto& [collection, held] : holds)
    held.hold_up(0, at_us + grace_us);
  for (auto& [collection, is] : collections)
    is.hold_up(0, at_us + grace_us);
  for (auto& [name, is] : pipelines)
    is.hold_up(0, at_us + grace_us);
}

/// A body that only was at another place is the old one.
void work_checker::take_body(const body_compacted& x) {
  if (x.body.empty())
    return;
  auto& known = bodies[x.id];
  if (known != x.body)
    rewritten[x.id] = x.body;
  known = x.body;
}

void work_checker::take_settings(const journalled& record, micros at_us) {
  const auto slack_us = told.stall_max_us * hops_max;
  if (const auto* set = std::get_if<collection_changed>(&record.what)) {
    const std::pair key{record.shard, set->settings.name};
    holds[key].set(set->settings.held, at_us, slack_us);
    collections[key].set(set->settings, at_us, slack_us);
  } else if (const auto* line = std::get_if<pipeline_changed>(&record.what)) {
    pipelines[{record.shard, line->what.name}].set(line->what, at_us, slack_us);
  }
}

/// What an operator was told had become durable before.
void work_checker::answered(const work_done_as_wanted& x, std::size_t at) {
  const auto& [id, since] = asked.at(x.number);
  const auto& all = states[id];
  const auto from = since;
  if (std::none_of(all.begin(), all.end(), [&](const auto& one) {
        return one.first > from && one.second == x.state;
      }))
    complain(at, "order", x.number, "was said to be done and is not");
}

// -- all of it ----------------------------------------------------------------

void work_checker::see(const journalled& record, micros at_us, std::size_t at) {
  const auto* job = std::get_if<job_moved>(&record.what);
  const auto* batch = std::get_if<batch_moved>(&record.what);
  if (const auto* fresh = std::get_if<item_enqueued>(&record.what))
    bodies[fresh->id] = fresh->body;
  else if (const auto* made = std::get_if<job_created>(&record.what))
    created(record, *made, at_us, at);
  else if (const auto* claim = std::get_if<item_claimed>(&record.what))
    claimed(record, *claim, at_us, at);
  else if (const auto* come = std::get_if<batch_received>(&record.what))
    received(record, *come, at_us, at);
  else if (std::holds_alternative<collection_changed>(record.what)
           || std::holds_alternative<pipeline_changed>(record.what))
    take_settings(record, at_us);
  else if (const auto* body = std::get_if<body_compacted>(&record.what))
    take_body(*body);
  else if (const auto* forgotten = std::get_if<batch_forgotten>(&record.what))
    check_end(*forgotten, at);
  else if (const auto* counted = std::get_if<batch_counted>(&record.what))
    touched.insert(counted->id);
  else if (const auto* end = std::get_if<item_finished>(&record.what);
           end != nullptr
           && (book.job(end->id) != nullptr || book.batch(end->id) != nullptr))
    complain(at, "item", end->id, "ended without its job or batch");
  if (job != nullptr)
    moved(record, *job, at_us, at);
  if (batch != nullptr)
    moved(*batch, at);
  items.apply(record);
  book.apply(record);
  if (batch != nullptr)
    count_reports(*batch, at);
  if (job == nullptr && batch == nullptr)
    return;
  const auto id = id_in(record.what);
  states[id].emplace_back(at, job != nullptr ? word(job->status.state)
                                             : word(batch->status.state));
  rewritten.erase(id);
}

void work_checker::hear(const fact& what, std::size_t at) {
  if (const auto* worker = std::get_if<reported>(&what)) {
    said[{worker->id, worker->token}].push_back(
      {worker->says, worker->document});
  } else if (const auto* want = std::get_if<work_wanted>(&what)) {
    wishes[want->id].push_back({want->action, want->stage});
    asked[want->number] = {want->id, at};
  } else if (const auto* answer = std::get_if<work_done_as_wanted>(&what)) {
    answered(*answer, at);
  } else if (const auto* change = std::get_if<proposed>(&what)) {
    for (const auto& x : change->changes)
      if (const auto* set = std::get_if<collection_changed>(&x);
          set != nullptr && set->settings.held)
        ever_held.insert(set->settings.name);
  } else if (std::holds_alternative<group_written>(what)) {
    compare_counts(at);
  }
}

void check_work(const history& x, findings& out) {
  work_checker all{x, out};
  for (std::size_t i = 0; i < x.entries.size(); ++i) {
    const auto& one = x.entries[i];
    if (std::holds_alternative<fault>(one.what)
        || std::holds_alternative<resumed>(one.what))
      all.doubt(one.at_us);
    if (const auto* record = std::get_if<journalled>(&one.what))
      all.see(*record, one.at_us, i);
    else
      all.hear(one.what, i);
  }
}

} // namespace depositd::simulation
