#include "adapters/shell/grammar.hpp"

#include "adapters/shell/commands.hpp"
#include "adapters/shell/words.hpp"

#include "messages/values/time_text.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <list>
#include <sstream>

namespace depositd::shell {

namespace {

using json = nlohmann::json;

json read_number(const std::string& spelling, const std::string& text) {
  std::uint64_t out = 0;
  const auto end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, out);
  // What JSON readers everywhere keep exactly.
  if (text.empty() || stop != end || failure != std::errc{}
      || out > (std::uint64_t{1} << 53))
    throw CLI::ValidationError(spelling, "must be a number, not " + text);
  return out;
}

json read_time(const std::string& spelling, const std::string& text) {
  const auto out = parse_utc(text);
  if (!out)
    throw CLI::ValidationError(spelling, render(out.error()));
  return *out;
}

json read_value(const command_option& option,
                const std::vector<std::string>& texts) {
  const std::string spelling = option.spelling;
  switch (option.kind) {
    case value_kind::number:
      return read_number(spelling, texts.back());
    case value_kind::limit:
      if (texts.back() == "none" || texts.back() == "default")
        return texts.back();
      return read_number(spelling, texts.back());
    case value_kind::time:
      return read_time(spelling, texts.back());
    case value_kind::names:
      return split_names(texts);
    case value_kind::each:
      return texts;
    case value_kind::folder:
      return std::filesystem::absolute(texts.back()).lexically_normal();
    case value_kind::text:
    case value_kind::flag:
    case value_kind::files:
      break;
  }
  return texts.back();
}

/// One option of one command and the words it was given.
struct bound_option {
  const command_option* spec = nullptr;
  std::vector<std::string> texts;
  bool flag = false;
  CLI::Option* option = nullptr;
};

/// The grammar in CLI11's terms, and what a parse leaves in it.
class tree {
public:
  tree() {
    app.require_subcommand(0, 1);
    app.add_flag("--json", result.json, "Print one JSON document");
    app.add_flag("--yes", result.yes, "Do not ask back");
    for (const auto& group : command_groups()) {
      auto sub = app.add_subcommand(group.word, group.help);
      sub->require_subcommand(1)->fallthrough();
    }
    for (const auto& spec : command_table())
      add_command(spec);
    for (const auto& group : passed_on_groups())
      pass_on(group);
    add_watch();
  }

  tree(const tree&) = delete;
  tree& operator=(const tree&) = delete;

  void add_connection(connection_words& where) {
    app.add_option("--connect", where.connect, "The engine's node port")
      ->type_name("HOST:PORT")
      ->capture_default_str();
    app.add_option("--tls-certificate", where.tls_certificate, "PEM file")
      ->type_name("FILE");
    app.add_option("--tls-key", where.tls_key, "PEM file")->type_name("FILE");
    app.add_option("--tls-ca", where.tls_ca, "PEM file of the engine's CA")
      ->type_name("FILE");
  }

  CLI::App app{"depositctl: operates a depositd engine", "depositctl"};
  invocation result;
  std::vector<std::string> watched; ///< words of the command to repeat

private:
  CLI::App* place_of(const command_spec& spec) {
    const std::string words = spec.words;
    const auto blank = words.find(' ');
    auto parent = blank == std::string::npos
                    ? &app
                    : app.get_subcommand(words.substr(0, blank));
    const auto name =
      blank == std::string::npos ? words : words.substr(blank + 1);
    return parent->add_subcommand(name, spec.help)->fallthrough();
  }

  void add_command(const command_spec& spec) {
    auto sub = place_of(spec);
    std::vector<bound_option*> bound;
    for (const auto& option : spec.options)
      bound.push_back(add_option(*sub, option));
    sub->callback([this, &spec, bound] { fill(spec, bound); });
  }

  bound_option* add_option(CLI::App& sub, const command_option& spec) {
    auto& out = options_.emplace_back();
    out.spec = &spec;
    if (spec.kind == value_kind::flag) {
      out.option = sub.add_flag(spec.spelling, out.flag, spec.help);
      return &out;
    }
    const bool positional = spec.spelling[0] != '-';
    const bool many =
      positional
      && (spec.kind == value_kind::names || spec.kind == value_kind::files);
    out.option = sub.add_option(spec.spelling, out.texts, spec.help);
    out.option->type_name(spec.value)->required(spec.required);
    if (many)
      out.option->expected(1, -1);
    else if (spec.kind == value_kind::each || spec.kind == value_kind::names)
      out.option->allow_extra_args(false);
    else
      out.option->expected(1);
    return &out;
  }

