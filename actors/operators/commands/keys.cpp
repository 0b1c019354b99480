// API keys of the queue door.

#include "actors/operators/command.hpp"

#include "messages/shard.hpp"
#include "messages/values/hex.hpp"
#include "messages/values/names.hpp"
#include "messages/values/words.hpp"

#include <algorithm>
#include <map>

namespace depositd::operators {

namespace {

using permits = std::vector<key_permit>;

/// What a role is short for.
const std::vector<std::pair<std::string, permits>>& roles() {
  static const key_permit post{queue_right::post, "*"};
  static const key_permit poll{queue_right::poll, "*"};
  static const key_permit look{queue_right::get_status, "*"};
  static const std::vector<std::pair<std::string, permits>> all{
    {"queue_post", {post, look}},
    {"queue_poll", {poll, look}},
    {"queue_standard", {post, poll, look}},
    {"queue_admin", {{queue_right::any, "*"}, {queue_right::any, "__*"}}}};
  return all;
}

std::vector<std::string> role_names() {
  std::vector<std::string> out;
  for (const auto& role : roles())
    out.push_back(role.first);
  return out;
}

bool legal_pattern(std::string_view x) {
  if (!x.ends_with('*'))
    return legal_message_queue_name(x);
  x.remove_suffix(1);
  return x.empty() || x == "_" || x == "__" || legal_message_queue_name(x);
}

/// `queue|RIGHT|PATTERN`; PATTERN is a queue, the beginning of some and a `*`,
/// or `*`. `ec::invalid_argument`.
caf::expected<permits> read_permit(const std::string& text) {
  const auto wrong = [&](const std::string& why) {
    return refuse(ec::invalid_argument,
                  "a permit must look like queue|post|NAME, not " + shown(text)
                    + ": " + why);
  };
  const auto first = text.find('|');
  const auto second =
    first == std::string::npos ? first : text.find('|', first + 1);
  if (second == std::string::npos)
    return wrong("it has three parts");
  if (text.substr(0, first) != "queue")
    return wrong("it begins with queue");
  const auto right =
    find_word<queue_right>(text.substr(first + 1, second - first - 1));
  const auto queue = text.substr(second + 1);
  if (!right)
    return wrong("the right is " + any_of(all_words<queue_right>()));
  if (!legal_pattern(queue))
    return wrong("it ends with the name of a queue, the beginning of a name "
                 "and *, or *");
  return permits{{*right, queue}};
}

caf::expected<permits> permits_of_role(const std::string& name) {
  for (const auto& role : roles())
    if (role.first == name)
      return role.second;
  return refuse(ec::invalid_argument,
                "a role is " + any_of(role_names()) + ", not " + shown(name));
}

/// What the arguments `permits` and `roles` give together.
caf::expected<permits> granted(const admin_arguments& in) {
  permits out;
  for (const auto& [key, read] : {std::pair{"permits", &read_permit},
                                  std::pair{"roles", &permits_of_role}})
    for (const auto& text : in.texts(key)) {
      const auto more = read(text);
      if (!more)
        return more.error();
      for (const auto& permit : *more)
        if (std::find(out.begin(), out.end(), permit) == out.end())
          out.push_back(permit);
    }
  if (out.empty())
    return refuse(ec::invalid_argument, "give a permit or a role");
  return out;
}

/// Name and permits; nothing that the key could be known by.
document key_document(const key_changed& x) {
  document out{{"name", x.name}, {"permits", document::array()}};
  for (const auto& permit : x.permits)
    out["permits"].push_back("queue|" + word(permit.right) + "|"
                             + permit.queue);
  return out;
}

document before_of(const control_state& now, const std::string& name) {
  const auto at = now.keys.find(name);
  return at == now.keys.end() ? document(nullptr) : key_document(at->second);
}

void list(admin_pointer self, const admin_call_ptr& call) {
  ask(self, call, self->state.options.shard, watch_control{nullptr},
      [=](const control_changed& control) {
        document out;
        add_page(out, "keys", control.state->keys, call->arguments,
                 [](const auto& x) { return key_document(x.second); });
        deliver(call, out);
      });
}

change add(const admin_arguments& in, const control_state& now) {
  key_changed after{in.text("name"), in.text("digest"), {}};
  if (!is_sha256_hex(after.digest))
    return refuse(ec::invalid_argument,
                  "digest is no SHA-256 in lower case hexadecimal");
  auto permits = granted(in);
  if (!permits)
    return std::move(permits.error());
  after.permits = std::move(*permits);
  if (!in.flag("replace") && now.keys.count(after.name))
    return refuse(ec::already_exists,
                  after.name + " has a key already; see --replace");
  // Nothing is revoked by removing one of two names of the same key.
  for (const auto& [name, key] : now.keys)
    if (name != after.name && key.digest == after.digest)
      return refuse(ec::already_exists,
                    "this is the key of " + name + " already");
  return admin_change{{after}, before_of(now, after.name), key_document(after)};
}

change remove(const admin_arguments& in, const control_state& now) {
  const auto name = in.text("name");
  if (!now.keys.count(name))
    return refuse(ec::not_found, name + " has no key");
  return admin_change{{key_changed{name, "", {}}},
                      before_of(now, name),
                      {{"name", name}, {"removed", true}}};
}

} // namespace

std::vector<command> key_commands() {
  using kind = value_kind;
  const argument_spec permit{"--permit", "permits", kind::each,
                             "queue|RIGHT|PATTERN",
                             "RIGHT: " + any_of(all_words<queue_right>())
                               + "; PATTERN: a queue, the beginning of one and "
                                 "*, or *; may be repeated"};
  const auto names = role_names();
  const argument_spec role{
    "--role", "roles", kind::each, "ROLE", any_of(names) + "; may be repeated",
    false,    "",      names};
  return {
    reading("key list", "Names and permits",
            {limit_argument(10'000),
             after_argument("NAME", "Go on after this name", "key list")},
            {table_view("keys", "KEY={name}; PERMITS={permits}"),
             next_page_line("keys")},
            list),
    doing(
      "key add", "Make a key; it is printed once",
      {name_argument("Name of the key, also as a user", "NAME", "", kind::user),
       permit,
       role,
       {"--key-stdin", "digest", kind::api_key, "",
        "Read the key from the first line of standard input"},
       {"--replace", "replace", kind::flag, "", "The name may have a key"}},
      add),
    asking("Remove this key?", doing("key remove", "Remove a key; items stay",
                                     {name_argument("Name of the key", "NAME",
                                                    "key list", kind::user)},
                                     remove)),
  };
}

} // namespace depositd::operators
