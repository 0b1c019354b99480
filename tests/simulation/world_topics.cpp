// Topics: deposits come in by records, outcomes and dead letters go out.

#include "tests/simulation/topics_of_lives.hpp"
#include "tests/simulation/world.hpp"

#include "actors/records/intake.hpp"
#include "actors/records/publisher.hpp"
#include "messages/values/operations.hpp"
#include "tests/support/passing_source.hpp"

#include <algorithm>
#include <tuple>

namespace depositd::simulation {

namespace {

constexpr std::int32_t partitions_max = 9;
constexpr const char* deposit_queue = "metadata";

/// "user queue id payload"; anything else is no deposit.
caf::expected<ingest_deposit> read_words(const source_record& x) {
  std::vector<std::string> words(1);
  for (const auto c : x.value)
    if (c == ' ' && words.size() < 4)
      words.emplace_back();
    else
      words.back() += c;
  if (words.size() != 4)
    return caf::make_error(ec::malformed, std::string{"not four words"});
  ingest_deposit out;
  out.user = words[0];
  out.queue = words[1];
  out.submission.file_name = words[2];
  out.submission.source = source_kafka.name;
  out.submission.size = words[3].size();
  out.body = words[3];
  return out;
}

record_format words_format() {
  return {
    [](const source_record& x) -> caf::expected<record_content> {
      auto out = read_words(x);
      if (!out)
        return std::move(out.error());
      return record_content{std::move(*out)};
    },
    [](const outcome_event& x) {
      return outgoing_record{"out",
                             x.user,
                             text_of_outcome(x.submission.file_name, x.how),
                             true,
                             {{"event-id", x.event_id}}};
    },
    [](const dead_letter& x) {
      return outgoing_record{
        "dead",
        x.what.partition,
        std::to_string(x.what.offset),
        true,
        {{value_header_of_lives, x.what.value}}};
    }};
}

/// Gives some records once more, after what came later.
class repeating_source final : public testing::passing_source {
public:
  repeating_source(std::unique_ptr<record_source> source, chance& by)
    : passing_source(std::move(source)), by_(by) {
    // nop
  }

