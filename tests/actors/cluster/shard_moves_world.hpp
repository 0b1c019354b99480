#pragma once

// Two engines with a shard each, between which queues are moved.

#include "tests/actors/cluster/shards_world.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace depositd::testing {

class shard_moves : public shards_world {
protected:
  using strings = std::vector<std::string>;

  /// Engine a has shard 0 alone, b has shard 1, or the other way round.
  void two_engines() {
    begin(2);
    a = &join("a");
    pass(milliseconds{500});
    b = &join("b");
    pass(milliseconds{3'000});
    ASSERT_EQ(owns(*a).size(), 1u);
    ASSERT_EQ(owns(*b).size(), 1u);
  }

  /// Nobody reaches it any more.
  void crash(engine& x) {
    admins.erase(x.name);
    shards_world::crash(x);
  }

  engine& owner_of(shard_number shard) {
    for (auto& x : engines)
      if (x->cores.count(shard) > 0)
        return *x;
    ADD_FAILURE() << "nobody has shard " << shard;
    return *engines.front();
  }

  static std::vector<new_item> sent_by(const std::string& user,
                                       const strings& bodies) {
    std::vector<new_item> out;
    for (const auto& x : bodies)
      out.push_back({user, 0, x});
    return out;
  }

  static strings numbered(int count, int first = 0) {
    strings out;
    for (int i = 0; i < count; ++i)
      out.push_back("m" + std::to_string(100'000 + first + i));
    return out;
  }

  std::string move(engine& via, const std::string& from,
                   const std::string& to) {
    auto out = ask<move_begun>(via.router, move_queue{from, to});
    EXPECT_TRUE(out) << (out ? "" : render(out.error()));
    return out ? out->reference : std::string{};
  }

  control_snapshot settings(engine& via) {
    auto out = ask<control_changed>(via.router, watch_control{nullptr});
    EXPECT_TRUE(out) << (out ? "" : render(out.error()));
    return out ? out->state : std::make_shared<control_state>();
  }

  move_status status(engine& via, const std::string& reference) {
    const auto all = settings(via)->moves;
    const auto at = all.find(reference);
    EXPECT_NE(at, all.end()) << "no move " << reference;
    return at == all.end() ? move_status::error : at->second.status;
  }

  /// Lets time pass until the move has ended.
  move_status ended(engine& via, const std::string& reference) {
    for (int i = 0; i < 200; ++i) {
      if (status(via, reference) != move_status::in_progress)
        break;
      pass(milliseconds{100});
    }
    return status(via, reference);
  }

  std::uint64_t size(engine& via, const std::string& queue) {
    auto out = ask<queue_counted>(via.router, count_queue{queue});
    EXPECT_TRUE(out) << (out ? "" : render(out.error()));
    return out ? out->items : 0;
  }

  /// Takes all that there is, and returns the bodies sorted.
  strings drained(engine& via, const std::string& queue) {
    strings out;
    for (;;) {
      auto got = poll(via, queue, 1'000, 3'600'000);
      if (!got || bodies(*got).empty())
        break;
      const auto more = bodies(*got);
      out.insert(out.end(), more.begin(), more.end());
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  std::vector<item_name> names(const items_received& x) {
    std::vector<item_name> out;
    for (const auto& item : x.items)
      if (item.name.id != 0)
        out.push_back(item.name);
    return out;
  }

  std::size_t finish(engine& via, const std::string& queue,
                     const std::vector<item_name>& which) {
    settle_items what;
    what.queue = queue;
    for (const auto& name : which)
      what.items.push_back({name, verdict::done, 0, "", "", ""});
    auto out = ask<items_settled>(via.router, what);
    EXPECT_TRUE(out) << (out ? "" : render(out.error()));
    std::size_t count = 0;
    if (out)
      for (const auto accepted : out->accepted)
        count += accepted;
    return count;
  }

  engine* a = nullptr;
  engine* b = nullptr;
};

} // namespace depositd::testing
