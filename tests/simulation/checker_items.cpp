// Items and claims: what the journals say of them, and what processors saw.

#include "messages/values/operations.hpp"
#include "tests/simulation/book.hpp"
#include "tests/simulation/checker.hpp"
#include "tests/simulation/queues_of_lives.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>
#include <vector>

namespace depositd::simulation {

namespace {

/// A job, a batch or an item goes elsewhere, which ends the claim of whoever
/// worked on it.
bool is_move(const event& x) {
  return std::holds_alternative<job_moved>(x)
         || std::holds_alternative<item_moved>(x)
         || std::holds_alternative<batch_moved>(x);
}

std::string named(item_id id) {
  return "item " + std::to_string(id);
}

/// Shows each event with the book as it was before.
template <class Act>
void walk(const history& x, Act act) {
  item_book book;
  for (std::size_t i = 0; i < x.entries.size(); ++i) {
    const auto* record = std::get_if<journalled>(&x.entries[i].what);
    act(book, x.entries[i], record, i);
    if (record != nullptr)
      book.apply(*record);
  }
}

// -- I-6: states --------------------------------------------------------------

/// What is wrong with the event for an item in this state; nothing if it may
/// happen.
struct legality {
  const tracked_item& item;
  bool polled = false; ///< a poller has said, by its id, that it is done
  bool cancelled = false; ///< an operator wanted it to end if it waits
  micros since_us = 0; ///< its last event is so old
  bool woken = false;  ///< somebody wanted it to wait no longer

  std::optional<std::string> operator()(const item_enqueued&) const {
    return "was there already"; // a new one is not asked about
  }
  std::optional<std::string> operator()(const item_claimed& x) const {
    // Whoever was to wake a job may have died: what waits for very long is
    // looked at when its engine starts again.
    constexpr micros woken_at_start_us = 60'000'000;
    const bool is_woken =
      is_of_pipeline(item.queue)
      && item.available_us > x.claimed_us - since_us + woken_at_start_us;
    if (item.now == life::delayed && item.available_us > x.claimed_us
        && !is_woken && !woken)
      return "was claimed before its time";
    if (item.now == life::parked)
      return "was claimed while parked";
    if (item.now == life::gone)
      return "was claimed after its end";
    return {};
  }
  std::optional<std::string> operator()(const claim_renewed& x) const {
    if (item.now != life::claimed || item.token != x.token)
      return "had a claim extended that it has not";
    return {};
  }
  std::optional<std::string> operator()(const item_released&) const {
    if (item.now != life::claimed)
      return "was released without a claim";
    return {};
  }
  std::optional<std::string> operator()(const item_finished& x) const {
    if (item.now == life::gone)
      return "ended twice";
    if (item.now != life::claimed && x.how != ending::purged
        && x.how != ending::collapsed && !polled
        && !(cancelled && x.how == ending::failed))
      return "ended without a claim";
    return {};
  }
  std::optional<std::string> operator()(const item_parked& x) const {
    const auto waits = item.now == life::pending || item.now == life::delayed;
    if (x.parked ? !waits : item.now != life::parked)
      return "was parked or taken back in the wrong state";
    return {};
  }
  std::optional<std::string> operator()(const body_compacted&) const {
    if (item.now == life::gone)
      return "had its body moved after its end";
    return {};
  }
  std::optional<std::string> operator()(const job_moved& x) const {
    return moved_from(x.queue);
  }
  std::optional<std::string> operator()(const batch_moved& x) const {
    return moved_from(x.queue);
  }
  std::optional<std::string> operator()(const item_moved& x) const {
    return moved_from(x.queue);
  }
  template <class Other>
  std::optional<std::string> operator()(const Other&) const {
    return {};
  }

  std::optional<std::string> moved_from(const std::string& queue) const {
    if (item.now == life::gone)
      return "was moved after its end";
    if (item.queue != queue)
      return "was moved from " + queue + " and is in " + item.queue;
    return {};
  }
};

/// That operators wanted to end.
class cancelled_items {
public:
  void add(const cancel_wanted& x) {
    if (x.id != 0)
      ids_.insert(x.id);
    else
      users_.insert(x.user);
  }

