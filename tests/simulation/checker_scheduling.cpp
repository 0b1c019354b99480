// Who was served, against caps, holds and turns.

#include "tests/simulation/book.hpp"
#include "tests/simulation/checker.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace depositd::simulation {

namespace {

/// Polls may have so many picks on their way.
constexpr std::uint32_t poll_items_max = 10;
constexpr const char* poller_name = "poller";

/// An actor may be held up this often between an order and its effect: shard,
/// queue, node, journal.
constexpr micros hops_max = 6;

/// Shows each event with what the journals said before it.
template <class Act>
void walk(const history& x, Act act) {
  item_book items;
  std::map<shard_number, settings_book> settings;
  std::map<shard_number, micros> written_us; ///< when each wrote last
  for (std::size_t i = 0; i < x.entries.size(); ++i) {
    const auto& one = x.entries[i];
    // Perhaps it was this shard that was stopped, after what it wrote last.
    if (std::holds_alternative<resumed>(one.what))
      for (auto& [shard, book] : settings)
        book.hold_up(written_us[shard], one.at_us);
    const auto* record = std::get_if<journalled>(&one.what);
    if (record == nullptr)
      continue;
    written_us[record->shard] = one.at_us;
    auto at = settings.find(record->shard);
    if (at == settings.end())
      at = settings
             .emplace(record->shard, settings_book{x.stall_max_us * hops_max})
             .first;
    if (const auto* claim = std::get_if<item_claimed>(&record->what))
      act(items, at->second, *claim, *record, one.at_us, i);
    items.apply(*record);
    at->second.apply(record->what, one.at_us);
  }
}

std::string told(const item_claimed& claim, const journalled& record) {
  return "item " + std::to_string(claim.id) + " of " + record.user + " in "
         + claim.queue;
}

} // namespace

void check_caps(const history& x, findings& out) {
  walk(x, [&](const item_book& items, const settings_book& settings,
              const item_claimed& claim, const journalled& record, micros at_us,
              std::size_t at) {
    const auto claims = items.counts(claim.queue, record.user).claimed + 1;
    if (!settings.may_hold(claim.queue, record.user, claims, at_us))
      out.push_back(
        {"I-5", at,
         told(claim, record) + " is one too many: " + std::to_string(claims)});
  });
}

void check_prohibited(const history& x, findings& out) {
  walk(x, [&](const item_book&, const settings_book& settings,
              const item_claimed& claim, const journalled& record, micros at_us,
              std::size_t at) {
    if (claim.by != pick_kind::required
        && !settings.may_be_prohibited_no_more(record.user, at_us))
      out.push_back({"I-10", at, told(claim, record) + ", who is prohibited"});
  });
  std::unordered_map<std::uint32_t, const criteria*> wants;
  std::map<std::pair<item_id, claim_token>, pick_kind> by;
  for (std::size_t i = 0; i < x.entries.size(); ++i) {
    const auto& what = x.entries[i].what;
    if (const auto* joined = std::get_if<processor_joined>(&what)) {
      wants[joined->processor] = &joined->wants;
    } else if (const auto* record = std::get_if<journalled>(&what)) {
      if (const auto* claim = std::get_if<item_claimed>(&record->what))
        by[{claim->id, claim->token}] = claim->by;
    } else if (const auto* got = std::get_if<handed_out>(&what)) {
      const auto at = wants.find(got->processor);
      const auto how = by.find({got->id, got->token});
      if (at == wants.end() || how == by.end())
        continue;
      const auto names = [&](const std::vector<std::string>& users) {
        return std::find(users.begin(), users.end(), got->user) != users.end();
      };
      const auto& required = at->second->required;
      if (how->second == pick_kind::required ? !names(required)
                                             : !required.empty())
        out.push_back({"I-10", i,
                       got->user
                         + " went to a processor that "
                           "requires others"});
      if (names(at->second->excluded))
        out.push_back({"I-10", i, got->user + " is excluded"});
    }
  }
}

void check_holds(const history& x, findings& out) {
  walk(x, [&](const item_book&, const settings_book& settings,
              const item_claimed& claim, const journalled& record, micros at_us,
              std::size_t at) {
    if (!settings.may_be_served(record.user, at_us))
      out.push_back({"I-12", at, told(claim, record) + ", who is held"});
    if (!settings.may_hand_out(claim.queue, at_us))
      out.push_back({"I-12", at, told(claim, record) + ", which is suspended"});
  });
}

// -- I-9: turns ---------------------------------------------------------------

namespace {

/// Grants to others since each user's own last turn, in one queue.
class turns {
public:
  /// So many picks may be on their way at once, and so come out of order.
  std::uint32_t credit = 0;
  bool criteria_in_use = false;

  void reset() {
    since_.clear();
  }

  void stop(const std::string& user) {
    since_.erase(user);
  }

  /// From now on the user could be served.
  void go_on(const std::string& user) {
    since_.try_emplace(user);
  }

