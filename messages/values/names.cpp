#include "messages/values/names.hpp"

#include <algorithm>

namespace depositd {

namespace {

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
         || (c >= '0' && c <= '9');
}

} // namespace

bool legal_user_name(std::string_view name) noexcept {
  if (name.empty() || name.size() > 64 || name == "." || name == "..")
    return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return is_alphanumeric(c) || c == '.' || c == '_' || c == '-';
  });
}

bool legal_key_name(std::string_view name) noexcept {
  const auto mark = name.find('~');
  if (mark == std::string_view::npos)
    return legal_user_name(name);
  const auto number = name.substr(mark + 1);
  return legal_user_name(name.substr(0, mark)) && !number.empty()
         && number.size() <= 6
         && std::all_of(number.begin(), number.end(),
                        [](char c) { return c >= '0' && c <= '9'; });
}

bool legal_message_queue_name(std::string_view name) noexcept {
  if (name.empty() || name.size() > 255 || name == "." || name == "..")
    return false;
  if (name[0] == '_' && (name.size() < 2 || name[1] != '_'))
    return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'
           || c == '.' || c == ':' || c == '@' || c == '_';
  });
}

bool legal_queue_name(std::string_view name) noexcept {
  if (name.starts_with(dedup_queue_prefix))
    name.remove_prefix(dedup_queue_prefix.size());
  return legal_message_queue_name(name);
}

bool legal_mail_address(std::string_view x) noexcept {
  const auto at = x.find('@');
  constexpr std::string_view special = ",;:<>\"()";
  const bool is_plain = std::all_of(x.begin(), x.end(), [&](char c) {
    return c > ' ' && c < '\x7f' && special.find(c) == std::string_view::npos;
  });
  return is_plain && x.size() <= 254 && at != x.npos && at > 0
         && at + 1 < x.size() && x.find('@', at + 1) == x.npos;
}

bool legal_web_address(std::string_view x) noexcept {
  const auto host = x.starts_with("https://")  ? x.substr(8)
                    : x.starts_with("http://") ? x.substr(7)
                                               : std::string_view{};
  return !host.empty() && host.front() != '/'
         && std::all_of(x.begin(), x.end(),
                        [](char c) { return c > ' ' && c < '\x7f'; });
}

bool legal_processor_name(std::string_view name) noexcept {
  return legal_user_name(name);
}

} // namespace depositd
