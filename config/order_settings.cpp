#include "config/order_settings.hpp"

#include "config/s3_settings.hpp"
#include "config/setting_fields.hpp"
#include "messages/values/names.hpp"
#include "messages/values/words.hpp"

#include <functional>
#include <string_view>

namespace depositd {

namespace {

using setting_fields::number;
using settings = depositd_settings;

constexpr std::string_view restoration_prefix = "restoration.";
constexpr std::string_view reconcilers_prefix = "reconcilers.";
constexpr std::size_t restoration_max = 1'000;
constexpr std::size_t reconcilers_max = 64;
constexpr std::uint32_t day_s = 86'400;

struct reconciler_key {
  const char* name;
  std::function<caf::error(reconciler_settings&, const given_setting&)> read;
};

std::function<caf::error(reconciler_settings&, const given_setting&)>
number_of(std::uint32_t reconciler_settings::*to, std::uint32_t min,
          std::uint32_t max) {
  return [=](reconciler_settings& x, const given_setting& given) {
    return read_number(given, min, max, x.*to);
  };
}

const std::vector<reconciler_key>& reconciler_table() {
  using one = reconciler_settings;
  static const std::vector<reconciler_key> table{
    {"every_s", number_of(&one::every_s, 1, 366 * day_s)},
    {"query",
     [](one& x, const given_setting& given) {
       return read_word(given, x.query);
     }},
    {"count_max", number_of(&one::count_max, 1, 100'000)},
    {"age_days", number_of(&one::age_days, 0, 36'500)},
    {"queue",
     [](one& x, const given_setting& given) {
       return read_text(given, x.queue);
     }},
  };
  return table;
}

/// "PREFIX.NAME.FIELD", or "PREFIX.NAME" alone: all defaults.
struct named_key {
  std::string name;
  std::string field;
};

named_key parts_of(const given_setting& x, std::string_view prefix) {
  const auto rest = x.key.substr(prefix.size());
  const auto dot = rest.rfind('.');
  return {rest.substr(0, dot),
          dot == std::string::npos ? "" : rest.substr(dot + 1)};
}

/// Reads a field by its row in a table; without a field there is nothing.
template <class Table, class Owner>
caf::error read_field(const Table& table, const std::string& field,
                      const given_setting& x, Owner& to) {
  if (field.empty() && x.empty)
    return caf::none;
  std::string known;
  for (const auto& key : table) {
    if (field == key.name)
      return key.read(to, x);
    known += (known.empty() ? "" : ", ") + std::string{key.name};
  }
  return bad_setting("there is no such key; known: " + known);
}

caf::error too_many(std::size_t max) {
  return bad_setting("there are more than " + std::to_string(max));
}

/// Of one place; all but what only storage can be.
caf::error read_restoration(settings& out, const given_setting& x) {
  const auto [name, field] = parts_of(x, restoration_prefix);
  if (!legal_user_name(name))
    return bad_setting("\"" + name.substr(0, 64)
                       + "\" is no user, nor default");
  auto& target = out.restoration[name];
  if (out.restoration.size() > restoration_max)
    return too_many(restoration_max);
  if (field == "cold")
    return bad_setting("is for storage alone");
  return read_field(storage_setting_table(), field, x, target);
}

caf::error read_reconciler(settings& out, const given_setting& x) {
  const auto [name, field] = parts_of(x, reconcilers_prefix);
  if (!legal_user_name(name))
    return bad_setting("\"" + name.substr(0, 64)
                       + "\" is no name of a reconciler");
  auto& one = out.reconcilers[name];
  one.name = name;
  if (out.reconcilers.size() > reconcilers_max)
    return too_many(reconcilers_max);
  return read_field(reconciler_table(), field, x, one);
}

setting_fault check_restoration(const std::string& name,
                                const storage_settings& x) {
  return check_place("restoration." + name + ".", x.kind == storage_kind::s3,
                     x.path, x.s3,
                     name == "default" ? nullptr : "the folder for this user");
}

/// Whoever names the queue must mean the one that the query fills.
setting_fault check_queue(const reconciler_settings& x) {
  const std::string topic = topic_of(x.query);
  const auto pipeline = "aptrust_" + topic;
  if (x.queue.empty() || x.queue == topic || x.queue == pipeline
      || x.queue == pipeline + '.' + topic)
    return {};
  return {"reconcilers." + x.name + ".queue",
          "the query " + std::string{word(x.query)} + " fills the queue "
            + topic + ", not \"" + x.queue.substr(0, 64) + "\""};
}

} // namespace

std::vector<setting_key> order_keys() {
  using orders = order_settings;
  return {
    {"orders.fixity_age_days",
     number(0, 36'500, &settings::orders, &orders::fixity_age_days)},
    {"orders.recalled_days",
     number(1, 3'650, &settings::orders, &orders::recalled_days)},
  };
}

bool is_order_key(const given_setting& x) {
  return x.key.starts_with(restoration_prefix)
         || x.key.starts_with(reconcilers_prefix);
}

caf::error read_order_key(settings& out, const given_setting& x) {
  return x.key.starts_with(restoration_prefix) ? read_restoration(out, x)
                                               : read_reconciler(out, x);
}

std::vector<std::string> order_setting_names() {
  std::vector<std::string> out;
  for (const auto& key : storage_setting_table())
    if (std::string_view{key.name} != "cold")
      out.push_back(std::string{"restoration.NAME."} + key.name);
  for (const auto& key : reconciler_table())
    out.push_back(std::string{"reconcilers.NAME."} + key.name);
  return out;
}

setting_fault check_orders(const settings& x) {
  for (const auto& [name, place] : x.restoration)
    if (auto wrong = check_restoration(name, place); !wrong.key.empty())
      return wrong;
  for (const auto& [name, one] : x.reconcilers)
    if (auto wrong = check_queue(one); !wrong.key.empty())
      return wrong;
  return {};
}

} // namespace depositd