  /// Returns who was passed over, if anybody.
  const std::string* grant(const std::string& to, std::uint32_t allocation) {
    const std::string* passed = nullptr;
    const auto bound = allocation + 2 * credit + 1;
    for (auto& [user, others] : since_)
      if (user == to)
        others.clear();
      else if (++others[to] > bound)
        passed = &user;
    return passed;
  }

private:
  std::map<std::string, std::map<std::string, std::uint32_t>> since_;
};

struct fairness_checker {
  using queue_key = std::pair<shard_number, std::string>;

  findings& out;
  item_book items;
  std::map<shard_number, settings_book> settings;
  std::map<queue_key, turns> queues;
  /// Queues where somebody has criteria, or that share out something else.
  std::set<std::string> odd;
  std::map<std::string, std::uint32_t> credit;
  /// Claims to come, in order: where they stand, and their stamps.
  std::map<std::pair<queue_key, std::string>,
           std::deque<std::pair<std::size_t, std::uint64_t>>>
    stamps;

  /// The next claim of the user was picked before this stamp was given: only
  /// its user was slow to say so.
  bool was_picked(const queue_key& queue, const std::string& user,
                  std::size_t at, std::uint64_t stamp) {
    auto& coming = stamps[{queue, user}];
    while (!coming.empty() && coming.front().first < at)
      coming.pop_front();
    return !coming.empty() && coming.front().second < stamp;
  }

  settings_book& settings_of(shard_number shard) {
    return settings.try_emplace(shard, settings_book{0}).first->second;
  }

  void see(const journalled& record, std::size_t at) {
    auto& set = settings_of(record.shard);
    const auto id = id_in(record.what);
    if (id == 0) {
      if (const auto* fair = std::get_if<fairness_changed>(&record.what);
          fair != nullptr && fair->by != fair_by::turns)
        odd.insert(fair->queue); // and was for a while, when it is no more
      set.apply(record.what, 0);
      for (auto& [key, queue] : queues)
        if (key.first == record.shard)
          queue.reset(); // terms changed
      return;
    }
    const auto* item = items.find(id);
    const auto queue_name = [&] {
      if (const auto* fresh = std::get_if<item_enqueued>(&record.what))
        return fresh->queue;
      return item == nullptr ? std::string{} : item->queue;
    }();
    if (queue_name.empty() || odd.count(queue_name) > 0
        || set.across_users(queue_name))
      return items.apply(record);
    auto& queue = queues[{record.shard, queue_name}];
    queue.credit = credit[queue_name];
    const auto* claim = std::get_if<item_claimed>(&record.what);
    if (claim != nullptr && claim->stamp > 0
        && claim->by == pick_kind::round_robin)
      if (const auto* passed =
            queue.grant(record.user, set.allocation(queue_name, record.user));
          passed != nullptr
          && !was_picked({record.shard, queue_name}, *passed, at, claim->stamp))
        out.push_back({"I-9", at,
                       *passed + " waits in " + queue_name + " while "
                         + record.user + " is served again"});
    items.apply(record);
    const auto now = items.counts(queue_name, record.user);
    if (now.pending > 0 && now.claimed < set.cap(queue_name, record.user)
        && set.allocation(queue_name, record.user) > 0
        && set.plain(queue_name, record.user))
      queue.go_on(record.user);
    else
      queue.stop(record.user);
  }
};

} // namespace

void check_fairness(const history& x, findings& out) {
  fairness_checker all{out, {}, {}, {}, {}, {}, {}};
  std::map<std::uint32_t, std::uint32_t> processors; // what each may wait for
  for (std::size_t i = 0; i < x.entries.size(); ++i)
    if (const auto* record = std::get_if<journalled>(&x.entries[i].what))
      if (const auto* claim = std::get_if<item_claimed>(&record->what)) {
        if (claim->processor == poller_name)
          all.credit[claim->queue] = poll_items_max;
        if (claim->stamp > 0)
          all.stamps[{{record->shard, claim->queue}, record->user}]
            .emplace_back(i, claim->stamp);
      }
  struct departure {
    std::string queue;
    std::uint32_t credit;
    micros at_us;
  };
  std::vector<departure> left;
  for (std::size_t i = 0; i < x.entries.size(); ++i) {
    const auto& what = x.entries[i].what;
    std::erase_if(left, [&](const departure& gone) {
      const auto over = x.entries[i].at_us > gone.at_us + x.stall_max_us;
      if (over)
        all.credit[gone.queue] -= gone.credit;
      return over;
    });
    if (const auto* record = std::get_if<journalled>(&what)) {
      all.see(*record, i);
    } else if (const auto* joined = std::get_if<processor_joined>(&what)) {
      // A credit of 0 says that it left; what it asked for is still answered.
      auto& mine = processors[joined->processor];
      all.credit[joined->queue] += joined->credit_max;
      if (joined->credit_max == 0)
        left.push_back({joined->queue, mine, x.entries[i].at_us});
      mine = joined->credit_max;
      if (!(joined->wants == criteria{}))
        all.odd.insert(joined->queue);
    } else if (std::holds_alternative<fault>(what)) {
      for (auto& [key, queue] : all.queues)
        queue.reset();
    }
  }
}

} // namespace depositd::simulation
