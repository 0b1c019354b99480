#include "config/setting_values.hpp"

#include <charconv>

namespace depositd {

namespace {

const std::string* single(const given_setting& x) {
  return x.list || x.empty ? nullptr : &x.values.front();
}

bool parse_number(const std::string& text, std::uint64_t& out) {
  const auto end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, out);
  return !text.empty() && stop == end && failure == std::errc{};
}

} // namespace

caf::error bad_setting(std::string text) {
  return caf::make_error(ec::bad_setting, std::move(text));
}

caf::error read_number(const given_setting& x, std::uint32_t min,
                       std::uint32_t max, std::uint32_t& out) {
  std::uint64_t number = 0;
  const auto text = single(x);
  if (!text || !parse_number(*text, number) || number < min || number > max)
    return bad_setting("must be a number from " + std::to_string(min) + " to "
                       + std::to_string(max));
  out = static_cast<std::uint32_t>(number);
  return caf::none;
}

caf::error read_cap(const given_setting& x, std::uint32_t& out) {
  const auto text = single(x);
  if (text && *text == "none") {
    out = no_cap;
    return caf::none;
  }
  if (read_number(x, 0, no_cap - 1, out))
    return bad_setting("must be a number or none");
  return caf::none;
}

caf::error read_flag(const given_setting& x, bool& out) {
  const auto text = single(x);
  if (!text || (*text != "true" && *text != "false"))
    return bad_setting("must be true or false");
  out = *text == "true";
  return caf::none;
}

caf::error read_text(const given_setting& x, std::string& out) {
  if (x.list)
    return bad_setting("must be one text, not a list");
  out = x.empty ? std::string{} : x.values.front();
  for (const unsigned char c : out)
    if (c < 0x20 || c == 0x7f)
      return bad_setting("must not contain control characters");
  return caf::none;
}

caf::error read_endpoint(const given_setting& x, endpoint& out) {
  const auto text = single(x);
  if (!text)
    return bad_setting("must be HOST:PORT");
  auto parsed = parse_endpoint(*text);
  if (!parsed)
    return bad_setting("must be HOST:PORT");
  out = std::move(*parsed);
  return caf::none;
}

caf::error read_names(const given_setting& x, std::vector<std::string>& out) {
  out.clear();
  for (const auto& value : x.values) {
    if (x.list) {
      if (!value.empty())
        out.push_back(value);
      continue;
    }
    std::string name;
    // From the command line a list may be written as in the file.
    const bool bracketed = value.starts_with('[') && value.ends_with(']');
    const auto bare =
      bracketed ? value.substr(1, value.size() - 2) : value;
    for (const char c : bare + ",") {
      if (c != ',' && c != ' ') {
        name += c;
      } else if (!name.empty()) {
        out.push_back(std::move(name));
        name.clear();
      }
    }
  }
  return caf::none;
}

caf::error read_endpoints(const given_setting& x, std::size_t max,
                          std::vector<endpoint>& out) {
  std::vector<std::string> names;
  if (auto failure = read_names(x, names))
    return failure;
  std::vector<endpoint> all;
  for (const auto& name : names) {
    auto at = parse_endpoint(name);
    if (!at || at->port == 0)
      return bad_setting("must be a list of HOST:PORT, \"" + name.substr(0, 100)
                         + "\" is none");
    all.push_back(std::move(*at));
  }
  if (all.size() > max)
    return bad_setting("must have at most " + std::to_string(max) + " entries");
  out = std::move(all);
  return caf::none;
}

} // namespace depositd
