#include "adapters/processing/aptrust/skipping.hpp"

#include <utility>

namespace depositd::aptrust {

namespace {

void end_as(work_item& x, item_status status, const std::string& note) {
  x.status = status;
  x.retry = false;
  x.needs_admin_review = true;
  x.outcome = note;
  x.note = note;
  x.node.clear();
  x.pid = 0;
}

skip_effect noted(verdict says, work_item& x, std::string note) {
  x.note = note;
  return {says, std::move(note)};
}

} // namespace

skip_reason should_skip(const work_item& x, const skip_facts& facts) {
  if (!x.object.empty() || (facts.recorded_since && !facts.has_interim))
    return skip_reason::already_ingested;
  if (facts.older_unfinished)
    return skip_reason::older_unfinished;
  // What is in the inventory stays the last word, however long this one lay.
  if (facts.newer_recorded)
    return skip_reason::newer_recorded;
  if (is_late(x.stage))
    return skip_reason::none;
  if (facts.newer_unfinished)
    return skip_reason::newer_exists;
  if (facts.bag == bag_state::gone)
    return skip_reason::bag_gone;
  return facts.bag == bag_state::changed ? skip_reason::bag_changed
                                         : skip_reason::none;
}

skip_effect apply_skip(work_item& x, skip_reason why) {
  switch (why) {
    case skip_reason::none:
      return {};
    case skip_reason::already_ingested:
      x.stage = item_stage::cleanup;
      x.status = item_status::success;
      x.retry = false;
      x.needs_admin_review = false;
      x.outcome = "already ingested";
      return noted(verdict::skip, x, "this bag was ingested already");
    case skip_reason::older_unfinished:
      return noted(verdict::not_yet, x,
                   "waits for an earlier version of this bag");
    case skip_reason::newer_exists:
      end_as(x, item_status::cancelled,
             std::string{cancelled_note}
               + "a newer version of this bag has come");
      return {verdict::rejected, x.note};
    case skip_reason::newer_recorded:
      end_as(x, item_status::cancelled,
             std::string{cancelled_note}
               + "a newer version of this bag was ingested meanwhile");
      return {verdict::rejected, x.note};
    case skip_reason::bag_gone:
      end_as(x, item_status::suspended,
             std::string{suspended_note}
               + "the bag is no longer in the receiving place");
      return {verdict::failed, x.note};
    case skip_reason::bag_changed:
      end_as(x, item_status::cancelled,
             std::string{cancelled_note}
               + "the bag in the receiving place has changed");
      return {verdict::rejected, x.note};
  }
  return {};
}

} // namespace depositd::aptrust
