// Commands: their rows, what is asked back, who looks on.

#include "adapters/doors/http/body_stream.hpp"
#include "adapters/doors/http/browser.hpp"
#include "adapters/doors/operations/api_answers.hpp"
#include "adapters/doors/operations/api_parts.hpp"
#include "messages/values/json_text.hpp"
#include "messages/values/utf8.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace depositd {

namespace {

using json = nlohmann::json;

/// A browser connects again by itself, so its session stays in use.
constexpr std::chrono::seconds stream_age_max{3600};
/// Of arguments without a file.
constexpr std::size_t plain_body_bytes_max = 1024 * 1024;
constexpr std::chrono::seconds open_patience{10};

void refuse(const api_call_ptr& call, unsigned status, const char* word,
            const std::string& text) {
  call->from.answer->send(api_refusal(status, word, text));
}

/// `reads`: whoever asks again gets the same.
void answer(const api_call_ptr& call, const std::string& document,
            bool reads = false) {
  auto out = api_document(200, document);
  out.repeatable = reads;
  call->from.answer->send(std::move(out));
}

std::string with_key(const std::string& document, const std::string& key) {
  if (key.empty())
    return document;
  auto out = ordered_json_of(document);
  if (!out.is_object())
    out = nlohmann::ordered_json::object();
  out["key"] = key;
  return json_text(out);
}

/// The question of a command, with how many it would concern.
void ask_back(const api_call_ptr& call, const std::string& question,
              const json& count) {
  nlohmann::ordered_json out{{"error", "confirm"}, {"text", question}};
  if (count.is_number())
    out["count"] = count;
  call->from.answer->send(api_document(428, json_text(out)));
}

struct command_run {
  api_call_ptr call;
  std::shared_ptr<const published_table> table; ///< keeps the row
  const command_spec* row = nullptr;
  api_arguments given;
};

std::chrono::seconds patience_of(const command_spec& row) {
  return std::chrono::seconds{row.patience_s};
}

void carry_out(api_pointer self, const command_run& x) {
  with_secrets(self, x.call, *x.row, x.given.object,
               [=](const json& object, const std::string& made) {
                 give(self, x.call, x.row->words, json_text(object),
                      patience_of(*x.row), [=](const std::string& document) {
                        answer(x.call, with_key(document, made),
                               x.row->reads);
                      });
               });
}

/// Nothing is done before it is known how many it concerns, and that is said.
void count_first(api_pointer self, const command_run& x) {
  auto counting = x.given.object;
  counting["count_only"] = true;
  give(self, x.call, x.row->words, json_text(counting), patience_of(*x.row),
       [=](const std::string& document) {
         const auto counted = json_of(document);
         const auto given = x.given.object.find("count_only");
         if (given != x.given.object.end() && *given == true)
           return answer(x.call, document);
         if (!counted.is_object())
           return ask_back(x.call, x.row->question, nullptr);
         const auto own = counted.find("question");
         if (own == counted.end() || !own->is_string())
           return ask_back(x.call, x.row->question,
                           counted.value("matched", json{}));
         const auto question = own->get<std::string>();
         if (question.empty())
           return carry_out(self, x); // the engine asks nothing
         ask_back(x.call, question, counted.value("matched", json{}));
       });
}

void start(api_pointer self, const command_run& x) {
  if (x.given.yes)
    return carry_out(self, x);
  if (x.row->counts_first)
    return count_first(self, x);
  if (!x.row->question.empty())
    return ask_back(x.call, x.row->question, nullptr);
  carry_out(self, x);
}

std::string words_at(const std::vector<std::string>& segments) {
  std::string out;
  for (const auto& x : segments)
    out += (out.empty() ? "" : " ") + x;
  return out;
}

void refuse_unknown(const api_call_ptr& call, const std::string& words) {
  refuse(call, 404, "not_found",
         "this engine has no command \"" + http::printable(words) + "\"");
}

/// A command, and the name that its path has in the middle of it.
struct command_path {
  std::string words;
  std::string name;
};

/// Sources and schedulers have their commands below them, too:
/// "sources/NAME/pause", "schedulers/NAME/strategy/set".
command_path path_of(const std::vector<std::string>& segments) {
  const auto begins = [&](const char* what) {
    return segments.size() > 2 && segments[0] == what;
  };
  if (!begins("sources") && !begins("schedulers"))
    return {words_at(segments), ""};
  std::vector<std::string> words{segments.begin() + 2, segments.end()};
  const bool of_strategy = words[0] == "strategy";
  if (of_strategy && words.size() == 1)
    words.emplace_back("show");
  if (!of_strategy)
    words.insert(words.begin(), segments[0].substr(0, segments[0].size() - 1));
  return {words_at(words), segments[1]};
}

/// False, and answered: the arguments have another name than the path.
bool take_name(const api_call_ptr& call, const std::string& name,
               api_arguments& to) {
  if (name.empty())
    return true;
  if (find_invalid_utf8(name) != std::string::npos) {
    refuse(call, 400, "malformed", "name must be UTF-8");
    return false;
  }
  const auto [at, is_new] = to.object.emplace("name", name);
  if (is_new || *at == json(name))
    return true;
  refuse(call, 400, "invalid_argument", "name is not that of the path");
  return false;
}

bool takes_file(const command_spec& row) {
  return row.find(value_kind::file) || row.find(value_kind::files);
}

void run_row(api_pointer self, const api_call_ptr& call,
             const std::shared_ptr<const published_table>& table,
             const command_spec& row, const std::string& name) {
  const auto& from = *call->from.what;
  const bool posts = from.method == "POST";
  if (!posts && !row.reads)
    return static_cast<void>(call->from.answer->send(
      api_refusal(405, "method_not_allowed",
                  row.words + " changes something: POST it")
        .with("Allow", "POST")));
  if (from.body.size() > plain_body_bytes_max && !takes_file(row))
    return refuse(call, 413, "too_large", "the arguments are too large");
  const auto now = api_now(self);
  auto given = posts ? arguments_in_body(row, from.body, now)
                     : arguments_in_query(row, from.query, now);
  if (!given)
    return static_cast<void>(
      call->from.answer->send(api_refusal(given.error())));
  if (!take_name(call, name, *given))
    return;
  start(self, {call, table, &row, std::move(*given)});
}

// -- watching -----------------------------------------------------------------

/// False, and answered: there are too many.
bool count_in(api_pointer self, const api_call_ptr& call) {
  auto& state = self->state;
  if (state.streams_all >= state.options.streams_max) {
    refuse(call, 503, "overloaded", "too many are watching");
    return false;
  }
  auto& own = state.streams[call->whose];
  if (own >= state.options.streams_each_max) {
    refuse(call, 429, "throttled",
           "at most " + std::to_string(state.options.streams_each_max)
             + " may be watched at a time");
    return false;
  }
  ++own;
  ++state.streams_all;
  return true;
}

void begin_stream(api_pointer self, const command_run& x,
                  const std::string& arguments, const std::string& first) {
  const auto& call = x.call;
  if (!count_in(self, call))
    return;
  auto body = std::make_shared<http::body_stream>();
  const auto door = caf::actor_cast<api_door_self>(self);
  body->when_gone([door, whose = call->whose] {
    caf::anon_send(door, api_stream_gone{whose});
  });
  const auto until =
    std::min(call->until, self->clock().now() + stream_age_max);
  self->send(self->state.options.watcher,
             watch_document{call->name, call->from.what->peer, x.row->words,
                            arguments, first, patience_of(*x.row), body, until,
                            call->proof});
  if (!call->from.answer->send(api_event_stream(body)))
    body->leave();
}

void watch_row(api_pointer self, const command_run& x) {
  const auto arguments = json_text(x.given.object);
  give(
    self, x.call, x.row->words, arguments, patience_of(*x.row),
    [=](const std::string& first) { begin_stream(self, x, arguments, first); });
}

} // namespace

