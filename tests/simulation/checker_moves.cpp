// Queues that were moved: what left, and what arrived.

#include "messages/values/names.hpp"
#include "messages/values/operations.hpp"
#include "messages/values/topic_names.hpp"
#include "tests/simulation/book.hpp"
#include "tests/simulation/checker.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace depositd::simulation {

namespace {

struct departure {
  std::string queue; ///< that it is to arrive in
  std::string body;
  std::string user;
  bool arrived = false;
};

std::string target_of(const std::string& outbox) {
  return outbox.substr(outbox_prefix.size());
}

bool is_outbox(const std::string& queue) {
  return queue.starts_with(outbox_prefix);
}

struct move_checker {
  findings& out;
  item_book book;
  std::set<std::pair<std::string, std::string>> wanted;
  std::map<std::string, move_changed> moves; ///< by reference, the newest words
  std::map<item_id, departure> left;
  std::unordered_map<std::string, item_id> last_of; ///< that left, by body
  std::unordered_map<std::string, item_id> first_of; ///< of each body
  /// Of what arrived in one group from one shard: the id that the last one of a
  /// user had there.
  std::map<std::tuple<shard_number, shard_number, std::string>, item_id>
    arrived;

  void complain(std::size_t at, std::string what) {
    out.push_back({"M-1", at, std::move(what)});
  }

  void see(const journalled& record, std::size_t at) {
    if (const auto* said = std::get_if<move_changed>(&record.what)) {
      follow(*said, at);
    } else if (const auto* fresh = std::get_if<item_enqueued>(&record.what)) {
      // Where nothing is moved a second one is a copy: I-3.
      if (!is_topic_queue(fresh->queue)
          && !fresh->queue.starts_with(dedup_queue_prefix)
          && !first_of.try_emplace(fresh->body, fresh->id).second
          && !moves.empty())
        arrive(*fresh, record, at);
    } else if (const auto* item = book.find(id_in(record.what))) {
      const auto name = "item " + std::to_string(id_in(record.what));
      if (const auto* moved = std::get_if<item_moved>(&record.what))
        leave(*moved, *item, at);
      else if (std::holds_alternative<item_claimed>(record.what)
               && is_outbox(item->queue))
        complain(at, name + " was claimed on its way");
      else if (std::holds_alternative<item_finished>(record.what)
               && is_outbox(item->queue)
               && !left[id_in(record.what)].arrived)
        complain(at,
                 name + " ends before it arrived in " + target_of(item->queue));
    }
    book.apply(record);
  }

  void follow(const move_changed& said, std::size_t at) {
    if (wanted.count({said.from, said.to}) == 0)
      complain(at, "nobody wanted " + said.from + " in " + said.to);
    if (said.status == move_status::error)
      complain(at, "move " + said.reference + " failed");
    auto& known = moves[said.reference];
    if (known.status != move_status::complete) // each shard says so itself
      known = said;
  }

  void leave(const item_moved& x, const tracked_item& item, std::size_t at) {
    if (is_topic_queue(x.queue))
      return; // to a channel: T-1
    if (x.to == notify_queue)
      return; // a deposit that has ended: N-1
    const auto name = "item " + std::to_string(x.id);
    const auto to = is_outbox(x.to) ? target_of(x.to) : x.to;
    const auto meant = [&](const auto& move) {
      return move.second.from == x.queue && move.second.to == to
             && x.id <= move.second.id_last;
    };
    if (std::none_of(moves.begin(), moves.end(), meant))
      complain(at, name + " was moved to " + to + ", which nobody wanted");
    if (!is_outbox(x.to))
      return;
    left[x.id] = {to, item.body, item.user, false};
    // It may have come here by a move, and still be in the outbox of that.
    last_of[item.body] = x.id;
  }

  void arrive(const item_enqueued& x, const journalled& record,
              std::size_t at) {
    const auto found = last_of.find(x.body);
    if (found == last_of.end() || left[found->second].arrived) {
      complain(at, x.body + " arrived in " + x.queue + " and had not left");
      return;
    }
    const auto id = found->second;
    auto& gone = left[id];
    gone.arrived = true;
    if (gone.queue != x.queue || gone.user != record.user)
      complain(at, x.body + " arrived in the wrong place");
    auto& before =
      arrived[{record.shard, shard_of_item(id), record.user}];
    if (id < before)
      complain(at, x.body + " of " + record.user + " overtook another");
    before = id;
  }
};

} // namespace

void check_moves(const history& x, findings& out) {
  move_checker all{out, {}, {}, {}, {}, {}, {}, {}};
  std::set<std::string> promised;
  for (std::size_t i = 0; i < x.entries.size(); ++i) {
    const auto& what = x.entries[i].what;
    if (const auto* wish = std::get_if<move_wanted>(&what)) {
      all.wanted.emplace(wish->from, wish->to);
    } else if (const auto* told = std::get_if<move_promised>(&what)) {
      promised.insert(told->reference);
      if (all.moves.count(told->reference) == 0)
        all.complain(i, "move " + told->reference + " was promised too early");
    } else if (const auto* record = std::get_if<journalled>(&what)) {
      all.see(*record, i);
    } else if (std::holds_alternative<group_written>(what)) {
      all.arrived.clear();
    }
  }
  for (const auto& [reference, move] : all.moves)
    if (move.status == move_status::in_progress)
      all.complain(x.entries.size(), "move " + reference + " never ended");
  for (const auto& [id, gone] : all.left)
    if (!gone.arrived)
      all.complain(x.entries.size(), gone.body + " never arrived");
}

} // namespace depositd::simulation
