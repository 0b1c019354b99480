// Engines that are started with another configuration than before: other queues
// and limits, more or fewer slots, other pipelines and sources, no mail any
// more.

#include "messages/values/operations.hpp"
#include "tests/simulation/world.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace depositd::simulation {

namespace {

configuration_seen::queue* find_in(configuration_seen& file,
                                   const std::string& name) {
  const auto at = std::find_if(file.queues.begin(), file.queues.end(),
                               [&](const auto& x) { return x.name == name; });
  return at == file.queues.end() ? nullptr : &*at;
}

} // namespace

/// As a file would say it. One that names no queue any more says nothing of it.
void world::change_queue_in_file(chance& any) {
  const std::string name = any.one_in(5) ? "later" : queue_names[any.below(4)];
  auto& file = file_.queues;
  auto* known = find_in(file, name);
  if (known != nullptr && name != "metadata" && any.one_in(4)) {
    std::erase_if(file.queues, [&](const auto& x) { return x.name == name; });
    return;
  }
  if (known == nullptr) {
    const auto set = queues_set_.find(name);
    known = &file.queues.emplace_back();
    known->name = name;
    known->settings
      = set == queues_set_.end() ? deposit_queue_defaults() : set->second;
  }
  auto& settings = known->settings;
  if (any.one_in(2))
    settings.concurrency = 1 + any.below(4);
  if (any.one_in(2))
    settings.allocation = 1 + any.below(3);
  if (any.one_in(3))
    settings.attempts_max = 1 + any.below(5);
  if (any.one_in(3))
    settings.pending_limit = 5 + any.below(20);
}

void world::change_file() {
  auto& any = restart_chance_;
  change_queue_in_file(any);
  if (any.one_in(3))
    change_queue_in_file(any);
  auto& file = file_.queues;
  if (any.one_in(3))
    file.processors_count = any.below(knobs_.slots + 1);
  if (any.one_in(3)) {
    file.prohibited_users.clear();
    if (any.one_in(2))
      file.prohibited_users.push_back(
        std::string{"u"}.append(std::to_string(any.below(knobs_.users))));
  }
  if (knobs_.notifying && any.one_in(3)) {
    if (find_in(file, notify_queue) == nullptr)
      file.queues.push_back({notify_queue, outbox_queue_defaults()});
    else
      std::erase_if(file.queues,
                    [](const auto& x) { return x.name == notify_queue; });
  }
  if (knobs_.sources && any.one_in(2))
    file_.sources = any.one_in(4) ? sources_seen{} : some_sources(any);
  if (knobs_.work && any.one_in(2)) {
    file_.pipelines.pipelines.clear();
    if (!any.one_in(4))
      file_.pipelines.pipelines.push_back(any.one_in(3) ? pipeline_as_set()
                                                        : some_pipeline(any));
  }
}

void world::configure(depositd::engine::core_options& to) {
  auto& any = restart_chance_;
  if (file_.queues.queues.empty()) // the first start
    file_.queues = to.configuration;
  else if (!calm_ && any.one_in(2))
    change_file();
  to.configuration = file_.queues;
  to.pipelines = file_.pipelines;
  to.sources = file_.sources;
  if (any.one_in(3))
    to.slice_items = 1 + any.below(5);
  if (any.one_in(4))
    to.group_bytes_max = 1 + any.below(1000);
}

} // namespace depositd::simulation
