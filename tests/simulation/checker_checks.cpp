// F-1: what is due is ordered once in its span, and of one user's collection
// one run at a time.

#include "messages/values/orders.hpp"
#include "tests/simulation/checker.hpp"
#include "tests/simulation/work_book.hpp"

#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace depositd::simulation {

namespace {

struct check_checker {
  /// By user, collection, and what all orders of one run have in common. Lives
  /// have no collection whose files are too many for one order.
  using run = std::tuple<std::string, std::string, std::string>;

  findings& out;
  work_book book;
  std::map<run, item_id> runs;
  std::map<std::pair<std::string, std::string>, item_id> last;
  std::size_t at = 0;

  void complain(const std::string& what) {
    out.push_back({"F-1", at, what});
  }

  bool is_over(item_id id) const {
    const auto* batch = book.batch(id);
    return batch->state != batch_state::pending
           && batch->state != batch_state::held
           && batch->state != batch_state::processing && batch->is.open == 0;
  }

  void take(const batch_received& x, const std::string& user) {
    const auto of = "the check of " + x.info.collection + " for " + user;
    auto& same = runs[{user, x.info.collection, x.info.file_name}];
    if (same != 0)
      complain(of + " was ordered in " + x.info.file_name + " already");
    same = x.id;
    auto& before = last[{user, x.info.collection}];
    if (before != 0 && !is_over(before))
      complain(of + " meets batch " + std::to_string(before));
    before = x.id;
  }

  void see(const journalled& record) {
    if (const auto* batch = std::get_if<batch_received>(&record.what);
        batch != nullptr
        && order_kind_of(batch->info) == order_kind::fixity_check)
      take(*batch, record.user);
    book.apply(record);
  }
};

} // namespace

void check_checks(const history& x, findings& out) {
  check_checker all{out, {}, {}, {}, 0};
  for (const auto& one : x.entries) {
    if (const auto* record = std::get_if<journalled>(&one.what))
      all.see(*record);
    ++all.at;
  }
}

} // namespace depositd::simulation
