// V-1: administrators are told of each job that came to need them, of nothing
// else, and of one cause once in a while.

#include "tests/simulation/checker.hpp"

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace depositd::simulation {

namespace {

struct review_checker {
  /// Teller and cause.
  using way = std::tuple<std::uint32_t, std::string, std::string, std::string>;

  findings& out;
  micros interval_us;
  std::set<item_id> ever{};              ///< needed review
  std::map<item_id, std::string> open{}; ///< of which nobody was told: where
  std::map<way, micros> told_us{};
  std::size_t at = 0;

  void complain(const std::string& what) {
    out.push_back({"V-1", at, what});
  }

  void look_at(item_id id, const std::string& queue, const job_status& is) {
    open.erase(id);
    if (!is.needs_review)
      return;
    ever.insert(id);
    open[id] = queue;
  }

  void see(const journalled& record) {
    if (const auto* made = std::get_if<job_created>(&record.what))
      look_at(made->id, made->queue, made->status);
    else if (const auto* step = std::get_if<job_moved>(&record.what))
      look_at(step->id, step->place.queue, step->status);
  }

  void see(const review_told& x, micros now) {
    for (const auto id : x.jobs) {
      if (!ever.contains(id))
        complain("told of job " + std::to_string(id)
                 + ", which never needed review");
      open.erase(id);
    }
    // Whoever is told of many is not told which the others are.
    const auto queue = x.pipeline + "." + x.stage;
    if (x.count > x.jobs.size())
      std::erase_if(open,
                    [&](const auto& one) { return one.second == queue; });
    if (!x.heard)
      return;
    const auto [before, is_first] = told_us.try_emplace(
      {x.teller, x.pipeline, x.stage, x.reason}, now);
    if (!is_first && now - before->second < interval_us)
      complain("told of " + queue + " again after "
               + std::to_string((now - before->second) / 1'000'000) + " s");
    before->second = now;
  }

  void await() {
    for (const auto& [id, queue] : open)
      complain("nobody was told that job " + std::to_string(id) + " at " + queue
               + " needs review");
  }

  void see_all(const history& x) {
    for (const auto& one : x.entries) {
      if (const auto* record = std::get_if<journalled>(&one.what))
        see(*record);
      else if (const auto* told = std::get_if<review_told>(&one.what))
        see(*told, one.at_us);
      else if (std::holds_alternative<reviews_awaited>(one.what))
        await();
      ++at;
    }
  }
};

} // namespace

void check_reviews(const history& x, findings& out) {
  review_checker all{out, x.reviews_every_us};
  all.see_all(x);
}

bool any_review_untold(const history& x) {
  findings out;
  review_checker all{out, x.reviews_every_us};
  all.see_all(x);
  return !all.open.empty();
}

} // namespace depositd::simulation
