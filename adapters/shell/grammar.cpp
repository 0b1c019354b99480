#include "adapters/shell/grammar.hpp"

#include "adapters/shell/suggestions.hpp"
#include "adapters/shell/values.hpp"

#include "messages/values/secret_texts.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <list>
#include <sstream>

namespace depositd::shell {

namespace {

using words_list = std::vector<std::string>;

/// One argument of one command and the words it was given.
struct bound_argument {
  const argument_spec* spec = nullptr;
  words_list texts;
  bool flag = false;
  CLI::Option* option = nullptr;
};

void add_connection(CLI::App& app, connection_words& where) {
  app.add_option("--connect", where.connect, "The engine's node port")
    ->type_name("HOST:PORT")
    ->capture_default_str();
  app.add_option("--tls-certificate", where.tls.certificate, "PEM file")
    ->type_name("FILE");
  app.add_option("--tls-key", where.tls.key, "PEM file")->type_name("FILE");
  app.add_option("--tls-ca", where.tls.ca, "PEM file of the engine's CA")
    ->type_name("FILE");
  app
    .add_option("--operator", where.operator_name,
                "Sign in as this operator; the password is asked for")
    ->type_name("NAME");
  app.add_flag("--password-stdin", where.password_from_stdin,
               "Read it from the first line of standard input");
  app
    .add_option("--token-file", where.token_file,
                "Sign in with the line NAME:PASSWORD of a file of mode 0600")
    ->type_name("FILE")
    ->envname("DEPOSITCTL_TOKEN_FILE");
}

/// The grammar in CLI11's terms, and what a parse leaves in it.
class tree {
public:
  explicit tree(const command_table& commands) {
    app.require_subcommand(0, 1);
    app.add_flag("--json", result.json, "Print one JSON document");
    app.add_flag("--yes", result.yes, "Do not ask back");
    add_groups(commands);
    for (const auto& row : commands.commands) {
      add_command(row, row.words);
      if (!row.alias.empty())
        add_command(row, row.alias);
    }
    for (const auto& group : commands.groups)
      if (!subcommand(app, group.word))
        pass_on(group);
    add_watch();
  }

  tree(const tree&) = delete;
  tree& operator=(const tree&) = delete;

  CLI::App app{"depositctl: operates a depositd engine", "depositctl"};
  invocation result;
  connection_words where; ///< was read before; here for the sake of help
  words_list watched;     ///< words of the command to repeat

  /// What may stand inside `at`, or as the value of the pending option.
  expectation expected_in(const CLI::App& at,
                          const CLI::Option* pending) const {
    expectation out;
    if (pending) {
      expect_value(*pending, out);
      return out;
    }
    for (const auto* sub : at.get_subcommands([](auto) { return true; }))
      out.words.push_back(sub->get_name());
    for (const auto* option : at.get_options())
      if (option->get_positional())
        expect_value(*option, out);
      else if (!option->get_lnames().empty())
        out.words.push_back("--" + option->get_lnames().front());
    if (&at != &app)
      out.words.push_back("--json");
    return out;
  }

private:
  void expect_value(const CLI::Option& option, expectation& out) const {
    for (const auto& argument : arguments_) {
      const auto& spec = *argument.spec;
      if (argument.option != &option)
        continue;
      out.words.insert(out.words.end(), spec.words.begin(), spec.words.end());
      if (!spec.names_from.empty())
        out.name_lists.insert(spec.names_from);
      out.files = out.files || spec.kind == value_kind::files
                  || spec.kind == value_kind::file
                  || spec.kind == value_kind::folder;
    }
  }

  void add_groups(const command_table& commands) {
    for (const auto& group : commands.groups)
      if (std::any_of(commands.commands.begin(), commands.commands.end(),
                      [&](const auto& row) {
                        return row.words.starts_with(group.word + " ");
                      }))
        app.add_subcommand(group.word, group.help)
          ->require_subcommand(1)
          ->fallthrough();
  }

