#include "benchmarks/depositbench/phase_parts.hpp"

#include "messages/values/sharding.hpp"

#include <algorithm>

namespace depositd::bench {

std::uint64_t phase_context::items_or(std::uint64_t normally) const {
  if (settings.items > 0)
    return settings.items;
  return static_cast<std::uint64_t>(static_cast<double>(normally)
                                    * habits.share);
}

std::vector<std::string>
phase_context::queues(const std::string& phase) const {
  const auto name = settings.queue + "." + phase;
  if (settings.shards == 1)
    return {name};
  std::vector<std::string> out(settings.shards);
  auto missing = out.size();
  for (std::uint32_t i = 0; missing > 0; ++i) {
    auto one = name + "-" + std::to_string(i);
    if (auto& place = out[shard_of_queue(one, settings.shards)];
        place.empty()) {
      place = std::move(one);
      --missing;
    }
  }
  return out;
}

std::string phase_context::queue(const std::string& phase) const {
  return queues(phase).front();
}

std::uint32_t phase_context::workers() const {
  return settings.workers > 0 ? settings.workers : habits.workers.front();
}

producer_plan phase_context::producer(const std::string& phase) const {
  producer_plan out;
  out.queue = queue(phase);
  out.users = settings.users;
  out.body_bytes = settings.body_bytes;
  return out;
}

void fill_latency(figures& out, std::vector<std::uint32_t>& latencies) {
  out.p50_ms = percentile_ms(latencies, 0.50);
  out.p99_ms = percentile_ms(latencies, 0.99);
}

std::shared_ptr<progress> produce_all(phase_context& x,
                                      const std::string& phase,
                                      producer_plan plan,
                                      std::uint32_t producers,
                                      std::uint64_t items) {
  auto to = std::make_shared<progress>();
  plan.items = std::max<std::uint64_t>(items / producers, 1);
  const auto queues = x.queues(phase);
  for (std::uint32_t i = 0; i < producers; ++i) {
    plan.queue = queues[i % queues.size()];
    plan.seed = i + 1;
    x.door.produce(plan, to);
  }
  // A producer sends whole groups, so it may send a little more.
  const auto groups = (plan.items + plan.group - 1) / plan.group;
  await(*to, to->enqueued, groups * plan.group * producers);
  return to;
}

void load(phase_context& x, const std::string& phase, std::uint64_t items) {
  auto plan = x.producer(phase);
  plan.group = x.habits.group;
  plan.window = 2;
  produce_all(x, phase, plan, x.settings.shards, items);
  x.door.finish();
}

void work_all(phase_context& x, const std::string& phase, worker_plan plan,
              std::uint32_t count, const std::shared_ptr<progress>& to) {
  const auto queues = x.queues(phase);
  // None is left without.
  count = std::max<std::uint32_t>(count, x.settings.shards);
  for (std::uint32_t i = 0; i < count; ++i) {
    plan.name = "bench-" + std::to_string(i);
    x.door.work_on(queues[i % queues.size()], plan, to);
  }
}

} // namespace depositd::bench