  void fill(const command_spec& spec, const std::vector<bound_option*>& bound) {
    result.command = spec.command ? spec.command : spec.words;
    result.reads = spec.reads;
    result.question = spec.question ? spec.question : "";
    result.counts_first = spec.counts_first;
    result.needs_password = spec.needs_password;
    result.needs_key = spec.needs_key;
    for (const auto* option : bound) {
      if (option->option->count() == 0)
        continue;
      const auto& given = *option->spec;
      if (given.kind == value_kind::files)
        result.files = option->texts;
      else if (given.kind == value_kind::flag && given.key)
        result.arguments[given.key] = option->flag;
      else if (given.kind != value_kind::flag)
        result.arguments[given.key] = read_value(given, option->texts);
      else if (std::string{given.spelling} == "--count")
        result.count_only = option->flag;
      else if (std::string{given.spelling} == "--key-stdin")
        result.key_from_stdin = option->flag;
    }
  }

  void pass_on(const command_group& group) {
    auto sub = app.add_subcommand(group.word, group.help);
    sub->prefix_command();
    sub->callback([this, sub, word = std::string{group.word}] {
      const auto rest = sub->remaining();
      result.command = word;
      if (!rest.empty())
        result.command += " " + rest.front();
    });
  }

  void add_watch() {
    auto sub =
      app.add_subcommand("watch", "Repeat: watch [SECONDS] COMMAND...");
    sub->prefix_command();
    sub->add_option("--times", repeat_.times, "Stop after so many times");
    sub->callback([this, sub] {
      watched = sub->remaining();
      if (!watched.empty()
          && std::all_of(watched[0].begin(), watched[0].end(),
                         [](char c) { return c >= '0' && c <= '9'; })) {
        const auto seconds = read_number("SECONDS", watched[0]);
        if (seconds < 1 || seconds > 86'400)
          throw CLI::ValidationError("SECONDS", "must be from 1 to 86400");
        repeat_.seconds = seconds;
        watched.erase(watched.begin());
      }
      result.watch = repeat_;
    });
  }

  std::list<bound_option> options_;
  repetition repeat_;
};

understood wrong_usage(std::string text) {
  understood out;
  out.exit_code = 2;
  out.text = std::move(text);
  return out;
}

understood read(std::vector<std::string> words, bool call);

/// The command to repeat, with what was said about repeating.
understood read_watched(const tree& outer) {
  if (!outer.watched.empty() && outer.watched.front() == "watch")
    return wrong_usage("watch cannot be watched");
  auto inner = read(outer.watched, false);
  if (!inner.call)
    return inner.interactive ? wrong_usage("watch needs a command") : inner;
  if (!inner.call->reads)
    return wrong_usage("only commands that change nothing can be watched");
  inner.call->watch = outer.result.watch;
  inner.call->json = inner.call->json || outer.result.json;
  return inner;
}

understood read(std::vector<std::string> words, bool call) {
  understood out;
  tree grammar;
  if (call)
    grammar.add_connection(out.where);
  std::reverse(words.begin(), words.end());
  try {
    grammar.app.parse(std::move(words));
  } catch (const CLI::ParseError& problem) {
    std::ostringstream text;
    std::ostringstream error_text;
    const bool asked = grammar.app.exit(problem, text, error_text) == 0;
    out.exit_code = asked ? 0 : 2;
    out.text = asked ? text.str() : problem.what();
    return out;
  }
  if (grammar.result.watch) {
    auto inner = read_watched(grammar);
    inner.where = out.where;
    return inner;
  }
  out.interactive = grammar.result.command.empty();
  if (!out.interactive)
    out.call = std::move(grammar.result);
  return out;
}

CLI::App* subcommand(CLI::App& app, const std::string& name) {
  for (auto* sub : app.get_subcommands(nullptr))
    if (sub->get_name() == name)
      return sub;
  return nullptr;
}

bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

void expect_value(const std::string& name, expectation& out) {
  out.queues |= name.compare(0, 5, queue_value) == 0;
  out.users |= name.compare(0, 4, user_value) == 0;
  out.processors |= name == processor_value;
  out.files |= name == files_value || name == "DIR";
}

/// Options and names that may follow inside `app`.
void expect_inside(const CLI::App& app, expectation& out) {
  for (const auto* option : app.get_options()) {
    if (option->get_positional())
      expect_value(option->get_type_name(), out);
    else if (!option->get_lnames().empty())
      out.words.push_back("--" + option->get_lnames().front());
  }
}

} // namespace

understood read_call(const std::vector<std::string>& words) {
  return read(words, true);
}

understood read_line(const std::vector<std::string>& words) {
  return read(words, false);
}

expectation expected_after(const std::vector<std::string>& words) {
  tree grammar;
  CLI::App* at = &grammar.app;
  const CLI::Option* pending = nullptr;
  for (const auto& word : words) {
    pending = nullptr;
    if (auto* next = subcommand(*at, word))
      at = next;
    else if (auto option = at->get_option_no_throw(word);
             option && takes_value(*option))
      pending = option;
  }
  expectation out;
  if (pending) {
    expect_value(pending->get_type_name(), out);
    return out;
  }
  for (const auto* sub : at->get_subcommands(nullptr))
    out.words.push_back(sub->get_name());
  expect_inside(*at, out);
  if (at != &grammar.app)
    out.words.push_back("--json");
  return out;
}

} // namespace depositd::shell
