#include "actors/operators/keys.hpp"

#include "actors/operators/change_kinds.hpp"

#include "messages/values/hex.hpp"
#include "messages/values/names.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace depositd::operators {

namespace {

using change = caf::expected<admin_change>;

/// As it may be repeated to an operator.
std::string shown(const std::string& text) {
  return to_text(document(text.substr(0, 100)));
}

constexpr std::array<std::pair<queue_right, std::string_view>, 4> rights{
  {{queue_right::post, "post"},
   {queue_right::poll, "poll"},
   {queue_right::get_status, "get_status"},
   {queue_right::any, "*"}}};

std::string_view word(queue_right x) {
  for (const auto& [right, text] : rights)
    if (right == x)
      return text;
  return "";
}

bool legal_pattern(std::string_view x) {
  if (!x.ends_with('*'))
    return legal_message_queue_name(x);
  x.remove_suffix(1);
  return x.empty() || x == "_" || x == "__" || legal_message_queue_name(x);
}

void append(std::vector<key_permit>& to, const std::vector<key_permit>& from) {
  for (const auto& permit : from)
    if (std::find(to.begin(), to.end(), permit) == to.end())
      to.push_back(permit);
}

/// What the arguments `permits` and `roles` give together.
caf::expected<std::vector<key_permit>>
gather(const std::vector<std::string>& permits,
       const std::vector<std::string>& roles) {
  std::vector<key_permit> out;
  for (const auto& text : permits) {
    auto permit = read_permit(text);
    if (!permit)
      return std::move(permit.error());
    append(out, {*permit});
  }
  for (const auto& role : roles) {
    const auto more = permits_of_role(role);
    if (!more)
      return more.error();
    append(out, *more);
  }
  if (out.empty())
    return refuse(ec::invalid_argument, "give a permit or a role");
  return out;
}

/// Nothing is revoked by removing one of two names of the same key.
caf::error check_digest_is_new(const control_state& now,
                               const key_changed& wanted) {
  for (const auto& [name, key] : now.keys)
    if (name != wanted.name && key.digest == wanted.digest)
      return refuse(ec::already_exists,
                    "this is the key of " + name + " already");
  return {};
}

document before_of(const control_state& now, const std::string& name) {
  const auto at = now.keys.find(name);
  return at == now.keys.end() ? document(nullptr) : key_document(at->second);
}

} // namespace

caf::expected<key_permit> read_permit(const std::string& text) {
  const auto wrong = [&](const char* why) {
    return refuse(ec::invalid_argument,
                  std::string{"a permit must look like queue|post|NAME, not "}
                    + shown(text) + ": " + why);
  };
  const auto first = text.find('|');
  const auto second =
    first == std::string::npos ? first : text.find('|', first + 1);
  if (second == std::string::npos)
    return wrong("it has three parts");
  if (text.substr(0, first) != "queue")
    return wrong("it begins with queue");
  const auto right = text.substr(first + 1, second - first - 1);
  key_permit out;
  out.queue = text.substr(second + 1);
  const auto known = std::find_if(rights.begin(), rights.end(), [&](auto& x) {
    return x.second == right;
  });
  if (known == rights.end())
    return wrong("the right is post, poll, get_status or *");
  if (!legal_pattern(out.queue))
    return wrong("it ends with the name of a queue, the beginning of a name "
                 "and *, or *");
  out.right = known->first;
  return out;
}

caf::expected<std::vector<key_permit>>
permits_of_role(const std::string& role) {
  using permits = std::vector<key_permit>;
  const key_permit post{queue_right::post, "*"};
  const key_permit poll{queue_right::poll, "*"};
  const key_permit look{queue_right::get_status, "*"};
  if (role == "queue_post")
    return permits{post, look};
  if (role == "queue_poll")
    return permits{poll, look};
  if (role == "queue_standard")
    return permits{post, poll, look};
  if (role == "queue_admin")
    return permits{{queue_right::any, "*"}, {queue_right::any, "__*"}};
  return refuse(ec::invalid_argument,
                "a role is queue_post, queue_poll, queue_standard or "
                "queue_admin, not "
                  + shown(role));
}

document key_document(const key_changed& x) {
  document out{{"name", x.name}, {"permits", document::array()}};
  for (const auto& permit : x.permits)
    out["permits"].push_back("queue|" + std::string{word(permit.right)} + "|"
                             + permit.queue);
  return out;
}

change add_key(admin_arguments& in, const control_state& now) {
  key_changed after;
  after.name = in.user("name");
  after.digest = in.text("digest");
  const auto permits = in.texts("permits");
  const auto roles = in.texts("roles");
  const bool replace = in.flag("replace");
  if (auto problem = in.finish())
    return problem;
  if (!is_sha256_hex(after.digest))
    return refuse(ec::invalid_argument,
                  "digest is no SHA-256 in lower case hexadecimal");
  auto granted = gather(permits, roles);
  if (!granted)
    return std::move(granted.error());
  after.permits = std::move(*granted);
  if (!replace && now.keys.count(after.name))
    return refuse(ec::already_exists,
                  after.name + " has a key already; see --replace");
  if (auto taken = check_digest_is_new(now, after))
    return taken;
  return admin_change{
    {after}, before_of(now, after.name), key_document(after)};
}

change remove_key(admin_arguments& in, const control_state& now) {
  const auto name = in.user("name");
  if (auto problem = in.finish())
    return problem;
  if (!now.keys.count(name))
    return refuse(ec::not_found, name + " has no key");
  return admin_change{{key_changed{name, "", {}}},
                      before_of(now, name),
                      {{"name", name}, {"removed", true}}};
}

} // namespace depositd::operators
