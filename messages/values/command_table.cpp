#include "messages/values/command_table.hpp"

#include "messages/values/json_text.hpp"

#include <nlohmann/json.hpp>

namespace nlohmann {

template <>
struct adl_serializer<std::optional<std::int64_t>> {
  static void to_json(json& to, const std::optional<std::int64_t>& x) {
    to = x ? json(*x) : json(nullptr);
  }

  static void from_json(const json& from, std::optional<std::int64_t>& x) {
    x.reset();
    if (!from.is_null())
      x = from.get<std::int64_t>();
  }
};

} // namespace nlohmann

namespace depositd {

NLOHMANN_JSON_SERIALIZE_ENUM(
  value_kind, {{value_kind::text, "text"},
               {value_kind::word, "word"},
               {value_kind::number, "number"},
               {value_kind::limit, "limit"},
               {value_kind::limit_or_default, "limit_or_default"},
               {value_kind::time, "time"},
               {value_kind::user, "user"},
               {value_kind::names, "names"},
               {value_kind::users, "users"},
               {value_kind::each, "each"},
               {value_kind::flag, "flag"},
               {value_kind::folder, "folder"},
               {value_kind::files, "files"},
               {value_kind::file, "file"},
               {value_kind::password, "password"},
               {value_kind::optional_password, "optional_password"},
               {value_kind::api_key, "api_key"},
               {value_kind::expiry, "expiry"},
               {value_kind::bytes, "bytes"}})

NLOHMANN_JSON_SERIALIZE_ENUM(block_kind, {{block_kind::table, "table"},
                                          {block_kind::pairs, "pairs"},
                                          {block_kind::line, "line"},
                                          {block_kind::fields, "fields"},
                                          {block_kind::lines, "lines"},
                                          {block_kind::file, "file"}})

// A field that an older or newer engine leaves out keeps its default.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(argument_spec, spelling, key,
                                                kind, value, help, required,
                                                names_from, words, min, max,
                                                initial)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(column_spec, title, cell, outer)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(view_block, kind, rows, inner,
                                                where, when, columns, text, gap,
                                                joins)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(command_spec, words, help,
                                                arguments, reads, question,
                                                counts_first, patience_s, alias,
                                                view)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(command_group, word, help)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(command_table, groups, commands)

const argument_spec* command_spec::find(value_kind kind) const {
  for (const auto& argument : arguments)
    if (argument.kind == kind)
      return &argument;
  return nullptr;
}

std::string to_json_text(const command_table& x) {
  return json_text(nlohmann::json(x));
}

std::optional<command_table> parse_command_table(std::string_view text) {
  try {
    auto out = sound_json_of(text).get<command_table>();
    if (out.commands.empty())
      return std::nullopt;
    return out;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

} // namespace depositd
