#include "config/record_logs.hpp"

#include "actors/operators/letter_desk.hpp"
#include "actors/records/intake.hpp"
#include "actors/records/publisher.hpp"
#include "adapters/logs/kafka/agreed_log.hpp"
#include "adapters/logs/kafka/dead_letters.hpp"
#include "adapters/logs/kafka/reach.hpp"
#include "adapters/logs/kafka/record_log.hpp"
#include "adapters/logs/kafka/records.hpp"
#include "adapters/logs/kafka/topics.hpp"
#include "config/kafka_checks.hpp"
#include "config/stores.hpp"
#include "messages/thread_probe.hpp"
#include "messages/workers.hpp"

#include <caf/scoped_actor.hpp>

#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>

namespace depositd {

namespace {

constexpr std::chrono::seconds look_time{3};

record_format format_of(const depositd_settings& settings) {
  record_format_options out;
  out.egress_topic = settings.kafka.egress_topic;
  out.dead_letter_topic = settings.kafka.dead_letter_topic;
  out.deposit_queues.clear();
  for (const auto& [name, queue] : settings.queues)
    if (queue.kind == queue_kind::deposit)
      out.deposit_queues.insert(name);
  out.payload_bytes_max = std::size_t{settings.crossref.body_limit_mb} << 20;
  out.jobs_topic = settings.kafka.jobs_topic;
  out.batch_payload_bytes_max = std::size_t{settings.poster.body_limit_mb}
                                << 20;
  return make_record_format(std::move(out));
}

facts_claim facts_named_in(const depositd_settings& settings) {
  const auto& kafka = settings.kafka;
  facts_claim out;
  out.renew = kafka.renew;
  out.ours = {
    {ingress_fact, kafka.ingress_topic},
    {"kafka.egress_topic", kafka.egress_topic},
    {"kafka.dead_letter_topic", kafka.dead_letter_topic},
    // An engine without it would keep what it publishes from it.
    {"kafka.jobs_topic", kafka.jobs_topic.empty() ? "none" : kafka.jobs_topic}};
  return out;
}

/// When the brokers have answered for the first time.
void warn_of_compacted(const depositd_settings& settings) {
  const auto& kafka = settings.kafka;
  std::vector<std::string> topics{kafka.ingress_topic, kafka.egress_topic,
                                  kafka.dead_letter_topic};
  if (!kafka.jobs_topic.empty())
    topics.push_back(kafka.jobs_topic);
  // A process has one cluster, and several who agree that it is the right one.
  static std::atomic_flag looked;
  if (looked.test())
    return;
  const auto found
    = compacted_topics(kafka_options_of(settings), topics,
                       std::chrono::steady_clock::now() + look_time);
  if (!found || looked.test_and_set())
    return; // whoever may not ask is told nothing
  for (const auto& topic : *found)
    spdlog::error("topic_is_compacted topic={} reason=\"of records with one "
                  "key, a user's, the brokers keep the last only, read or "
                  "not: set cleanup.policy=delete\"",
                  topic);
}

/// What they say; `ec::store_failed` if none answers in a moment.
caf::error add_brokers(const depositd_settings& settings, facts_claim& to) {
  const auto found =
    look_at_kafka(kafka_options_of(settings), settings.kafka.ingress_topic,
                  std::chrono::steady_clock::now() + look_time);
  if (!found)
    return found.error();
  to.ours.emplace(brokers_fact, "cluster " + found->id);
  if (found->partitions > 0)
    to.ours.emplace(partitions_fact, std::to_string(found->partitions));
  return {};
}

} // namespace

bool has_record_logs(const depositd_settings& settings) {
  return !settings.kafka.brokers.empty();
}

facts_claim facts_of(const depositd_settings& settings) {
  if (!has_record_logs(settings))
    return {};
  auto out = facts_named_in(settings);
  if (auto silent = add_brokers(settings, out))
    spdlog::warn("brokers_not_compared reason=\"{}\"", render(silent));
  else
    warn_of_compacted(settings);
  return out;
}

caf::expected<facts_claim>
compared_facts_of(const depositd_settings& settings) {
  auto out = facts_named_in(settings);
  if (auto silent = add_brokers(settings, out))
    return silent;
  return out;
}

kafka_options kafka_options_of(const depositd_settings& settings) {
  kafka_options out;
  const auto& kafka = settings.kafka;
  out.brokers = kafka.brokers;
  out.password_file = kafka.sasl.password_file;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty())
      out.settings[name] = value;
  };
  const bool tls = !kafka.tls.ca.empty() || kafka.tls.configured();
  const bool sasl = !kafka.sasl.mechanism.empty();
  if (tls || sasl)
    add("security.protocol",
        std::string{sasl ? "sasl_" : ""} + (tls ? "ssl" : "plaintext"));
  add("ssl.ca.location", kafka.tls.ca);
  add("ssl.certificate.location", kafka.tls.certificate);
  add("ssl.key.location", kafka.tls.key);
  add("ssl.key.password", kafka.key_password);
  add("sasl.mechanism", kafka.sasl.mechanism);
  add("sasl.username", kafka.sasl.user);
  for (const auto& option : kafka.options) {
    const auto split = option.find('=');
    out.settings[option.substr(0, split)] = option.substr(split + 1);
  }
  return out;
}

topics_actor spawn_topics(caf::actor_system& system,
                          const depositd_settings& settings) {
  const auto& kafka = settings.kafka;
  topics_options out;
  out.kafka = kafka_options_of(settings);
  out.wishes = wished_topics(
    kafka.ingress_topic, kafka.egress_topic, kafka.dead_letter_topic,
    static_cast<std::int32_t>(kafka.partitions), kafka.jobs_topic);
  return workers<topics_actor>(system, {}, [&system, out = std::move(out)] {
    return system.spawn<caf::detached>(topics, out);
  });
}