void give(api_pointer self, const api_call_ptr& call,
          const std::string& command, const std::string& arguments,
          std::chrono::seconds patience,
          std::function<void(const std::string&)> go_on) {
  const auto answered = [=](const admin_reply& x) { go_on(x.document); };
  const auto refused = [=](const caf::error& why) {
    // Whoever was removed from the register, or has another password now, has
    // no session either.
    if (why == ec::wrong_credentials)
      self->state.sessions->close(
        http::cookie(*call->from.what, session_cookie));
    call->from.answer->send(api_refusal(why));
  };
  const auto& admin = self->state.options.admin;
  admin_request what{command, arguments};
  if (call->name.empty())
    self->request(admin, patience, std::move(what)).then(answered, refused);
  else
    self
      ->request(admin, patience,
                command_as{call->name, call->from.what->peer, std::move(what),
                           call->proof})
      .then(answered, refused);
}

void run_command(api_pointer self, const api_call_ptr& call) {
  const auto& x = call->from;
  if (!x.command.empty())
    return give(self, call, x.command, x.arguments, open_patience,
                [=](const std::string& document) { answer(call, document); });
  with_commands(self, call, [=](const auto& table) {
    // After "api" and "v1".
    const auto& all = call->from.what->segments;
    const auto path = path_of(
      {all.begin() + std::min<std::ptrdiff_t>(2, std::ssize(all)), all.end()});
    if (const auto* row = table->find(path.words))
      run_row(self, call, table, *row, path.name);
    else
      refuse_unknown(call, path.words);
  });
}

void open_watch(api_pointer self, const api_call_ptr& call) {
  auto query = call->from.what->query;
  const auto* given = http::find(query, "command");
  if (!given)
    return refuse(call, 400, "invalid_argument",
                  "say what to watch: ?command=queue/list");
  auto words = *given;
  std::replace(words.begin(), words.end(), '/', ' ');
  std::erase_if(query, [](const auto& x) { return x.first == "command"; });
  with_commands(self, call, [=](const auto& table) {
    const auto* row = table->find(words);
    if (!row)
      return refuse_unknown(call, words);
    if (!row->reads)
      return refuse(call, 400, "invalid_argument",
                    row->words + " changes something and cannot be watched");
    auto arguments = arguments_in_query(*row, query, api_now(self));
    if (!arguments)
      return static_cast<void>(
        call->from.answer->send(api_refusal(arguments.error())));
    watch_row(self, {call, table, row, std::move(*arguments)});
  });
}

} // namespace depositd
