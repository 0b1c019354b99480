#include "benchmarks/depositbench/phases.hpp"

#include "benchmarks/depositbench/native.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <thread>

namespace depositd::bench {

namespace {

using namespace std::chrono_literals;

struct context {
  const options& settings;
  native_client client;
  const report_function& report;

  std::uint64_t items_or(std::uint64_t normally) const {
    return settings.items > 0 ? settings.items : normally;
  }

  std::string queue(const std::string& phase) const {
    return settings.queue + "." + phase;
  }

  producer_plan producer(const std::string& phase) const {
    producer_plan out;
    out.queue = queue(phase);
    out.users = settings.users;
    out.body_bytes = settings.body_bytes;
    return out;
  }
};

/// Waits for a counter; a phase without any progress for a minute is broken.
void await(const std::atomic<std::uint64_t>& counter, std::uint64_t goal) {
  auto last = counter.load();
  auto moved = clock::now();
  while (counter < goal) {
    std::this_thread::sleep_for(500us);
    if (const auto now = counter.load(); now != last) {
      last = now;
      moved = clock::now();
    } else if (clock::now() - moved > 60s) {
      throw std::runtime_error("no progress: " + std::to_string(last) + " of "
                               + std::to_string(goal));
    }
  }
}

void fill_latency(figures& out, std::vector<std::uint32_t>& latencies) {
  out.p50_ms = percentile_ms(latencies, 0.50);
  out.p99_ms = percentile_ms(latencies, 0.99);
}

/// `producers` producers of equal shares; returns when all is acknowledged.
std::shared_ptr<progress> produce_all(context& x, producer_plan plan,
                                      std::uint32_t producers,
                                      std::uint64_t items) {
  auto to = std::make_shared<progress>();
  plan.items = items / producers;
  for (std::uint32_t i = 0; i < producers; ++i) {
    plan.seed = i + 1;
    x.client.produce(plan, to);
  }
  // A producer sends whole groups, so it may send a little more.
  const auto groups = (plan.items + plan.group - 1) / plan.group;
  await(to->enqueued, groups * plan.group * producers);
  return to;
}

void purge(context& x, const std::string& phase) {
  x.client.command("queue purge", "{\"name\":\"" + x.queue(phase) + "\"}");
}

void p1(context& x) {
  figures out{.phase = "P1", .items = x.items_or(1'000'000)};
  auto plan = x.producer("p1");
  plan.group = 1000;
  plan.window = 2;
  stopwatch watch{x.settings.server_pid};
  auto to = produce_all(x, plan, 4, out.items);
  out.items = to->enqueued;
  watch.finish(out);
  x.client.finish();
  fill_latency(out, to->enqueue_us);
  x.report(out);
  purge(x, "p1");
}

void p1s(context& x) {
  figures out{.phase = "P1s", .items = x.items_or(200'000)};
  stopwatch watch{x.settings.server_pid};
  auto to = produce_all(x, x.producer("p1s"), x.settings.connections,
                        out.items);
  out.items = to->enqueued;
  watch.finish(out);
  x.client.finish();
  fill_latency(out, to->enqueue_us);
  out.more.emplace_back("connections", x.settings.connections);
  x.report(out);
  purge(x, "p1s");
}

void load(context& x, const std::string& phase, std::uint64_t items) {
  auto plan = x.producer(phase);
  plan.group = 1000;
  plan.window = 2;
  produce_all(x, plan, 1, items);
  x.client.finish();
}

void drain(context& x, const std::string& name, const std::string& phase,
           std::uint64_t items, const worker_plan& plan) {
  load(x, phase, items);
  figures out{.phase = name, .items = items};
  auto to = std::make_shared<progress>();
  stopwatch watch{x.settings.server_pid};
  for (std::uint32_t i = 0; i < x.settings.workers; ++i) {
    auto mine = plan;
    mine.name = "bench-" + std::to_string(i);
    x.client.work_on(x.queue(phase), mine, to);
  }
  await(to->settled, items);
  watch.finish(out);
  x.client.finish();
  out.more.emplace_back("prefetch", plan.credit);
  out.more.emplace_back("workers", x.settings.workers);
  x.report(out);
}

void p2(context& x) {
  auto prefetches = std::vector<std::uint32_t>{1, 10};
  if (x.settings.prefetch > 0)
    prefetches = {x.settings.prefetch};
  for (auto prefetch : prefetches)
    drain(x, "P2", "p2", x.items_or(200'000),
          worker_plan{.credit = prefetch, .one_by_one = true});
}

void p2b(context& x) {
  drain(x, "P2b", "p2b", x.items_or(500'000),
        worker_plan{.credit = 100, .one_by_one = false});
}

void work_all(context& x, const std::string& phase, worker_plan plan,
              std::shared_ptr<progress> to) {
  for (std::uint32_t i = 0; i < x.settings.workers; ++i) {
    plan.name = "bench-" + std::to_string(i);
    x.client.work_on(x.queue(phase), plan, to);
  }
}

/// Enqueue and drain at once, as fast as it goes, never more than 10,000 wait.
figures p3_peak(context& x, std::uint64_t items) {
  figures out{.phase = "P3", .items = items};
  auto to = std::make_shared<progress>();
  auto plan = x.producer("p3");
  plan.group = 100;
  plan.window = 4;
  plan.backlog_max = 10'000;
  stopwatch watch{x.settings.server_pid};
  work_all(x, "p3", {.credit = 100, .one_by_one = false}, to);
  for (int i = 0; i < 4; ++i) {
    plan.seed = static_cast<std::uint64_t>(i) + 1;
    x.client.produce(plan, to);
  }
  await(to->settled, items);
  out.items = to->settled;
  watch.finish(out);
  to->stop = true;
  await(to->settled, to->enqueued);
  x.client.finish();
  return out;
}

/// Open loop at a rate; latency counts from when an item was to be sent.
figures p3_open(context& x, double rate, std::chrono::seconds length) {
  figures out{.phase = "P3-open"};
  auto to = std::make_shared<progress>();
  auto plan = x.producer("p3");
  plan.rate = rate;
  stopwatch watch{x.settings.server_pid};
  work_all(x, "p3",
           {.credit = 100, .one_by_one = false, .note_latency = true}, to);
  x.client.produce(plan, to);
  std::this_thread::sleep_for(length);
  out.items = to->settled;
  watch.finish(out);
  to->stop = true;
  await(to->settled, to->enqueued);
  x.client.finish();
  fill_latency(out, to->handed_us);
  out.more.emplace_back("rate", rate);
  return out;
}

void p3(context& x) {
  const auto peak = p3_peak(x, x.items_or(600'000));
  x.report(peak);
  const auto rate = x.settings.rate > 0 ? x.settings.rate
                                        : peak.items_per_second() / 2;
  x.report(p3_open(x, rate, 10s));
}

/// One user has 50,000 items, then 99 others arrive with 10 each.
void p4(context& x) {
  constexpr std::uint32_t others = 99;
  constexpr std::uint32_t each = 10;
  figures out{.phase = "P4", .items = x.items_or(50'000)};
  workload source{1, x.settings.body_bytes, 1};
  const auto queue = x.queue("p4");
  const auto item_of = [&](const std::string& user) {
    auto item = source.next();
    item.user = user;
    return item;
  };
  for (std::uint64_t sent = 0; sent < out.items; sent += 1000)
    x.client.enqueue_now(
      queue, std::vector<new_item>(1000, item_of("flood")));
  auto to = std::make_shared<progress>();
  stopwatch watch{x.settings.server_pid};
  work_all(x, "p4",
           {.credit = 1, .one_by_one = true, .note_order = true}, to);
  await(to->settled, 100); // the flood is being served when the others come
  std::vector<new_item> late;
  for (std::uint32_t i = 0; i < others; ++i)
    for (std::uint32_t k = 0; k < each; ++k)
      late.push_back(item_of("quiet-" + std::to_string(i)));
  const auto before = to->handed.load();
  x.client.enqueue_now(queue, std::move(late));
  await(to->settled, out.items + others * each);
  watch.finish(out);
  x.client.finish();
  // What the first user got between the first and the last item of the others.
  std::uint64_t flood = 0;
  std::uint32_t left = others * each;
  bool begun = false;
  for (const auto& user : to->order) {
    if (user != "flood") {
      begun = true;
      if (--left == 0)
        break;
    } else if (begun) {
      ++flood;
    }
  }
  out.more.emplace_back("first_user_items", static_cast<double>(flood));
  out.more.emplace_back("handed_before_others", static_cast<double>(before));
  x.report(out);
}

/// Memory of queued items, and how long a restart takes with all of them.
void restart(context& x) {
  if (x.settings.server_pid == 0 || x.settings.restart_command.empty())
    throw std::runtime_error(
      "restart needs --server-pid and --restart-command");
  figures out{.phase = "restart", .items = x.items_or(1'000'000)};
  const auto before = resident_bytes(x.settings.server_pid);
  load(x, "restart", out.items);
  const auto after = resident_bytes(x.settings.server_pid);
  out.more.emplace_back("bytes_per_item",
                        static_cast<double>(after - before)
                          / static_cast<double>(out.items));
  ::kill(static_cast<pid_t>(x.settings.server_pid), SIGKILL);
  while (::kill(static_cast<pid_t>(x.settings.server_pid), 0) == 0
         && resident_bytes(x.settings.server_pid) > 0)
    std::this_thread::sleep_for(1ms);
  const auto began = clock::now();
  // Popen's pipe gives the ready line; the server lives on without us.
  auto* pipe = popen(x.settings.restart_command.c_str(), "r");
  if (pipe == nullptr)
    throw std::runtime_error("cannot run the restart command");
  char line[1024] = {};
  const auto ready = std::fgets(line, sizeof(line), pipe) != nullptr
                     && std::string{line}.rfind("ready ", 0) == 0;
  out.seconds = std::chrono::duration<double>(clock::now() - began).count();
  if (!ready)
    throw std::runtime_error("the server did not come back: "
                             + std::string{line});
  x.report(out);
}

/// Disk use and latency while very many items pass through a short queue.
void disk(context& x) {
  if (x.settings.data.empty())
    throw std::runtime_error("disk needs --data");
  const auto items = x.items_or(10'000'000);
  const auto peak = p3_peak(x, 200'000);
  const auto rate = x.settings.rate > 0 ? x.settings.rate
                                        : peak.items_per_second() / 2;
  const auto quiet = p3_open(x, rate, 10s);
  figures out{.phase = "disk"};
  std::uint64_t bytes_max = 0;
  for (std::uint64_t passed = 0; passed < items;) {
    const auto part = p3_peak(x, std::min<std::uint64_t>(500'000,
                                                         items - passed));
    passed += part.items;
    out.items = passed;
    out.seconds += part.seconds;
    bytes_max = std::max(bytes_max, folder_bytes(x.settings.data));
  }
  const auto after = p3_open(x, rate, 10s);
  out.p50_ms = after.p50_ms;
  out.p99_ms = after.p99_ms;
  out.more.emplace_back("disk_bytes_max", static_cast<double>(bytes_max));
  out.more.emplace_back("p99_ms_before", quiet.p99_ms);
  x.report(out);
}

const std::map<std::string, void (*)(context&)>& phases() {
  static const std::map<std::string, void (*)(context&)> all{
    {"P1", p1}, {"P1s", p1s}, {"P2", p2},           {"P2b", p2b},
    {"P3", p3}, {"P4", p4},   {"restart", restart}, {"disk", disk}};
  return all;
}

} // namespace

const std::vector<std::string>& phase_names() {
  static const std::vector<std::string> names{"P1",  "P1s", "P2",      "P2b",
                                              "P3",  "P4",  "restart", "disk"};
  return names;
}

void run_phase(const std::string& name, const options& settings,
               caf::actor_system& system, const report_function& report) {
  const auto at = phases().find(name);
  if (at == phases().end())
    throw std::runtime_error("no phase " + name);
  context x{settings, native_client{system, settings.connect}, report};
  at->second(x);
}

} // namespace depositd::bench
