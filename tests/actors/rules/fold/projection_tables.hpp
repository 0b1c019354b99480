#pragma once

// The keyed tables of a projection as maps, changed by slices as rows.hpp says.

#include "messages/values/row_changes.hpp"
#include "messages/values/rows.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
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
      if (row.gone)
        rings.erase({row.queue, row.user});
      else
        rings[{row.queue, row.user}] = row;
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
  }

private:
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