  bool have(item_id id, const tracked_item& item) const {
    return item.queue == "metadata"
           && (ids_.count(id) > 0 || users_.count(item.user) > 0);
  }

private:
  std::unordered_set<item_id> ids_;
  std::unordered_set<std::string> users_;
};

} // namespace

void check_states(const history& x, findings& out) {
  std::unordered_set<item_id> polled;
  std::unordered_set<item_id> woken;
  cancelled_items cancelled;
  std::unordered_map<item_id, micros> last_us; ///< of each item's last event
  walk(x, [&](const item_book& book, const entry& one, const journalled* record,
              std::size_t at) {
    if (const auto* said = std::get_if<reported>(&one.what);
        said != nullptr && said->processor == 0)
      polled.insert(said->id);
    if (const auto* wish = std::get_if<cancel_wanted>(&one.what))
      cancelled.add(*wish);
    if (const auto* wish = std::get_if<wake_wanted>(&one.what))
      woken.insert(wish->ids.begin(), wish->ids.end());
    if (record == nullptr || id_in(record->what) == 0)
      return;
    const auto id = id_in(record->what);
    const auto* item = book.find(id);
    const auto before_us = std::exchange(last_us[id], one.at_us);
    if (item == nullptr) {
      if (!std::holds_alternative<item_enqueued>(record->what)
          && !std::holds_alternative<submission_received>(record->what))
        out.push_back({"I-6", at, named(id) + " came from nowhere"});
    } else if (auto wrong = std::visit(
                 legality{*item, polled.count(id) > 0,
                          cancelled.have(id, *item), one.at_us - before_us,
                          woken.count(id) > 0},
                 record->what)) {
      out.push_back({"I-6", at, named(id) + ' ' + *wrong});
    }
  });
}

void check_cancelled(const history& x, findings& out) {
  walk(x, [&](const item_book& book, const entry& one, const journalled*,
              std::size_t at) {
    const auto* told = std::get_if<cancelled_as_wanted>(&one.what);
    if (told == nullptr)
      return;
    if (const auto* item = book.find(told->id);
        item == nullptr
        || (item->now != life::gone && item->queue != notify_queue))
      out.push_back({"C-2", at, named(told->id) + " is not over"});
  });
}

// -- I-7: claims --------------------------------------------------------------

namespace {

struct claim_seen {
  std::size_t begun = 0;
  std::size_t ended = 0; ///< 0: not yet
  std::uint32_t deliver = 0;
  bool answered = false; ///< somebody was told that its word ended it
  bool local = false;    ///< a processor's; else a poller's
};

struct claim_checker {
  using claim_key = std::pair<item_id, claim_token>;
  struct report_seen {
    std::size_t at = 0;
    claim_token token = 0;
  };

  findings& out;
  std::map<claim_key, claim_seen> claims;
  /// Outcomes that were not answered yet, by processor and item.
  std::map<std::pair<std::uint32_t, item_id>, std::vector<report_seen>> reports;
  std::map<shard_number, std::pair<epoch_number, sequence>> last;
  /// Whose outcome was refused while the claim still stood in the journal.
  /// Right if it was released already, and only that was not written yet.
  std::map<claim_key, std::size_t> refused_early;

  void complain(std::size_t at, std::string what) {
    out.push_back({"I-7", at, std::move(what)});
  }

  void order(const journalled& x, std::size_t at) {
    auto& [epoch, seq] = last[x.shard];
    if (x.epoch < epoch)
      complain(at, "epoch " + std::to_string(x.epoch) + " wrote after "
                     + std::to_string(epoch));
    if (x.seq != seq + 1)
      complain(at, "sequence " + std::to_string(x.seq) + " after "
                     + std::to_string(seq));
    epoch = std::max(epoch, x.epoch);
    seq = x.seq;
  }

  void record(const item_book& book, const journalled& x, std::size_t at) {
    order(x, at);
    const auto id = id_in(x.what);
    const auto* item = id == 0 ? nullptr : book.find(id);
    if (item == nullptr)
      return;
    if (const auto* claim = std::get_if<item_claimed>(&x.what)) {
      if (item->now == life::claimed)
        complain(at, named(id) + " is claimed twice at once");
      if (claim->token <= item->token)
        complain(at, named(id) + " has a token that does not rise");
      auto& fresh = claims[{id, claim->token}];
      fresh.begun = at;
      fresh.local = claim->local;
    } else if (item->now == life::claimed
               && (std::holds_alternative<item_released>(x.what)
                   || std::holds_alternative<item_finished>(x.what)
                   || is_move(x.what))) {
      claims[{id, item->token}].ended = at;
      if (!std::holds_alternative<item_finished>(x.what))
        refused_early.erase({id, item->token});
      if (const auto* back = std::get_if<item_released>(&x.what);
          back != nullptr && back->reason == "engine restarted" && !item->local)
        complain(at, named(id) + " was taken from who holds it elsewhere");
    }
  }

