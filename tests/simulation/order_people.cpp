// Who stores objects, wants them deleted or back, agrees, and rejects.

#include "actors/rules/control/pipelines.hpp"
#include "actors/rules/orders/deletions.hpp"
#include "messages/operators.hpp"
#include "messages/shard.hpp"
#include "messages/work.hpp"
#include "tests/simulation/order_office.hpp"
#include "tests/simulation/simulated.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace depositd::simulation {

namespace {

constexpr std::uint32_t owners_max = 4;
constexpr std::uint32_t objects_of_owner = 3;

/// Longer than the longest span of a reconciler, by engines' clocks, which
/// differ by little.
constexpr micros span_us_max = 70'000'000;

constexpr std::array files_of_object = {"data/1", "data/2"};

constexpr std::array people = {"operator=ann", "operator=bob", "operator=adm"};

std::string some_user(std::uint32_t number) {
  return std::string{"u"}.append(std::to_string(number));
}

std::vector<std::string> all_owners() {
  std::vector<std::string> out;
  for (std::uint32_t i = 0; i < owners_max; ++i)
    out.push_back(some_user(i));
  return out;
}

/// The last of them is an administrator, the others are of the institution.
rules::access::caller caller_of(std::uint32_t person) {
  rules::access::caller out;
  out.who = people[person];
  out.looks = out.operates = true;
  out.administers = person + 1 == people.size();
  if (!out.administers)
    out.users = all_owners();
  return out;
}

pipeline pipeline_of(order_kind kind, const char* stage) {
  pipeline out;
  out.name = order_pipeline(kind);
  auto& only = out.stages.emplace_back();
  only.name = stage;
  only.state = job_state::pending;
  only.kind = handler_kind::external;
  only.attempts_max = 3;
  only.retry_delay_ms_max = 4'000;
  only.not_yet_delay_ms = 2'000;
  return out;
}

std::vector<pipeline> pipelines(bool with_checks) {
  std::vector<pipeline> out{pipeline_of(order_kind::delete_item, "delete"),
                            pipeline_of(order_kind::restore_object, "restore")};
  if (with_checks)
    out.push_back(pipeline_of(order_kind::fixity_check, "check"));
  return out;
}

collection_changed collection_of_objects(const char* name) {
  collection_changed out;
  out.settings.name = name;
  out.settings.owner = some_user(0);
  for (std::uint32_t i = 1; i < owners_max; ++i)
    out.settings.submitters.push_back(some_user(i));
  out.settings.pipeline = order_pipeline(order_kind::restore_object);
  return out;
}

bool may_be_decided(const deletion_changed& x) {
  return x.rejected_us == never && x.queued_us == never && !is_approved(x);
}

} // namespace

// -- settings -----------------------------------------------------------------

std::vector<event> order_office::settings() const {
  std::vector<event> out;
  for (const auto& one : pipelines(around_.checks))
    for (auto& x : rules::with_queues({}, {one, false}))
      out.push_back(std::move(x));
  out.emplace_back(collection_of_objects("vault"));
  out.emplace_back(collection_of_objects("attic"));
  return out;
}

std::vector<event> order_office::mended() {
  attic_is_gone_ = false;
  calm_since_us_ = around_.now_us();
  return settings();
}

std::vector<std::string> order_office::queues() const {
  std::vector<std::string> out;
  for (const auto& one : pipelines(around_.checks)) {
    out.push_back(stage_queue_name(one.name, split_stage));
    for (const auto& stage : one.stages)
      out.push_back(stage_queue_name(one.name, stage.name));
    out.push_back(stage_queue_name(one.name, report_stage));
  }
  return out;
}

std::string order_office::first_stage(const std::string& split_queue) {
  for (const auto& one : pipelines(true))
    if (stage_queue_name(one.name, split_stage) == split_queue)
      return stage_queue_name(one.name, one.stages.front().name);
  return {};
}

order_office::order_office(surroundings around) : around_(std::move(around)) {
  for (std::uint32_t i = 0; i < owners_max * objects_of_owner; ++i)
    store();
}

// -- what they do -------------------------------------------------------------

template <class Actor, class Request, class Then>
void order_office::ask(const Actor& whom, Request what, Then then) const {
  caf::anon_send(around_.waits.outside, act{[=](caf::event_based_actor* self) {
                   self->request(whom, std::chrono::minutes{10}, what)
                     .then(then, [](const caf::error&) {
                       // Refused, or lost with the engine: nobody knows.
                     });
                 }});
}

std::string order_office::any_object() {
  auto& any = *around_.waits.by;
  return some_user(any.below(std::min(around_.users, owners_max))) + "/"
         + std::to_string(any.below(objects_of_owner));
}

/// One that was deleted comes again; of what is there one more version.
void order_office::store() {
  const auto name = any_object();
  simulated_object fresh;
  fresh.owner = name.substr(0, name.find('/'));
  fresh.collection = around_.waits.by->one_in(2) ? "vault" : "attic";
  auto& object = objects_.try_emplace(name, std::move(fresh)).first->second;
  object.recorded_us.push_back(around_.wall_us());
  for (const auto* path : files_of_object)
    object.files_us.try_emplace(path, around_.now_us());
  around_.told->add(around_.now_us(),
                    object_recorded{name, object.recorded_us.back()});
}

