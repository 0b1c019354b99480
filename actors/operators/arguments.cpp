#include "actors/operators/arguments.hpp"

#include "messages/values/names.hpp"

namespace depositd::operators {

namespace {

using json = nlohmann::json;

/// Printable, short, one line.
std::string shown(const std::string& text) {
  return json(text.substr(0, 100))
    .dump(-1, ' ', true, json::error_handler_t::replace);
}

} // namespace

caf::expected<admin_arguments> admin_arguments::parse(const std::string& text) {
  if (text.size() > arguments_bytes_max)
    return caf::make_error(ec::too_large,
                           std::string{"the arguments are larger than 16 MiB"});
  admin_arguments out;
  if (!text.empty())
    out.object_ = json::parse(text, nullptr, false);
  else
    out.object_ = json::object();
  if (!out.object_.is_object())
    return caf::make_error(ec::malformed,
                           std::string{"the arguments are no JSON object"});
  return out;
}

bool admin_arguments::has(const char* key) const {
  const auto at = object_.find(key);
  return at != object_.end() && !at->is_null();
}

const json* admin_arguments::find(const char* key) {
  asked_.insert(key);
  return has(key) ? &*object_.find(key) : nullptr;
}

void admin_arguments::refuse(const char* key, const std::string& wanted) {
  if (problem_.empty())
    problem_ = std::string{key} + " must be " + wanted;
}

std::string admin_arguments::text(const char* key) {
  auto out = text_or(key, "");
  if (out.empty())
    refuse(key, "given");
  return out;
}

std::string admin_arguments::text_or(const char* key, const char* fallback) {
  const auto value = find(key);
  if (!value)
    return fallback;
  if (value->is_string())
    return value->get<std::string>();
  refuse(key, "a text");
  return fallback;
}

std::int64_t admin_arguments::number(const char* key, std::int64_t min,
                                     std::int64_t max) {
  if (!find(key))
    refuse(key, "given");
  return number_or(key, min, max, min);
}

std::int64_t admin_arguments::number_or(const char* key, std::int64_t min,
                                        std::int64_t max,
                                        std::int64_t fallback) {
  const auto value = find(key);
  if (!value)
    return fallback;
  // A number that only fits unsigned is beyond every maximum here.
  const bool fits =
    value->is_number_integer()
    && (!value->is_number_unsigned()
        || value->get<std::uint64_t>() <= static_cast<std::uint64_t>(max));
  if (fits && value->get<std::int64_t>() >= min
      && value->get<std::int64_t>() <= max)
    return value->get<std::int64_t>();
  refuse(key,
         "a number from " + std::to_string(min) + " to " + std::to_string(max));
  return fallback;
}

bool admin_arguments::flag(const char* key) {
  const auto value = find(key);
  if (value && !value->is_boolean())
    refuse(key, "true or false");
  return value && value->is_boolean() && value->get<bool>();
}

std::vector<std::string> admin_arguments::texts(const char* key) {
  const auto value = find(key);
  std::vector<std::string> out;
  if (!value)
    return out;
  if (!value->is_array() || value->size() > command_users_max) {
    refuse(key, "a list of at most " + std::to_string(command_users_max));
    return out;
  }
  for (const auto& entry : *value) {
    if (!entry.is_string()) {
      refuse(key, "a list of texts");
      return {};
    }
    out.push_back(entry.get<std::string>());
  }
  return out;
}

std::optional<limit_given> admin_arguments::limit(const char* key,
                                                  bool with_default) {
  const auto value = find(key);
  if (!value)
    return std::nullopt;
  if (value->is_string() && *value == "none")
    return limit_given{false, no_cap};
  if (with_default && value->is_string() && *value == "default")
    return limit_given{true, 0};
  if (value->is_number_integer()) {
    const auto number = number_or(key, 0, no_cap - 1, 0);
    return limit_given{false, static_cast<std::uint32_t>(number)};
  }
  refuse(key, with_default ? "a number, none or default" : "a number or none");
  return std::nullopt;
}

std::string admin_arguments::user(const char* key) {
  auto out = text(key);
  if (!out.empty() && !legal_user_name(out))
    refuse(key, "a user name, not " + shown(out));
  return out;
}

std::vector<std::string> admin_arguments::users(const char* key) {
  auto out = texts(key);
  if (out.empty())
    refuse(key, "given");
  for (const auto& name : out)
    if (!legal_user_name(name))
      refuse(key, "user names, not " + shown(name));
  return out;
}

caf::error admin_arguments::finish() const {
  if (!problem_.empty())
    return caf::make_error(ec::invalid_argument, problem_);
  for (const auto& [key, value] : object_.items())
    if (!asked_.count(key))
      return caf::make_error(ec::invalid_argument,
                             "unknown argument " + shown(key));
  return caf::none;
}

std::string admin_arguments::redacted() const {
  auto copy = object_;
  // "key" is no argument, but somebody may take it for one.
  for (const auto key : {"password_hash", "digest", "key", "content_base64"})
    if (copy.contains(key))
      copy[key] = "(not shown)";
  auto out = copy.dump(-1, ' ', true, json::error_handler_t::replace);
  if (out.size() > 2'000) {
    out.resize(2'000);
    out += "...";
  }
  return out;
}

} // namespace depositd::operators
