#include "adapters/doors/operations/openapi.hpp"

#include "adapters/doors/operations/api_arguments.hpp"
#include "adapters/doors/operations/described_doors.hpp"
#include "adapters/doors/operations/named_calls.hpp"
#include "messages/values/json_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>

namespace depositd {

namespace {

using document = nlohmann::ordered_json;

document whole_number(std::int64_t min, std::int64_t max) {
  return {{"type", "integer"}, {"minimum", min}, {"maximum", max}};
}

document number_or(const document& words) {
  document choices = document::array();
  choices.push_back(whole_number(0, argument_number_max));
  choices.push_back({{"type", "string"}, {"enum", words}});
  return {{"anyOf", choices}};
}

document list_of_texts() {
  return {{"type", "array"}, {"items", {{"type", "string"}}}};
}

document schema_of(const argument_spec& x) {
  switch (x.kind) {
    case value_kind::word:
      return {{"type", "string"}, {"enum", x.words}};
    case value_kind::number:
      return whole_number(x.min, x.max);
    case value_kind::limit:
      return number_or(document::array({"none"}));
    case value_kind::limit_or_default:
      return number_or(document::array({"none", "default"}));
    case value_kind::bytes: {
      document choices = document::array();
      choices.push_back(whole_number(0, argument_number_max));
      choices.push_back(
        {{"type", "string"}, {"pattern", "^([0-9]+[kmg]?|none|default)$"}});
      return {{"anyOf", choices}};
    }
    case value_kind::time:
    case value_kind::expiry: {
      document types = document::array({"string", "integer"});
      return {{"type", types},
              {"description", x.kind == value_kind::time
                                ? "ISO 8601, UTC, or microseconds since 1970"
                                : "ISO 8601, UTC, or microseconds since 1970, "
                                  "or days from now, as in "
                                  "90d"}};
    }
    case value_kind::names:
    case value_kind::users:
    case value_kind::each:
      return list_of_texts();
    case value_kind::flag:
      return {{"type", "boolean"}};
    case value_kind::files:
    case value_kind::file:
      return {{"type", "string"}, {"contentEncoding", "base64"}};
    case value_kind::password:
    case value_kind::optional_password:
    case value_kind::api_key:
      return {{"type", "string"}, {"writeOnly", true}};
    case value_kind::text:
    case value_kind::user:
    case value_kind::folder:
      return {{"type", "string"}};
  }
  return {{"type", "string"}};
}

/// With what is said beside the type.
document described(const argument_spec& x) {
  auto out = schema_of(x);
  if (x.initial)
    out["default"] = *x.initial;
  return out;
}

document answers_of(const command_spec& row, bool changes) {
  document out;
  out["200"] = {
    {"description", "What the command answers"},
    {"content", {{"application/json", {{"schema", {{"type", "object"}}}}}}}};
  if (changes && !row.question.empty())
    out["428"] = {{"$ref", "#/components/responses/question"}};
  out["default"] = {{"$ref", "#/components/responses/refused"}};
  return out;
}

document get_of(const command_spec& row, const std::string& id) {
  document parameters = document::array();
  for (const auto& x : row.arguments) {
    document one{{"name", public_name(x)}, {"in", "query"}};
    one["description"] = x.help;
    one["required"] = x.required;
    one["schema"] = described(x);
    parameters.push_back(std::move(one));
  }
  return {{"operationId", "get_" + id},
          {"summary", row.help},
          {"parameters", parameters},
          {"responses", answers_of(row, false)}};
}

bool must_be_given(const argument_spec& x) {
  return x.required || x.kind == value_kind::password;
}

document body_of(const command_spec& row) {
  document properties = document::object();
  document required = document::array();
  for (const auto& x : row.arguments) {
    auto one = described(x);
    if (!one.contains("description"))
      one["description"] = x.help;
    properties[public_name(x)] = std::move(one);
    if (must_be_given(x))
      required.push_back(public_name(x));
  }
  if (row.find(value_kind::files)) {
    properties["file_name"] = {{"type", "string"}};
    required.push_back("file_name");
  }
  if (!row.question.empty())
    properties["yes"] = {{"type", "boolean"}, {"description", row.question}};
  document out{{"type", "object"}, {"properties", properties}};
  out["additionalProperties"] = false;
  if (!required.empty())
    out["required"] = required;
  return out;
}

document post_of(const command_spec& row, const std::string& id) {
  const auto body = body_of(row);
  document content;
  content["application/json"]["schema"] = body;
  return {{"operationId", "post_" + id},
          {"summary", row.help},
          {"requestBody",
           {{"required", body.contains("required")}, {"content", content}}},
          {"responses", answers_of(row, true)}};
}

document refusal_schema(bool counted) {
  document properties;
  properties["error"] = {{"type", "string"}};
  properties["text"] = {{"type", "string"}};
  if (counted)
    properties["count"] = {{"type", "integer"}};
  return {{"type", "object"},
          {"properties", properties},
          {"required", document::array({"error", "text"})}};
}

document response_of(const char* what, const char* schema) {
  const auto ref = std::string{"#/components/schemas/"} + schema;
  return {{"description", what},
          {"content", {{"application/json", {{"schema", {{"$ref", ref}}}}}}}};
}

document components() {
  document out;
  auto& schemes = out["securitySchemes"];
  schemes["token"] = {{"type", "http"}, {"scheme", "bearer"}};
  schemes["session"] = {
    {"type", "apiKey"}, {"in", "cookie"}, {"name", "depositd_session"}};
  schemes["csrf"] = {
    {"type", "apiKey"}, {"in", "header"}, {"name", "X-CSRF-Token"}};
  out["schemas"]["refusal"] = refusal_schema(false);
  out["schemas"]["question"] = refusal_schema(true);
  out["responses"]["refused"] = response_of("What is wrong", "refusal");
  out["responses"]["question"] = response_of(
    "Nothing was done: say `yes` to the question in `text`", "question");
  return out;
}

document plain(const char* id, const char* summary, const char* type) {
  document out{{"operationId", id}, {"summary", summary}};
  out["responses"]["200"] = {{"description", "It"},
                             {"content", {{type, document::object()}}}};
  out["responses"]["default"] = {{"$ref", "#/components/responses/refused"}};
  return out;
}

/// Without a login.
document in_the_open(document x) {
  x["security"] = document::array();
  return x;
}

document health_call(const char* id) {
  auto out = in_the_open(plain(id, "For load balancers", "text/plain"));
  auto& answers = out["responses"];
  answers.erase("default");
  answers["503"] = answers["200"];
  answers["503"]["description"] = "What is not well";
  return out;
}

document log_in_call() {
  auto out = in_the_open(
    plain("log_in", "Log in; the answer sets a cookie", "application/json"));
  document text{{"type", "string"}};
  document schema{{"type", "object"},
                  {"properties", {{"name", text}, {"password", text}}},
                  {"required", document::array({"name", "password"})}};
  out["requestBody"]["required"] = true;
  out["requestBody"]["content"]["application/json"]["schema"] = schema;
  return out;
}

void add_own_paths(document& paths) {
  const auto* json = "application/json";
  auto& session = paths["/api/v1/session"];
  session["get"] = plain("who", "Who has logged in", json);
  session["post"] = log_in_call();
  session["delete"] = {{"operationId", "log_out"},
                       {"summary", "End the session"},
                       {"responses",
                        {{"204", {{"description", "Ended"}}},
                         {"default",
                          {{"$ref", "#/components/responses/refused"}}}}}};
  paths["/api/v1/commands"]["get"] =
    plain("commands", "The table of commands", json);
  paths["/api/v1/openapi.json"]["get"] =
    plain("description", "This document", json);
  paths["/api/v1/history"]["get"] =
    plain("history", "A few numbers of the last hour", json);
  paths["/api/v1/nsq/clients"]["get"] =
    plain("nsq_clients", "Who is connected to NSQ's door", json);
  auto watch = plain("watch",
                     "The answer of a command that reads, at once and whenever "
                     "it has changed; its arguments stand beside it",
                     "text/event-stream");
  watch["parameters"] = document::array();
  watch["parameters"].push_back({{"name", "command"},
                                 {"in", "query"},
                                 {"required", true},
                                 {"description", "As in queue/list"},
                                 {"schema", {{"type", "string"}}}});
  paths["/api/v1/watch"]["get"] = std::move(watch);
  for (const auto* path : {"livez", "readyz", "healthcheck"})
    paths[std::string{"/"} + path]["get"] = health_call(path);
  auto metrics =
    plain("metrics", "For Prometheus; on the loopback without a login",
          "text/plain");
  metrics["security"] = document::array(
    {document::object(), {{"token", document::array()}},
     {{"session", document::array()}}});
  paths["/metrics"]["get"] = std::move(metrics);
}

/// Doors of clients are on another port, and know other logins.
void add_doors(document& to) {
  const auto& doors = described_doors();
  for (const auto& [path, calls] : doors["paths"].items()) {
    auto& here = to["paths"][path];
    here = calls;
    for (auto& [method, call] : here.items())
      if (!call.contains("security"))
        call["security"] = doors["security"];
    here["servers"] = doors["servers"];
  }
  for (const auto& [kind, parts] : doors["components"].items())
    for (const auto& [name, part] : parts.items())
      to["components"][kind][name] = part;
}

} // namespace

std::string openapi_text(const command_table& table,
                         const std::string& version) {
  document out;
  out["openapi"] = "3.1.0";
  out["info"] = {{"title", "depositd"},
                 {"version", version},
                 {"description",
                  "Below /api/v1, for operators: every command of depositctl, "
                  "GET for those that change nothing, POST for all. The rest "
                  "is the doors of clients, on the port of http.listen."}};
  out["servers"] = document::array({{{"url", "/"}}});
  out["security"] = document::array();
  out["security"].push_back({{"token", document::array()}});
  out["security"].push_back(
    {{"session", document::array()}, {"csrf", document::array()}});
  auto& paths = out["paths"];
  add_own_paths(paths);
  for (const auto& row : table.commands) {
    auto path = row.words;
    std::replace(path.begin(), path.end(), ' ', '/');
    auto id = row.words;
    std::replace(id.begin(), id.end(), ' ', '_');
    auto& calls = paths["/api/v1/" + path];
    if (row.reads)
      calls["get"] = get_of(row, id);
    calls["post"] = post_of(row, id);
  }
  add_named_calls(paths);
  out["components"] = components();
  add_doors(out);
  return json_text(out);
}

} // namespace depositd
