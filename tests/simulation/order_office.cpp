#include "tests/simulation/order_office.hpp"

#include "adapters/processing/aptrust/consent/consent.hpp"
#include "messages/catalogue.hpp"
#include "messages/shard.hpp"
#include "messages/values/job_documents.hpp"
#include "messages/work.hpp"

#include <caf/send.hpp>

#include <chrono>
#include <optional>
#include <utility>

namespace depositd::simulation {

namespace {

/// How often what was missed is looked for, and what is due.
constexpr std::uint32_t every_s = 20;
constexpr std::uint32_t spots_every_s = 60;

/// Files in one run: less than there are.
constexpr std::uint32_t due_max = 5;

caf::error no_such_question() {
  return caf::make_error(ec::not_found, std::string{"nobody asks for that"});
}

} // namespace

catalogue_actor order_office::spawn_catalogue() {
  return around_.system->spawn(
    [this](catalogue_actor::pointer) -> catalogue_actor::behavior_type {
      return {
        [](const find_checks&) -> caf::result<checks_found> {
          return no_such_question();
        },
        [this](const search_objects& x) -> caf::result<objects_found> {
          objects_found out;
          for (const auto& one : x.any) {
            const auto at = objects_.find(one.identifier);
            if (at == objects_.end())
              continue;
            auto& found = out.objects.emplace_back();
            found.identifier = at->first;
            found.owner = at->second.owner;
            found.collection = at->second.collection;
            found.storage = {"local"};
          }
          return out;
        },
        [](const find_object_files&) -> caf::result<object_files_found> {
          return no_such_question();
        },
        [](const find_premis&) -> caf::result<premis_found> {
          return no_such_question();
        },
        [](const measure_collections&) -> caf::result<collections_measured> {
          return no_such_question();
        },
        [](const measure_recorded&) -> caf::result<recorded_measured> {
          return no_such_question();
        },
      };
    });
}

order_actors order_office::spawn(const engine_parts& of) {
  order_actors out;
  out.catalogue = spawn_catalogue();
  operators::order_desk_options desk;
  desk.shard = of.shards;
  desk.catalogue = out.catalogue;
  desk.clock = of.clock;
  desk.new_uuid = [this] {
    return std::string{"o"}.append(std::to_string(++uuids_));
  };
  out.desk = around_.system->spawn(operators::order_desk, std::move(desk));
  operators::reconciler_options due;
  due.all = reconcilers();
  if (around_.checks)
    due.checks = std::make_shared<simulated_checks>(
      simulated_checks::surroundings{&objects_, around_.waits.by,
                                     around_.waits.is_calm, &calm_since_us_});
  due.shard = of.shards;
  due.work = std::make_shared<awaited_work>(around_.waits, of.reads);
  due.submit
    = [this, to = of.shards](submit_batch x) -> caf::expected<item_id> {
    const auto uuid = x.info.uuid;
    const auto said = around_.waits.answer<batch_accepted>(to, std::move(x));
    if (!said)
      return said.error();
    around_.told->add(around_.now_us(), acknowledged{uuid, said->id});
    return said->id;
  };
  due.propose = [this, to = of.shards](std::vector<event> x) {
    const auto said
      = around_.waits.answer<depositd::done>(to, propose{std::move(x)});
    return said ? caf::error{} : said.error();
  };
  due.leads = of.leads;
  due.clock = of.clock;
  due.retry = std::chrono::seconds{5};
  out.due = around_.system->spawn(operators::reconciler, std::move(due));
  return out;
}

std::vector<reconciler_settings> order_office::reconcilers() const {
  std::vector<reconciler_settings> out;
  const auto add = [&](due_query what, std::uint32_t seconds) {
    auto& one = out.emplace_back();
    one.name = word(what);
    one.query = what;
    one.every_s = seconds;
    one.count_max = due_max;
    one.age_days = 0;
  };
  add(due_query::deletions_missed, every_s);
  if (around_.checks) {
    add(due_query::fixity_due, every_s);
    add(due_query::spot_restore, spots_every_s);
  }
  return out;
}

/// What is deleted is stored nowhere any more. Whether it may be is the
/// program's to say, by what is set and what is recorded.
void order_office::delete_object(const preservation_order& order,
                                 const std::string& user, outcome& what) {
  const auto at = objects_.find(order.object);
  if (at == objects_.end())
    return;
  control_state now;
  for (const auto& one : around_.told->entries)
    if (const auto* record = std::get_if<journalled>(&one.what);
        record != nullptr && record->shard == 0)
      if (const auto* x = std::get_if<deletion_changed>(&record->what))
        now.deletions[x->reference] = *x;
  std::vector<inventory_version> versions;
  for (const auto recorded_us : at->second.recorded_us) {
    auto& one = versions.emplace_back();
    one.number = static_cast<std::uint32_t>(versions.size());
    one.recorded_us = recorded_us;
  }
  if (auto refused = aptrust::refusal_of(order, user, &now, versions)) {
    what.says = refused->says;
    what.reason = std::move(refused->why);
    return;
  }
  objects_.erase(at);
  around_.told->add(around_.now_us(),
                    object_deleted{order.object, order.deletion});
}

void order_office::end(const std::string& queue, const claimed_item& item,
                       outcome& what) {
  const auto is_last = [&](order_kind kind, const char* stage) {
    return queue == stage_queue_name(order_pipeline(kind), stage);
  };
  const auto deletes = is_last(order_kind::delete_item, "delete");
  if (!deletes && !is_last(order_kind::fixity_check, "check"))
    return;
  const auto job = decode_job_document(item.body);
  const auto order = job ? order_in(job->more)
                         : caf::expected<std::optional<preservation_order>>{
                           std::nullopt};
  if (!order || !*order) {
    around_.told->add(around_.now_us(),
                      left_over{"a job of an order that has none"});
    return;
  }
  if (deletes)
    return delete_object(**order, item.user, what);
  for (const auto& file : (**order).files)
    if (const auto at = objects_.find(file.object); at != objects_.end())
      at->second.files_us[file.path] = around_.now_us();
}

} // namespace depositd::simulation
