#include "adapters/doors/operations/api_arguments.hpp"

#include "messages/values/blanks.hpp"
#include "messages/values/json_text.hpp"
#include "messages/values/time_text.hpp"
#include "messages/values/utf8.hpp"

#include <charconv>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace depositd {

namespace {

using json = nlohmann::json;

constexpr int depth_max = 8;
constexpr micros day_us = micros{24} * 3600 * 1'000'000;
constexpr std::uint32_t days_max = 36'500;

caf::error refuse(std::string text) {
  return caf::make_error(ec::invalid_argument, std::move(text));
}

template <class T>
std::optional<T> whole(std::string_view text) {
  T out = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, out);
  if (text.empty() || stop != end || failure != std::errc{})
    return std::nullopt;
  return out;
}

/// A number, or the text: then the command says what it wants.
json number_or_text(const std::string& text) {
  if (const auto number = whole<std::int64_t>(text))
    return *number;
  return text;
}

/// "10k" is a number, too.
json bytes_of(const std::string& text) {
  constexpr std::string_view units = "kmg";
  const auto unit = text.empty() ? units.npos : units.find(text.back());
  if (unit == units.npos)
    return number_or_text(text);
  const auto shift = 10 * (unit + 1);
  const auto number =
    whole<std::int64_t>(std::string_view{text}.substr(0, text.size() - 1));
  if (!number || *number < 0 || *number > (argument_number_max >> shift))
    return text;
  return *number << shift;
}

caf::expected<json> time_of(const argument_spec& row, const std::string& text,
                            micros now) {
  if (const auto number = whole<std::int64_t>(text))
    return json(*number);
  if (row.kind == value_kind::expiry && text.ends_with('d')) {
    const auto days =
      whole<std::uint32_t>(std::string_view{text}.substr(0, text.size() - 1));
    if (days && *days > 0 && *days <= days_max)
      return json(now + *days * day_us);
  }
  const auto at = parse_utc(text);
  if (!at)
    return refuse(row.key + ": " + render(at.error()));
  return json(*at);
}

bool is_list(value_kind kind) {
  return kind == value_kind::names || kind == value_kind::users
         || kind == value_kind::each;
}

caf::expected<json> value_of(const argument_spec& row, const std::string& text,
                             micros now) {
  switch (row.kind) {
    case value_kind::number:
    case value_kind::limit:
    case value_kind::limit_or_default:
      return number_or_text(text);
    case value_kind::bytes:
      return bytes_of(text);
    case value_kind::time:
    case value_kind::expiry:
      return time_of(row, text, now);
    case value_kind::flag:
      if (text != "true" && text != "false" && !text.empty())
        return refuse(row.key + " must be true or false");
      return json(text != "false");
    default:
      return json(text);
  }
}

void add_to_list(json& list, value_kind kind, std::string_view text) {
  if (kind == value_kind::each) {
    list.push_back(std::string{text});
    return;
  }
  while (!text.empty()) {
    const auto end = text.find(',');
    const auto one = trimmed(text.substr(0, end));
    if (!one.empty())
      list.push_back(std::string{one});
    text = end == text.npos ? std::string_view{} : text.substr(end + 1);
  }
}

const argument_spec* argument_of(const command_spec& row,
                                 const std::string& name) {
  for (const auto& x : row.arguments)
    if (x.key == name || public_name(x) == name)
      return &x;
  return nullptr;
}

/// Adds one that was given; a name that the row does not know is kept, for the
/// command to say so.
caf::error add(api_arguments& to, const command_spec& row,
               const std::string& name, const std::string& text, micros now) {
  const auto* argument = argument_of(row, name);
  auto& object = to.object;
  if (!argument) {
    object[name] = text;
    return caf::none;
  }
  if (is_list(argument->kind)) {
    auto& list = object.emplace(argument->key, json::array()).first.value();
    add_to_list(list, argument->kind, text);
    return caf::none;
  }
  if (object.contains(argument->key))
    return refuse(name + " is given twice");
  auto value = value_of(*argument, text, now);
  if (!value)
    return std::move(value.error());
  object[argument->key] = std::move(*value);
  return caf::none;
}

/// Who reads a name that stands there twice may take either value.
caf::expected<json> read_object(const std::string& text) {
  bool too_deep = false;
  std::set<std::string> names;
  std::optional<std::string> twice;
  const auto look = [&](int depth, json::parse_event_t what, json& part) {
    too_deep = too_deep || depth > depth_max;
    if (what == json::parse_event_t::key && depth == 1 && !twice
        && !names.insert(part.get<std::string>()).second)
      twice = part.get<std::string>();
    return !too_deep;
  };
  auto out = json_of(text, look);
  if (too_deep || !out.is_object())
    return caf::make_error(ec::malformed,
                           std::string{"the body is no JSON object, or is "
                                       "nested too deeply"});
  if (twice)
    return refuse(twice->substr(0, 100) + " is given twice");
  return out;
}

/// Texts in place of what is no text, and other names.
caf::error tidy(json& object, const command_spec& row, micros now) {
  for (const auto& x : row.arguments) {
    const auto name = public_name(x);
    if (name != x.key && !object.contains(x.key) && object.contains(name)) {
      object[x.key] = std::move(object[name]);
      object.erase(name);
    }
    const auto at = object.find(x.key);
    // Whoever has a number out of an answer names what is meant by it.
    if (at != object.end() && x.kind == value_kind::text
        && at->is_number_integer())
      *at = at->dump();
    const bool converted = x.kind == value_kind::time
                           || x.kind == value_kind::expiry
                           || x.kind == value_kind::bytes;
    if (at == object.end() || !converted || !at->is_string())
      continue;
    auto value = value_of(x, at->get<std::string>(), now);
    if (!value)
      return std::move(value.error());
    *at = std::move(*value);
  }
  return caf::none;
}

} // namespace

std::string public_name(const argument_spec& x) {
  switch (x.kind) {
    case value_kind::password:
    case value_kind::optional_password:
      return "password";
    case value_kind::api_key:
      return "key";
    default:
      return x.key;
  }
}

caf::expected<api_arguments> arguments_in_query(const command_spec& row,
                                                const http::parameters& query,
                                                micros now) {
  api_arguments out;
  for (const auto& [name, text] : query) {
    if (find_invalid_utf8(name) != std::string::npos
        || find_invalid_utf8(text) != std::string::npos)
      return caf::make_error(ec::malformed,
                             std::string{"the query must be UTF-8"});
    if (auto wrong = add(out, row, name, text, now))
      return wrong;
  }
  return out;
}

caf::expected<api_arguments> arguments_in_body(const command_spec& row,
                                               const std::string& body,
                                               micros now) {
  api_arguments out;
  if (body.empty())
    return out;
  auto object = read_object(body);
  if (!object)
    return std::move(object.error());
  out.object = std::move(*object);
  if (const auto yes = out.object.find("yes"); yes != out.object.end()) {
    if (!yes->is_boolean())
      return refuse("yes must be true or false");
    out.yes = yes->get<bool>();
    out.object.erase(yes);
  }
  if (auto wrong = tidy(out.object, row, now))
    return wrong;
  return out;
}

} // namespace depositd
