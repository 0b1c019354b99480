// What operators set of users, keys and themselves. Nobody inside the engine
// may mix it up, and no restart may lose it.

#include "messages/shard.hpp"
#include "messages/values/operator_events.hpp"
#include "tests/simulation/world.hpp"
#include "tests/simulation/world_ask.hpp"

#include <string>
#include <utility>

namespace depositd::simulation {

namespace {

constexpr std::size_t digest_digits = 64;

std::string some_digest(chance& any) {
  return std::string(digest_digits, "0123456789abcdef"[any.below(16)]);
}

std::string one_of_few(const char* what, chance& any, std::uint32_t few = 3) {
  return what + std::to_string(any.below(few));
}

/// How a user is told. Of those without mail a callback decides whether they
/// are told at all.
event some_contact(chance& any, const std::string& user) {
  contact_changed out;
  out.user = user;
  if (any.one_in(3))
    out.mail = user + "@example.org";
  if (!any.one_in(3))
    out.callback = one_of_few("https://example.org/", any);
  return out;
}

event some_account(chance& any, const std::string& user) {
  account_changed out;
  out.user = user;
  if (!any.one_in(3))
    out.password_hash = one_of_few("a hash ", any);
  if (any.one_in(2))
    out.prefixes = {"10.5555"};
  return out;
}

event some_key(chance& any) {
  key_changed out;
  out.name = one_of_few("k", any);
  if (any.one_in(4))
    return out; // it ends
  out.digest = some_digest(any);
  out.permits = {{queue_right::poll, one_of_few("q", any)}};
  return out;
}

event some_terms(chance& any, const std::string& user) {
  key_terms_changed out;
  out.key = one_of_few("k", any);
  if (any.one_in(3))
    return out; // they end
  out.user = user;
  out.queues_max = any.below(3);
  return out;
}

/// Of the bytes that wait: what is refused then may never be there.
event some_quota(chance& any, const std::string& user) {
  quota_changed out;
  out.queue = queue_names[any.below(3)];
  if (any.one_in(2))
    out.user = user;
  out.has_bytes_max = !any.one_in(3);
  out.bytes_max = any.below(600);
  out.has_requests_per_second = any.one_in(4);
  out.requests_per_second = 1 + any.below(3);
  return out;
}

event some_operator(chance& any) {
  operator_changed out;
  out.name = one_of_few("o", any);
  out.role = static_cast<operator_role>(any.below(4));
  if (any.one_in(2))
    out.users = {one_of_few("u", any)};
  out.removed = any.one_in(3);
  return out;
}

event some_token(chance& any) {
  operator_token_changed out;
  out.operator_name = one_of_few("o", any);
  out.name = one_of_few("t", any);
  out.digest = some_digest(any);
  out.removed = any.one_in(3);
  return out;
}

event some_place(chance& any) {
  processor_placed out;
  out.processor = one_of_few("more", any);
  if (!any.one_in(3))
    out.nodes = {one_of_few("e", any)};
  return out;
}

/// Slots inside the engines that come and go.
event some_processor(chance& any) {
  processor_changed out;
  out.spec.name = "more0";
  out.spec.types = {"metadata"};
  out.spec.slots = 1 + any.below(3);
  out.removed = any.one_in(3);
  return out;
}

} // namespace

void world::step_of_accounts() {
  auto& any = account_chance_;
  const auto user
    = std::string{"u"}.append(std::to_string(any.below(knobs_.users)));
  switch (any.below(14)) {
    default:
      return change({some_contact(any, user)});
    case 4:
      return change({some_account(any, user)});
    case 5:
      return change({some_key(any)});
    case 6:
      return change({some_terms(any, user)});
    case 7:
    case 8:
      return change({some_quota(any, user)});
    case 9:
      return change({some_operator(any)});
    case 10:
      return change({some_token(any)});
    case 11:
      return change({some_place(any)});
    case 12:
      return change({some_processor(any)});
    case 13:
      return ask(note_key_use{one_of_few("k", any),
                              wall_offset_us_ + now_us()},
                 [](const done&) {});
  }
}

} // namespace depositd::simulation
