#include "adapters/sources/local/exec_reader.hpp"

#include "adapters/processing/exec/complaints.hpp"
#include "adapters/processing/exec/program.hpp"
#include "adapters/sources/records/interruptible_reader.hpp"
#include "messages/values/source_events.hpp"
#include "messages/values/split_words.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace depositd::sources {

namespace {

/// What a line may have in blanks that its body has not.
constexpr std::size_t line_slack_bytes = std::size_t{64} * 1024;

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

/// Makes records of lines as they come.
class line_taker {
public:
  line_taker(const record_rules& rules, std::string_view cursor_field,
             std::uint64_t lines_max)
    : rules_(rules), cursor_field_(cursor_field), lines_left_(lines_max),
      line_bytes_max_(rules.body_bytes_max + line_slack_bytes) {
    // nop
  }

  /// False: it is too much.
  bool take(std::string_view bytes) {
    while (!bytes.empty() && lines_left_ > 0) {
      const auto end = std::min(bytes.find('\n'), bytes.size());
      append(bytes.substr(0, end));
      bytes.remove_prefix(end);
      if (bytes.empty())
        break;
      bytes.remove_prefix(1);
      end_line();
    }
    return bytes_ <= printed_bytes_max;
  }

  /// What was taken, the last line as well if nothing ends it.
  pulled_batch finish() {
    if (lines_left_ > 0 && !line_.empty())
      end_line();
    batch_.has_cursor = !batch_.cursor.empty();
    return std::move(batch_);
  }

  bool too_much() const {
    return bytes_ > printed_bytes_max;
  }

  /// A cursor that cannot be given back to the program.
  bool wrong_cursor() const {
    return wrong_cursor_;
  }

private:
  void append(std::string_view part) {
    const auto room = line_bytes_max_ - line_.size();
    too_long_ = too_long_ || part.size() > room;
    line_ += part.substr(0, room);
  }

  void end_line() {
    const auto line = std::exchange(line_, {});
    const bool too_long = std::exchange(too_long_, false);
    if (!too_long && is_blank(line))
      return;
    --lines_left_;
    bytes_ += line.size();
    if (too_long) {
      add_bad(batch_, {},
              "a line has more than " + std::to_string(line_bytes_max_)
                + " bytes",
              std::string_view{line}.substr(0, refused_body_bytes_max));
      return;
    }
    const auto cursor = add_marked_object(batch_, rules_, line, cursor_field_);
    if (!cursor)
      return;
    wrong_cursor_ = wrong_cursor_ || cursor->find('\0') != std::string::npos
                    || cursor->size() > record_key_bytes_max;
    batch_.cursor = *cursor;
  }

  const record_rules& rules_;
  std::string_view cursor_field_;
  std::uint64_t lines_left_;
  std::size_t line_bytes_max_;
  std::string line_;
  bool too_long_ = false;
  bool wrong_cursor_ = false;
  std::size_t bytes_ = 0; ///< of lines that were taken
  pulled_batch batch_;
};

class exec_reader final : public interruptible_reader {
public:
  exec_reader(source_origin from, std::vector<std::string> command,
              record_rules rules)
    : from_(std::move(from)), command_(std::move(command)),
      rules_(std::move(rules)) {
    // nop
  }

  caf::expected<pulled_batch> next_batch(const batch_request& x) override;

private:
  caf::error failure_of(const exec::program_ending& x,
                        std::chrono::milliseconds timeout) const;

  source_origin from_;
  std::vector<std::string> command_;
  record_rules rules_;
};

caf::expected<pulled_batch> exec_reader::next_batch(const batch_request& x) {
  const interruption::call call{interruption_};
  line_taker lines{rules_, from_.cursor, x.limit};
  exec::program_request run;
  run.command = command_;
  run.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8",
                     "DEPOSITD_SOURCE=" + rules_.name,
                     "DEPOSITD_LIMIT=" + std::to_string(x.limit),
                     "DEPOSITD_CURSOR="
                       + (x.cursor.empty() ? from_.cursor_start : x.cursor)};
  run.time_limit = x.timeout;
  run.take_output = [&lines](std::string_view bytes) {
    return lines.take(bytes);
  };
  run.stop = interruption_.descriptor();
  if (auto error = failure_of(exec::run_program(run), x.timeout))
    return error;
  auto out = lines.finish();
  if (lines.too_much())
    return caf::make_error(ec::too_large, "printed more than "
                                            + std::to_string(printed_bytes_max)
                                            + " bytes");
  if (lines.wrong_cursor())
    return caf::make_error(ec::malformed,
                           "a cursor has more than "
                             + std::to_string(record_key_bytes_max)
                             + " bytes, or one of them is 0");
  return out;
}

caf::error exec_reader::failure_of(const exec::program_ending& x,
                                   std::chrono::milliseconds timeout) const {
  using exec::program_end;
  const auto& program = command_.front();
  const auto note = exec::note_of(x.complaints);
  const auto failed = [&](ec code, const std::string& what) {
    return caf::make_error(code, note.empty() ? what : what + ": " + note);
  };
  switch (x.how) {
    case program_end::exited:
      return x.code == 0
               ? caf::error{}
               : failed(ec::store_failed, program + " ended with exit code "
                                            + std::to_string(x.code));
    case program_end::killed:
      return failed(ec::store_failed, program + " was killed by signal "
                                        + std::to_string(x.code));
    case program_end::too_slow:
      return failed(ec::store_failed, program + " was not done after "
                                        + std::to_string(timeout.count())
                                        + " ms");
    case program_end::too_much:
      return failed(ec::too_large, program + " printed more than "
                                     + std::to_string(printed_bytes_max)
                                     + " bytes");
    case program_end::stopped:
      return was_cancelled();
    case program_end::not_started:
      return failed(x.code == ENOENT ? ec::not_found : ec::store_failed,
                    "cannot run " + program + ": " + std::strerror(x.code));
  }
  return failed(ec::store_failed, "no such ending");
}

} // namespace

caf::expected<std::unique_ptr<source_reader>>
make_exec_reader(const std::string& name, const source_settings& x,
                 const reader_context& in) {
  auto command = split_words(x.from.command);
  if (!command)
    return caf::make_error(ec::bad_setting,
                           "command: " + render(command.error()));
  if (command->empty() || command->front().empty())
    return caf::make_error(ec::bad_setting, "command: names no program");
  if (x.key.empty())
    return caf::make_error(ec::bad_setting,
                           "key: is required for the kind exec");
  if (x.from.cursor_start.find('\0') != std::string::npos)
    return caf::make_error(ec::bad_setting, "cursor_start: has a byte 0");
  return std::unique_ptr<source_reader>{std::make_unique<exec_reader>(
    x.from, std::move(*command), rules_of(name, x, in.body_bytes_max))};
}

} // namespace depositd::sources
