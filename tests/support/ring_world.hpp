#pragma once

// A ring, its oracle, and users' nodes that answer late: whatever is told to
// the ring is told to the oracle, and both must say the same. Nodes are truth:
// they hold the items, learn of picks in order, and report in order.

#include "actors/rules/ring/ring.hpp"
#include "tests/support/ring_oracle.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace depositd {

inline void PrintTo(const pick& x, std::ostream* out) {
  *out << "pick{member " << x.member << ", band " << int{x.band}
       << ", class_max " << int{x.class_max} << ", by "
       << static_cast<int>(x.by) << ", stamp " << x.stamp << ", credit "
       << x.credit << "}";
}

} // namespace depositd

namespace depositd::testing {

/// Answers "which of n" (n > 0).
using chooser = std::function<std::uint32_t(std::uint32_t n)>;

struct world_options {
  bool across_users = false;
  std::uint32_t oldest_band_every = 3;
  std::uint32_t users = 8;
  std::vector<std::uint8_t> bands{0};
  std::vector<std::uint64_t> sizes{1000}; ///< of items
  bool late = true;                       ///< nodes and reports lag behind
};

class ring_world {
public:
  ring_world(world_options options, chooser choose)
    : options_(std::move(options)), choose_(std::move(choose)),
      ring_(options_.across_users ? priority_mode::across_users
                                  : priority_mode::within_user,
            options_.oldest_band_every),
      oracle_(options_.across_users, options_.oldest_band_every) {}

  /// One thing happens.
  void step() {
    using action = void (ring_world::*)();
    // What is rare in life is rare here.
    static constexpr std::pair<std::uint32_t, action> actions[] = {
      {30, &ring_world::arrive},      {25, &ring_world::run_node},
      {25, &ring_world::hear_node},   {40, &ring_world::pick_next},
      {40, &ring_world::end_claim},   {8, &ring_world::park_taker},
      {2, &ring_world::unpark_taker}, {3, &ring_world::change_limits},
      {3, &ring_world::open_view},    {2, &ring_world::close_view},
      {1, &ring_world::purge},        {2, &ring_world::join_or_leave},
      {1, &ring_world::add_size}};
    std::uint32_t all = 0;
    for (const auto& [weight, what] : actions)
      all += weight;
    auto chosen = choose_(all);
    for (const auto& [weight, what] : actions) {
      if (chosen < weight) {
        (this->*what)();
        break;
      }
      chosen -= weight;
    }
    if (!options_.late)
      catch_up();
    serve_waiting();
  }

  /// Users come back after a crash, then the order is settled.
  void recover() {
    for (member_number m = 0; m < options_.users; ++m) {
      if (choose_(4) == 0)
        continue;
      join(m, choose_(3) == 0 ? 0 : 1 + choose_(50), choose_(4));
      for (auto n = choose_(4); n > 0; --n)
        arrive_at(m);
      while (hear(m)) {
      }
    }
    ring_.raise_stamp(60);
    oracle_.raise_stamp(60);
    ring_.settle_order();
    oracle_.settle_order();
  }

  void compare_looks() {
    std::uint64_t in_flight = 0;
    for (const auto& [m, node] : nodes_) {
      const auto mine = ring_.explain(m);
      const auto theirs = oracle_.explain(m);
      ASSERT_EQ(mine.state, theirs.state) << node.name;
      ASSERT_EQ(mine.turn, theirs.turn) << node.name;
      ASSERT_EQ(mine.length, theirs.length) << node.name;
      ASSERT_EQ(mine.in_flight, theirs.in_flight) << node.name;
      ASSERT_EQ(mine.ready, theirs.ready) << node.name;
      ASSERT_EQ(mine.turns_taken, theirs.turns_taken) << node.name;
      ASSERT_EQ(mine.credit, theirs.credit) << node.name;
      ASSERT_EQ(mine.stamp, theirs.stamp) << node.name;
      ASSERT_EQ(mine.limits, node.limits) << node.name;
      in_flight += mine.in_flight;
    }
    ASSERT_EQ(ring_.eligible_users(), oracle_.eligible_users());
    ASSERT_EQ(ring_.users(), nodes_.size());
    ASSERT_EQ(ring_.in_flight_total(), in_flight);
    ASSERT_EQ(ring_.stamp_last(), oracle_.stamp_last());
  }

