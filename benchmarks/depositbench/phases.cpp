#include "benchmarks/depositbench/phases.hpp"

#include "benchmarks/depositbench/phase_parts.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <thread>

namespace depositd::bench {

using namespace std::chrono_literals;

figures p3_peak(phase_context& x, std::uint64_t items) {
  figures out{.phase = "P3", .items = items};
  auto to = std::make_shared<progress>();
  auto plan = x.producer("p3");
  plan.group = 100;
  plan.window = 4;
  plan.backlog_max = 10'000;
  stopwatch watch{x.settings.server_pid};
  work_all(x, "p3", {.credit = 100, .one_by_one = false}, x.workers(), to);
  const auto queues = x.queues("p3");
  for (std::uint64_t i = 0; i < 4; ++i) {
    plan.queue = queues[i % queues.size()];
    plan.seed = i + 1;
    x.door.produce(plan, to);
  }
  await(*to, to->settled, items);
  out.items = to->settled;
  watch.finish(out);
  await_end(*to);
  x.door.finish();
  return out;
}

figures p3_open(phase_context& x, double rate, std::chrono::seconds length) {
  figures out{.phase = "P3-open"};
  auto to = std::make_shared<progress>();
  auto plan = x.producer("p3");
  plan.rate = rate;
  stopwatch watch{x.settings.server_pid};
  work_all(x, "p3",
           {.credit = 100, .one_by_one = false, .note_latency = true},
           x.workers(), to);
  x.door.produce(plan, to);
  std::this_thread::sleep_for(length);
  out.items = to->settled;
  watch.finish(out);
  await_end(*to);
  x.door.finish();
  fill_latency(out, to->handed_us);
  out.more.emplace_back("rate", rate);
  return out;
}

namespace {

void purge(phase_context& x, const std::string& phase) {
  for (const auto& queue : x.queues(phase))
    x.door.purge(queue);
}

// -- phases -------------------------------------------------------------------

void p1(phase_context& x) {
  figures out{.phase = "P1", .items = x.items_or(1'000'000)};
  auto plan = x.producer("p1");
  plan.group = x.habits.group;
  plan.window = 2;
  stopwatch watch{x.settings.server_pid};
  auto to = produce_all(x, "p1", plan, 4, out.items);
  out.items = to->enqueued;
  watch.finish(out);
  x.door.finish();
  fill_latency(out, to->enqueue_us);
  x.report(out);
  purge(x, "p1");
  x.door.finish();
}

void p1s_with(phase_context& x, std::uint32_t connections) {
  figures out{.phase = "P1s", .items = x.items_or(200'000)};
  stopwatch watch{x.settings.server_pid};
  auto to = produce_all(x, "p1s", x.producer("p1s"), connections,
                        out.items);
  out.items = to->enqueued;
  watch.finish(out);
  x.door.finish();
  fill_latency(out, to->enqueue_us);
  out.more.emplace_back("connections", connections);
  x.report(out);
  purge(x, "p1s");
  x.door.finish();
}

void p1s(phase_context& x) {
  if (x.settings.connections > 0)
    p1s_with(x, x.settings.connections);
  else
    for (const auto connections : x.habits.connections)
      p1s_with(x, connections);
}

struct drain_plan {
  std::string name;
  std::string phase;
  std::uint64_t items = 0;
  std::uint32_t workers = 0;
  worker_plan each;
};

void drain(phase_context& x, const drain_plan& plan) {
  load(x, plan.phase, plan.items);
  figures out{.phase = plan.name, .items = plan.items};
  auto to = std::make_shared<progress>();
  stopwatch watch{x.settings.server_pid};
  work_all(x, plan.phase, plan.each, plan.workers, to);
  await(*to, to->settled, plan.items);
  watch.finish(out);
  x.door.finish();
  out.more.emplace_back("prefetch", plan.each.credit);
  out.more.emplace_back("workers", plan.workers);
  x.report(out);
}

void p2(phase_context& x) {
  auto prefetches = x.habits.prefetches;
  if (x.settings.prefetch > 0)
    prefetches = {x.settings.prefetch};
  auto workers = x.habits.workers;
  if (x.settings.workers > 0)
    workers = {x.settings.workers};
  for (const auto count : workers)
    for (const auto prefetch : prefetches)
      drain(x, {"P2", "p2", x.items_or(200'000), count,
                worker_plan{.credit = prefetch,
                            .one_by_one = true,
                            .ack_and_poll = x.settings.ack_and_poll}});
}

void p2b(phase_context& x) {
  drain(x, {"P2b", "p2b", x.items_or(500'000), x.workers(),
            worker_plan{.credit = 100, .one_by_one = false}});
}

/// As many go as come, and the queue stays as long as it is.
void p3_behind_a_backlog(phase_context& x) {
  load(x, "p3", x.settings.backlog);
  auto peak = p3_peak(x, x.items_or(600'000));
  peak.more.emplace_back("backlog",
                         static_cast<double>(x.settings.backlog));
  x.report(peak);
  purge(x, "p3");
  x.door.finish();
}

void p3(phase_context& x) {
  if (x.settings.backlog > 0)
    return p3_behind_a_backlog(x);
  const auto peak = p3_peak(x, x.items_or(600'000));
  x.report(peak);
  const auto rate = x.settings.rate > 0 ? x.settings.rate
                                        : peak.items_per_second() / 2;
  x.report(p3_open(x, rate, 10s));
}

constexpr std::uint64_t mark_of_first = 1;
constexpr std::uint64_t mark_of_others = 2;

/// What the first user got between the first and the last item of the others;
/// only what was handed out after `from` counts.
std::uint64_t first_user_items(const std::vector<std::uint64_t>& order,
                               std::uint64_t of_others, std::uint64_t from) {
  std::uint64_t out = 0;
  bool begun = false;
  for (std::uint64_t i = 0; i < order.size(); ++i) {
    if (order[i] == mark_of_others) {
      begun = true;
      if (--of_others == 0)
        break;
    } else if (begun && i >= from) {
      ++out;
    }
  }
  return out;
}

/// One user has 50,000 items, then 99 others arrive with 10 each.
void p4(phase_context& x) {
  constexpr std::uint32_t others = 99;
  constexpr std::uint32_t each = 10;
  figures out{.phase = "P4", .items = x.items_or(50'000)};
  workload source{1, x.settings.body_bytes, 1};
  const auto queue = x.queue("p4");
  const auto item_of = [&](std::uint32_t user, std::uint64_t mark) {
    auto item = source.next(mark);
    item.user = user_name(user);
    return item;
  };
  for (std::uint64_t sent = 0; sent < out.items; sent += 1000)
    x.door.enqueue_now(
      queue, std::vector<new_item>(std::min<std::uint64_t>(1000,
                                                           out.items - sent),
                                   item_of(0, mark_of_first)));
  auto to = std::make_shared<progress>();
  stopwatch watch{x.settings.server_pid};
  work_all(x, "p4", {.credit = 1, .one_by_one = true, .note_order = true},
           x.workers(), to);
  // The flood is being served when the others come.
  await(*to, to->settled, std::min<std::uint64_t>(100, out.items / 2));
  std::vector<new_item> late;
  for (std::uint32_t i = 0; i < others; ++i)
    for (std::uint32_t k = 0; k < each; ++k)
      late.push_back(item_of(i + 1, mark_of_others));
  const auto before = to->deliver.load();
  x.door.enqueue_now(queue, std::move(late));
  const auto from = x.habits.arrives_slowly ? to->deliver.load() : 0;
  await(*to, to->settled, out.items + others * each);
  watch.finish(out);
  x.door.finish();
  const auto first = first_user_items(to->order, others * each, from);
  out.more.emplace_back("first_user_items", static_cast<double>(first));
  out.more.emplace_back("handed_before_others", static_cast<double>(before));
  x.report(out);
}

using phase = void (*)(phase_context&);

const std::map<std::string, phase>& phases() {
  static const std::map<std::string, phase> all{
    {"P1", p1}, {"P1s", p1s}, {"P2", p2},           {"P2b", p2b},
    {"P3", p3}, {"P4", p4},   {"restart", restart}, {"disk", disk}};
  return all;
}

} // namespace

void run_phase(const std::string& name, const options& settings,
               caf::actor_system& system, const report_function& report) {
  const auto at = phases().find(name);
  if (at == phases().end())
    throw std::runtime_error("no phase " + name);
  const auto& habits = habits_of(settings.door);
  if (std::find(habits.phases.begin(), habits.phases.end(), name)
      == habits.phases.end())
    throw std::runtime_error("the door " + settings.door + " has no phase "
                             + name);
  const auto door = open_door(settings, system);
  phase_context x{settings, habits, *door, report};
  at->second(x);
}

} // namespace depositd::bench
