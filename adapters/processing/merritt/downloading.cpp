#include "adapters/processing/merritt/arrivals.hpp"
#include "adapters/processing/merritt/file_digests.hpp"
#include "adapters/processing/merritt/job_steps.hpp"
#include "adapters/processing/merritt/object_manifest.hpp"
#include "messages/values/shown_addresses.hpp"

#include <mutex>
#include <optional>

namespace depositd::merritt {

namespace {

namespace fs = std::filesystem;

/// So many rows may fail for now before the rest is left for later.
constexpr std::size_t passing_max = 8;

/// The files of one job, from several threads.
class row_downloads {
public:
  row_downloads(const work_on_job& x, const manifest& rows, promised_room& room)
    : x_(x), rows_(rows.rows), room_(room) {
    // nop
  }

  std::optional<outcome> run() {
    each_row(rows_.size(), row_threads,
             [this](std::size_t i) { return take(i); });
    return fatal_ ? fatal_ : passing_;
  }

  std::uint64_t bytes() const {
    return bytes_;
  }

private:
  bool take(std::size_t number) {
    const auto& row = rows_[number];
    if (is_put_back(x_))
      return note_put_back();
    auto here = find_kept(row);
    if (here && *here) {
      // It was read again, which takes long, too; the next row looks.
      static_cast<void>(is_put_back(x_, **here));
      const std::lock_guard guard{mutex_};
      bytes_ += **here;
      return true;
    }
    auto got = here ? fetch(number, row) : std::move(here.error());
    const std::lock_guard guard{mutex_};
    if (!got)
      return note(row, got.error());
    bytes_ += *got;
    room_.arrived(x_.folder, *got);
    return true;
  }

  fs::path place_of(const manifest_row& row) const {
    return x_.folder.producer() / row.file_name;
  }

  /// The size of a file that is what it must be.
  caf::expected<std::optional<std::uint64_t>>
  find_kept(const manifest_row& row) const {
    const auto path = place_of(row);
    std::error_code code;
    if (!fs::is_regular_file(fs::symlink_status(path, code)))
      return std::optional<std::uint64_t>{};
    if (row.expected) {
      auto found = digest_file(path, row.expected->algorithm);
      if (!found)
        return std::move(found.error());
      return found->sum == *row.expected ? std::optional{found->bytes}
                                         : std::nullopt;
    }
    const auto size = fs::file_size(path, code);
    return !code && (!row.size || *row.size == size)
             ? std::optional{std::uint64_t{size}}
             : std::nullopt;
  }

  caf::expected<std::uint64_t> fetch(std::size_t number,
                                     const manifest_row& row) {
    download_request request;
    request.url = row.url;
    request.expected = row.expected;
    request.size = row.size;
    request.stopped = x_.put_back;
    return fetch_to(*x_.tools.downloader, x_.folder,
                    {std::to_string(number), place_of(row)}, request);
  }

  /// Whether the other rows are still of use.
  bool note(const manifest_row& row, const caf::error& failure) {
    // An address that is never fetched is the manifest's own fault.
    const auto wrong =
      failure == ec::malformed ? verdict::rejected : verdict::failed;
    auto out = ended(failure, wrong,
                     in_quotes(row.file_name) + " (" + without_secrets(row.url)
                       + ")");
    if (out.says != verdict::retry) {
      if (!fatal_)
        fatal_ = std::move(out);
      return false;
    }
    if (!passing_)
      passing_ = std::move(out);
    return ++passed_ < passing_max;
  }

  bool note_put_back() {
    const std::lock_guard guard{mutex_};
    if (!passing_)
      passing_ = ended(verdict::retry, "others need the worker");
    return false;
  }

  const work_on_job& x_;
  const std::vector<manifest_row>& rows_;
  promised_room& room_;
  std::mutex mutex_;
  std::uint64_t bytes_ = 0;
  std::optional<outcome> fatal_;
  std::optional<outcome> passing_;
  std::size_t passed_ = 0;
};

/// Nothing more comes.
outcome close(const work_on_job& x, promised_room& room, outcome out) {
  if (auto failure = room.settle(x.folder))
    return ended(failure, verdict::failed);
  if (auto failure = end_arrivals(x.folder))
    return ended(failure, verdict::failed);
  return out;
}

outcome download(work_on_job& x, promised_room& room) {
  auto read = read_object_manifest(x.folder);
  if (auto* ending = std::get_if<outcome>(&read))
    return std::move(*ending);
  row_downloads rows{x, std::get<manifest>(read), room};
  if (auto ending = rows.run())
    return std::move(*ending);
  const auto found =
    measured(x.tools.estimates, x.job.first_priority, rows.bytes());
  x.job.space_needed = found.space_needed;
  x.job.priority = found.priority;
  x.job.more.erase(space_at_least);
  return ended(verdict::done);
}

} // namespace

outcome download_rows(work_on_job& x, promised_room& room) {
  if (x.job.type != job_type::manifest)
    return ended(verdict::done);
  auto out = download(x, room);
  // Who tries again continues what was begun, and keeps what was promised.
  if (out.says == verdict::retry && (is_put_back(x) || !is_last_attempt(x)))
    return out;
  return close(x, room, std::move(out));
}

} // namespace depositd::merritt
