#include "adapters/processing/merritt/reporting.hpp"

#include "adapters/processing/merritt/keeping.hpp"
#include "adapters/processing/merritt/keeping_callbacks.hpp"
#include "adapters/processing/merritt/keeping_steps.hpp"
#include "adapters/processing/merritt/reports.hpp"
#include "adapters/processing/stages/receiver_turns.hpp"
#include "adapters/processing/stages/until_wanted.hpp"
#include "messages/values/clock.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace depositd::merritt {

namespace {

/// Members of the batch's document.
constexpr const char* reported = "reported";
constexpr const char* called_back = "called_back";
/// Calls in one go; then what was done is written down.
constexpr std::size_t calls_max = 50;
/// To one receiver at once: the other worker is for other batches.
constexpr std::size_t same_receiver_max = 1;
constexpr std::uint32_t slow_delay_ms = 30'000;
constexpr std::uint32_t turn_delay_ms = 1'000;
constexpr std::uint32_t page_rows = 1'000;
/// A batch has at most so many jobs: its manifest has 5 MB.
constexpr std::size_t jobs_max = 1'000'000;

outcome again_at_once() {
  auto out = ended(verdict::not_yet);
  out.delay_ms = 1;
  return out;
}

class reporting {
public:
  reporting(const stages::stage_tools& tools, stages::receiver_turns& turns,
            stages::shared_service* relay, const stages::stage_task& task)
    : tools_(tools), turns_(turns), relay_(relay), task_(task) {
    // nop
  }

  outcome run() {
    const auto body = body_of(tools_, task_.item.item);
    if (!body)
      return ended(body.error(), verdict::failed, "the batch's document");
    auto batch = decode_batch_document(*body);
    if (!batch)
      return ended(verdict::failed, "the batch's document cannot be read: "
                                      + render(batch.error()));
    batch_ = std::move(*batch);
    if (auto ending = read_rows())
      return *ending;
    auto out = tell();
    if (auto document = encode(batch_); document != *body)
      out.document = std::move(document);
    return out;
  }

private:
  std::optional<outcome> read_rows() {
    auto rows = tools_.work->batches(
      {.id = task_.item.item.id, .user = task_.item.item.user});
    if (!rows)
      return ended(rows.error(), verdict::failed, "the batch");
    if (rows->empty())
      return ended(verdict::retry, "the batch is not in the read model");
    about_.batch = std::move(rows->front());
    about_.number = std::max(1u, about_.batch.reports);
    about_.now = engine_clock::system().now();
    job_query query{.user = task_.item.item.user,
                    .batch = task_.item.item.id,
                    .count_max = page_rows};
    while (about_.jobs.size() < jobs_max) {
      auto page = tools_.work->jobs(query);
      if (!page)
        return ended(page.error(), verdict::failed, "the batch's jobs");
      const auto count = page->size();
      std::move(page->begin(), page->end(), std::back_inserter(about_.jobs));
      if (count < page_rows)
        return std::nullopt;
      query.after = {about_.jobs.back().id};
    }
    return ended(verdict::failed, "the batch has too many jobs");
  }

  outcome tell() {
    if (const auto at = batch_.more.find(reported); at != batch_.more.end())
      about_.before = read_told(*at);
    if (about_.before.number >= about_.number)
      return call_back();
    std::string trouble;
    if (const auto wanted = wanted_mail()) {
      if (const auto away = relay_ ? relay_->known_away() : caf::error{})
        return wait_for_relay(away);
      const auto turn = turns_.enter(stages::mail_relay);
      if (!turn)
        return ask_later(stages::mail_relay, "the mail server is slow");
      if (auto failure = tools_.mailer->send(*wanted); failure) {
        const bool for_good = failure == ec::invalid_argument;
        if (const auto away =
              relay_ && !for_good ? relay_->look() : caf::error{})
          return wait_for_relay(away);
        if (!for_good && !is_last_attempt(task_))
          return ended(verdict::retry, render(failure));
        // Nobody can be told: that must not hold the batch for ever.
        trouble = "the report was not sent: " + render(failure);
        spdlog::warn("report_not_sent batch={} reason=\"{}\"", batch_.uuid,
                     render(failure));
      }
    }
    batch_.more[reported] = written(told_after(about_, trouble.empty()));
    if (has_calls())
      return again_at_once();
    return ended(verdict::done, trouble);
  }

  /// It costs no attempt.
  outcome ask_later(const std::string& receiver, std::string why) const {
    auto out = ended(verdict::not_yet, std::move(why));
    out.delay_ms = turns_.is_slow(receiver) ? slow_delay_ms : turn_delay_ms;
    return out;
  }

  /// Nor does it while no mail goes anywhere.
  static outcome wait_for_relay(const caf::error& away) {
    auto out = ended(verdict::not_yet,
                     "the mail server is away: " + render(away));
    out.delay_ms = slow_delay_ms;
    return out;
  }

