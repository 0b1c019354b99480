#pragma once

// Batches and jobs as users' actors journal them, for tests of the fold.

#include "messages/values/events.hpp"

#include <rapidcheck.h>

#include <iterator>
#include <map>
#include <string>

namespace depositd::testing {

/// What a slice should say of it comes in an order that a journal may have.
class random_work {
public:
  record next() {
    ++now_;
    const auto kind = between(0, 9);
    if (batches_.empty() || kind == 0)
      return arrival();
    const auto at = std::next(
      batches_.begin(), between(0, static_cast<int>(batches_.size()) - 1));
    if (at->second.has_ended())
      return forgotten(at);
    if (at->second.jobs.empty() || kind <= 2)
      return split(at->first, at->second);
    if (kind == 3 && !at->second.queue.empty())
      return batch_move(at->first, at->second);
    return job_move(at->first, at->second);
  }

private:
  struct job {
    std::string queue; ///< empty: it has ended
    bool claimed = false;
  };

  struct batch {
    std::string queue;
    std::map<item_id, job> jobs;

    /// Nothing of it is in a queue.
    bool has_ended() const {
      for (const auto& [id, x] : jobs)
        if (!x.queue.empty())
          return false;
      return queue.empty();
    }
  };

  static int between(int first, int last) {
    return *rc::gen::inRange(first, last + 1);
  }

  static std::string text() {
    return std::string(static_cast<std::size_t>(between(0, 3)), 'x');
  }

  static item_enqueued item(item_id id, const std::string& queue) {
    return {id,
            queue,
            static_cast<std::uint8_t>(between(0, 9)),
            40,
            50,
            60,
            body_kind::inline_bytes,
            "",
            {id, 8, 9}};
  }

  /// Nowhere one time in four; the queue that it then is in goes to `queue`.
  item_place somewhere(std::string& queue) const {
    item_place out;
    queue = between(0, 3) == 0 ? "" : "p." + std::to_string(between(1, 3));
    out.queue = queue;
    out.priority = static_cast<std::uint8_t>(between(0, 9));
    out.parked = between(0, 2) == 0;
    out.attempt = static_cast<std::uint32_t>(between(0, 3));
    out.available_us = out.parked || between(0, 1) == 0 ? never : now_ + 5;
    return out;
  }

  job_counts counts() const {
    return {.expected = static_cast<std::uint64_t>(between(0, 9)),
            .open = static_cast<std::uint64_t>(now_)};
  }

  static job_facts facts() {
    return {.identifier = text(), .title = text()};
  }

  record arrival() {
    const auto id = ++id_;
    batches_[id].queue = "p.batch";
    return {"U",
            {item(id, "p.batch"),
             batch_received{id, "p.batch", now_, {"bid-" + text(), "C"}}}};
  }

  record split(item_id id, batch& x) {
    record out{"U", {}};
    const auto count = between(1, 3);
    for (auto i = 0; i < count; ++i) {
      const auto made = ++id_;
      x.jobs[made].queue = "p.1";
      const auto held = between(0, 3) == 0;
      out.events.push_back(item(made, "p.1"));
      if (held)
        out.events.push_back(item_parked{made, "p.1", true});
      out.events.push_back(
        job_created{made,
                    "p.1",
                    id,
                    now_,
                    {"jid", "C"},
                    facts(),
                    {held ? job_state::held : job_state::pending}});
    }
    out.events.push_back(batch_counted{id, counts()});
    return out;
  }

  record batch_move(item_id id, batch& x) {
    const auto from = x.queue;
    const auto place = somewhere(x.queue);
    return {"U",
            {batch_moved{id,
                         from,
                         place,
                         {batch_state::processing, now_, text()},
                         counts(),
                         static_cast<std::uint32_t>(between(0, 3))}}};
  }

  record job_move(item_id of, batch& x) {
    const auto at = std::next(x.jobs.begin(),
                              between(0, static_cast<int>(x.jobs.size()) - 1));
    const auto id = at->first;
    auto& one = at->second;
    if (one.queue.empty())
      return {"U", {batch_counted{of, counts()}}};
    if (!one.claimed && between(0, 1) == 0) {
      one.claimed = true;
      return {"U",
              {item_claimed{id, one.queue, 100, 1, 70, 80, 0, 2,
                            pick_kind::round_robin, true, "sp"}}};
    }
    const auto from = one.queue;
    const auto place = somewhere(one.queue);
    one.claimed = false;
    job_moved moved{id, from, of, place, {job_state::storing}, false, {}};
    moved.status.note = text();
    moved.has_facts = between(0, 1) == 0;
    if (moved.has_facts)
      moved.facts = facts();
    return {"U", {moved, batch_counted{of, counts()}}};
  }

  record forgotten(std::map<item_id, batch>::iterator at) {
    const auto id = at->first;
    batches_.erase(at);
    return {"U", {batch_forgotten{id}}};
  }

  std::map<item_id, batch> batches_;
  item_id id_ = 0;
  micros now_ = 0;
};

} // namespace depositd::testing
