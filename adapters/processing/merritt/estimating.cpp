#include "adapters/processing/merritt/arrivals.hpp"
#include "adapters/processing/merritt/job_steps.hpp"
#include "adapters/processing/merritt/object_manifest.hpp"
#include "messages/values/shown_addresses.hpp"

#include <algorithm>
#include <mutex>
#include <optional>

namespace depositd::merritt {

namespace {

/// What was learnt of the rows, from several threads.
class row_sizes {
public:
  /// Whether to go on.
  bool take(const manifest_row& row, const caf::expected<remote_size>& answer) {
    const std::lock_guard guard{mutex_};
    // There may be a million others. All are asked anew.
    if (!answer && answer.error() == ec::draining) {
      if (!failure_)
        failure_ = ended(verdict::retry, depositd::render(answer.error()));
      return false;
    }
    if (!answer && is_hopeless(answer.error())) {
      if (!failure_)
        failure_ = ended(answer.error(), verdict::rejected,
                         "line " + std::to_string(row.line) + " ("
                           + without_secrets(row.url) + ")");
      return false;
    }
    if (!answer || !answer->bytes) {
      ++sizes_.unknown;
      return true;
    }
    ++sizes_.known;
    const auto more = std::min(*answer->bytes, most);
    sizes_.bytes = sizes_.bytes > most - more ? most : sizes_.bytes + more;
    return true;
  }

  const std::optional<outcome>& failure() const {
    return failure_;
  }

  const measured_sizes& sizes() const {
    return sizes_;
  }

private:
  static constexpr std::uint64_t most = std::uint64_t{1} << 62;

  /// Whatever may pass is left to the download.
  static bool is_hopeless(const caf::error& x) {
    return x == ec::not_found || x == ec::malformed;
  }

  std::mutex mutex_;
  measured_sizes sizes_;
  std::optional<outcome> failure_;
};

void write_down(work_on_job& x, const job_estimate& found) {
  x.job.space_needed = found.space_needed;
  x.job.priority = found.priority;
  if (found.at_least)
    x.job.more[space_at_least] = true;
  else
    x.job.more.erase(space_at_least);
}

/// All of it is here already.
outcome estimate_payload(work_on_job& x) {
  const auto bytes = bytes_below(x.folder.producer());
  if (!bytes)
    return ended(bytes.error(), verdict::failed);
  write_down(x, measured(x.tools.estimates, x.job.first_priority, *bytes));
  return ended(verdict::done);
}

} // namespace

outcome estimate_space(work_on_job& x, std::chrono::milliseconds within) {
  if (x.job.type != job_type::manifest)
    return estimate_payload(x);
  auto read = read_object_manifest(x.folder);
  if (auto* ending = std::get_if<outcome>(&read))
    return std::move(*ending);
  const auto& rows = std::get<manifest>(read).rows;
  const auto until = std::chrono::steady_clock::now() + within;
  row_sizes found;
  each_row(rows.size(), row_threads, [&](std::size_t i) {
    return std::chrono::steady_clock::now() < until && !is_put_back(x)
             ? found.take(rows[i], x.tools.downloader->measure(rows[i].url))
             : found.take(rows[i], remote_size{});
  });
  if (found.failure())
    return *found.failure();
  write_down(x,
             estimate(x.tools.estimates, x.job.first_priority, found.sizes()));
  return ended(verdict::done);
}

outcome provision_space(work_on_job& x, promised_room& room,
                        room_watch* waiting) {
  if (waiting != nullptr)
    waiting->remove(x.task.item.item.id);
  promised_room::wish wish{x.tools.work_folder, x.folder};
  if (x.job.type == job_type::manifest && x.job.space_needed > 0) {
    const auto here = bytes_below(x.folder.producer());
    if (!here)
      return ended(here.error(), verdict::failed);
    const auto needed = static_cast<std::uint64_t>(x.job.space_needed);
    wish.here = std::min(needed, *here);
    wish.bytes = needed - wish.here;
  }
  const auto let_in = room.let_in(x.tools.provision, wish);
  if (!let_in)
    return ended(let_in.error(), verdict::failed);
  if (*let_in == disk_answer::has_room)
    return ended(verdict::done);
  if (*let_in == disk_answer::is_too_small)
    return ended(verdict::failed,
                 why_no_room(*let_in, wish.here + wish.bytes));
  auto out = ended(verdict::not_yet, why_no_room(*let_in, wish.bytes));
  if (waiting != nullptr && waiting->add(x.task.item, wish.bytes))
    out.delay_ms = woken_wait_ms;
  return out;
}

} // namespace depositd::merritt
