#include "config/source_settings.hpp"

#include "actors/rules/control/sources.hpp"
#include "config/setting_values.hpp"

#include <algorithm>

namespace depositd {

namespace {

constexpr std::string_view sources_section = "sources";
constexpr std::string_view schedulers_section = "schedulers";

bool is_in(const given_setting& x, std::string_view section) {
  return x.key.starts_with(section)
         && (x.key.size() == section.size() || x.key[section.size()] == '.');
}

caf::error refuse(const given_setting& x, const std::string& text) {
  return bad_setting(text + " (" + x.origin + ")");
}

/// "SECTION.NAME.FIELD", or "SECTION.NAME" alone; names have no dots.
template <class Table>
caf::error read_one(Table& to, std::size_t max, std::string_view section,
                    const given_setting& x) {
  if (x.key.size() == section.size())
    return x.empty ? caf::error{}
                   : refuse(x, x.key + ": must have names of what it has");
  const auto rest = x.key.substr(section.size() + 1);
  const auto dot = rest.find('.');
  const auto name = rest.substr(0, dot);
  if (!legal_source_name(name))
    return refuse(x, std::string{section} + "." + name.substr(0, 64)
                       + ": a name has 1 to 64 letters, digits, _ and -, and "
                         "is no word of the strategies");
  auto& one = to[name];
  if (to.size() > max)
    return refuse(x, std::string{section} + ": there are more than "
                       + std::to_string(max));
  if (dot == std::string::npos)
    return x.empty ? caf::error{} : refuse(x, x.key + ": must have settings");
  if (x.list)
    return refuse(x, x.key + ": must be one text, not a list");
  const auto text = x.empty ? std::string{} : x.values.front();
  if (auto wrong = rules::set_setting(one, name, rest.substr(dot + 1), text))
    return refuse(x, render(wrong));
  return caf::none;
}

/// Of a text that begins with the setting.
setting_fault fault_of(const caf::error& wrong) {
  const auto text = render(wrong);
  const auto colon = text.find(": ");
  if (colon == text.npos)
    return {text, ""};
  return {text.substr(0, colon), text.substr(colon + 2)};
}

bool is_given(const std::vector<given_setting>& given, const std::string& key) {
  return std::any_of(given.begin(), given.end(),
                     [&](const auto& x) { return x.key == key; });
}

} // namespace

bool is_source_key(const given_setting& x) {
  return is_in(x, sources_section) || is_in(x, schedulers_section);
}

caf::error read_source_key(depositd_settings& out, const given_setting& x) {
  if (is_in(x, sources_section))
    return read_one(out.sources, rules::sources_max, sources_section, x);
  return read_one(out.schedulers, rules::schedulers_max, schedulers_section, x);
}

caf::error read_fairness(depositd_settings& out, const std::string& queue,
                         const given_setting& x) {
  auto by = fair_by::turns;
  if (auto failure = read_word(x, by))
    return failure;
  if (by == fair_by::turns)
    out.fairness.erase(queue);
  else
    out.fairness[queue] = by;
  return caf::none;
}

setting_fault check_sources(const depositd_settings& x,
                            const std::vector<given_setting>& given) {
  for (const auto& [name, source] : x.sources)
    if (const auto key = "sources." + name + ".kind"; !is_given(given, key))
      return {key, "is required"};
  if (const auto wrong = rules::check(x.sources, x.schedulers))
    return fault_of(wrong);
  for (const auto& [name, scheduler] : x.schedulers) {
    const auto queue = x.queues.find(scheduler.queue);
    if (queue == x.queues.end())
      continue; // it is made
    const auto why = rules::why_not_fed(queue->first, queue->second);
    if (!why.empty())
      return {"schedulers." + name + ".queue", why};
  }
  return {};
}

sources_seen configured_sources(const depositd_settings& x) {
  sources_seen out;
  for (const auto& [name, source] : x.sources)
    out.sources.push_back({name, source});
  for (const auto& [name, scheduler] : x.schedulers)
    out.schedulers.push_back({name, scheduler});
  return out;
}

fairness_seen configured_fairness(const depositd_settings& x) {
  fairness_seen out;
  for (const auto& [queue, by] : x.fairness)
    out.queues.push_back({queue, by});
  return out;
}

} // namespace depositd
