// JSON of requests, and what stands around it.

#include "tests/fuzz/target.hpp"

#include "adapters/doors/emodb/wire_id.hpp"
#include "adapters/doors/kit/json_reader.hpp"
#include "messages/values/command_table.hpp"

#include <nlohmann/json.hpp>

namespace depositd::fuzz {

namespace {

std::string copied(std::string_view bytes, bool& is_whole) {
  kit::json_reader from{bytes};
  std::string out;
  is_whole = from.copy(out) && from.at_end() && from.finish();
  return out;
}

void copy(std::string_view bytes) {
  bool is_whole = false;
  const auto once = copied(bytes, is_whole);
  if (!is_whole)
    return;
  promise(once.size() <= 3 * bytes.size() + 3, "it does not grow much");
  const auto twice = copied(once, is_whole);
  promise(is_whole, "what was read can be read again");
  promise(once == twice, "it is as short as it can be");
}

/// What is taken without forgiveness is JSON to others, too.
void compare(std::string_view bytes) {
  kit::json_reader from{
    bytes,
    {.depth_max = 200, .byte_order_mark = false, .lone_surrogates = false}};
  const bool taken = from.skip() && from.at_end() && from.finish();
  if (taken)
    promise(nlohmann::json::accept(bytes), "another reader takes it");
  else if (from.fault() == kit::json_fault::syntax
           && from.why().find("deep") == std::string::npos)
    promise(!nlohmann::json::accept(bytes) || !bytes.starts_with('{'),
            "another reader refuses it");
}

void walk(kit::json_reader& from) {
  std::string name;
  const auto c = from.look();
  if (c == '{') {
    bool going_on = from.open('{');
    for (bool first = true; going_on && from.next('}', first);) {
      going_on = from.key(name);
      if (going_on)
        walk(from);
    }
  } else if (c == '[') {
    bool going_on = from.open('[');
    for (bool first = true; going_on && from.next(']', first);)
      walk(from);
  } else if (c == '"') {
    from.text(name);
  } else {
    from.skip();
  }
}

void walk_all(std::string_view bytes) {
  kit::json_reader from{bytes, {.depth_max = 100}};
  walk(from);
  (void)from.at_end();
  (void)from.finish();
}

void read_id(std::string_view bytes) {
  item_name name;
  if (emodb::read_wire_id(bytes, "q", name) != emodb::id_fault::none)
    return;
  std::string again;
  emodb::append_wire_id(again, name, "q");
  promise(again.size() == bytes.size(), "an id has one length");
}

void read_table(std::string_view bytes) {
  (void)parse_command_table(bytes);
}

const std::vector<std::string> texts{
  R"({"a":[1,-2.5e+10,"\u00e4\ud834\udd1e\n",null,true],"b":{"c":{}}})",
  R"(["x",{"id":"y","document":"z"}])",
  "[[[[[[]]]]]]",
  "\xef\xbb\xbf 1 ",
  R"("\ud800")",
  "1e400",
  R"({"a":1,"a":2})"};

} // namespace

std::vector<target> json_targets() {
  std::string id;
  emodb::append_wire_id(id, {7, 9}, "q");
  return {{"json_copy", copy, texts},
          {"json_like_others", compare, texts},
          {"json_walk", walk_all, texts},
          {"emodb_id", read_id, {id}},
          {"command_table",
           read_table,
           {R"({"commands":[{"words":"status","help":"h","arguments":[]}]})"}}};
}

} // namespace depositd::fuzz
