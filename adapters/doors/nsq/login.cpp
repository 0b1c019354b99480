#include "adapters/doors/nsq/login.hpp"

#include "adapters/doors/kit/json_text.hpp"
#include "adapters/doors/kit/turnstile.hpp"
#include "messages/values/clock.hpp"
#include "messages/values/names.hpp"

#include <utility>

namespace depositd::nsq {

std::string user_name_of(const std::string& text) {
  constexpr std::size_t bytes_max = 64;
  std::string out = text.substr(0, bytes_max);
  for (auto& c : out)
    if (!legal_user_name("x" + std::string(1, c)))
      c = '_';
  return legal_user_name(out) ? out : "_" + out.substr(0, bytes_max - 1);
}

std::string user_of_address(const std::string& address) {
  auto out = kit::holder_of(address);
  for (auto& c : out)
    if (c == ':')
      c = '-';
  return user_name_of(out);
}

login::verdict login::refuse(std::string_view code, const std::string& why) {
  refused_ = refusal::of(code, why);
  return verdict::no;
}

bool login::find_key(const std::shared_ptr<const kit::key_ring>& keys) {
  if (keys_ != keys) {
    keys_ = keys;
    key_ = keys->find(secret_); // without one: the anonymous caller
  }
  return key_ != nullptr && !key_->has_expired(engine_clock::system().now());
}

login::verdict login::may(topic_right what, const std::string& word,
                          const std::string& topic, const std::string& channel,
                          const std::shared_ptr<const kit::key_ring>& keys,
                          time now) {
  bool allowed = false;
  if (told_) {
    if (now >= told_until_)
      return verdict::ask_again;
    allowed = told_->allows(topic, channel);
  } else if (find_key(keys)) {
    allowed = nsq::may(*key_, what, topic, channel);
  } else if (entered()) {
    return refuse("E_AUTH_FAILED", "AUTH failed");
  } else {
    return refuse("E_AUTH_FIRST", "AUTH required before " + word);
  }
  if (allowed)
    return verdict::yes;
  return refuse("E_UNAUTHORIZED", "AUTH failed for " + word + " on "
                                    + nsq::quoted(topic) + " "
                                    + nsq::quoted(channel));
}

bool login::enter_with_key(const std::string& secret,
                           const std::shared_ptr<const kit::key_ring>& keys) {
  secret_ = secret;
  keys_ = nullptr;
  if (!find_key(keys)) {
    secret_.clear();
    keys_ = nullptr;
    return false;
  }
  identity_ = key_->id;
  user_ = key_->name;
  permits_ = key_->permits.size();
  return true;
}

void login::enter_with(const std::string& secret,
                       std::shared_ptr<const auth_state> state, time now) {
  secret_ = secret;
  told_until_ = now + state->ttl;
  identity_ = state->identity;
  identity_url_ = state->identity_url;
  user_ = identity_.empty() ? "" : user_name_of(identity_);
  permits_ = state->permits.size();
  told_ = std::move(state);
}

std::string login::answer() const {
  std::string out = "{\"identity\":";
  kit::append_json_string(out, identity_);
  out += ",\"identity_url\":";
  kit::append_json_string(out, identity_url_);
  return out + ",\"permission_count\":" + std::to_string(permits_) + "}";
}

} // namespace depositd::nsq