/// Clients of its own for each question: nobody asks often.
letter_desk_actor spawn_letter_desk(caf::actor_system& system,
                                    const depositd_settings& settings) {
  operators::letter_desk_options out;
  const auto brokers = kafka_options_of(settings);
  out.open_letters = [brokers, topic = settings.kafka.dead_letter_topic] {
    return open_kafka_source(brokers, topic);
  };
  out.open_sink = [brokers] { return open_kafka_sink(brokers); };
  out.read = kafka::read_dead_letter;
  out.ingress_topic = settings.kafka.ingress_topic;
  return workers<letter_desk_actor>(system, {.count = 1}, [&system, out] {
    return system.spawn<caf::detached>(operators::letter_desk, out);
  });
}

caf::actor watch_brokers(caf::actor_system& system,
                         const depositd_settings& settings,
                         std::shared_ptr<log_roster> roster,
                         std::uint32_t silence_ms,
                         std::shared_ptr<std::atomic<bool>> reached) {
  reach_options out;
  out.kafka = kafka_options_of(settings);
  out.topic = settings.kafka.ingress_topic;
  // Without a shard nobody here waits for them.
  out.in_doubt = [roster = std::move(roster)] {
    return roster->empty() || roster->waits();
  };
  out.silence_max = std::chrono::milliseconds{silence_ms};
  out.reached = std::move(reached);
  return caf::actor_cast<caf::actor>(system.spawn<caf::detached>(reach, out));
}

void log_roster::add(const operators::record_log_pair& x,
                     std::vector<flag> waits) {
  const std::lock_guard guard{mutex_};
  running_.push_back({x, std::move(waits)});
}

void log_roster::remove(const intake_actor& who) {
  const std::lock_guard guard{mutex_};
  std::erase_if(running_, [&](const auto& x) { return x.actors.in == who; });
}

bool log_roster::waits() const {
  const std::lock_guard guard{mutex_};
  return std::any_of(running_.begin(), running_.end(), [](const auto& x) {
    return std::any_of(x.waits.begin(), x.waits.end(),
                       [](const auto& one) { return one->load(); });
  });
}

bool log_roster::empty() const {
  const std::lock_guard guard{mutex_};
  return running_.empty();
}

std::vector<operators::record_log_pair> log_roster::all() const {
  const std::lock_guard guard{mutex_};
  std::vector<operators::record_log_pair> out;
  for (const auto& x : running_)
    out.push_back(x.actors);
  return out;
}

namespace {

/// Settings that only librdkafka can judge, by their names.
caf::error naming_kafka(const caf::error& why) {
  if (why != ec::bad_setting)
    return why;
  const auto text = render(why);
  const auto setting = kafka_setting_in(text);
  return text.starts_with(setting + ":")
           ? why
           : caf::make_error(ec::bad_setting, setting + ": " + text);
}

} // namespace

caf::expected<record_logs> spawn_record_logs(caf::actor_system& system,
                                             record_logs_options options) {
  const auto brokers = kafka_options_of(options.settings);
  const auto& topic = options.settings.kafka.ingress_topic;
  auto source = open_kafka_source(brokers, topic);
  if (!source)
    return naming_kafka(source.error());
  auto sink = open_kafka_sink(brokers);
  if (!sink)
    return naming_kafka(sink.error());
  // They may have been away when the engine started.
  const auto agree = [settings = options.settings] {
    auto failed = agree_on_brokers(settings);
    if (!failed)
      warn_of_compacted(settings);
    return failed;
  };
  const auto format = format_of(options.settings);
  // Both or none: one that was begun would keep the stores.
  look_for_threads(2);
  record_logs out;
  records::intake_options reading;
  reading.source = agreed_first(std::move(*source), agree);
  reading.identity = open_kafka_identity(brokers, topic);
  reading.topic = topic;
  reading.format = format;
  reading.own = options.core.shard;
  reading.deposits = options.deposits;
  reading.journal = options.core.journal;
  reading.keeps_cursors = options.shards > 1;
  reading.shard = options.shard;
  reading.shards = options.shards;
  reading.blobs = options.blobs;
  reading.limits.records_max = 4'000;
  reading.waits = std::make_shared<std::atomic<bool>>(false);
  const auto read_waits = reading.waits;
  out.in = system.spawn<caf::detached>(records::intake, std::move(reading));
  records::publisher_options writing;
  writing.store = options.journal;
  writing.sink = agreed_first(std::move(*sink), agree);
  writing.format = format;
  writing.shard = options.shard;
  writing.own = options.core.shard;
  writing.reads = options.core.projector;
  writing.journal = options.core.journal;
  writing.waits = std::make_shared<std::atomic<bool>>(false);
  const auto write_waits = writing.waits;
  out.out = system.spawn<caf::detached>(records::publisher, std::move(writing));
  out.roster = std::move(options.roster);
  if (out.roster)
    out.roster->add({options.shard, out.in, out.out},
                    {read_waits, write_waits});
  return out;
}

void end_record_logs(caf::actor_system& system, const record_logs& logs) {
  if (logs.roster)
    logs.roster->remove(logs.in);
  caf::scoped_actor self{system};
  for (const auto& who : {caf::actor_cast<caf::actor>(logs.in),
                          caf::actor_cast<caf::actor>(logs.out)})
    if (who) {
      self->send_exit(who, caf::exit_reason::kill);
      self->wait_for(who);
    }
}

} // namespace depositd