  std::uint64_t picks_made = 0;
  std::uint64_t declines = 0;
  std::uint64_t matches = 0;

private:
  struct item {
    std::uint8_t band;
    std::uint64_t size;
  };

  /// From a node: what it did, or picks that it had nothing for.
  struct told {
    std::vector<ready_change> ready;
    std::vector<ready_change> answered;
    std::int32_t claims_ended = 0;
    bool all = false;
    std::uint32_t version = 0;
    std::optional<pick> declined;
  };

  struct reclassified {};

  struct node {
    std::string name;
    member_limits limits;
    size_classes classes;
    std::uint32_t version = 0;
    std::vector<item> items;
    std::vector<item> claims;
    std::uint32_t unanswered = 0; ///< picks not heard of yet
    std::deque<std::variant<pick, reclassified>> inbox;
    std::deque<told> outbox;
  };

  struct open {
    rules::view_number mine;
    ring_oracle::view_id theirs;
    criteria wants;
    std::uint32_t waiting = 0;
  };

  static std::string name_of(member_number m) {
    return "user-" + std::to_string(m);
  }

  // -- users

  void join(member_number m, std::uint64_t stamp, std::uint32_t credit) {
    auto& x = nodes_[m];
    x.name = name_of(m);
    x.limits = random_limits();
    x.classes = classes_;
    x.version = version_;
    ring_.join(m, x.name, x.limits, stamp, credit);
    oracle_.join(m, x.name, x.limits, stamp, credit);
  }

  void join_or_leave() {
    const auto m = choose_(options_.users);
    const auto at = nodes_.find(m);
    if (at == nodes_.end()) {
      const auto [stamp, credit] = left_[m];
      join(m, stamp, credit);
      return;
    }
    const auto& x = at->second;
    const bool busy = !x.items.empty() || !x.claims.empty() || !x.inbox.empty()
                      || !x.outbox.empty();
    if (busy && choose_(8) != 0)
      return;
    left_[m] = ring_.leave(m);
    ASSERT_EQ(left_[m], oracle_.leave(m));
    nodes_.erase(at);
  }

  member_limits random_limits() {
    member_limits out;
    out.allocation = choose_(8) == 0 ? 0 : 1 + choose_(3);
    if (choose_(2) == 0)
      out.concurrency = choose_(6);
    out.held = choose_(10) == 0;
    out.prohibited = choose_(8) == 0;
    return out;
  }

  void change_limits() {
    const auto m = choose_(options_.users);
    if (!nodes_.contains(m))
      return;
    nodes_[m].limits = random_limits();
    ring_.set_limits(m, nodes_[m].limits);
    oracle_.set_limits(m, nodes_[m].limits);
  }

  // -- nodes

  void arrive() {
    const auto m = choose_(options_.users);
    if (nodes_.contains(m))
      for (auto n = 1 + choose_(3); n > 0; --n)
        arrive_at(m);
  }

  void arrive_at(member_number m) {
    auto& x = nodes_[m];
    const auto band = options_.bands[choose_(options_.bands.size())];
    const auto size = options_.sizes[choose_(options_.sizes.size())];
    x.items.push_back({band, size});
    tell(x, {.ready = {{band, x.classes.of(size), 1}}});
  }

  void purge() {
    const auto m = choose_(options_.users);
    if (!nodes_.contains(m) || nodes_[m].items.empty())
      return;
    auto& x = nodes_[m];
    told out;
    for (const auto& gone : x.items)
      out.ready.push_back({gone.band, x.classes.of(gone.size), -1});
    x.items.clear();
    tell(x, out);
  }

  void end_claim() {
    const auto m = choose_(options_.users);
    if (!nodes_.contains(m) || nodes_[m].claims.empty())
      return;
    auto& x = nodes_[m];
    const auto ended = x.claims.back();
    x.claims.pop_back();
    told out{.claims_ended = 1};
    if (choose_(3) == 0) { // released: the item is back
      x.items.push_back(ended);
      out.ready.push_back({ended.band, x.classes.of(ended.size), 1});
    }
    tell(x, out);
  }

  static void tell(node& x, told what) {
    what.version = x.version;
    x.outbox.push_back(std::move(what));
  }

  void run_node() {
    const auto m = choose_(options_.users);
    for (auto n = 1 + choose_(3); n > 0; --n)
      run(m);
  }

