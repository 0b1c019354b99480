#include "adapters/shell/suggestions.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace depositd::shell {

namespace {

using words_list = std::vector<std::string>;

/// How many letters must be put in, taken out or exchanged.
std::size_t distance(const std::string& x, const std::string& y) {
  std::vector<std::size_t> row(y.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    auto diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < y.size(); ++j) {
      const auto exchanged = diagonal + (x[i] != y[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({exchanged, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

/// The word that the typed one begins, or that is a third of it away at most.
std::string nearest(const std::string& typed, const words_list& known) {
  std::string best;
  auto least = std::max<std::size_t>(1, typed.size() / 3) + 1;
  for (const auto& word : known) {
    const bool begun = typed.size() > 1 && word.starts_with(typed);
    const auto away = begun ? 1 : distance(typed, word);
    if (away < least) {
      least = away;
      best = word;
    }
  }
  return best;
}

words_list names_of(const CLI::App& at) {
  words_list out;
  for (const auto* sub : at.get_subcommands([](const auto*) { return true; }))
    out.push_back(sub->get_name());
  return out;
}

/// Options here and in what is around.
words_list options_of(const CLI::App* at) {
  words_list out;
  for (; at; at = at->get_parent())
    for (const auto* option : at->get_options())
      for (const auto& name : option->get_lnames())
        out.push_back("--" + name);
  return out;
}

const CLI::Option* find_option(const CLI::App* at, const std::string& name) {
  for (; at; at = at->get_parent())
    if (const auto* option = at->get_option_no_throw(name);
        option && !option->get_positional())
      return option;
  return nullptr;
}

/// A number below zero is a value.
bool is_option(const std::string& word) {
  return word.size() > 1 && word[0] == '-'
         && !(word[1] >= '0' && word[1] <= '9');
}

/// One line, with what was typed as far as it is of use.
std::string complaint(const char* what, const std::string& path,
                      const std::string& typed, const words_list& known) {
  auto out = std::string{"unknown "} + what + ": " + path + typed.substr(0, 64);
  if (const auto meant = nearest(typed, known); !meant.empty())
    return out + "; did you mean " + path + meant + "?";
  if (path.empty())
    return out + "; see --help";
  return out + "; see " + path + "--help";
}

} // namespace

const CLI::App* subcommand(const CLI::App& tree, const std::string& name) {
  for (const auto* sub : tree.get_subcommands([](const auto*) { return true; }))
    if (sub->get_name() == name)
      return sub;
  return nullptr;
}

bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

std::string unknown_word(const CLI::App& tree, const words_list& words) {
  const auto* at = &tree;
  std::string path;
  for (auto word = words.begin(); word != words.end() && *word != "--";
       ++word) {
    if (is_option(*word)) {
      const auto name = word->substr(0, word->find('='));
      const auto* option = find_option(at, name);
      if (!option)
        return complaint("option", "", name, options_of(at));
      if (takes_value(*option) && name.size() == word->size()
          && std::next(word) != words.end())
        ++word;
    } else if (const auto* next = subcommand(*at, *word)) {
      at = next;
      path += *word + " ";
      if (at->get_prefix_command())
        break;
    } else if (!names_of(*at).empty()) {
      return complaint("command", path, *word, names_of(*at));
    }
  }
  return {};
}

} // namespace depositd::shell