  std::optional<mail> wanted_mail() const {
    const auto to = recipients(batch_, task_.collection);
    const bool unwanted =
      task_.collection != nullptr && task_.collection->mails == notices::none;
    if (unwanted || to.empty() || !tools_.mailer)
      return std::nullopt;
    const auto& row = about_.batch;
    mail out;
    if (!has_news(about_))
      return std::nullopt;
    const bool is_first = about_.before.said_in == 0;
    out = is_first && !row.jobs.split
            ? split_failure_mail(row, batch_, about_.number)
            : report_mail(about_, batch_);
    out.to = to;
    out.bcc = tools_.reports_bcc;
    return out;
  }

  // -- callbacks

  /// Which jobs' failures were told, and at which retry.
  std::map<item_id, std::uint32_t> calls_done() const {
    std::map<item_id, std::uint32_t> out;
    const auto at = batch_.more.find(called_back);
    if (at == batch_.more.end() || !at->is_array())
      return out;
    for (const auto& one : *at)
      if (one.is_array() && one.size() == 2 && one[0].is_number_unsigned()
          && one[1].is_number_unsigned())
        out[one[0].get<item_id>()] = one[1].get<std::uint32_t>();
    return out;
  }

  bool wants_calls() const {
    return task_.collection != nullptr && !task_.collection->callback.empty();
  }

  std::vector<const job_row*>
  calls_due(const std::map<item_id, std::uint32_t>& done) const {
    std::vector<const job_row*> out;
    for (const auto& job : about_.jobs) {
      const auto at = done.find(job.id);
      if (job.status.state == job_state::failed
          && (at == done.end() || at->second != job.status.retry_count))
        out.push_back(&job);
    }
    return out;
  }

  bool has_calls() const {
    return wants_calls() && !calls_due(calls_done()).empty();
  }

  outcome call_back() {
    if (!wants_calls())
      return ended(verdict::done);
    auto done = calls_done();
    const auto due = calls_due(done);
    const auto receiver = stages::receiver_of(task_.collection->callback);
    std::string trouble;
    std::size_t sent = 0;
    for (const auto* job : due) {
      // Who is slow is called once; then it is somebody else's turn.
      if (sent == calls_max || (sent > 0 && turns_.is_slow(receiver)))
        break;
      if (auto later = stages::until_wanted(tools_.callbacks,
                                            task_.collection->callback)) {
        write_down(done);
        return std::move(*later);
      }
      auto turn = turns_.enter(receiver, {.most = same_receiver_max});
      if (!turn) {
        write_down(done);
        return ask_later(receiver, "the callback waits for its turn");
      }
      const auto failure = call(*job);
      if (failure == ec::overloaded)
        turn->has_failed();
      if (failure && failure != ec::invalid_argument
          && !is_last_attempt(task_)) {
        write_down(done);
        return ended(verdict::retry, render(failure));
      }
      if (failure)
        trouble = "not all callbacks were taken: " + render(failure);
      done[job->id] = job->status.retry_count;
      ++sent;
      // The last attempt is no place to try a dead server fifty times.
      if (failure && failure != ec::invalid_argument)
        return ended(verdict::done, trouble);
    }
    write_down(done);
    return sent < due.size() ? again_at_once() : ended(verdict::done, trouble);
  }

  caf::error call(const job_row& row) const {
    auto job = document_of(row);
    job.batch_uuid = batch_.uuid;
    job.submitted = batch_.submitted;
    job.note = batch_.note;
    job.resource_type = batch_.resource_type;
    job.dublin_core = batch_.dublin_core;
    return send_callback(tools_, *task_.collection, job,
                         {.completed = false,
                          .message = row.status.note,
                          .ended_us = row.status.changed_us,
                          .retry_count = row.status.retry_count});
  }

  void write_down(const std::map<item_id, std::uint32_t>& done) {
    auto list = nlohmann::json::array();
    for (const auto& [id, retries] : done)
      list.push_back(nlohmann::json::array({id, retries}));
    batch_.more[called_back] = std::move(list);
  }

  const stages::stage_tools& tools_;
  stages::receiver_turns& turns_;
  stages::shared_service* relay_; ///< null: it is never asked
  const stages::stage_task& task_;
  batch_document batch_;
  report about_;
};

} // namespace

stages::stage_handler
make_reporter(std::shared_ptr<const stages::stage_tools> tools,
              std::shared_ptr<stages::shared_service> relay) {
  return [tools = std::move(tools), relay = std::move(relay),
          turns = std::make_shared<stages::receiver_turns>()](
           const stages::stage_task& task) {
    return reporting{*tools, *turns, relay.get(), task}.run();
  };
}

caf::error send_queued_notice(const stages::stage_tools& tools,
                              stages::receiver_turns& turns,
                              const collection_settings* collection,
                              const batch_document& batch,
                              const batch_info& info) {
  auto to = recipients(batch, collection);
  const bool unwanted =
    collection != nullptr && collection->mails != notices::all;
  if (unwanted || to.empty() || !tools.mailer)
    return {};
  const auto turn = turns.enter_in_turn(stages::mail_relay);
  if (!turn)
    return caf::make_error(ec::overloaded, "the mail server is slow");
  auto out = queued_mail(batch, info);
  out.to = std::move(to);
  return tools.mailer->send(out);
}

} // namespace depositd::merritt