  bool run(member_number m) {
    if (!nodes_.contains(m) || nodes_[m].inbox.empty())
      return false;
    auto& x = nodes_[m];
    const auto next = x.inbox.front();
    x.inbox.pop_front();
    if (const auto* what = std::get_if<pick>(&next)) {
      answer(x, *what);
      return true;
    }
    x.classes = classes_;
    x.version = version_;
    told out{.all = true};
    for (const auto& one : x.items)
      out.ready.push_back({one.band, x.classes.of(one.size), 1});
    tell(x, out);
    return true;
  }

  void answer(node& x, const pick& what) {
    std::vector<std::size_t> fits;
    for (std::size_t i = 0; i < x.items.size(); ++i)
      if (x.items[i].band == what.band
          && x.classes.of(x.items[i].size) <= what.class_max)
        fits.push_back(i);
    if (fits.empty()) {
      ++declines;
      tell(x, {.declined = what});
      return;
    }
    const auto at =
      x.items.begin() + static_cast<std::ptrdiff_t>(fits[choose_(fits.size())]);
    x.claims.push_back(*at);
    tell(x, {.ready = {{at->band, x.classes.of(at->size), -1}},
             .answered = {{what.band, what.class_max, 1}}});
    x.items.erase(at);
  }

  void hear_node() {
    const auto m = choose_(options_.users);
    for (auto n = 1 + choose_(3); n > 0; --n)
      hear(m);
  }

  bool hear(member_number m) {
    if (!nodes_.contains(m) || nodes_[m].outbox.empty())
      return false;
    auto& x = nodes_[m];
    auto what = x.outbox.front();
    x.outbox.pop_front();
    if (what.declined) {
      --x.unanswered;
      ring_.undo(*what.declined);
      oracle_.undo(*what.declined);
      return true;
    }
    x.unanswered -= static_cast<std::uint32_t>(what.answered.size());
    if (what.version != version_) // totals are on their way
      what.ready.clear();
    ring_.report(m, {what.ready, what.all, what.answered, what.claims_ended});
    oracle_.report(m, what.ready, what.all, what.answered, what.claims_ended);
    return true;
  }

  void catch_up() {
    for (const auto& [m, x] : nodes_)
      while (hear(m) || run(m)) {
      }
  }

  void add_size() {
    if (options_.sizes.size() == 1)
      return;
    const auto before = classes_.limits().size();
    const auto limit = options_.sizes[choose_(options_.sizes.size())];
    classes_.add(limit);
    if (classes_.limits().size() == before)
      return;
    ++version_;
    ring_.insert_class(classes_.of_limit(limit));
    oracle_.insert_class(classes_.of_limit(limit));
    for (auto& [m, x] : nodes_)
      x.inbox.push_back(reclassified{});
  }

  // -- processors

  std::vector<std::string> random_names() {
    std::vector<std::string> out;
    for (auto n = choose_(4); n > 0; --n)
      out.push_back(name_of(choose_(options_.users + 1)));
    return out;
  }

  void open_view() {
    if (views_.size() > 8)
      return;
    open x;
    if (choose_(4) == 0)
      x.wants.required = random_names();
    if (choose_(4) == 0)
      x.wants.preferred = random_names();
    if (choose_(4) == 0)
      x.wants.excluded = random_names();
    const auto& limits = classes_.limits();
    x.wants.size_max = limits[choose_(limits.size())];
    const auto cls = classes_.of_limit(x.wants.size_max);
    x.mine = ring_.open_view(x.wants, cls);
    x.theirs = oracle_.open_view(x.wants, cls);
    views_.push_back(x);
  }

  void close_view() {
    if (views_.empty())
      return;
    const auto at = choose_(views_.size());
    if (views_[at].waiting > 0)
      return;
    ring_.close_view(views_[at].mine);
    oracle_.close_view(views_[at].theirs);
    views_.erase(views_.begin() + at);
  }

  void pick_next() {
    if (views_.empty())
      return;
    const auto at = choose_(views_.size());
    const auto mine = ring_.next(views_[at].mine);
    const auto theirs = oracle_.next(views_[at].theirs);
    ASSERT_EQ(mine, theirs);
    if (mine)
      hand_over(*mine, views_[at].wants);
  }

