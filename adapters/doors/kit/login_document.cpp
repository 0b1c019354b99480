#include "adapters/doors/kit/login_document.hpp"

#include "messages/values/json_text.hpp"

namespace depositd::kit {

std::optional<login_document> read_login_document(std::string_view text) {
  using nlohmann::json;
  int names = 0;
  int passwords = 0;
  const auto look = [&](int depth, json::parse_event_t what, json& part) {
    if (what == json::parse_event_t::key && depth == 1) {
      names += part == "name";
      passwords += part == "password";
    }
    return depth <= 1;
  };
  const auto x = json_of(text, look);
  if (!x.is_object() || names != 1 || passwords != 1)
    return std::nullopt;
  const auto name = x.find("name");
  const auto password = x.find("password");
  if (name == x.end() || !name->is_string() || password == x.end()
      || !password->is_string())
    return std::nullopt;
  return login_document{name->get<std::string>(), password->get<std::string>()};
}

} // namespace depositd::kit
