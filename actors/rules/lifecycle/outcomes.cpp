#include "actors/rules/lifecycle/outcomes.hpp"

#include "actors/rules/ledger/retry.hpp"

namespace depositd::rules {

namespace {

next_move failed(const stage_outcome& x, std::string note) {
  return {.step = next_step::fail,
          .needs_review = true,
          .submit_again = x.submit_again,
          .note = std::move(note)};
}

next_move try_again(const stage_settings& stage, std::uint32_t attempt,
                    const stage_outcome& x) {
  auto queue = stage_queue(stage);
  queue.attempts_max = stage.attempts_max; // the queue itself sets no limit
  if (!may_retry(queue, attempt))
    return failed(x, "gave up after " + std::to_string(attempt) + " attempt"
                       + (attempt == 1 ? "" : "s")
                       + (x.note.empty() ? "" : ": " + x.note));
  return {.step = next_step::again,
          .delay_ms =
            x.delay_ms > 0 ? x.delay_ms : retry_delay_ms(queue, attempt),
          .note = x.note};
}

} // namespace

next_move after(const stage_settings& stage, std::uint32_t attempt,
                const stage_outcome& x) {
  switch (x.says) {
    case stage_verdict::done:
    case stage_verdict::skip:
      return {.step = next_step::advance};
    case stage_verdict::transient:
      return try_again(stage, attempt, x);
    case stage_verdict::not_yet:
      return {.step = next_step::again,
              .delay_ms = x.delay_ms > 0 ? x.delay_ms : stage.not_yet_delay_ms,
              .costs_attempt = false,
              .note = x.note};
    case stage_verdict::fatal:
      break;
  }
  return failed(x, x.note.empty() ? "failed without a reason" : x.note);
}

caf::expected<job_status> after(const job_status& now, const next_move& x,
                                job_move to) {
  to.note = x.note;
  if (x.step == next_step::fail)
    to.to = job_state::failed;
  // Stages may share a state; then nothing moves, but what is expected holds.
  if (x.step == next_step::again || to.to == to.from) {
    auto out = now;
    out.note = x.note;
    if (now.state != to.from)
      return moved(now, to);
    // The next stage may show the same state, and is another one all the same.
    // But a job has ended once, whatever is tidied up after it: this is told.
    if (x.step == next_step::advance && now.state != job_state::completed)
      out.changed_us = to.at_us;
    return out;
  }
  auto out = moved(now, to);
  if (out) {
    out->needs_review = x.needs_review;
    out->submit_again = x.submit_again;
  }
  return out;
}

} // namespace depositd::rules
