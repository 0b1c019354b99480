// I-11, of batches.

#include "tests/simulation/work_checker.hpp"

namespace depositd::simulation {

void work_checker::received(const journalled& record, const batch_received& x,
                            micros at_us, std::size_t at) {
  const auto known = collections.find({record.shard, x.info.collection});
  if (known != collections.end()
      && !known->second.any(at_us, [&](const collection_settings& is) {
           return may_submit(is, record.user);
         }))
    complain(at, "batch", x.id, "came from who may not submit");
}

const char* work_checker::why_not_reported(const batch_moved& x,
                                           const tracked_batch& is) {
  if (!has_said(x.id, {verdict::done, verdict::skip, verdict::failed,
                       verdict::rejected, verdict::retry}))
    return "was reported by nobody";
  if (!is.due)
    return "was reported once more";
  const auto good = has_ended(is) && is.is.failed == 0;
  return good == (x.status.state == batch_state::completed)
           ? nullptr
           : "was not closed as its jobs are";
}

const char* work_checker::why_not_split(const batch_moved& x,
                                        const tracked_batch& is) {
  if (x.status.state == batch_state::processing)
    return has_said(x.id, {verdict::done, verdict::skip})
             ? nullptr
             : "is split and nobody has done it";
  if (is.split)
    return "failed without a report";
  return is_claimed(x.id) && x.place.queue == is.pipeline + ".report"
           ? nullptr
           : "cannot be split and nobody said so";
}

/// Null if the batch may go to this other state.
const char* work_checker::why_not(const batch_moved& x,
                                  const tracked_batch& is) {
  using enum batch_state;
  const auto from = is.state;
  const auto to = x.status.state;
  if (from == pending && to == held)
    return use_wish(x.id, work_action::hold) ? nullptr : "is held";
  if (from == held && to == pending)
    return use_wish(x.id, work_action::release) ? nullptr : "is released";
  if ((from == held || from == failed) && to == deleted) {
    if (is.is.open > 0 || is.is.failed > 0)
      return "was deleted before its jobs";
    return x.place.queue.empty() && use_wish(x.id, work_action::remove)
             ? nullptr
             : "was deleted and nobody wanted it";
  }
  if ((from == pending && to == processing)
      || ((from == pending || from == processing) && to == failed))
    return why_not_split(x, is);
  if (from == processing && to == reporting)
    return has_ended(is) ? nullptr : "is reported before its last job ended";
  if (from == failed && to == update_reporting)
    return use_wish(x.id, work_action::update_report)
             ? nullptr
             : "is reported again and nobody wanted it";
  if ((from == reporting || from == update_reporting)
      && (to == completed || to == failed))
    return why_not_reported(x, is);
  return "makes a move that there is not";
}

void work_checker::check_splitting(const batch_moved& x, std::size_t at) {
  const auto& is = *book.batch(x.id);
  if (is.split && (!x.jobs.split || x.jobs.expected != is.expected))
    complain(at, "batch", x.id, "expects other jobs than it was split into");
  if (!is.split && x.jobs.split && is.is.total() != x.jobs.expected)
    complain(at, "batch", x.id,
             "is split into " + std::to_string(is.is.total()) + " jobs, not "
               + std::to_string(x.jobs.expected));
}

void work_checker::moved(const batch_moved& x, std::size_t at) {
  const auto* is = book.batch(x.id);
  if (is == nullptr)
    return complain(at, "batch", x.id, "moves and never came");
  const char* wrong = nullptr;
  if (x.status.state != is->state)
    wrong = why_not(x, *is);
  else if (!is_claimed(x.id))
    wrong = "moves without a claim";
  else if (is->due && x.place.parked)
    wrong = why_not_reported(x, *is);
  if (wrong != nullptr)
    complain(at, "batch", x.id,
             std::string{wrong} + " (" + word(is->state) + " to "
               + word(x.status.state) + ')');
  check_splitting(x, at);
  touched.insert(x.id);
}

/// After the move: it has begun as many reports as it should.
void work_checker::count_reports(const batch_moved& x, std::size_t at) {
  const auto& is = *book.batch(x.id);
  if (x.reports != is.reports)
    complain(at, "batch", x.id,
             "has begun " + std::to_string(x.reports) + " reports, not "
               + std::to_string(is.reports));
  const auto waits = !x.place.parked && !x.place.queue.empty()
                     && x.place.queue == is.pipeline + ".report";
  if (waits != is.due)
    complain(at, "batch", x.id,
             waits ? "is to be reported without a reason"
                   : "is not offered for its report");
}

void work_checker::check_end(const batch_forgotten& x, std::size_t at) {
  const auto* is = book.batch(x.id);
  if (is == nullptr
      || (is->state != batch_state::completed
          && is->state != batch_state::deleted))
    complain(at, "batch", x.id, "is forgotten before its end");
}

void work_checker::compare_counts(std::size_t at) {
  for (const auto id : touched) {
    const auto* batch = book.batch(id);
    if (batch == nullptr)
      continue;
    auto is = batch->is;
    is.expected = batch->said.expected;
    is.split = batch->said.split;
    if (!(is == batch->said))
      complain(at, "batch", id,
               "counts " + std::to_string(batch->said.open) + " open, "
                 + std::to_string(batch->said.completed) + " completed, "
                 + std::to_string(batch->said.failed) + " failed; it has "
                 + std::to_string(is.open) + ", " + std::to_string(is.completed)
                 + ", " + std::to_string(is.failed));
  }
  touched.clear();
}

} // namespace depositd::simulation