  /// Where the last of the words stands.
  CLI::App* parent_of(const std::string& words) {
    auto* out = &app;
    std::size_t from = 0;
    for (auto blank = words.find(' '); blank != std::string::npos;
         blank = words.find(' ', from)) {
      const auto word = words.substr(from, blank - from);
      if (subcommand(*out, word))
        out = out->get_subcommand(word);
      else
        out = out->add_subcommand(word, "Commands that begin with this word")
                ->require_subcommand(1)
                ->fallthrough();
      from = blank + 1;
    }
    return out;
  }

  void add_command(const command_spec& row, const std::string& words) {
    auto* sub = parent_of(words)
                  ->add_subcommand(words.substr(words.rfind(' ') + 1), row.help)
                  ->fallthrough();
    std::vector<bound_argument*> bound;
    for (const auto& argument : row.arguments)
      bound.push_back(add_argument(*sub, argument));
    sub->callback([this, &row, bound] { fill(row, bound); });
  }

  bound_argument* add_argument(CLI::App& sub, const argument_spec& spec) {
    auto& out = arguments_.emplace_back();
    out.spec = &spec;
    if (spec.kind == value_kind::flag || spec.kind == value_kind::password
        || spec.kind == value_kind::optional_password
        || spec.kind == value_kind::api_key || is_secret_text(spec)) {
      out.option = sub.add_flag(spec.spelling, out.flag, spec.help);
      return &out;
    }
    const bool listed =
      spec.kind == value_kind::names || spec.kind == value_kind::users;
    const bool positional = spec.spelling[0] != '-';
    out.option = sub.add_option(spec.spelling, out.texts, spec.help);
    out.option->type_name(spec.value)->required(spec.required);
    if (positional && (listed || spec.kind == value_kind::files))
      out.option->expected(1, -1);
    else if (listed || spec.kind == value_kind::each)
      out.option->allow_extra_args(false);
    else
      out.option->expected(1)->allow_extra_args(false);
    return &out;
  }

  void fill(const command_spec& row,
            const std::vector<bound_argument*>& bound) {
    result.row = row;
    for (const auto* argument : bound) {
      if (argument->option->count() == 0)
        continue;
      const auto& spec = *argument->spec;
      if (spec.kind == value_kind::files)
        result.files = argument->texts;
      else if (spec.kind == value_kind::file)
        result.file = argument->texts.back();
      else if (spec.kind == value_kind::flag)
        result.arguments[spec.key] = argument->flag;
      else if (spec.kind == value_kind::api_key)
        result.key_from_stdin = argument->flag;
      else if (is_secret_text(spec) && argument->flag)
        result.secret_texts.push_back(spec.key);
      else if (spec.kind == value_kind::optional_password)
        result.password_given = argument->flag;
      else if (spec.kind != value_kind::password && !is_secret_text(spec))
        result.arguments[spec.key] = read_value(spec, argument->texts);
    }
  }

  void pass_on(const command_group& group) {
    auto* sub = app.add_subcommand(group.word, group.help);
    sub->prefix_command();
    sub->callback([this, sub, word = group.word] {
      const auto rest = sub->remaining();
      result.row.words = word;
      if (!rest.empty())
        result.row.words += " " + rest.front();
    });
  }

