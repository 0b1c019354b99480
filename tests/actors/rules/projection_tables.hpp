#pragma once

// The keyed tables of a projection as maps, changed by slices as rows.hpp says.

#include "messages/rows.hpp"

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

  friend bool operator==(const projection_tables&,
                         const projection_tables&) = default;

  void apply(const slice& x) {
    ASSERT_EQ(x.from, reached);
    reached = x.upto;
    id_max = std::max(id_max, x.id_max);
    for (const auto& row : x.items_put)
      items[row.id] = row;
    for (const auto& change : x.items_changed)
      if (const auto at = items.find(change.id); at != items.end())
        apply(change, at->second);
    for (const auto id : x.items_gone)
      EXPECT_EQ(items.erase(id), 1u) << id;
    for (const auto& row : x.rings)
      rings[{row.queue, row.user}] = row;
    for (const auto& row : x.controls)
      controls[{row.kind, row.key}] = row.value;
    for (const auto& row : x.submissions_put)
      submissions[row.id] = row;
    for (const auto& change : x.submissions_changed)
      if (const auto at = submissions.find(change.id); at != submissions.end())
        apply(change, at->second);
  }

  static void apply(const item_change& x, item_row& row) {
    if (x.has_claim_state) {
      row.state = x.state;
      row.attempt = x.attempt;
      row.available_us = x.available_us;
      row.token = x.token;
      row.deadline_us = x.deadline_us;
      row.local = x.local;
      row.processor = x.processor;
    }
    if (x.has_deadline)
      row.deadline_us = x.deadline_us;
    if (x.has_parked_state)
      row.state = x.state;
    if (x.place.length > 0)
      row.place = x.place;
  }

  static void apply(const submission_change& x, submission_row& row) {
    if (x.has_started) {
      row.status = submission_status::in_process;
      row.started_us = x.started_us;
      row.attempt = x.attempt;
      row.processor = x.processor;
    }
    if (x.has_returned) {
      row.status = submission_status::queued;
      row.attempt = x.attempt;
    }
    if (x.has_parked)
      row.parked = x.parked;
    if (x.has_finished) {
      row.status = submission_status::completed;
      row.failed = x.failed;
      row.reason = x.reason;
      row.batch_id = x.batch_id;
      row.document = x.document;
      row.finished_us = x.finished_us;
    }
  }
};

} // namespace depositd::testing
