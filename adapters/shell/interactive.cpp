#include "adapters/shell/interactive.hpp"

#include "adapters/shell/grammar.hpp"
#include "adapters/shell/words.hpp"

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <streambuf>

namespace depositd::shell {

namespace {

const char* const help_text =
  "help COMMAND explains one, watch [SECONDS] COMMAND repeats one, quit "
  "leaves.\n";

/// A line of any length, but at most a little more than is legal is kept.
bool read_bounded(std::istream& in, std::string& out) {
  out.clear();
  char c = 0;
  while (in.get(c) && c != '\n')
    if (out.size() <= line_bytes_max)
      out += c;
  return !out.empty() || in;
}

/// Counts the lines that are taken from a stream while it lives, also those
/// that commands read themselves, as passwords.
class line_counter : private std::streambuf {
public:
  explicit line_counter(std::istream& of) : of_(of), before_(of.rdbuf()) {
    of_.rdbuf(this);
  }

  ~line_counter() override {
    of_.rdbuf(before_);
  }

  line_counter(const line_counter&) = delete;
  line_counter& operator=(const line_counter&) = delete;

  std::uint64_t lines() const noexcept {
    return lines_;
  }

private:
  int_type underflow() override {
    return before_->sgetc();
  }

  int_type uflow() override {
    const auto out = before_->sbumpc();
    lines_ += out == '\n' ? 1 : 0;
    return out;
  }

  std::istream& of_;
  std::streambuf* before_;
  std::uint64_t lines_ = 0;
};

} // namespace

int run_line(session& with, const std::string& line, bool& quit) {
  auto words = split_words(line);
  if (!words)
    return with.tell(
      {.exit_code = exit_wrong_usage, .text = render(words.error())});
  if (words->empty() || words->front().front() == '#')
    return exit_done;
  if (words->size() == 1
      && (words->front() == "quit" || words->front() == "exit")) {
    quit = true;
    return exit_done;
  }
  const bool general = words->size() == 1 && words->front() == "help";
  const auto said = with.read(read_line, *words);
  if (said.call)
    return with.run(*said.call);
  const auto code = with.tell(said);
  if (general)
    with.where().out << help_text << std::flush;
  return code;
}

int run_script(session& with) {
  int out = exit_done;
  bool quit = false;
  std::string line;
  const line_counter counter{with.where().in};
  for (;;) {
    const auto number = counter.lines() + 1;
    if (quit || !read_bounded(with.where().in, line))
      return out;
    if (!line.empty() && line.back() == '\r')
      line.pop_back();
    const auto code = run_line(with, line, quit);
    if (code == exit_done)
      continue;
    out = code;
    // Not the line itself: it may be a password that was out of place.
    with.where().err << "depositctl: line " << number << " failed (exit "
                     << code << ")" << std::endl;
  }
}

std::filesystem::path history_file() {
  const auto state = std::getenv("XDG_STATE_HOME");
  if (state && *state == '/')
    return std::filesystem::path{state} / "depositctl" / "history";
  const auto home = std::getenv("HOME");
  if (home && *home == '/')
    return std::filesystem::path{home} / ".local" / "state" / "depositctl"
           / "history";
  return {};
}

} // namespace depositd::shell
