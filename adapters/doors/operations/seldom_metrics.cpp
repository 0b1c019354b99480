// What is exported of what happens seldom: refusals, logins, recoveries, what
// batches and jobs come to, and what the client of the brokers says of itself.

#include "adapters/doors/operations/exported.hpp"

#include "messages/values/word_list.hpp"

#include <algorithm>
#include <array>

namespace depositd::metrics {

namespace {

/// Of what is tallied.
struct row {
  tally_of what;
  const char* name;
  const char* help;
  const char* first; ///< names of labels; null: none
  const char* second;
  double unit; ///< of a value of ours
};

constexpr std::array counters{
  row{tally_of::submission_rejected, "depositd_submissions_rejected_total",
      "Items that shards and users' limits refused, by why", "queue", "reason",
      1},
  row{tally_of::submission_repeated, "depositd_submissions_duplicate_total",
      "Deposits and batches that had come before, by their id", "queue",
      nullptr, 1},
  row{tally_of::login_failed, "depositd_auth_failures_total",
      "Passwords, tokens and keys that doors did not take, by why", "reason",
      nullptr, 1},
  row{tally_of::result_stale, "depositd_stale_results_total",
      "Results of claims that were not in force any more", "queue", nullptr, 1},
  row{tally_of::append_fenced, "depositd_fenced_total",
      "Appends that were refused as another engine has the shard", "shard",
      nullptr, 1},
  row{tally_of::shard_taken, "depositd_shard_owner_changes_total",
      "Shards that this engine has taken", "shard", nullptr, 1},
  row{tally_of::items_purged, "depositd_jobs_purged_total",
      "Items that operators have purged from a queue", "queue", nullptr, 1},
};

constexpr std::array gauges{
  row{tally_of::recovery_us, "depositd_recovery_seconds",
      "How long the shard's last recovery took", "shard", nullptr, 1e-6},
  row{tally_of::replayed, "depositd_recovery_replayed_records",
      "Events that it read from the journal behind the tables", "shard",
      nullptr, 1},
  row{tally_of::slice_us, "depositd_snapshot_duration_seconds",
      "How long the tables took for their last slice of the journal", "shard",
      nullptr, 1e-6},
  row{tally_of::kafka_queued, "depositd_kafka_queued_messages",
      "What waits in a client of the brokers", "client", nullptr, 1},
  row{tally_of::kafka_rtt_us, "depositd_kafka_rtt_seconds",
      "Round trips of a client to a broker, on average", "client", "broker",
      1e-6},
  row{tally_of::downstream_silent, "depositd_scheduler_waits",
      "1 while a scheduler is not told how much is left: it feeds what had "
      "room, and then nothing",
      "scheduler", nullptr, 1},
};

constexpr row tx_errors{tally_of::kafka_tx_errors,
                        "depositd_kafka_tx_errors_total",
                        "Requests of a client that brokers did not get",
                        "client",
                        nullptr,
                        1};

void add_row(exported& to, const engine_numbers& x, const row& of) {
  for (const auto& one : x.tallied_of(of.what)) {
    labels named{{of.first, one.first}};
    if (of.second != nullptr)
      named.push_back({of.second, one.second});
    to.add(std::move(named), one.value * of.unit);
  }
}

template <class State, std::size_t N>
void add_states(exported& to, const std::array<std::uint64_t, N>& counts) {
  for (const auto& [state, word] : words_of<State>)
    if (state != State::none)
      to.add({{"state", std::string{word}}},
             counts[static_cast<std::size_t>(state)]);
}

void add_work(exported& to, const work_numbers& x) {
  to.gauge("depositd_batches", "Batches that live, by state");
  add_states<batch_state>(to, x.batches);
  to.counter("depositd_batch_transitions_total",
             "Moves of batches, by the state that they came into");
  add_states<batch_state>(to, x.batch_moves);
  to.counter("depositd_job_transitions_total",
             "Moves of jobs, by the state that they came into");
  add_states<job_state>(to, x.job_moves);
  to.histogram("depositd_batch_close_seconds",
               "From a batch's arrival to its end");
  to.add_times({}, x.times, 0);
}

/// Deposits that are over and whose depositors are still to be told.
void add_outbox(exported& to, const engine_numbers& x) {
  std::uint64_t pending = 0;
  micros oldest_us = never;
  for (const auto& shard : x.shards)
    for (const auto& ring : shard.rings) {
      if (ring.report.settings.kind != queue_kind::outbox)
        continue;
      pending += ring.report.items - std::min(ring.report.items, ring.parked);
      if (ring.oldest_us != never)
        oldest_us = oldest_us == never ? ring.oldest_us
                                       : std::min(oldest_us, ring.oldest_us);
    }
  to.gauge("depositd_outbox_pending",
           "Ends that depositors are still to be told of");
  to.add({}, pending);
  to.gauge("depositd_outbox_oldest_age_seconds",
           "How long the oldest of them waits");
  to.add({}, oldest_us == never
               ? 0.0
               : seconds(static_cast<double>(
                   std::max<micros>(x.now_us - oldest_us, 0))));
}

/// How old the tables are: 0 while they have all that the journal has.
void add_snapshots(exported& to, const engine_numbers& x) {
  to.gauge("depositd_snapshot_age_seconds",
           "How far the tables are behind the journal");
  for (const auto& [shard, report] : x.stores) {
    const auto number = std::to_string(shard);
    auto since = static_cast<double>(x.now_us);
    for (const auto& one : x.tallied_of(tally_of::slice_at_us))
      if (one.first == number)
        since = one.value;
    const auto age = static_cast<double>(x.now_us) - since;
    to.add({{"shard", number}},
           report.projected >= report.journalled ? 0.0
                                                 : seconds(std::max(age, 0.0)));
  }
}

void add_groups(exported& to, const group_sizes& x) {
  to.histogram("depositd_journal_batch_size", "Events of a group");
  to.add_sizes({}, x);
}

} // namespace

void add_seldom(exported& to, const engine_numbers& x) {
  for (const auto& one : counters) {
    to.counter(one.name, one.help);
    add_row(to, x, one);
  }
  for (const auto& one : gauges) {
    to.gauge(one.name, one.help);
    add_row(to, x, one);
  }
  to.counter(tx_errors.name, tx_errors.help);
  add_row(to, x, tx_errors);
  add_work(to, x.work);
  add_outbox(to, x);
  add_snapshots(to, x);
  add_groups(to, x.groups);
}

} // namespace depositd::metrics
