// What depositors are to be told: it goes on with the end of the deposit, and
// nobody lets go of it until it has been told.

#include "messages/values/operations.hpp"
#include "tests/simulation/book.hpp"
#include "tests/simulation/checker.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace depositd::simulation {

namespace {

/// Who was told to call somebody back does so a few messages later.
constexpr micros callback_hops_max = 6;

struct notifying_checker {
  findings& out;
  bool with_mail;
  micros slack_us;
  item_book book;
  /// Whether somebody is called back, as each shard knows it.
  std::map<std::pair<shard_number, std::string>, lenient<bool>> called_back;
  /// What was said of each claim.
  std::map<std::pair<item_id, claim_token>, std::vector<reported>> said;
  /// Claimed last by a door that answers its depositor itself.
  std::set<item_id> at_once;
  /// Of each shard, the deposit whose item has just gone on: its end is next.
  std::map<shard_number, item_id> ends_next;
  bool is_told = false; ///< there is anybody who tells depositors

  void complain(std::size_t at, item_id id, const std::string& what) {
    out.push_back({"N-1", at, "item " + std::to_string(id) + ' ' + what});
  }

  template <class Predicate>
  bool any_said(item_id id, const tracked_item& item, Predicate fits) const {
    const auto all = said.find({id, item.token});
    return all != said.end()
           && std::any_of(all->second.begin(), all->second.end(), fits);
  }

  /// Whether there is anybody to tell, beyond doubt.
  bool has_contact(const tracked_item& item, micros at_us) const {
    const auto found = called_back.find({item.shard, item.user});
    return with_mail
           || (found != called_back.end()
               && !found->second.any(at_us, [](bool x) { return !x; }));
  }

  void ended(const item_finished& x, const tracked_item& item, micros at_us,
             std::size_t at) {
    if (item.queue == notify_queue) {
      if (!any_said(x.id, item, [](const reported& one) {
            return one.says == verdict::done;
          }))
        complain(at, x.id, "was let go, and its depositor was not told");
    } else if (is_told && has_contact(item, at_us) && item.queue == "metadata"
               && at_once.count(x.id) == 0
               && !any_said(x.id, item,
                            [](const reported& one) { return !one.tell; })) {
      complain(at, x.id, "ended, and its depositor will not be told");
    }
  }

  void see(const journalled& record, micros at_us, std::size_t at) {
    const auto id = id_in(record.what);
    const auto* end = std::get_if<submission_ended>(&record.what);
    const auto next = std::exchange(ends_next[record.shard], 0);
    if (next != 0 && (end == nullptr || end->id != next))
      complain(at, next, "went on without its end");
    if (end != nullptr && end->id != next)
      complain(at, id, "ended without going on");
    const auto* item = id == 0 ? nullptr : book.find(id);
    if (const auto* claim = std::get_if<item_claimed>(&record.what)) {
      if (claim->processor == source_v2.name)
        at_once.insert(id);
      else
        at_once.erase(id);
    } else if (const auto* set = std::get_if<queue_changed>(&record.what)) {
      is_told = is_told || set->queue == notify_queue;
    } else if (const auto* whom = std::get_if<contact_changed>(&record.what)) {
      called_back[{record.shard, whom->user}].set(!whom->callback.empty(),
                                                  at_us, slack_us);
    } else if (const auto* x = std::get_if<item_finished>(&record.what);
               x != nullptr && item != nullptr) {
      ended(*x, *item, at_us, at);
    } else if (const auto* moved = std::get_if<item_moved>(&record.what);
               moved != nullptr && moved->to == notify_queue) {
      ends_next[record.shard] = id;
    }
    book.apply(record);
  }
};

} // namespace

void check_notifying(const history& x, findings& out) {
  constexpr micros least_slack_us = 1'000'000;
  notifying_checker all{
    out, x.with_mail, least_slack_us + callback_hops_max * x.stall_max_us,
    {},  {},          {},
    {},  {},          false};
  for (std::size_t i = 0; i < x.entries.size(); ++i) {
    const auto& [at_us, what] = x.entries[i];
    if (const auto* record = std::get_if<journalled>(&what))
      all.see(*record, at_us, i);
    else if (const auto* word = std::get_if<reported>(&what))
      all.said[{word->id, word->token}].push_back(*word);
  }
}

} // namespace depositd::simulation
