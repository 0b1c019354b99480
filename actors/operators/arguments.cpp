#include "actors/operators/arguments.hpp"

#include "actors/operators/documents.hpp"

#include "messages/values/json_text.hpp"
#include "messages/values/names.hpp"
#include "messages/values/secret_texts.hpp"
#include "messages/values/words.hpp"

#include <algorithm>
#include <limits>

namespace depositd::operators {

namespace {

using json = nlohmann::json;

/// What travels instead of something that only the operator has.
bool is_secret(value_kind x) {
  return x == value_kind::password || x == value_kind::api_key
         || x == value_kind::optional_password;
}

/// Nothing, or what the value must be.
using problem = std::optional<std::string>;

problem check_text(const json& x, bool required) {
  if (!x.is_string())
    return "a text";
  if (required && x.get_ref<const std::string&>().empty())
    return "given";
  return std::nullopt;
}

problem check_word(const json& x, const std::vector<std::string>& words) {
  if (auto wrong = check_text(x, false))
    return wrong;
  const auto& text = x.get_ref<const std::string&>();
  if (text.empty()
      || std::find(words.begin(), words.end(), text) != words.end())
    return std::nullopt;
  return any_of(words);
}

problem check_user(const json& x) {
  if (auto wrong = check_text(x, true))
    return wrong;
  const auto& name = x.get_ref<const std::string&>();
  if (!legal_user_name(name))
    return "a user name, not " + shown(name);
  return std::nullopt;
}

problem check_number(const json& x, std::int64_t min, std::int64_t max) {
  // A number that only fits unsigned is beyond every maximum here.
  const bool fits =
    x.is_number_integer()
    && (!x.is_number_unsigned()
        || x.get<std::uint64_t>() <= static_cast<std::uint64_t>(max));
  if (fits && x.get<std::int64_t>() >= min && x.get<std::int64_t>() <= max)
    return std::nullopt;
  return "a number from " + std::to_string(min) + " to " + std::to_string(max);
}

problem check_limit(const json& x, bool with_default) {
  if (x.is_number_integer())
    return check_number(x, 0, no_cap - 1);
  if (x == "none" || (with_default && x == "default"))
    return std::nullopt;
  return with_default ? "a number, none or default" : "a number or none";
}

problem check_texts(const json& x) {
  if (!x.is_array() || x.size() > command_users_max)
    return "a list of at most " + std::to_string(command_users_max);
  if (std::any_of(x.begin(), x.end(), [](auto& y) { return !y.is_string(); }))
    return "a list of texts";
  return std::nullopt;
}

problem check_users(const json& x) {
  if (auto wrong = check_texts(x))
    return wrong;
  if (x.empty())
    return "given";
  for (const auto& entry : x)
    if (!legal_user_name(entry.get_ref<const std::string&>()))
      return "user names, not " + shown(entry.get<std::string>());
  return std::nullopt;
}

problem check_value(const argument_spec& row, const json& x) {
  switch (row.kind) {
    case value_kind::text:
    case value_kind::folder:
    case value_kind::files:
    case value_kind::file:
    case value_kind::password:
    case value_kind::optional_password:
    case value_kind::api_key:
      return check_text(x, row.required);
    case value_kind::word:
      return check_word(x, row.words);
    case value_kind::number:
      return check_number(x, row.min, row.max);
    case value_kind::time:
    case value_kind::expiry:
      return check_number(x, 0, std::numeric_limits<micros>::max());
    case value_kind::bytes:
      return x.is_number_integer() ? check_number(x, 0, argument_number_max)
                                   : check_limit(x, true);
    case value_kind::limit:
    case value_kind::limit_or_default:
      return check_limit(x, row.kind == value_kind::limit_or_default);
    case value_kind::user:
      return check_user(x);
    case value_kind::users:
      return check_users(x);
    case value_kind::names:
    case value_kind::each:
      return check_texts(x);
    case value_kind::flag:
      return x.is_boolean() ? problem{} : "true or false";
  }
  return std::nullopt;
}

/// The row's arguments as they travel.
std::vector<argument_spec> travelling(const command_spec& row) {
  auto out = row.arguments;
  for (auto& argument : out)
    argument.required = argument.required
                        || (is_secret(argument.kind)
                            && argument.kind != value_kind::optional_password);
  if (row.find(value_kind::files))
    out.push_back({"", "file_name", value_kind::text, "", "", true});
  return out;
}

} // namespace

caf::expected<admin_arguments> admin_arguments::parse(const std::string& text) {
  if (text.size() > arguments_bytes_max)
    return caf::make_error(ec::too_large,
                           std::string{"the arguments are larger than 16 MiB"});
  admin_arguments out;
  if (!text.empty())
    out.object_ = json_of(text);
  else
    out.object_ = json::object();
  if (!out.object_.is_object())
    return caf::make_error(ec::malformed,
                           std::string{"the arguments are no JSON object"});
  return out;
}

caf::error admin_arguments::check(const command_spec& row) {
  const auto refuse = [](std::string text) {
    return caf::make_error(ec::invalid_argument, std::move(text));
  };
  const auto known = travelling(row);
  for (const auto& argument : known) {
    const auto value = find(argument.key);
    const auto wrong = value               ? check_value(argument, *value)
                       : argument.required ? problem{"given"}
                                           : problem{};
    if (wrong)
      return refuse(argument.key + " must be " + *wrong);
    if (value && argument.kind == value_kind::expiry
        && value->get<micros>() <= came_us_)
      return refuse(argument.key + " must be a time that is yet to come");
    if (!value && argument.initial)
      object_[argument.key] = *argument.initial;
  }
  for (const auto& [key, value] : object_.items())
    if (std::none_of(known.begin(), known.end(),
                     [&](const auto& x) { return x.key == key; }))
      return refuse("unknown argument " + shown(key));
  return caf::none;
}

const json* admin_arguments::find(const std::string& key) const {
  const auto at = object_.find(key);
  return at != object_.end() && !at->is_null() ? &*at : nullptr;
}

std::optional<limit_given> admin_arguments::limit(const char* key) const {
  const auto value = find(key);
  if (!value)
    return std::nullopt;
  if (value->is_number())
    return limit_given{false, value->get<std::uint32_t>()};
  if (*value == "default")
    return limit_given{true, 0};
  return limit_given{false, no_cap};
}

void admin_arguments::put(const std::string& key, json value) {
  object_[key] = std::move(value);
}

std::optional<bytes_given> admin_arguments::bytes(const char* key) const {
  const auto value = find(key);
  if (!value)
    return std::nullopt;
  if (value->is_number())
    return bytes_given{false, value->get<std::uint64_t>()};
  return bytes_given{*value == "default", no_size_limit};
}

void admin_arguments::take(const char* key, std::uint32_t& to) const {
  if (const auto given = limit(key))
    to = given->value;
}

std::string admin_arguments::redacted(const command_spec& row) const {
  auto copy = object_;
  const auto hide = [&](const std::string& key) {
    if (copy.contains(key))
      copy[key] = "(not shown)";
  };
  for (const auto& argument : row.arguments)
    if (is_secret(argument.kind) || is_secret_text(argument)
        || argument.kind == value_kind::files
        || argument.kind == value_kind::file)
      hide(argument.key);
  // No argument, but somebody may take it for one.
  hide("key");
  const auto hide_parts = [&](const char* key, auto hidden) {
    if (const auto at = copy.find(key); at != copy.end() && at->is_string())
      *at = hidden(at->get<std::string>());
  };
  for (const auto* key : {"url", "downstream", "endpoint"})
    hide_parts(key, without_secrets);
  hide_parts("callback", without_query);
  hide_parts("command", without_arguments);
  auto out = ascii_json_text(copy);
  if (out.size() > 2'000) {
    out.resize(2'000);
    out += "...";
  }
  return out;
}

} // namespace depositd::operators
