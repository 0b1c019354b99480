#include "adapters/shell/completion.hpp"

#include "adapters/shell/grammar.hpp"
#include "adapters/shell/words.hpp"

#include <algorithm>
#include <filesystem>

namespace depositd::shell {

namespace {

/// What watch repeats is a line of its own.
void drop_watch(std::vector<std::string>& words) {
  if (words.empty() || words[0] != "watch")
    return;
  const bool number =
    words.size() > 1 && !words[1].empty()
    && words[1].find_first_not_of("0123456789") == std::string::npos;
  words.erase(words.begin(), words.begin() + (number ? 2 : 1));
}

std::vector<std::string> files_like(const std::string& start) {
  namespace fs = std::filesystem;
  std::vector<std::string> out;
  const auto slash = start.rfind('/');
  const auto folder =
    slash == std::string::npos ? "" : start.substr(0, slash + 1);
  std::error_code failure;
  for (const auto& entry :
       fs::directory_iterator{folder.empty() ? "." : folder, failure})
    out.push_back(folder + entry.path().filename().string()
                  + (entry.is_directory(failure) ? "/" : ""));
  return out;
}

} // namespace

std::vector<std::string> completions(const command_table& commands,
                                     const std::string& line,
                                     const names_function& names) {
  auto words = split_words(line);
  if (!words)
    return {};
  std::string start; // of the last word, if that is not whole
  if (!line.empty() && line.back() != ' ' && !words->empty()) {
    start = words->back();
    words->pop_back();
  }
  drop_watch(*words);
  const auto expected = expected_after(commands, *words);
  auto out = expected.words;
  const auto comma = start.rfind(',');
  const auto listed =
    comma == std::string::npos ? "" : start.substr(0, comma + 1);
  for (const auto& list : expected.name_lists)
    for (const auto& name : names(list))
      out.push_back(listed + name);
  if (expected.files)
    for (auto& file : files_like(start))
      out.push_back(std::move(file));
  std::erase_if(
    out, [&](const std::string& word) { return !word.starts_with(start); });
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::string common_start(const std::vector<std::string>& words) {
  if (words.empty())
    return {};
  auto out = words.front();
  for (const auto& word : words)
    while (!word.starts_with(out))
      out.pop_back();
  return out;
}

} // namespace depositd::shell
