#include "benchmarks/depositbench/kafka.hpp"

#include "adapters/logs/kafka/record_log.hpp"
#include "benchmarks/depositbench/feed.hpp"
#include "benchmarks/depositbench/made_deposits.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

namespace depositd::bench {

using namespace std::chrono_literals;

namespace {

/// For brokers to acknowledge a batch.
constexpr auto patience = 60s;

/// How long a thread that has nothing to do sees not that it is to end.
constexpr auto look_every = 20ms;

/// Records of one batch where all that is due may go at once.
constexpr std::uint64_t records_at_once = 100;

/// Of a value: brokers take a megabyte of each record unless told otherwise,
/// and the sink leaves a value out that they refuse.
constexpr std::size_t value_bytes_max = 1'000'000;

/// Throws std::runtime_error if there are too many bytes.
outgoing_record record_of(const std::string& topic, const std::string& user,
                          const std::string& name, std::size_t bytes) {
  const nlohmann::json value{{"id", name},
                             {"user", user},
                             {"type", "doMDUpload"},
                             {"payload", deposit_xml(name, bytes)}};
  outgoing_record out{.topic = topic, .key = user, .value = value.dump()};
  if (out.value.size() > value_bytes_max)
    throw std::runtime_error("kafka: a record of "
                             + std::to_string(out.value.size())
                             + " bytes is more than brokers take");
  return out;
}

/// Positioned behind what is there.
std::unique_ptr<record_source> reader_of(const kafka_options& options,
                                         const std::string& topic) {
  const auto checked = [](auto x) {
    if (!x)
      throw std::runtime_error("kafka: " + render(x.error()));
    return std::move(*x);
  };
  auto out = checked(open_kafka_source(options, topic));
  const auto count = checked(out->partitions());
  std::vector<partition_position> ends;
  for (std::int32_t i = 0; i < count; ++i)
    ends.push_back({i, checked(out->range(i)).high});
  if (const auto error = out->assign(ends))
    throw std::runtime_error("kafka: " + render(error));
  return out;
}

/// The next records, none after a moment; what goes wrong ends the run.
std::vector<source_record> next_records(record_source& from, progress& to) {
  auto found = from.poll({.wait = look_every});
  if (found)
    return std::move(*found);
  to.fail("kafka: " + render(found.error()));
  return {};
}

} // namespace

// -- open deposits ------------------------------------------------------------

void open_deposits::add(std::string name, std::uint64_t mark) {
  std::lock_guard guard{mutex_};
  marks_.emplace(std::move(name), mark);
}

std::optional<std::uint64_t> open_deposits::take(const std::string& name) {
  std::lock_guard guard{mutex_};
  const auto at = marks_.find(name);
  if (at == marks_.end())
    return std::nullopt;
  const auto out = at->second;
  marks_.erase(at);
  return out;
}

std::size_t open_deposits::size() const {
  std::lock_guard guard{mutex_};
  return marks_.size();
}

// -- client -------------------------------------------------------------------

kafka_client::kafka_client(const std::string& brokers, kafka_topics topics)
  : brokers_(brokers), topics_(std::move(topics)),
    outcomes_(reader_of({.brokers = brokers_}, topics_.egress)),
    dead_letters_(reader_of({.brokers = brokers_}, topics_.dead_letter)) {
  // nop
}

kafka_client::~kafka_client() {
  kafka_client::finish();
}

std::unique_ptr<record_sink> kafka_client::open_sink() const {
  auto out = open_kafka_sink({.brokers = brokers_});
  if (!out)
    throw std::runtime_error("kafka: " + render(out.error()));
  return std::move(*out);
}

void kafka_client::produce(const producer_plan& plan,
                           std::shared_ptr<progress> to) {
  // What is too large is refused here, where somebody hears of it.
  record_of(topics_.ingress, user_name(0), "", plan.body_bytes);
  const auto write = [this, plan, to = std::move(to),
                      sink = std::shared_ptr{open_sink()}] {
    producer_feed from{plan, to, {std::max(plan.users, 1u)}};
    while (!ended_) {
      const auto count = from.ready(records_at_once);
      if (count == 0) {
        std::this_thread::sleep_for(1ms);
        continue;
      }
      const auto asked_us = steady_us();
      std::vector<outgoing_record> batch;
      for (std::uint64_t i = 0; i < count; ++i) {
        auto name = next_deposit_name();
        batch.push_back(record_of(topics_.ingress,
                                  user_name(from.source.draw_user()), name,
                                  plan.body_bytes));
        open_.add(std::move(name), from.mark(asked_us, from.sent + i));
      }
      from.sent += count;
      to->sent += count;
      if (const auto error = sink->publish(batch, patience))
        return to->fail("kafka: " + render(error));
      from.latencies.push_back(
        static_cast<std::uint32_t>(steady_us() - asked_us));
      to->enqueued += count;
    }
  };
  threads_.emplace_back(write);
}

void kafka_client::work_on(const std::string&, const worker_plan& plan,
                           std::shared_ptr<progress> to) {
  if (read_for_ == to.get())
    return;
  read_for_ = to.get();
  threads_.emplace_back([this, plan, to] { read_outcomes(plan, *to); });
  threads_.emplace_back([this, to] { read_dead_letters(*to); });
}

void kafka_client::read_outcomes(const worker_plan& plan, progress& to) {
  std::vector<std::uint32_t> latencies;
  while (!ended_ && !to.failed)
    for (const auto& x : next_records(*outcomes_, to)) {
      const auto outcome = nlohmann::json::parse(x.value, nullptr, false);
      if (!outcome.is_object())
        return to.fail("an outcome is no JSON object");
      const auto mark = open_.take(outcome.value("id", ""));
      if (!mark)
        continue;
      if (outcome.value("outcome", "") != "done")
        return to.fail("a deposit failed: " + x.value.substr(0, 500));
      ++to.deliver;
      ++to.settled;
      if (plan.note_latency)
        latencies.push_back(static_cast<std::uint32_t>(steady_us() - *mark));
      if (plan.note_order) {
        std::lock_guard guard{to.mutex};
        to.order.push_back(*mark);
      }
    }
  to.add_latencies(to.handed_us, latencies);
}

void kafka_client::read_dead_letters(progress& to) {
  while (!ended_ && !to.failed)
    for (const auto& x : next_records(*dead_letters_, to)) {
      const auto record = nlohmann::json::parse(x.value, nullptr, false);
      if (!record.is_object() || !open_.take(record.value("id", "")))
        continue;
      std::string why;
      for (const auto& header : x.headers)
        if (header.name == "reason")
          why = header.value;
      return to.fail("a deposit was refused: " + why);
    }
}

void kafka_client::enqueue_now(const std::string&,
                               std::vector<new_item> items) {
  std::vector<outgoing_record> batch;
  for (const auto& item : items) {
    auto name = next_deposit_name();
    batch.push_back(
      record_of(topics_.ingress, item.user, name, item.body.size()));
    open_.add(std::move(name), mark_of(item.body));
  }
  if (const auto error = open_sink()->publish(batch, patience))
    throw std::runtime_error("kafka: " + render(error));
}

void kafka_client::purge(const std::string&) {
  const auto to = std::make_shared<progress>();
  const auto count = open_.size();
  work_on("", {}, to);
  await(*to, to->settled, count);
}

void kafka_client::finish() {
  ended_ = true;
  for (auto& x : threads_)
    x.join();
  threads_.clear();
  ended_ = false;
  read_for_ = nullptr;
}

} // namespace depositd::bench