void order_office::ask_for_deletion(const way_in& to) {
  auto& any = *around_.waits.by;
  ask_deletion what;
  const auto first = any_object();
  const auto owner = first.substr(0, first.find('/') + 1);
  what.objects.push_back(first);
  for (std::uint32_t i = 0; i < objects_of_owner; ++i)
    if (const auto name = owner + std::to_string(i);
        objects_.contains(name) && any.one_in(2))
      what.objects.push_back(name);
  what.asked_by = people[any.below(people.size())];
  what.reason = "by chance";
  ask(to.orders.desk, std::move(what), [this](const deletion_asked& x) {
    around_.told->add(around_.now_us(), deletion_known{x.request.reference});
  });
}

/// Two may decide at one time, from what both know.
void order_office::decide(const way_in& to) {
  ask(to.shards, watch_control{nullptr},
      [=, this](const control_changed& x) { decide(to, *x.state); });
}

void order_office::decide(const way_in& to, const control_state& now) {
  auto& any = *around_.waits.by;
  std::vector<const deletion_changed*> open;
  for (const auto& [reference, x] : now.deletions)
    if (may_be_decided(x))
      open.push_back(&x);
  if (open.empty())
    return;
  const auto& is = *open[any.below(static_cast<std::uint32_t>(open.size()))];
  const auto decided = any.one_in(12) ? rules::deletions::rejected
                                      : rules::deletions::approved;
  const auto first = any.below(people.size());
  auto next = decided(is, caller_of(first), around_.wall_us());
  for (std::uint32_t i = 1; i < people.size() && !next; ++i)
    next = decided(is, caller_of((first + i) % people.size()),
                   around_.wall_us());
  if (!next)
    return; // it is nobody's to decide
  const bool at_once = !any.one_in(3);
  around_.change({event{*next}}, [=, this, request = *next] {
    if (at_once && is_approved(request))
      ask(to.orders.due, queue_due{due_query::deletions_missed, {request}},
          [](const due_queued&) {});
  });
}

void order_office::restore(const way_in& to) {
  place_order what;
  what.what.kind = order_kind::restore_object;
  what.what.object = any_object();
  what.what.asked_by = people[around_.waits.by->below(people.size())];
  what.source = "shell";
  around_.told->add(around_.now_us(), restore_wanted{what.what.object});
  ask(to.orders.desk, std::move(what), [](const order_placed&) {});
}

/// For a while orders about what is in it are refused.
void order_office::change_collection() {
  attic_is_gone_ = !attic_is_gone_;
  auto attic = collection_of_objects("attic");
  attic.removed = attic_is_gone_;
  around_.change({event{std::move(attic)}}, [] {});
}

void order_office::clean_up(const way_in& to) const {
  ask(to.shards, what_to_clean_up(), [](const batches_forgotten&) {});
}

/// Not what is due in its span: nobody would know of it, and order it again.
forget_batches order_office::what_to_clean_up() const {
  forget_batches out;
  if (around_.checks)
    out.changed_before_us = around_.wall_us() - span_us_max;
  return out;
}

void order_office::queue_missed(const way_in& to) const {
  ask(to.orders.due, queue_due{due_query::deletions_missed},
      [](const due_queued&) {});
}

void order_office::step(const way_in& to) {
  for (auto left = 1 + around_.waits.by->below(4); left > 0; --left)
    do_something(to);
}

void order_office::do_something(const way_in& to) {
  switch (around_.waits.by->below(16)) {
    case 0:
    case 1:
    case 2:
      return store();
    case 3:
    case 4:
    case 5:
      return ask_for_deletion(to);
    case 10:
      return restore(to);
    case 11:
      return change_collection();
    case 12:
    case 13:
      return clean_up(to);
    case 14:
      return queue_missed(to);
    default: // two at one time, now and then
      decide(to);
      if (around_.waits.by->one_in(3))
        decide(to);
  }
}

bool order_office::any_unchecked() const {
  const auto is_old = [&](const auto& x) { return x.second < calm_since_us_; };
  return around_.checks
         && std::any_of(objects_.begin(), objects_.end(), [&](const auto& x) {
              const auto& files = x.second.files_us;
              return std::any_of(files.begin(), files.end(), is_old);
            });
}

bool order_office::any_unqueued() const {
  std::map<std::string, bool> open;
  for (const auto& one : around_.told->entries)
    if (const auto* record = std::get_if<journalled>(&one.what);
        record != nullptr && record->shard == 0)
      if (const auto* x = std::get_if<deletion_changed>(&record->what))
        open[x->reference]
          = !x->forgotten && x->queued_us == never && is_approved(*x);
  return std::any_of(open.begin(), open.end(),
                     [](const auto& x) { return x.second; });
}

} // namespace depositd::simulation
