// Several engines: who may write to a shard, and under which settings.

#include "tests/simulation/book.hpp"
#include "tests/simulation/checker.hpp"

#include "messages/values/codec.hpp"

#include <map>

namespace depositd::simulation {

namespace {

/// An actor may be held up this often between the end of a lease and the last
/// of what it allowed: clerk, keeper, shard, journal, writer.
constexpr micros hops_max = 6;

struct tenure {
  std::string engine;
  micros until_us = 0;
  bool given_back = false;
};

struct lease_checker {
  findings& out;
  micros slack_us;
  std::map<shard_number, epoch_number> newest;
  std::map<std::pair<shard_number, epoch_number>, tenure> tenures;
  std::map<std::string, micros> resumed_us;

  void complain(std::size_t at, shard_number shard, epoch_number epoch,
                const std::string& what) {
    out.push_back({"L-1", at,
                   "epoch " + std::to_string(epoch) + " of shard "
                     + std::to_string(shard) + ' ' + what});
  }

  void see(const leased& x, micros at_us, std::size_t at) {
    auto& last = newest[x.shard];
    auto& mine = tenures[{x.shard, x.epoch}];
    if (x.epoch < last)
      complain(at, x.shard, x.epoch, "is leased after a later one");
    if (x.epoch > last && last != 0) {
      const auto& before = tenures[{x.shard, last}];
      if (before.engine != x.engine && !before.given_back
          && before.until_us > at_us)
        complain(at, x.shard, x.epoch,
                 "begins while " + before.engine + " has the shard");
    }
    last = std::max(last, x.epoch);
    mine = {x.engine, x.until_us, false};
  }

  void see(const group_written& x, micros at_us, std::size_t at) {
    const auto found = tenures.find({x.shard, x.epoch});
    if (found == tenures.end()) {
      complain(at, x.shard, x.epoch, "writes and nobody has a lease of it");
      return;
    }
    const auto& mine = found->second;
    if (mine.given_back)
      complain(at, x.shard, x.epoch,
               "is written by " + mine.engine + ", which gave it back");
    if (x.epoch < newest[x.shard])
      complain(at, x.shard, x.epoch, "writes after a later one was taken");
    // Who was stopped finds out when it goes on; the fence is for that.
    if (at_us > mine.until_us + slack_us
        && at_us > resumed_us[mine.engine] + slack_us)
      complain(at, x.shard, x.epoch,
               "is written by " + mine.engine + " after its lease ended");
  }
};

/// What a control event sets, and the bytes of the value.
std::string key_of(const event& x) {
  if (const auto* queue = std::get_if<queue_changed>(&x))
    return "queue " + queue->queue;
  if (const auto* limits = std::get_if<user_limits_changed>(&x))
    return "limits " + limits->queue + ' ' + limits->user;
  if (const auto* who = std::get_if<user_eligibility_changed>(&x))
    return "standing " + who->user;
  if (std::holds_alternative<server_changed>(x))
    return "server";
  return {};
}

std::string bytes_of(event x) {
  if (auto* limits = std::get_if<user_limits_changed>(&x)) {
    limits->allocation = limits->has_allocation ? limits->allocation : 0;
    limits->concurrency = limits->has_concurrency ? limits->concurrency : 0;
  }
  std::string out;
  encode(x, out);
  return out;
}

/// What holds where nobody has set anything.
std::string bytes_of_default(const item_claimed& x, const std::string& user,
                             const std::string& key) {
  user_limits_changed limits;
  limits.queue = x.queue;
  limits.user = user;
  user_eligibility_changed eligibility;
  eligibility.user = user;
  for (const auto& one :
       {event{limits}, event{eligibility}, event{server_changed{}}})
    if (key_of(one) == key)
      return bytes_of(one);
  return {};
}

/// Values that shard 0 has had, by key, and what the other shards have of it.
struct settings_checker {
  struct decision {
    std::string bytes;
    std::size_t at = 0;
  };
  struct wish {
    const proposed* what = nullptr;
    std::size_t at = 0;
  };

  findings& out;
  std::map<std::string, std::vector<decision>> decided;
  /// So many values of a key are out of date: an operator was told of a later.
  std::map<std::string, std::size_t> outdated;
  std::map<std::pair<shard_number, std::string>, std::string> adopted;
  std::map<std::uint32_t, wish> asked;

  void decide(const journalled& x, std::size_t at) {
    const auto key = key_of(x.what);
    if (key.empty())
      return;
    if (x.shard == 0)
      decided[key].push_back({bytes_of(x.what), at});
    else
      adopted[{x.shard, key}] = bytes_of(x.what);
  }

  void confirm(const in_force& x) {
    const auto& [wish, asked_at] = asked.at(x.number);
    for (const auto& change : wish->changes) {
      const auto key = key_of(change);
      const auto bytes = bytes_of(change);
      const auto& values = decided[key];
      for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i].at > asked_at && values[i].bytes == bytes) {
          auto& mark = outdated[key];
          mark = std::max(mark, i);
          break;
        }
    }
  }

  void claim(const item_claimed& x, const journalled& record, std::size_t at) {
    for (const auto& key :
         {"queue " + x.queue, "limits " + x.queue + ' ' + record.user,
          "standing " + record.user, std::string{"server"}}) {
      const auto values = decided.find(key);
      const auto mark = outdated.find(key);
      if (values == decided.end() || mark == outdated.end())
        continue;
      const auto found = adopted.find({record.shard, key});
      const auto mine = found == adopted.end()
                          ? bytes_of_default(x, record.user, key)
                          : found->second;
      auto i = values->second.size();
      while (i > 0 && values->second[i - 1].bytes != mine)
        --i;
      if (i > mark->second)
        continue;
      out.push_back({"C-1", at,
                     "item " + std::to_string(x.id)
                       + " is handed out under an old " + key});
    }
  }
};

} // namespace

void check_leases(const history& x, findings& out) {
  if (!x.with_leases)
    return;
  lease_checker all{out, x.stall_max_us * hops_max, {}, {}, {}};
  for (std::size_t i = 0; i < x.entries.size(); ++i) {
    const auto& [at_us, what] = x.entries[i];
    if (const auto* lease = std::get_if<leased>(&what))
      all.see(*lease, at_us, i);
    else if (const auto* group = std::get_if<group_written>(&what))
      all.see(*group, at_us, i);
    else if (const auto* back = std::get_if<given_back>(&what))
      all.tenures[{back->shard, back->epoch}].given_back = true;
    else if (const auto* who = std::get_if<resumed>(&what))
      all.resumed_us[who->engine] = at_us;
  }
}

void check_settings_everywhere(const history& x, findings& out) {
  settings_checker all{out, {}, {}, {}, {}};
  for (std::size_t i = 0; i < x.entries.size(); ++i) {
    const auto& what = x.entries[i].what;
    if (const auto* wish = std::get_if<proposed>(&what)) {
      all.asked[wish->number] = {wish, i};
    } else if (const auto* told = std::get_if<in_force>(&what)) {
      all.confirm(*told);
    } else if (const auto* record = std::get_if<journalled>(&what)) {
      if (record->user.empty())
        all.decide(*record, i);
      else if (const auto* claim = std::get_if<item_claimed>(&record->what);
               claim != nullptr && record->shard != 0)
        all.claim(*claim, *record, i);
    }
  }
}

} // namespace depositd::simulation
