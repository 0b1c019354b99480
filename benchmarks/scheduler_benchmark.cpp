// What a scheduler alone feeds: three sources in memory, a target in memory
// that takes everything at once. First the buffers fill up while the target has
// enough, then it takes all of them; the first figure is that of the buffers
// alone. In the second the same number is read while it is fed.
//
//   depositd_scheduler_benchmark [--records N] [--key-bytes N]
//                                [--strategy TEXT]

#include "actors/sources/schedulers.hpp"
#include "messages/message_types.hpp"
#include "messages/shard.hpp"
#include "messages/sources.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

using namespace depositd;
using steady = std::chrono::steady_clock;

constexpr std::uint64_t sources_count = 3;
constexpr std::uint64_t plenty = 1'000'000'000;

struct workload {
  std::uint64_t records = 1'000'000;
  std::size_t key_bytes = 8;
  std::string strategy = "prefer a else weighted(b:2, c:1)";

  std::uint64_t of_each() const {
    return (records + sources_count - 1) / sources_count;
  }
};

/// Counts what it is fed; any thread may look.
struct target {
  std::atomic<bool> has_enough{false};
  std::atomic<std::uint64_t> fed{0};
  std::uint64_t goal = 0;
  std::promise<void> over;
};

caf::behavior shard_of_target(caf::event_based_actor*, target* to,
                              control_snapshot control) {
  return {
    [=](const watch_control&) {
      return control_changed{control, 1};
    },
    [](const meet_schedulers&) {},
    [](const keep_position&) { return done{}; },
    [=](const measure_queue&) {
      return queue_measured{to->has_enough ? plenty : 0, {}};
    },
    [](const count_records&) { return records_counted{}; },
    [=](const feed_records& x) {
      records_fed out;
      out.was.assign(x.records.size(), record_state::unknown);
      if ((to->fed += x.records.size()) == to->goal)
        to->over.set_value();
      return out;
    },
  };
}

/// So many records, one like the other.
class counting_reader final : public source_reader {
public:
  counting_reader(std::uint64_t records, std::size_t key_bytes)
    : records_(records), key_bytes_(key_bytes) {
    // nop
  }

  caf::expected<pulled_batch> next_batch(const batch_request& x) override {
    pulled_batch out;
    const auto begin = x.cursor.empty() ? 0 : std::stoull(x.cursor);
    const auto end = std::min<std::uint64_t>(begin + x.limit, records_);
    out.records.reserve(end - begin);
    for (auto i = begin; i < end; ++i) {
      auto key = std::to_string(i);
      key.insert(0, key_bytes_ - std::min(key.size(), key_bytes_), '0');
      out.records.push_back({std::move(key), "user", "{\"n\":1}", ""});
    }
    out.has_cursor = true;
    out.cursor = std::to_string(end);
    return out;
  }

  void cancel() noexcept override {
    // Nothing is ever waited for.
  }

  caf::error applied(const std::vector<std::string>&) override {
    return {};
  }

private:
  std::uint64_t records_;
  std::size_t key_bytes_;
};

control_snapshot settings_of(const workload& what, std::uint64_t capacity) {
  auto out = std::make_shared<control_state>();
  auto& plan = out->schedulers["bench"];
  plan.name = "bench";
  plan.settings.queue = "target";
  plan.settings.strategy = what.strategy;
  plan.settings.high = plenty;
  for (const auto* name : {"a", "b", "c"}) {
    auto& x = out->sources[name];
    x.name = name;
    x.made_us = 1;
    x.settings.kind = source_kind::kafka;
    x.settings.scheduler = "bench";
    x.settings.capacity = capacity;
    x.settings.poll_interval_ms = 86'400'000;
  }
  return out;
}

struct config : caf::actor_system_config {
  config() {
    add_depositd_messages(*this);
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", std::size_t{2});
  }
};

/// Returns when the buffers have all records.
void await_buffers(caf::scoped_actor& self, const schedulers_actor& who,
                   std::uint64_t records) {
  std::uint64_t buffered = 0;
  while (buffered < records) {
    buffered = 0;
    self->request(who, caf::infinite, report_schedulers{"bench"})
      .receive(
        [&](const schedulers_reported& x) {
          for (const auto& one : x.schedulers.at(0).sources)
            buffered += one.buffer;
        },
        [](const caf::error&) {
          // It does not know its settings yet.
        });
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
  }
}

/// Records per second.
double measure_one(const workload& what, bool from_buffers) {
  config settings;
  caf::actor_system system{settings};
  target to;
  to.goal = what.of_each() * sources_count;
  to.has_enough = from_buffers;
  const auto shard =
    system.spawn(shard_of_target, &to,
                 settings_of(what, from_buffers ? what.of_each() + 1 : 50'000));
  const auto address = caf::actor_cast<caf::strong_actor_ptr>(shard);
  sources::schedulers_options options;
  options.shards = caf::actor_cast<shards_actor>(address);
  options.own = caf::actor_cast<shard_inside_actor>(address);
  options.make_reader = [what](const std::string&, const source_settings&)
    -> caf::expected<std::unique_ptr<source_reader>> {
    return std::unique_ptr<source_reader>{
      std::make_unique<counting_reader>(what.of_each(), what.key_bytes)};
  };
  options.limits.hold_pause_max = options.limits.hold_pause;
  options.running = std::make_shared<sources::running_count>();
  const auto running = options.running;
  auto begin = steady::now();
  const schedulers_actor who =
    system.spawn(sources::schedulers, std::move(options));
  caf::scoped_actor self{system};
  if (from_buffers) {
    await_buffers(self, who, to.goal);
    begin = steady::now();
    to.has_enough = false;
  }
  to.over.get_future().wait();
  const std::chrono::duration<double> seconds = steady::now() - begin;
  self->send_exit(who, caf::exit_reason::kill);
  self->wait_for(who);
  running->wait_for_none(std::chrono::seconds{10});
  self->send_exit(shard, caf::exit_reason::kill);
  return static_cast<double>(to.goal) / seconds.count();
}

workload read_arguments(int count, char** values) {
  workload out;
  for (int i = 1; i + 1 < count; i += 2) {
    if (std::strcmp(values[i], "--records") == 0)
      out.records = std::strtoull(values[i + 1], nullptr, 10);
    else if (std::strcmp(values[i], "--key-bytes") == 0)
      out.key_bytes = std::strtoull(values[i + 1], nullptr, 10);
    else if (std::strcmp(values[i], "--strategy") == 0)
      out.strategy = values[i + 1];
    else
      throw std::invalid_argument(values[i]);
  }
  return out;
}

} // namespace

int main(int count, char** values) {
  try {
    const auto what = read_arguments(count, values);
    std::printf("%llu records of 3 sources, strategy %s\n",
                static_cast<unsigned long long>(what.records),
                what.strategy.c_str());
    std::printf("from buffers:       %12.0f records/s\n",
                measure_one(what, true));
    std::printf("read while feeding: %12.0f records/s\n",
                measure_one(what, false));
  } catch (const std::exception& why) {
    std::fprintf(stderr, "%s\n", why.what());
    return 1;
  }
  return 0;
}