  caf::error assign(const std::vector<partition_position>& at) override {
    last_.clear();
    return passing_source::assign(at);
  }
  caf::expected<std::vector<source_record>>
  poll(const read_limits& limits) override {
    if (!last_.empty() && by_.one_in(4))
      return std::exchange(last_, {});
    auto out = passing_source::poll(limits);
    if (out && !out->empty())
      last_ = *out;
    return out;
  }

private:
  chance& by_;
  std::vector<source_record> last_;
};

} // namespace

shard_number shard_of_words(const source_record& x,
                            const std::string& partition, shard_number count) {
  const auto deposit = read_words(x);
  return shard_of(deposit ? deposit->user : partition, count);
}

void world::open_topics() {
  if (!knobs_.records)
    return;
  told_.with_topics = true;
  topics_begun_ = !knobs_.late_topics;
  topics_ = make_memory_record_log();
  create_memory_topic(*topics_, "in", partitions_);
  create_memory_topic(*topics_, "out", 2);
  create_memory_topic(*topics_, "dead", 1);
}

void world::spawn_topics(simulated_engine& engine,
                         const shard_doors_actor& deposits) {
  if (!topics_ || !topics_begun_)
    return;
  records::intake_options reading;
  reading.source = open_memory_source(topics_, "in");
  if (knobs_.repeated_records)
    reading.source = std::make_shared<repeating_source>(
      open_memory_source(topics_, "in"), chance_);
  reading.identity = open_memory_identity(topics_, "in");
  reading.topic = "in";
  reading.format = words_format();
  reading.own = engine.core.shard;
  reading.deposits = deposits;
  reading.shard = engine.shard;
  reading.shards = knobs_.shards;
  reading.journal = engine.core.journal;
  reading.keeps_cursors = is_shared();
  reading.blobs = blobs_.get();
  reading.limits.wait = 0ms;
  reading.limits.records_max = 1 + chance_.below(8);
  reading.idle_pause = 50ms;
  reading.look_pause = std::chrono::hours{24}; // as if there were never more
  if (knobs_.grown_topics)
    reading.look_pause = 1ms * (500 + grow_chance_.below(5'000));
  engine.intake = system_.spawn(records::intake, std::move(reading));
  records::publisher_options writing;
  writing.store = engine.store.get();
  writing.sink = open_memory_sink(topics_);
  writing.format = words_format();
  writing.shard = engine.shard;
  writing.own = engine.core.shard;
  writing.reads = engine.core.projector;
  writing.journal = engine.core.journal;
  writing.events_max = 1 + chance_.below(40);
  if (chance_.one_in(2))
    writing.known_max = chance_.below(4);
  engine.publisher = system_.spawn(records::publisher, std::move(writing));
}

void world::begin_topics() {
  if (topics_begun_)
    return produce();
  topics_begun_ = true;
  tell(topics_begun{});
  crash_engine();
}

void world::add_partitions() {
  if (partitions_ == partitions_max)
    return produce();
  add_memory_partition(*topics_, "in");
  ++partitions_;
  produce();
}

void world::produce() {
  if (!topics_)
    return send_messages();
  const auto count = 1 + chance_.below(chance_.one_in(4) ? 20 : 4);
  for (std::uint32_t i = 0; i < count; ++i)
    produce_one();
}

void world::produce_one() {
  auto partition = static_cast<std::int32_t>(
    chance_.below(static_cast<std::uint32_t>(partitions_)));
  source_record x;
  x.key = "key";
  x.has_value = true;
  produced fact;
  if (knobs_.poison && chance_.one_in(4)) {
    static const char* const rubbish[] = {"rubbish", "", "no/user metadata p x",
                                          "u0 nowhere p x", "u0 plain p x"};
    x.value = rubbish[chance_.below(5)];
    x.has_value = !chance_.one_in(8);
    fact.poison = true;
  } else if (knobs_.repeated_records && !sent_records_.empty()
             && chance_.one_in(5)) {
    // Equal keys lead to the same partition.
    std::tie(partition, x.value) = sent_records_[chance_.below(
      static_cast<std::uint32_t>(sent_records_.size()))];
    fact.repeated = true;
  } else {
    const auto user = any_user();
    fact.body = std::string{"r"}.append(std::to_string(++bodies_));
    x.value =
      user + ' ' + deposit_queue + ' ' + fact.body + " payload of " + fact.body;
    tell(attempted{fact.body, deposit_queue, user});
    sent_records_.emplace_back(partition, x.value);
  }
  fact.partition = "in/" + std::to_string(partition);
  fact.shard = shard_of_words(x, fact.partition, knobs_.shards);
  fact.offset = append_memory_record(*topics_, "in", partition, std::move(x));
  tell(std::move(fact));
}

void world::trouble_brokers() {
  if (!topics_)
    return produce();
  if (chance_.one_in(2)) {
    brokers_away_ = !brokers_away_;
    reach_memory_brokers(*topics_, !brokers_away_);
    return;
  }
  static constexpr publish_fault faults[] = {
    publish_fault::nothing_written, publish_fault::half_written,
    publish_fault::answer_lost, publish_fault::written_twice};
  fault_publishes(*topics_, faults[chance_.below(4)], 1 + chance_.below(3));
}

void world::mend_brokers() {
  if (!topics_)
    return;
  fault_publishes(*topics_, publish_fault::nothing_written, 0);
  reach_memory_brokers(*topics_, true);
}

void world::read_topics() {
  if (!topics_)
    return;
  for (const auto& x : memory_records(*topics_, "out")) {
    const auto id =
      std::find_if(x.headers.begin(), x.headers.end(),
                   [](const auto& h) { return h.name == "event-id"; });
    tell(published{id == x.headers.end() ? "" : id->value, x.key, x.value});
  }
  for (const auto& x : memory_records(*topics_, "dead"))
    tell(dead_lettered{x.key, std::stoll(x.value)});
}

} // namespace depositd::simulation