  void add_watch() {
    auto* sub =
      app.add_subcommand("watch", "Repeat: watch [SECONDS] COMMAND...");
    sub->prefix_command();
    sub->add_option("--times", repeat_.times, "Stop after so many times");
    sub->callback([this, sub] {
      watched = sub->remaining();
      if (!watched.empty()
          && watched[0].find_first_not_of("0123456789") == std::string::npos
          && !watched[0].empty()) {
        const auto seconds = read_number("SECONDS", watched[0]);
        if (seconds < 1 || seconds > 86'400)
          throw CLI::ValidationError("SECONDS", "must be from 1 to 86400");
        repeat_.seconds = seconds;
        watched.erase(watched.begin());
      }
      result.watch = repeat_;
    });
  }

  std::list<bound_argument> arguments_;
  repetition repeat_;
};

understood wrong_usage(std::string text) {
  return {.exit_code = 2, .text = std::move(text)};
}

understood read(const command_table& commands, const words_list& words,
                bool call);

/// The command to repeat, with what was said about repeating.
understood read_watched(const command_table& commands, const tree& outer) {
  if (!outer.watched.empty() && outer.watched.front() == "watch")
    return wrong_usage("watch cannot be watched");
  auto inner = read(commands, outer.watched, false);
  if (!inner.call)
    return inner.interactive ? wrong_usage("watch needs a command") : inner;
  if (!inner.call->row.reads)
    return wrong_usage("only commands that change nothing can be watched");
  inner.call->watch = outer.result.watch;
  inner.call->json = inner.call->json || outer.result.json;
  return inner;
}

/// "help queue set" is "queue set --help".
words_list without_help(words_list words) {
  if (words.empty() || words.front() != "help")
    return words;
  words.erase(words.begin());
  words.push_back("--help");
  return words;
}

understood read(const command_table& commands, const words_list& given,
                bool call) {
  understood out;
  tree grammar{commands};
  const auto words = without_help(given);
  if (call) {
    add_connection(grammar.app, grammar.where);
    // The program has it done before it looks for an engine.
    grammar.app
      .add_subcommand("manifest", "Judge a manifest without an engine: "
                                  "manifest check FILE [--json]")
      ->callback([] { throw CLI::RequiredError("check FILE"); });
  }
  try {
    grammar.app.parse(words_list{words.rbegin(), words.rend()});
  } catch (const CLI::ParseError& problem) {
    // Where a value is wrong, every word was known.
    const bool wrong_value =
      dynamic_cast<const CLI::ValidationError*>(&problem) != nullptr;
    const auto unknown =
      wrong_value ? std::string{} : unknown_word(grammar.app, words);
    std::ostringstream help;
    std::ostringstream ignored;
    out = wrong_usage(unknown.empty() ? problem.what() : unknown);
    if (grammar.app.exit(problem, help, ignored) == 0)
      out = {.text = help.str()};
    out.unknown = !unknown.empty();
    return out;
  }
  if (grammar.result.watch)
    return read_watched(commands, grammar);
  out.interactive = grammar.result.row.words.empty();
  if (!out.interactive)
    out.call = std::move(grammar.result);
  return out;
}

} // namespace

caf::expected<connection_words>
read_connection(const std::vector<std::string>& words) {
  connection_words out;
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  add_connection(app, out);
  try {
    app.parse(words_list{words.rbegin(), words.rend()});
  } catch (const CLI::ParseError& problem) {
    return caf::make_error(ec::invalid_argument, std::string{problem.what()});
  }
  return out;
}

understood read_call(const command_table& commands,
                     const std::vector<std::string>& words) {
  return read(commands, words, true);
}

understood read_line(const command_table& commands,
                     const std::vector<std::string>& words) {
  return read(commands, words, false);
}

caf::error check(const command_table& commands) {
  try {
    // Some of what is wrong shows only when something is read.
    tree{commands}.app.parse(words_list{});
    return caf::none;
  } catch (const CLI::Error& problem) {
    return caf::make_error(ec::malformed, std::string{problem.what()});
  }
}

expectation expected_after(const command_table& commands,
                           const std::vector<std::string>& words) {
  const tree grammar{commands};
  const CLI::App* at = &grammar.app;
  const CLI::Option* pending = nullptr;
  for (const auto& word : words) {
    pending = nullptr;
    if (const auto* next = subcommand(*at, word))
      at = next;
    else if (auto option = at->get_option_no_throw(word);
             option && takes_value(*option))
      pending = option;
  }
  return grammar.expected_in(*at, pending);
}

} // namespace depositd::shell
