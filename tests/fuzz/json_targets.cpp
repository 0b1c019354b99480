// JSON of requests, and what stands around it.

#include "tests/fuzz/target.hpp"

#include "adapters/doors/emodb/wire_id.hpp"
#include "adapters/doors/kit/json_reader.hpp"
#include "messages/values/command_table.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

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

std::size_t longest_number(std::string_view bytes) {
  std::size_t out = 0;
  std::size_t now = 0;
  for (const char c : bytes) {
    now = c >= '0' && c <= '9' ? now + 1 : 0;
    out = std::max(out, now);
  }
  return out;
}

/// Without forgiveness it takes what others take.
void compare(std::string_view bytes) {
  // The other one skips a mark, takes a zero byte for the end, and whole
  // numbers for doubles.
  if (bytes.starts_with("\xef\xbb\xbf")
      || bytes.find('\0') != std::string_view::npos
      || longest_number(bytes) > 300)
    return;
  kit::json_reader from{bytes,
                        {.byte_order_mark = false, .lone_surrogates = false}};
  std::string out; // only what is copied has its numbers looked at
  const bool taken = from.copy(out) && from.at_end() && from.finish();
  if (taken)
    promise(nlohmann::json::accept(bytes), "another reader takes it");
  else if (from.why() != kit::json_too_deep)
    promise(!nlohmann::json::accept(bytes), "another reader refuses it");
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
