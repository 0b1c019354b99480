// Equal payloads that collapse: nothing that was sent goes unheard.

#include "messages/values/names.hpp"
#include "tests/simulation/book.hpp"
#include "tests/simulation/checker.hpp"

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace depositd::simulation {

namespace {

struct equal_checker {
  findings& out;
  item_book book;
  std::unordered_map<item_id, std::size_t> came;
  std::map<std::string, std::size_t> last_claim; ///< by payload
  std::vector<item_id> collapsed;

  void complain(std::size_t at, item_id id, const std::string& what) {
    out.push_back({"E-1", at, "item " + std::to_string(id) + ' ' + what});
  }

  void see(const journalled& record, std::size_t at) {
    const auto id = id_in(record.what);
    const auto* item = id == 0 ? nullptr : book.find(id);
    if (const auto* fresh = std::get_if<item_enqueued>(&record.what)) {
      if (fresh->queue.starts_with(dedup_queue_prefix))
        came.emplace(id, at);
    } else if (item != nullptr && came.count(id) > 0) {
      if (std::holds_alternative<item_claimed>(record.what))
        last_claim[item->body] = at;
      else if (const auto* end = std::get_if<item_finished>(&record.what);
               end != nullptr && end->how == ending::collapsed)
        collapse(id, *item, at);
    }
    book.apply(record);
  }

  void collapse(item_id id, const tracked_item& item, std::size_t at) {
    if (item.attempt > 0)
      complain(at, id, "collapses, and was handed out before");
    collapsed.push_back(id);
  }

  void keep(const equal_kept& x, std::size_t at) {
    const auto* item = book.find(x.id);
    if (item == nullptr || item->body != x.body)
      complain(at, x.id, "was kept too early");
  }

  void end(std::size_t at) {
    for (const auto id : collapsed) {
      const auto body = book.find(id)->body;
      const auto claim = last_claim.find(body);
      if (claim == last_claim.end() || claim->second < came[id])
        complain(at, id, "collapsed, and nobody got " + body + " after it");
    }
  }
};

} // namespace

void check_equals(const history& x, findings& out) {
  equal_checker all{out, {}, {}, {}, {}};
  for (std::size_t i = 0; i < x.entries.size(); ++i) {
    const auto& what = x.entries[i].what;
    if (const auto* record = std::get_if<journalled>(&what))
      all.see(*record, i);
    else if (const auto* kept = std::get_if<equal_kept>(&what))
      all.keep(*kept, i);
  }
  all.end(x.entries.size());
}

} // namespace depositd::simulation