  void deliver(const handed_out& x, std::size_t at) {
    auto claim = claims.find({x.id, x.token});
    if (x.processor == 0) { // any claim that nobody has heard of
      claim = claims.lower_bound({x.id, 0});
      while (claim != claims.end() && claim->first.first == x.id
             && (claim->second.deliver > 0 || claim->second.local))
        ++claim;
      if (claim != claims.end() && claim->first.first != x.id)
        claim = claims.end();
    }
    if (claim == claims.end())
      complain(at, named(x.id) + " was handed out before it was journalled");
    else if (++claim->second.deliver > 1)
      complain(at, named(x.id) + " was handed out twice under one token");
  }

  void told(const settled& x, std::size_t at) {
    // Some of what a processor says is lost with the engine that it said it
    // to, so the answer is to any of its open reports that explains it.
    auto& open = reports[{x.processor, x.id}];
    if (open.empty())
      return complain(at, named(x.id) + " was settled and nobody asked");
    const auto ended_it = [&](const report_seen& report) {
      const auto claim = claims.find({x.id, report.token});
      return claim != claims.end() && claim->second.ended > report.at
             && !claim->second.answered;
    };
    const auto too_late = [&](const report_seen& report) {
      const auto claim = claims.find({x.id, report.token});
      return !ended_it(report)
             && (claim == claims.end() || claim->second.ended != 0);
    };
    auto report = x.accepted ? std::find_if(open.begin(), open.end(), ended_it)
                             : std::find_if(open.begin(), open.end(), too_late);
    if (!x.accepted && report == open.end()) // ended by another on the way
      report = std::find_if(open.begin(), open.end(), ended_it);
    if (report == open.end() && x.accepted)
      return complain(at, named(x.id) + " was settled by who does not hold it");
    if (report == open.end()) {
      report = open.begin();
      refused_early.emplace(claim_key{x.id, report->token}, at);
    }
    if (x.accepted)
      claims.at({x.id, report->token}).answered = true;
    open.erase(report);
  }

  void end() {
    for (const auto& [claim, at] : refused_early)
      complain(at, named(claim.first) + ": its holder was turned away");
  }
};

} // namespace

void check_claims(const history& x, findings& out) {
  claim_checker all{out, {}, {}, {}, {}};
  walk(x, [&](const item_book& book, const entry& one, const journalled* record,
              std::size_t at) {
    if (record != nullptr)
      all.record(book, *record, at);
    else if (const auto* got = std::get_if<handed_out>(&one.what))
      all.deliver(*got, at);
    else if (const auto* said = std::get_if<reported>(&one.what))
      all.reports[{said->processor, said->id}].push_back({at, said->token});
    else if (const auto* news = std::get_if<settled>(&one.what))
      all.told(*news, at);
  });
  all.end();
}

// -- I-8: attempts ------------------------------------------------------------

void check_attempts(const history& x, findings& out) {
  // Claims whose holder said that the attempt does not count.
  std::map<std::pair<item_id, claim_token>, bool> waived;
  std::set<std::pair<item_id, claim_token>> seen; ///< by who works on it
  walk(x, [&](const item_book& book, const entry& one, const journalled* record,
              std::size_t at) {
    if (const auto* said = std::get_if<reported>(&one.what)) {
      // A poller speaks of the item, whatever its claim is by then.
      if (said->says == verdict::not_yet || said->says == verdict::release)
        waived[{said->id, said->token}] = true;
    }
    if (const auto* given = std::get_if<renewal_wanted>(&one.what);
        given != nullptr && given->lease_ms == 0)
      for (const auto id : given->ids)
        waived[{id, 0}] = true;
    if (const auto* got = std::get_if<handed_out>(&one.what))
      seen.insert({got->id, got->token});
    if (record == nullptr)
      return;
    const auto* item = book.find(id_in(record->what));
    if (item == nullptr)
      return;
    if (const auto* claim = std::get_if<item_claimed>(&record->what)) {
      if (claim->attempt != item->attempt + 1)
        out.push_back({"I-8", at,
                       named(claim->id) + ": attempt "
                         + std::to_string(claim->attempt) + " after "
                         + std::to_string(item->attempt)});
    } else if (const auto* back = std::get_if<item_released>(&record->what)) {
      const auto same = back->attempt == item->attempt;
      const auto less =
        back->attempt + 1 == item->attempt
        && (waived.count({back->id, item->token}) > 0
            || waived.count({back->id, 0}) > 0
            // Nobody could decide about a stage's end.
            || is_of_pipeline(item->queue)
            // A slot that ends gives back what it never began.
            || (x.with_leases && seen.count({back->id, item->token}) == 0));
      if (!same && !less)
        out.push_back({"I-8", at,
                       named(back->id) + " was released as attempt "
                         + std::to_string(back->attempt) + " of "
                         + std::to_string(item->attempt)});
    }
  });
}

} // namespace depositd::simulation
