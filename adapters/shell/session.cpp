#include "adapters/shell/session.hpp"

#include "adapters/shell/grammar.hpp"
#include "adapters/shell/rendering.hpp"
#include "adapters/shell/secrets.hpp"
#include "adapters/shell/table.hpp"

#include "messages/values/json_text.hpp"
#include "messages/values/time_text.hpp"

#include <chrono>
#include <iostream>

namespace depositd::shell {

namespace {

using json = nlohmann::json;
using namespace std::chrono_literals;

constexpr int attempts_max = 3;

std::string to_text(const json& x) {
  return json_text(x);
}

/// The engine's document with the key in it, for the one time it is shown.
std::string with_api_key(const std::string& document, const std::string& key) {
  auto out = ordered_json_of(document);
  if (!out.is_object())
    out = json::object();
  out["key"] = key;
  return json_text(out);
}

/// What is said, and then asked, before a command that counted first.
struct prelude {
  std::string found;
  std::string question; ///< empty: the engine says that nothing needs asking
};

prelude prelude_of(const command_spec& row, const std::string& counted) {
  const auto x = json_of(counted);
  const auto own = x.is_object() ? x.find("question") : x.end();
  if (own != x.end() && own->is_string())
    return {"", *own};
  const auto matched = x.is_object() ? x.value("matched", json{}) : json{};
  return {to_text(matched) + " items match. ", row.question};
}

std::string now_text() {
  using namespace std::chrono;
  return format_utc(
    duration_cast<microseconds>(system_clock::now().time_since_epoch())
      .count());
}

} // namespace

int told(terminal& where, int code) {
  if (where.out.flush() || where.unread())
    return code;
  where.err << "depositctl: not all that is to be read could be written"
            << std::endl;
  return code == exit_done ? exit_not_told : code;
}

session::session(link_factory connect, terminal where, command_table own)
  : connect_(std::move(connect)), where_(std::move(where)),
    commands_(std::move(own)) {
  // nop
}

caf::error session::open() {
  if (link_)
    return caf::none;
  // A connection may be cut just after it was made, with a word or without
  // (CAF over TLS, when the handshake meets a heartbeat); to ask for the
  // commands again does no harm. In all that is half a minute.
  caf::error cut;
  for (int attempt = 0; attempt < attempts_max; ++attempt) {
    auto link = connect_();
    if (!link)
      return std::move(link.error());
    link_ = std::move(*link);
    cut = fetch_commands();
    if (!cut)
      break;
  }
  return cut;
}

caf::error session::fetch_commands() {
  const auto answer = link_->ask(publish_commands, "{}", 10s);
  if (!answer && !is_refusal(answer.error())) {
    link_ = nullptr;
    return answer.error();
  }
  auto table = answer ? parse_command_table(*answer) : std::nullopt;
  std::string trouble;
  if (!table)
    trouble = "does not publish its commands";
  else if (const auto problem = check(*table))
    trouble =
      "publishes commands that make no grammar (" + render(problem) + ")";
  if (trouble.empty())
    commands_ = std::move(*table);
  else
    where_.err << "depositctl: this engine " << escaped(trouble)
               << "; going by those of this depositctl" << std::endl;
  return caf::none;
}

const command_table& session::commands() {
  unreached_ = open();
  return commands_;
}

understood session::read(read_function how,
                         const std::vector<std::string>& words) {
  unreached_ = caf::none;
  auto out = how(commands_, words);
  if (link_ || !(out.call || out.unknown))
    return out;
  return how(commands(), words);
}

caf::expected<std::string> session::ask(const command_spec& row,
                                        const json& arguments) {
  for (int attempt = 1;; ++attempt) {
    // Whoever was looked for just now is not looked for again.
    if (auto problem =
          unreached_ ? std::exchange(unreached_, caf::none) : open())
      return problem;
    auto out = link_->ask(row.words, to_text(arguments),
                          std::chrono::seconds{row.patience_s});
    if (out || is_refusal(out.error()))
      return out;
    link_ = nullptr;
    // What was cut and changes nothing may be asked again.
    if (!row.reads || attempt == attempts_max
        || out.error() == caf::sec::request_timeout)
      return out;
  }
}

int session::fail(const caf::error& problem) {
  where_.err << "depositctl: " << escaped(render(problem)) << std::endl;
  if (problem == ec::bad_setting)
    return exit_wrong_usage;
  return is_refusal(problem) ? exit_refused : exit_no_engine;
}

int session::tell(const understood& said) {
  auto& to = said.exit_code == exit_done ? where_.out : where_.err;
  if (said.exit_code == exit_done)
    to << said.text << std::flush;
  else
    to << "depositctl: " << escaped(said.text) << std::endl;
  if (unreached_)
    where_.err << "depositctl: " << escaped(render(unreached_))
               << "; this is what depositctl itself knows" << std::endl;
  return said.exit_code;
}

void session::print(const invocation& call, const std::string& document) {
  if (call.json) {
    where_.out << document << std::endl;
    return;
  }
  const auto file = file_in(call.row.view, document);
  if (!file || where_.shows) {
    where_.out << rendered(call.row.view, document) << std::flush;
    return;
  }
  // What else is to be said does not go into a file.
  where_.out << *file << std::flush;
  if (const auto rest = without_files(call.row.view); !rest.empty())
    where_.err << rendered(rest, document) << std::flush;
}

std::optional<int> session::refused_by_person(const invocation& call,
                                              const std::string& question) {
  if (call.yes || question.empty())
    return std::nullopt;
  if (!where_.reads_from_person) {
    where_.err << "depositctl: " << call.row.words
               << " needs --yes when nobody is there to ask" << std::endl;
    return exit_wrong_usage;
  }
  if (confirmed(where_, question))
    return std::nullopt;
  where_.err << "depositctl: nothing was done" << std::endl;
  return exit_refused;
}

int session::run(const invocation& call) {
  if (call.watch)
    return run_watch(call);
  if (call.row.counts_first)
    return run_counted(call);
  if (!call.files.empty())
    return submit(call);
  if (const auto code = refused_by_person(call, call.row.question))
    return *code;
  return run_once(call);
}

caf::error session::add_secret(const invocation& call, json& to,
                               std::string& made) {
  const auto& row = call.row;
  const bool key_from_stdin = call.key_from_stdin;
  const auto* password = row.find(value_kind::password);
  if (password == nullptr && call.password_given)
    password = row.find(value_kind::optional_password);
  if (const auto argument = password) {
    const auto password = read_password(where_);
    if (!password)
      return password.error();
    auto hash = hash_password(*password);
    if (!hash)
      return hash.error();
    to[argument->key] = std::move(*hash);
  }
  for (const auto& argument : call.secret_texts) {
    auto text = read_key_text(where_);
    if (!text)
      return text.error();
    to[argument] = std::move(*text);
  }
  if (const auto argument = row.find(value_kind::api_key)) {
    const auto key = key_from_stdin ? read_api_key(where_) : make_api_key();
    if (!key)
      return key.error();
    to[argument->key] = digest_of_api_key(*key);
    // Whoever brought the key along knows it.
    if (!key_from_stdin)
      made = *key;
  }
  return caf::none;
}

int session::run_once(const invocation& call) {
  auto arguments = call.arguments;
  std::string key;
  if (const auto problem = add_file(call, arguments))
    return fail(problem);
  if (const auto problem = add_secret(call, arguments, key))
    return fail(problem);
  const auto answer = ask(call.row, arguments);
  if (!answer)
    return fail(answer.error());
  print(call, key.empty() ? *answer : with_api_key(*answer, key));
  return exit_done;
}

int session::run_counted(const invocation& call) {
  auto counting = call.arguments;
  counting["count_only"] = true;
  const auto counted = ask(call.row, counting);
  if (!counted)
    return fail(counted.error());
  if (call.arguments.value("count_only", false)) {
    print(call, *counted);
    return exit_done;
  }
  const auto [found, question] = prelude_of(call.row, *counted);
  const bool says_more = !call.yes && found.empty();
  const auto told = says_more ? question : found;
  if (!call.json && !where_.reads_from_person && !told.empty())
    where_.err << escaped(told) << std::endl;
  if (const auto code = refused_by_person(call, found + question))
    return *code;
  return run_once(call);
}

int session::run_watch(const invocation& call) {
  auto once = call;
  once.watch = std::nullopt;
  int code = exit_done;
  for (std::uint32_t n = 1;; ++n) {
    if (where_.draws && !call.json)
      where_.out << "\x1b[H\x1b[2J" << std::flush;
    if (!call.json)
      where_.out << "every " << call.watch->seconds << " s: " << call.row.words
                 << "   " << now_text() << "\n\n";
    code = run(once);
    if (code == exit_refused || code == exit_wrong_usage
        || n == call.watch->times || where_.stopped() || !where_.out)
      return code;
    where_.pause(call.watch->seconds);
    if (where_.stopped())
      return code;
  }
}

std::vector<std::string> session::names(const std::string& command) {
  for (const auto& row : commands().commands)
    if (row.words == command)
      if (const auto document = ask(row, json::object()))
        return first_column(row.view, *document);
  return {};
}

} // namespace depositd::shell
