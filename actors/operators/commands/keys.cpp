// API keys of the queue door.

#include "actors/operators/command.hpp"

#include "actors/rules/control/control.hpp"
#include "messages/shard.hpp"
#include "messages/values/hex.hpp"
#include "messages/values/names.hpp"
#include "messages/values/words.hpp"

#include <algorithm>

namespace depositd::operators {

namespace about_keys {
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
  if (!rules::is_queue_pattern(queue))
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

/// What is set for a key. Nothing that the key could be known by.
struct key_entry {
  key_changed key;
  key_terms_changed terms; ///< without a user: none
  micros used_us = never;
};

key_entry entry_of(const control_state& now, const std::string& name) {
  key_entry out;
  if (const auto at = now.keys.find(name); at != now.keys.end())
    out.key = at->second;
  if (const auto at = now.key_terms.find(name); at != now.key_terms.end())
    out.terms = at->second;
  if (const auto at = now.keys_used.find(name); at != now.keys_used.end())
    out.used_us = at->second.used_us;
  return out;
}

document key_document(const key_entry& x) {
  document out{{"name", x.key.name}, {"permits", document::array()}};
  for (const auto& permit : x.key.permits)
    out["permits"].push_back("queue|" + word(permit.right) + "|"
                             + permit.queue);
  const auto& terms = x.terms;
  if (!terms.user.empty() && terms.user != x.key.name)
    out["user"] = terms.user;
  if (terms.expires_us != never)
    out["expires_at"] = time_or_null(terms.expires_us);
  if (terms.queues_max > 0)
    out["queues_max"] = terms.queues_max;
  if (x.used_us != never)
    out["last_used_at"] = time_or_null(x.used_us);
  return out;
}

document before_of(const control_state& now, const std::string& name) {
  return now.keys.contains(name) ? key_document(entry_of(now, name))
                                 : document(nullptr);
}

void list(admin_pointer self, const admin_call_ptr& call) {
  with_control(self, call, [=](const control_snapshot& control) {
    document out;
    add_page(out, "keys", control->keys, call->arguments, [&](const auto& x) {
      return key_document(entry_of(*control, x.first));
    });
    deliver(call, out);
  });
}

/// Everything of a key but the key itself goes with it.
void end_rest(const control_state& now, const std::string& name,
              std::vector<event>& out) {
  if (now.key_terms.contains(name))
    out.emplace_back(key_terms_changed{name, ""});
  if (now.keys_used.contains(name))
    out.emplace_back(key_used{name});
}

std::vector<std::string> keys_of(const control_state& now,
                                 const std::string& user) {
  std::vector<std::string> out;
  for (const auto& [name, key] : now.keys)
    if (user_of_key(now, name) == user)
      out.push_back(name);
  return out;
}

/// The name of one more key of the user: the user's own, or that with a number.
std::string free_name(const control_state& now, const std::string& user) {
  auto out = user;
  for (int i = 2; now.keys.contains(out); ++i)
    out = user + '~' + std::to_string(i);
  return out;
}

/// So many keys of a user hold at one time: the old and the new one.
constexpr std::size_t keys_of_user_max = 2;

/// What the new key is called. `ec::already_exists`.
caf::expected<std::string> name_for(const admin_arguments& in,
                                    const control_state& now) {
  const auto user = in.text("name");
  const auto known = keys_of(now, user);
  if (in.flag("another") && in.flag("replace"))
    return refuse(ec::invalid_argument,
                  "give --replace or --another, not both");
  if (in.flag("another")) {
    if (known.size() >= keys_of_user_max)
      return refuse(ec::already_exists, user
                                          + " has two keys already: remove "
                                            "one of them first");
    return free_name(now, user);
  }
  if (!known.empty() && !in.flag("replace"))
    return refuse(ec::already_exists,
                  user + " has a key already; see --replace and --another");
  return known.empty() ? free_name(now, user) : known.front();
}

change add(const admin_arguments& in, const control_state& now) {
  key_entry after;
  after.key.digest = in.text("digest");
  if (!is_sha256_hex(after.key.digest))
    return refuse(ec::invalid_argument,
                  "digest is no SHA-256 in lower case hexadecimal");
  auto permits = granted(in);
  if (!permits)
    return std::move(permits.error());
  after.key.permits = std::move(*permits);
  auto name = name_for(in, now);
  if (!name)
    return std::move(name.error());
  after.key.name = *name;
  // Nothing is revoked by removing one of two names of the same key.
  for (const auto& [other, key] : now.keys)
    if (other != *name && key.digest == after.key.digest)
      return refuse(ec::already_exists,
                    "this is the key of " + other + " already");
  std::vector<event> events{after.key};
  end_rest(now, *name, events);
  const auto user = in.text("name");
  if (*name != user || in.has("expires") || in.has("queues_max")) {
    after.terms = {*name, user, in.number("expires"),
                   static_cast<std::uint32_t>(in.number("queues_max"))};
    events.emplace_back(after.terms);
  }
  return admin_change{std::move(events), before_of(now, *name),
                      key_document(after)};
}

change remove(const admin_arguments& in, const control_state& now) {
  const auto name = in.text("name");
  if (!now.keys.contains(name)) {
    const auto others = keys_of(now, name);
    return refuse(ec::not_found, others.empty() ? name + " has no key"
                                                : name + " has another key: "
                                                    + others.front());
  }
  std::vector<event> events{key_changed{name, "", {}}};
  end_rest(now, name, events);
  return admin_change{std::move(events),
                      before_of(now, name),
                      {{"name", name}, {"removed", true}}};
}

} // namespace
} // namespace about_keys

std::vector<command> key_commands() {
  using namespace about_keys;
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
  argument_spec queues_max{"--queues-max", "queues_max", kind::number, "N",
                           "Queues that come with its first use"};
  queues_max.min = 1;
  queues_max.max = 1'000'000;
  return {
    reading("key list", "Names and permits, expiry and last use",
            {limit_argument(10'000),
             after_argument("NAME", "Go on after this name", "key list")},
            {table_view("keys", "KEY={name}; PERMITS={permits}; USER={user}; "
                                "EXPIRES={expires_at:time}; "
                                "USED={last_used_at:time}; "
                                ">QUEUES={queues_max}"),
             next_page_line("keys")},
            list),
    doing(
      "key add", "Make a key; it is printed once",
      {name_argument("Name of the key, also as a user", "NAME", "", kind::user),
       permit,
       role,
       {"--key-stdin", "digest", kind::api_key, "",
        "Read the key from the first line of standard input"},
       {"--replace", "replace", kind::flag, "", "The name may have a key"},
       {"--another", "another", kind::flag, "",
        "A second key beside the one that the name has, until that is removed"},
       {"--expires", "expires", kind::expiry, "WHEN",
        "Until then it holds: a time, or 90d from now"},
       queues_max},
      add),
    asking("Remove this key?",
           doing("key remove", "Remove a key; items stay",
                 {name_argument("Name of the key", "NAME", "key list")},
                 remove)),
  };
}

} // namespace depositd::operators
