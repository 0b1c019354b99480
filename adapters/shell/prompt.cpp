#include "adapters/shell/completion.hpp"
#include "adapters/shell/interactive.hpp"

#include <histedit.h>

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <iostream>

namespace depositd::shell {

namespace {

constexpr int history_lines_max = 1'000;

/// libedit's editor and history, and the session they serve.
class line_editor {
public:
  explicit line_editor(session& with)
    : with_(with), editor_(el_init("depositctl", stdin, stdout, stderr)),
      history_(history_init()) {
    history(history_, &ignored_, H_SETSIZE, history_lines_max);
    history(history_, &ignored_, H_SETUNIQUE, 1);
    el_set(editor_, EL_PROMPT, &line_editor::prompt);
    el_set(editor_, EL_EDITOR, "emacs");
    el_set(editor_, EL_HIST, history, history_);
    el_set(editor_, EL_CLIENTDATA, this);
    el_set(editor_, EL_ADDFN, "complete", "Completes a word",
           &line_editor::complete);
    el_set(editor_, EL_BIND, "^I", "complete", nullptr);
    el_set(editor_, EL_BIND, "^R", "em-inc-search-prev", nullptr);
    load();
  }

  ~line_editor() {
    save();
    history_end(history_);
    el_end(editor_);
  }

  line_editor(const line_editor&) = delete;
  line_editor& operator=(const line_editor&) = delete;

  /// False at the end of input. An interrupted line is an empty one.
  bool read(std::string& out) {
    int count = 0;
    errno = 0;
    const auto line = el_gets(editor_, &count);
    out.clear();
    if (stop_wanted() || (!line && errno == EINTR)) {
      forget_stop();
      el_reset(editor_);
      std::cout << std::endl;
      return true;
    }
    if (!line || count <= 0)
      return false;
    out.assign(line, static_cast<std::size_t>(count));
    while (!out.empty() && (out.back() == '\n' || out.back() == '\r'))
      out.pop_back();
    return true;
  }

  void remember(const std::string& line) {
    if (line.find_first_not_of(' ') == std::string::npos)
      return;
    history(history_, &ignored_, H_ENTER, line.c_str());
  }

private:
  static char* prompt(EditLine*) {
    static char text[] = "depositctl> ";
    return text;
  }

  static unsigned char complete(EditLine* editor, int) {
    line_editor* self = nullptr;
    el_get(editor, EL_CLIENTDATA, &self);
    return self->complete_word();
  }

  unsigned char complete_word() {
    const auto info = el_line(editor_);
    const std::string line{info->buffer, info->cursor};
    const auto found =
      completions(with_.known_commands(), line,
                  [&](const auto& list) { return with_.names(list); });
    if (found.empty())
      return CC_ERROR;
    const auto blank = line.rfind(' ');
    const auto typed =
      line.size() - (blank == std::string::npos ? 0 : blank + 1);
    auto start = common_start(found);
    if (found.size() == 1 && start.back() != '/')
      start += ' ';
    if (start.size() > typed) {
      el_insertstr(editor_, start.c_str() + typed);
      return CC_REFRESH;
    }
    std::cout << "\n";
    for (const auto& word : found)
      std::cout << word << "  ";
    std::cout << std::endl;
    return CC_REDISPLAY;
  }

  void load() {
    const auto file = history_file();
    if (!file.empty())
      history(history_, &ignored_, H_LOAD, file.c_str());
  }

  /// Nobody else may read what an operator typed.
  void save() {
    const auto file = history_file();
    if (file.empty())
      return;
    std::error_code failure;
    std::filesystem::create_directories(file.parent_path(), failure);
    const auto mask = umask(077);
    history(history_, &ignored_, H_SAVE, file.c_str());
    umask(mask);
  }

  session& with_;
  EditLine* editor_;
  History* history_;
  HistEvent ignored_ = {};
};

} // namespace

int run_prompt(session& with, const std::string& greeting) {
  std::cout << greeting << std::endl;
  line_editor editor{with};
  int out = exit_done;
  bool quit = false;
  std::string line;
  while (!quit && editor.read(line)) {
    editor.remember(line);
    if (const auto code = run_line(with, line, quit); code != exit_done)
      out = code;
    forget_stop();
  }
  return out;
}

} // namespace depositd::shell
