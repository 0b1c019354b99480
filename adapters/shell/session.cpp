#include "adapters/shell/session.hpp"

#include "adapters/shell/api_keys.hpp"
#include "adapters/shell/passwords.hpp"
#include "adapters/shell/rendering.hpp"
#include "adapters/shell/table.hpp"

#include "messages/shard.hpp"
#include "messages/values/time_text.hpp"

#include <chrono>
#include <iostream>

namespace depositd::shell {

namespace {

using json = nlohmann::json;
using namespace std::chrono_literals;

/// How long the engine may take; longer than its own limits.
std::chrono::seconds patience_for(const std::string& command) {
  for (const auto slow : {"backup", "park", "unpark", "queue purge"})
    if (command == slow)
      return 3'700s;
  return command == "submit" ? 120s : 30s;
}

std::string to_text(const json& x) {
  return x.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string now_text() {
  using namespace std::chrono;
  return format_utc(
    duration_cast<microseconds>(system_clock::now().time_since_epoch())
      .count());
}

} // namespace

session::session(link_factory connect, terminal where)
  : connect_(std::move(connect)), where_(std::move(where)) {
  // nop
}

caf::expected<std::string> session::ask(const std::string& command,
                                        const json& arguments) {
  if (!link_) {
    auto link = connect_();
    if (!link)
      return std::move(link.error());
    link_ = std::move(*link);
  }
  auto out = link_->ask(command, to_text(arguments), patience_for(command));
  if (!out && !is_refusal(out.error()))
    link_ = nullptr;
  return out;
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
  return said.exit_code;
}

void session::print(const invocation& call, const std::string& document) {
  if (call.json)
    where_.out << document << std::endl;
  else
    where_.out << rendered(call.command, document) << std::flush;
}

int session::ask_and_print(const invocation& call, const json& arguments) {
  const auto document = ask(call.command, arguments);
  if (!document)
    return fail(document.error());
  print(call, *document);
  return exit_done;
}

std::optional<int> session::refused_by_person(const invocation& call,
                                              const std::string& question) {
  if (call.yes || question.empty())
    return std::nullopt;
  if (!where_.reads_from_person) {
    where_.err << "depositctl: " << call.command
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
  if (call.counts_first)
    return run_counted(call);
  if (!call.files.empty())
    return submit(call);
  if (const auto code = refused_by_person(call, call.question))
    return *code;
  return run_once(call);
}

int session::run_once(const invocation& call) {
  if (call.needs_password)
    return run_with_password(call);
  if (call.needs_key)
    return run_with_key(call);
  return ask_and_print(call, call.arguments);
}

int session::run_with_password(const invocation& call) {
  const auto password = read_password(where_);
  if (!password)
    return fail(password.error());
  auto hash = hash_password(*password);
  if (!hash)
    return fail(hash.error());
  auto arguments = call.arguments;
  arguments["password_hash"] = std::move(*hash);
  return ask_and_print(call, arguments);
}

int session::run_with_key(const invocation& call) {
  const auto key = call.key_from_stdin ? read_api_key(where_) : make_api_key();
  if (!key)
    return fail(key.error());
  auto arguments = call.arguments;
  arguments["digest"] = digest_of_api_key(*key);
  const auto answer = ask(call.command, arguments);
  if (!answer)
    return fail(answer.error());
  // Whoever brought the key along knows it.
  print(call, call.key_from_stdin ? *answer : with_api_key(*answer, *key));
  return exit_done;
}

int session::run_counted(const invocation& call) {
  auto counting = call.arguments;
  counting["count_only"] = true;
  const auto counted = ask(call.command, counting);
  if (!counted)
    return fail(counted.error());
  if (call.count_only) {
    print(call, *counted);
    return exit_done;
  }
  const auto x = json::parse(*counted, nullptr, false);
  const auto matched = x.is_object() ? x.value("matched", json{}) : json{};
  const auto found = to_text(matched) + " items match. ";
  if (!call.json && !where_.reads_from_person)
    where_.err << found << std::endl;
  if (const auto code = refused_by_person(call, found + call.question))
    return *code;
  return ask_and_print(call, call.arguments);
}

int session::run_watch(const invocation& call) {
  auto once = call;
  once.watch = std::nullopt;
  int code = exit_done;
  for (std::uint32_t n = 1;; ++n) {
    if (where_.draws && !call.json)
      where_.out << "\x1b[H\x1b[2J" << std::flush;
    if (!call.json)
      where_.out << "every " << call.watch->seconds << " s: " << call.command
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

std::vector<std::string> session::names(const std::string& command,
                                        const char* list, const char* key) {
  std::vector<std::string> out;
  const auto document = ask(command, json::object());
  if (!document)
    return out;
  const auto x = json::parse(*document, nullptr, false);
  if (!x.is_object() || !x.contains(list) || !x[list].is_array())
    return out;
  for (const auto& entry : x[list])
    if (entry.is_object() && entry.contains(key) && entry[key].is_string())
      out.push_back(entry[key].get<std::string>());
  return out;
}

} // namespace depositd::shell
