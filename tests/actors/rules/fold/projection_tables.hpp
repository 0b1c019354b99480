#pragma once

// The keyed tables of a projection as maps, changed by slices as rows.hpp says.

#include "messages/values/row_changes.hpp"
#include "messages/values/rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace depositd::testing {

struct projection_tables {
  sequence reached = 0;
  item_id id_max = 0;
  std::map<item_id, item_row> items;
  std::map<std::pair<std::string, std::string>, ring_row> rings;
  std::map<std::pair<std::uint8_t, std::string>, std::string> controls;
  std::map<item_id, submission_row> submissions;
  std::map<item_id, batch_row> batches;
  std::map<item_id, job_row> jobs;
  /// By source, when it was made, key, and digest of bad ones.
  std::map<std::tuple<std::string, micros, std::string, std::uint64_t>,
           record_row>
    records;
  std::map<std::pair<std::string, micros>,
           std::pair<std::uint64_t, std::uint64_t>>
    ended;

  friend bool operator==(const projection_tables&,
                         const projection_tables&) = default;

  void apply(const slice& x) {
    ASSERT_EQ(x.from, reached);
    reached = x.last;
    id_max = std::max(id_max, x.id_max);
    for (const auto& row : x.items_put)
      items[row.id] = row;
    for (const auto& change : x.items_changed)
      if (const auto at = items.find(change.id); at != items.end())
        apply_change(at->second, change);
    for (const auto id : x.items_gone)
      EXPECT_EQ(items.erase(id), 1u) << id;
    for (const auto& row : x.rings)
      apply_ring(row);
    for (const auto& row : x.controls)
      if (row.gone)
        controls.erase({row.kind, row.key});
      else
        controls[{row.kind, row.key}] = row.value;
    for (const auto& row : x.submissions_put)
      submissions[row.id] = row;
    for (const auto& change : x.submissions_changed)
      if (const auto at = submissions.find(change.id); at != submissions.end())
        apply_change(at->second, change);
    apply_work(x);
    apply_records(x);
  }

private:
  void apply_ring(const ring_row& x) {
    if (x.gone) {
      rings.erase({x.queue, x.user});
      return;
    }
    auto& row = rings[{x.queue, x.user}];
    row.queue = x.queue;
    row.user = x.user;
    if (x.has_turn) {
      row.stamp = x.stamp;
      row.credit = x.credit;
    }
    if (x.has_spent) {
      row.spent = x.spent;
      row.floor = x.floor;
      row.since = x.since;
    }
  }

  void apply_records(const slice& x) {
    for (const auto& change : x.records_changed) {
      const auto at =
        records.find({change.source, change.made_us, change.key, 0});
      if (at == records.end() || at->second.id != change.id)
        continue;
      at->second.state = change.state;
      at->second.place = change.place;
      at->second.ended_us = change.ended_us;
      at->second.reason = change.reason;
    }
    for (const auto& gone : x.records_gone) {
      std::erase_if(records, [&](const auto& entry) {
        const auto& row = entry.second;
        if (row.source != gone.source)
          return false;
        if (gone.all)
          return row.made_us <= gone.made_us;
        const auto named = [&](const auto& list, const auto& what) {
          return std::find(list.begin(), list.end(), what) != list.end();
        };
        return row.made_us == gone.made_us
               && (row.refused != 0 ? named(gone.refused, row.refused)
                                    : named(gone.keys, row.key));
      });
      std::erase_if(ended, [&](const auto& entry) {
        return gone.all && entry.first.first == gone.source
               && entry.first.second <= gone.made_us;
      });
    }
    for (const auto& row : x.records_put)
      records[{row.source, row.made_us, row.key, row.refused}] = row;
    for (const auto& more : x.records_ended) {
      auto at = ended.find({more.source, more.made_us});
      if (at == ended.end() && more.begins)
        at = ended
               .emplace(std::pair{more.source, more.made_us},
                        std::pair<std::uint64_t, std::uint64_t>{})
               .first;
      if (at == ended.end())
        continue;
      at->second.first += more.finished;
      at->second.second += more.failed;
    }
  }

  void apply_work(const slice& x) {
    for (const auto& row : x.batches_put)
      EXPECT_TRUE(batches.emplace(row.id, row).second) << row.id;
    for (const auto& change : x.batches_changed)
      apply_change(batches.at(change.id), change);
    for (const auto& row : x.jobs_put)
      EXPECT_TRUE(jobs.emplace(row.id, row).second) << row.id;
    for (const auto& change : x.jobs_changed)
      apply_change(jobs.at(change.id), change);
    for (const auto id : x.batches_gone) {
      batches.erase(id);
      std::erase_if(jobs, [&](const auto& x) { return x.second.batch == id; });
    }
  }
};

} // namespace depositd::testing
