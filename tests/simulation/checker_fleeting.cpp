// Queues that go when nobody uses them: nothing goes with them, and nothing
// comes into one that has gone.

#include "tests/simulation/book.hpp"
#include "tests/simulation/checker.hpp"

#include <set>
#include <string>
#include <utility>

namespace depositd::simulation {

namespace {

struct fleeting_checker {
  findings& out;
  item_book book;
  std::set<std::pair<shard_number, std::string>> gone;

  void complain(std::size_t at, item_id id, const std::string& what) {
    out.push_back({"Q-1", at, "item " + std::to_string(id) + ' ' + what});
  }

  void see(const journalled& record, std::size_t at) {
    const auto& what = record.what;
    if (const auto* left = std::get_if<queue_retired>(&what)) {
      for (const auto& [id, item] : book.items())
        if (item.now != life::gone && item.shard == record.shard
            && item.queue == left->queue)
          complain(at, id, "was in a queue that went");
      gone.emplace(record.shard, left->queue);
    } else if (const auto* made = std::get_if<queue_changed>(&what)) {
      gone.erase({record.shard, made->queue});
    } else if (const auto* came = std::get_if<item_enqueued>(&what);
               came != nullptr && gone.contains({record.shard, came->queue})) {
      complain(at, came->id, "came into a queue that had gone");
    }
    book.apply(record);
  }
};

} // namespace

void check_fleeting(const history& x, findings& out) {
  fleeting_checker all{out, {}, {}};
  for (std::size_t i = 0; i < x.entries.size(); ++i)
    if (const auto* record = std::get_if<journalled>(&x.entries[i].what))
      all.see(*record, i);
}

} // namespace depositd::simulation
