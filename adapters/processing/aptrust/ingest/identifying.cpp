// ingest05_format_identification: what kinds of files they are.

#include "adapters/formats/identity.hpp"
#include "adapters/processing/aptrust/ingest/steps.hpp"
#include "adapters/processing/exec/complaints.hpp"
#include "adapters/processing/exec/program.hpp"
#include "adapters/stores/files/file.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include <fcntl.h>

namespace depositd::aptrust {

namespace {

namespace fs = std::filesystem;
using merritt::ended;

constexpr std::size_t files_at_once = 200;
constexpr std::size_t answer_bytes_max = 16u << 20;
constexpr std::chrono::minutes program_limit{30};

using known_files = std::map<std::string, formats::siegfried_file>;

/// Why there is no answer of a program.
std::string failure_of(const exec::program_ending& x) {
  const auto code = std::to_string(x.code);
  std::string out = "exit code " + code;
  if (x.how == exec::program_end::not_started)
    out = std::strerror(x.code);
  else if (x.how == exec::program_end::killed)
    out = "killed by signal " + code;
  else if (x.how == exec::program_end::too_slow)
    out = "not done after " + std::to_string(program_limit.count())
          + " minutes";
  else if (x.how == exec::program_end::too_much)
    out = "printed more than " + std::to_string(answer_bytes_max) + " bytes";
  const auto note = exec::note_of(x.complaints);
  return note.empty() ? out : out + ": " + note;
}

/// Writes a line for each file, a handful at a time.
class identifier {
public:
  identifier(const bag_in_hand& x, formats::mime_reader mimes, list_writer to)
    : x_(x), mimes_(std::move(mimes)), to_(std::move(to)), skip_(to_.count()) {
    // nop
  }

  caf::error add(const listed_file& file) {
    if (!is_kept(file.path))
      return {};
    if (skip_ > 0) {
      --skip_;
      return {};
    }
    waiting_.push_back(file.path);
    return waiting_.size() < files_at_once ? caf::error{} : flush();
  }

  caf::error finish() {
    if (auto failure = flush())
      return failure;
    return to_.finish();
  }

private:
  caf::error flush() {
    if (waiting_.empty())
      return {};
    auto known = ask_siegfried();
    if (!known)
      return std::move(known.error());
    for (const auto& path : waiting_) {
      const auto file = x_.files.staged() / path;
      auto mime = mime_of(file);
      if (!mime)
        return std::move(mime.error());
      const auto found = known->find(file.string());
      const auto what = formats::join(
        std::move(*mime), found == known->end() ? nullptr : &found->second);
      if (auto failure = to_.add(
            to_json(listed_format{path, what.mime, what.puid, what.method})))
        return failure;
    }
    waiting_.clear();
    return {};
  }

  caf::expected<std::string> mime_of(const fs::path& path) {
    const auto file = open_file(path, O_RDONLY | O_NOFOLLOW);
    if (!file)
      return file.error();
    buffer_.resize(formats::first_bytes);
    const auto count = read_file_at(*file, path, buffer_, 0);
    if (!count)
      return count.error();
    return mimes_.of_bytes({buffer_.data(), *count});
  }

  caf::expected<known_files> ask_siegfried() {
    known_files out;
    if (x_.with.siegfried.empty())
      return out;
    std::vector<fs::path> files;
    for (const auto& path : waiting_)
      files.push_back(x_.files.staged() / path);
    exec::program_request ask;
    ask.command = formats::siegfried_command(x_.with.siegfried, files);
    ask.folder = x_.files.root;
    ask.time_limit = program_limit;
    ask.output_max = answer_bytes_max;
    ask.groups = x_.with.programs.get();
    const auto ended = exec::run_program(ask);
    if (ended.how != exec::program_end::exited || ended.code != 0)
      return caf::make_error(ec::store_failed,
                             x_.with.siegfried + " failed: "
                               + failure_of(ended));
    auto read = formats::read_siegfried(ended.output);
    if (!read)
      return std::move(read.error());
    for (auto& one : *read)
      out.emplace(one.file, std::move(one));
    return out;
  }

  const bag_in_hand& x_;
  formats::mime_reader mimes_;
  list_writer to_;
  std::uint64_t skip_; ///< that an earlier try has written
  std::vector<std::string> waiting_;
  std::vector<char> buffer_;
};

} // namespace

outcome identify_formats(bag_in_hand& x) {
  auto mimes = formats::mime_reader::open();
  if (!mimes)
    return ended_for_now(mimes.error(), "libmagic");
  const bool go_on = x.work.task.item.item.attempt > 1;
  auto list = list_writer::open(x.files.formats(), go_on);
  if (!list)
    return ended_for_now(list.error(), "the list of formats");
  identifier each{x, std::move(*mimes), std::move(*list)};
  auto failure =
    each_file(x.files, [&](const listed_file& file) { return each.add(file); });
  if (!failure)
    failure = each.finish();
  return failure ? ended_by_lists(failure, "formats") : ended(verdict::done);
}

} // namespace depositd::aptrust