  /// What must hold of every pick, whatever the oracle thinks.
  void hand_over(const pick& what, const criteria& wants) {
    ++picks_made;
    ASSERT_TRUE(nodes_.contains(what.member));
    auto& x = nodes_[what.member];
    const auto names = [&](const std::vector<std::string>& of) {
      return std::find(of.begin(), of.end(), x.name) != of.end();
    };
    ASSERT_FALSE(x.limits.held);
    ASSERT_FALSE(names(wants.excluded));
    if (wants.required.empty()) {
      ASSERT_FALSE(x.limits.prohibited) << "I-10";
      ASSERT_GT(x.limits.allocation, 0u);
    } else {
      ASSERT_TRUE(names(wants.required));
    }
    ++x.unanswered;
    // I-5, as the node counts: nothing is handed out above the cap.
    ASSERT_LE(x.claims.size() + x.unanswered - answers_on_the_way(x),
              x.limits.concurrency);
    x.inbox.push_back(what);
  }

  /// Claims that are in `claims` and in `unanswered` too.
  static std::uint32_t answers_on_the_way(const node& x) {
    std::uint32_t out = 0;
    for (const auto& what : x.outbox)
      out += static_cast<std::uint32_t>(what.answered.size());
    return out;
  }

  void park_taker() {
    if (views_.empty())
      return;
    auto& x = views_[choose_(views_.size())];
    const std::uint64_t taker = choose_(6);
    const auto count = 1 + choose_(3);
    ring_.wait(x.mine, taker, count);
    oracle_.wait(x.theirs, taker, count);
    for (std::uint32_t i = 0; i < count; ++i)
      parked_.push_back({taker, x.mine});
    count_waiting();
  }

  void unpark_taker() {
    const std::uint64_t taker = choose_(6);
    ASSERT_EQ(ring_.stop_waiting(taker), oracle_.stop_waiting(taker));
    std::erase_if(parked_, [&](const auto& x) { return x.first == taker; });
    count_waiting();
  }

  void count_waiting() {
    for (auto& x : views_) {
      x.waiting = 0;
      for (const auto& [taker, view] : parked_)
        x.waiting += view == x.mine;
    }
  }

  void serve_waiting() {
    for (;;) {
      const auto mine = ring_.next_match();
      const auto theirs = oracle_.next_match();
      ASSERT_EQ(mine.has_value(), theirs.has_value());
      if (!mine)
        break;
      ++matches;
      ASSERT_EQ(mine->taker, theirs->first);
      ASSERT_EQ(mine->what, theirs->second);
      const auto at =
        std::find_if(parked_.begin(), parked_.end(), [&](const auto& x) {
          return x.first == mine->taker && serves(x.second, mine->what);
        });
      ASSERT_NE(at, parked_.end());
      const auto view =
        std::find_if(views_.begin(), views_.end(),
                     [&](const auto& x) { return x.mine == at->second; });
      hand_over(mine->what, view->wants);
      parked_.erase(at);
      count_waiting();
    }
    // Work conservation, by the oracle's own eyes.
    for (const auto& x : views_)
      if (x.waiting > 0) {
        ASSERT_FALSE(oracle_.can_serve(x.theirs));
      }
  }

  /// Whether the pick can be one of this view, as far as it shows.
  bool serves(rules::view_number view, const pick& what) {
    const auto at = std::find_if(views_.begin(), views_.end(),
                                 [&](const auto& x) { return x.mine == view; });
    const auto named = [&](const std::vector<std::string>& of) {
      return std::find(of.begin(), of.end(), nodes_[what.member].name)
             != of.end();
    };
    if (classes_.of_limit(at->wants.size_max) != what.class_max
        || named(at->wants.excluded))
      return false;
    if (what.by == pick_kind::required)
      return named(at->wants.required);
    if (what.by == pick_kind::preferred)
      return at->wants.required.empty() && named(at->wants.preferred);
    return at->wants.required.empty();
  }

  world_options options_;
  chooser choose_;
  rules::ring ring_;
  ring_oracle oracle_;
  size_classes classes_;
  std::uint32_t version_ = 0;
  std::map<member_number, node> nodes_;
  std::map<member_number, std::pair<std::uint64_t, std::uint32_t>> left_;
  std::vector<open> views_;
  std::vector<std::pair<std::uint64_t, rules::view_number>> parked_;
};

} // namespace depositd::testing
