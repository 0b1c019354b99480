// Passwords and keys go no further than this door: only hashes and digests do.

#include "adapters/doors/kit/passwords.hpp"
#include "adapters/doors/operations/api_answers.hpp"
#include "adapters/doors/operations/api_parts.hpp"
#include "messages/thread_probe.hpp"
#include "messages/values/hex.hpp"
#include "messages/values/password_hash.hpp"

#include <caf/event_based_actor.hpp>

#include <algorithm>
#include <system_error>
#include <utility>

#include <sodium.h>

namespace depositd {

namespace {

using json = nlohmann::json;
using then = std::function<void(const json&, const std::string&)>;

/// Each takes 20 MiB and a core for a while.
constexpr std::size_t hashing_max = 2;
constexpr std::size_t key_length_min = 16;
constexpr std::size_t key_length_max = 256;

void refuse(const api_call_ptr& call, const std::string& text) {
  call->from.answer->send(api_refusal(400, "invalid_argument", text));
}

std::string new_key() {
  unsigned char bytes[32];
  randombytes_buf(bytes, sizeof bytes);
  return to_hex({reinterpret_cast<const char*>(bytes), sizeof bytes});
}

bool legal_key(const std::string& x) {
  return x.size() >= key_length_min && x.size() <= key_length_max
         && std::all_of(x.begin(), x.end(),
                        [](char c) { return c > ' ' && c < '\x7f'; });
}

/// On a thread of its own, which ends with it; no text if there is none.
void hash(api_pointer self, const std::string& password,
          std::function<void(const std::string&)> use) {
  try {
    look_for_thread();
  } catch (const std::system_error&) {
    return use({});
  }
  ++self->state.hashing;
  const auto door = caf::actor_cast<api_door_self>(self);
  self->spawn<caf::detached>([=](caf::event_based_actor* worker) {
    worker->send(door,
                 api_password_hashed{use, kit::hash_of_password(password)});
  });
}

const argument_spec* password_of(const command_spec& row, const json& object) {
  const auto* out = row.find(value_kind::password);
  if (!out)
    out = row.find(value_kind::optional_password);
  return out && object.contains(out->key) ? out : nullptr;
}

void with_password(api_pointer self, const api_call_ptr& call,
                   const std::string& key, json object, const std::string& made,
                   const then& go_on) {
  if (!object[key].is_string())
    return refuse(call, "password must be a text");
  const auto password = object[key].get<std::string>();
  if (legal_password_hash(password))
    return go_on(object, made);
  if (password.empty() || password.size() > password_bytes_max)
    return refuse(call, "the password must have 1 to 1024 bytes");
  if (self->state.hashing >= hashing_max)
    return static_cast<void>(call->from.answer->send(
      api_refusal(503, "overloaded", "other passwords are being hashed")));
  hash(self, password, [=](const std::string& text) {
    if (text.empty())
      return static_cast<void>(call->from.answer->send(
        api_refusal(503, "overloaded",
                    "not enough memory or threads for the password")));
    auto hashed = object;
    hashed[key] = text;
    go_on(hashed, made);
  });
}

} // namespace

void with_secrets(api_pointer self, const api_call_ptr& call,
                  const command_spec& row, json object, then go_on) {
  std::string made;
  if (const auto* key = row.find(value_kind::api_key)) {
    auto& text = object[key->key];
    if (text.is_null())
      text = made = new_key();
    if (!text.is_string() || !legal_key(text.get<std::string>()))
      return refuse(call, "key must be 16 to 256 printable characters of "
                          "ASCII without blanks");
    text = digest_of_token(text.get<std::string>());
  }
  if (const auto* password = password_of(row, object))
    return with_password(self, call, password->key, std::move(object), made,
                         go_on);
  go_on(object, made);
}

} // namespace depositd
