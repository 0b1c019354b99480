// What is exported of queues and of those users who stand out.

#include "adapters/doors/operations/exported.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <utility>

namespace depositd::metrics {

namespace {

/// A queue over all shards of this engine.
struct queue_now {
  std::uint64_t waiting = 0;
  std::uint64_t claimed = 0;
  std::uint64_t items = 0;
  std::uint64_t parked = 0;
  std::uint64_t users = 0;
  std::uint64_t eligible = 0;
  std::uint64_t at_cap = 0;
  std::uint32_t processors = 0;
  bool suspended = false;
  micros oldest_us = never;
  micros oldest_eligible_us = never;
  bool judged = false;
  double evenness = 1;
  double lag = 0;
};

void take_older(micros& to, micros x) {
  if (x != never)
    to = to == never ? x : std::min(to, x);
}

void add(queue_now& to, const ring_measured& x) {
  to.waiting += x.report.ready;
  to.claimed += x.report.in_flight;
  to.items += x.report.items;
  to.parked += x.parked;
  to.users += x.report.users;
  to.eligible += x.report.eligible_users;
  to.at_cap += x.users_at_cap;
  // A processor has a door in each shard.
  to.processors = std::max(to.processors, x.report.processors);
  to.suspended =
    to.suspended || x.report.settings.suspended || x.report.server_suspended;
  take_older(to.oldest_us, x.oldest_us);
  take_older(to.oldest_eligible_us, x.oldest_eligible_us);
  if (x.judged) {
    to.judged = true;
    to.evenness = std::min(to.evenness, x.evenness);
    to.lag = std::max(to.lag, x.lag);
  }
}

using queues_now = std::map<std::string, queue_now>;

queues_now queues_of(const engine_numbers& x, const lasting_counters& counts) {
  queues_now out;
  for (const auto& shard : x.shards)
    for (const auto& ring : shard.rings)
      add(out[counts.label_of(ring.report.name)], ring);
  return out;
}

double age_s(micros now, micros since) {
  return since == never
           ? 0
           : seconds(static_cast<double>(std::max<micros>(now - since, 0)));
}

/// One value of each queue.
template <class Value>
void add_each(exported& to, const queues_now& all, Value value) {
  for (const auto& [name, x] : all)
    to.add({{"queue", name}}, static_cast<double>(value(x)));
}

void add_states(exported& to, const queues_now& all) {
  to.gauge("depositd_jobs", "Items that are in a queue, by what they do");
  for (const auto& [name, x] : all) {
    const auto known = x.waiting + x.claimed + x.parked;
    to.add({{"queue", name}, {"state", "waiting"}}, x.waiting);
    to.add({{"queue", name}, {"state", "claimed"}}, x.claimed);
    to.add({{"queue", name}, {"state", "parked"}}, x.parked);
    to.add({{"queue", name}, {"state", "delayed"}},
           x.items > known ? x.items - known : 0);
  }
}

void add_standing(exported& to, const queues_now& all, micros now) {
  add_states(to, all);
  to.gauge("depositd_queue_oldest_age_seconds",
           "How long the oldest item waits that could be handed out");
  add_each(to, all, [&](const auto& x) { return age_s(now, x.oldest_us); });
  to.gauge("depositd_queue_oldest_eligible_age_seconds",
           "The same of users who are not held, prohibited or at a limit");
  add_each(to, all,
           [&](const auto& x) { return age_s(now, x.oldest_eligible_us); });
  to.gauge("depositd_users", "Users that the ring of a queue knows");
  add_each(to, all, [](const auto& x) { return x.users; });
  to.gauge("depositd_users_pending", "Users whose turn can come now");
  add_each(to, all, [](const auto& x) { return x.eligible; });
  to.gauge("depositd_users_at_cap",
           "Users with as many claims as they may have");
  add_each(to, all, [](const auto& x) { return x.at_cap; });
  to.gauge("depositd_sp_connected", "Processors that are attached to a queue");
  add_each(to, all, [](const auto& x) { return x.processors; });
  to.gauge("depositd_suspended", "1 while a queue hands nothing out");
  add_each(to, all, [](const auto& x) { return x.suspended ? 1 : 0; });
}

void add_fairness(exported& to, const queues_now& all) {
  to.gauge("depositd_fair_evenness_ratio",
           "Jain's index of what users got who always had items waiting");
  for (const auto& [name, x] : all)
    if (x.judged)
      to.add({{"queue", name}}, x.evenness);
  to.gauge("depositd_fair_lag_ratio",
           "Which part of a fair share the user lacks who got least");
  for (const auto& [name, x] : all)
    if (x.judged)
      to.add({{"queue", name}}, x.lag);
}

void add_counts(exported& to, const lasting_counters& counts) {
  const auto each = [&](queue_count which) {
    for (const auto& [name, x] : counts.queues())
      to.add({{"queue", name}}, x.counters.n[which]);
  };
  to.counter("depositd_submissions_accepted_total",
             "Items that came into queues of deposits and messages");
  for (const auto& [name, x] : counts.queues())
    if (x.deposits)
      to.add({{"queue", name}}, x.counters.n[count_entered]);
  to.counter("depositd_jobs_entered_total",
             "Items that came into a queue, from other queues too");
  each(count_entered);
  to.counter("depositd_jobs_finished_total",
             "Items that left a queue, by how they ended");
  for (const auto& [name, x] : counts.queues()) {
    const auto& n = x.counters.n;
    const auto failed = std::min(n[count_failed], n[count_finished]);
    to.add({{"queue", name}, {"outcome", "done"}}, n[count_finished] - failed);
    to.add({{"queue", name}, {"outcome", "failed"}}, failed);
  }
  to.counter("depositd_retries_total", "Items given back to be tried again");
  each(count_requeued);
  to.counter("depositd_leases_expired_total", "Claims that timed out");
  each(count_timed_out);
  to.counter("depositd_grants_total",
             "Turns that were taken, by the rule that chose the user");
  constexpr std::array kinds{"round_robin", "preferred", "required"};
  for (const auto& [name, x] : counts.queues())
    for (std::size_t i = 0; i < kinds.size(); ++i)
      to.add({{"queue", name}, {"kind", kinds[i]}},
             x.counters.n[count_granted + i]);
  to.counter("depositd_grants_declined_total",
             "Turns for which the user had no item that fits");
  each(count_declined);
}

void add_times(exported& to, const lasting_counters& counts) {
  to.histogram("depositd_grant_wait_seconds",
               "From arrival to the first hand-out, by how many items the user "
               "had: few (to 9), some (to 999), many");
  constexpr std::array names{"few", "some", "many"};
  for (const auto& [name, x] : counts.queues())
    for (std::size_t i = 0; i < crowds; ++i)
      to.add_times({{"queue", name}, {"had", names[i]}}, x.counters,
                   count_waits + i * time_slots);
  to.histogram("depositd_job_duration_seconds",
               "From a claim to the end of its item, or of its stage");
  for (const auto& [name, x] : counts.queues())
    to.add_times({{"queue", name}}, x.counters, count_durations);
}

// -- users --------------------------------------------------------------------

/// By queue and user; of several queues without a name of their own one user
/// may come twice.
using user_label = std::pair<std::string, std::string>;

template <class Value>
using of_users = std::vector<std::pair<user_label, Value>>;

/// The first ones and one more, as `before` orders their values.
template <class Value, class Before>
of_users<Value> first_users(const std::map<user_label, Value>& all,
                            Before before) {
  of_users<Value> out(all.begin(), all.end());
  const auto count = std::min(out.size(), users_named_max + 1);
  std::partial_sort(out.begin(),
                    out.begin() + static_cast<std::ptrdiff_t>(count), out.end(),
                    [&](const auto& a, const auto& b) {
                      return a.second == b.second ? a.first < b.first
                                                  : before(a.second, b.second);
                    });
  out.resize(count);
  return out;
}

labels labels_of(const user_label& x) {
  return {{"queue", x.first}, {"user", x.second}};
}

const user_label& other_users() {
  static const user_label out{others, others};
  return out;
}

void add_waits(exported& to, const engine_numbers& x,
               const lasting_counters& counts) {
  std::map<user_label, micros> all;
  for (const auto& shard : x.shards)
    for (const auto& ring : shard.rings)
      for (const auto& wait : ring.waits)
        take_older(all[{counts.label_of(ring.report.name), wait.user}],
                   wait.oldest_us);
  all.erase(other_users());
  const auto first = first_users(all, std::less<>{});
  to.gauge("depositd_user_wait_seconds",
           "How long items wait of the ten users who wait longest, and the "
           "longest wait of all others");
  for (std::size_t i = 0; i < first.size(); ++i)
    to.add(labels_of(i < users_named_max ? first[i].first : other_users()),
           age_s(x.now_us, first[i].second));
}

double part_of(std::uint64_t x, std::uint64_t sum) {
  return sum == 0 ? 0 : static_cast<double>(x) / static_cast<double>(sum);
}

void add_shares(exported& to, const engine_numbers& x,
                const lasting_counters& counts) {
  std::map<user_label, std::uint64_t> all;
  std::map<std::string, std::uint64_t> of_queue;
  std::uint64_t rest = 0;
  for (const auto& shard : x.shards)
    for (const auto& ring : shard.rings) {
      const auto& label = counts.label_of(ring.report.name);
      of_queue[label] += ring.taken;
      rest += ring.taken;
      for (const auto& share : ring.shares)
        all[{label, share.user}] += share.taken;
    }
  all.erase(other_users());
  auto first = first_users(all, std::greater<>{});
  first.resize(std::min(first.size(), users_named_max));
  to.gauge("depositd_user_share_ratio",
           "Part of a queue's hand-outs in the last ten seconds that the ten "
           "users got who got most; of all others, of those of all queues");
  const auto sum = rest;
  for (const auto& [who, taken] : first) {
    rest -= std::min(rest, taken);
    to.add(labels_of(who), part_of(taken, of_queue[who.first]));
  }
  if (sum > 0)
    to.add(labels_of(other_users()), part_of(rest, sum));
}

} // namespace

void add_queues(exported& to, const engine_numbers& x,
                const lasting_counters& counts) {
  const auto queues = queues_of(x, counts);
  add_counts(to, counts);
  add_standing(to, queues, x.now_us);
  add_times(to, counts);
  add_fairness(to, queues);
  add_waits(to, x, counts);
  add_shares(to, x, counts);
}

} // namespace depositd::metrics
