#include "adapters/shell/completion.hpp"

#include "adapters/shell/grammar.hpp"
#include "adapters/shell/words.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

namespace depositd::shell {

namespace {

/// A line at the prompt: whole words, and what is typed of the next one.
struct unfinished {
  std::vector<std::string> words;
  std::string start;
};

std::optional<unfinished> read_unfinished(const std::string& line) {
  auto words = split_words(line);
  if (!words)
    return std::nullopt;
  unfinished out{std::move(*words), {}};
  if (!line.empty() && line.back() != ' ' && !out.words.empty()) {
    out.start = out.words.back();
    out.words.pop_back();
  }
  // What watch repeats is a line of its own.
  if (!out.words.empty() && out.words[0] == "watch") {
    const bool number =
      out.words.size() > 1 && !out.words[1].empty()
      && out.words[1].find_first_not_of("0123456789") == std::string::npos;
    out.words.erase(out.words.begin(), out.words.begin() + (number ? 2 : 1));
  }
  return out;
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

void append(std::vector<std::string>& to, const std::vector<std::string>& from,
            const std::string& before = "") {
  for (const auto& name : from)
    to.push_back(before + name);
}

} // namespace

std::vector<std::string> completions(const command_table& commands,
                                     const std::string& line,
                                     const known_names& names) {
  const auto typed = read_unfinished(line);
  if (!typed)
    return {};
  const auto expected = expected_after(commands, typed->words);
  auto out = expected.words;
  const auto comma = typed->start.rfind(',');
  const auto listed =
    comma == std::string::npos ? "" : typed->start.substr(0, comma + 1);
  for (const auto& list : expected.name_lists)
    if (const auto at = names.find(list); at != names.end())
      append(out, at->second, listed);
  if (expected.files)
    append(out, files_like(typed->start));
  std::erase_if(out, [&](const std::string& word) {
    return word.compare(0, typed->start.size(), typed->start) != 0;
  });
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::string common_start(const std::vector<std::string>& words) {
  if (words.empty())
    return {};
  auto out = words.front();
  for (const auto& word : words) {
    const auto end = std::min(out.size(), word.size());
    const auto differs = std::mismatch(
      out.begin(), out.begin() + static_cast<long>(end), word.begin());
    out.resize(static_cast<std::size_t>(differs.first - out.begin()));
  }
  return out;
}

known_names fetch_names(session& from, const std::string& line) {
  known_names out;
  const auto typed = read_unfinished(line);
  if (!typed)
    return out;
  const auto expected = expected_after(from.known_commands(), typed->words);
  for (const auto& list : expected.name_lists)
    out[list] = from.names(list);
  return out;
}

} // namespace depositd::shell
