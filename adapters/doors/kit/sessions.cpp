#include "adapters/doors/kit/sessions.hpp"

#include <utility>

#include <sodium.h>

namespace depositd::kit {

namespace {

constexpr std::size_t random_bytes = 32;
constexpr std::size_t id_length = 2 * random_bytes;

/// Nobody guesses it; the program ends if the machine has no randomness.
std::string random_hex() {
  unsigned char bytes[random_bytes];
  randombytes_buf(bytes, sizeof bytes);
  std::string out(id_length + 1, '\0');
  sodium_bin2hex(out.data(), out.size(), bytes, sizeof bytes);
  out.pop_back();
  return out;
}

/// Ids have 256 random bits, so a hash without a key tells nothing of them.
std::string hash_of_id(std::string_view id) {
  std::string out(crypto_generichash_BYTES, '\0');
  crypto_generichash(reinterpret_cast<unsigned char*>(out.data()), out.size(),
                     reinterpret_cast<const unsigned char*>(id.data()),
                     id.size(), nullptr, 0);
  return out;
}

} // namespace

bool shows_csrf(const session& x, std::string_view shown) {
  return shown.size() == x.csrf.size()
         && sodium_memcmp(shown.data(), x.csrf.data(), shown.size()) == 0;
}

bool sessions::is_over(const entry& x, time_point now) const {
  return now >= x.what.expires || now - x.used >= limits_.idle_max;
}

void sessions::make_room(const std::string& name, time_point now) {
  std::erase_if(known_, [&](const auto& x) { return is_over(x.second, now); });
  std::size_t own = 0;
  auto oldest = known_.end();
  for (auto at = known_.begin(); at != known_.end(); ++at)
    if (at->second.what.name == name) {
      ++own;
      if (oldest == known_.end() || at->second.used < oldest->second.used)
        oldest = at;
    }
  if (own >= limits_.per_name_max && oldest != known_.end())
    known_.erase(oldest);
}

std::optional<sessions::opened> sessions::open(std::string name, time_point now,
                                               std::string proof,
                                               std::string role) {
  if (sodium_init() < 0)
    return std::nullopt;
  make_room(name, now);
  if (known_.size() >= limits_.all_max)
    return std::nullopt;
  opened out{random_hex(),
             {std::move(name), random_hex(), now + limits_.age_max,
              std::move(proof), std::move(role)}};
  known_.emplace(hash_of_id(out.id), entry{out.what, now});
  return out;
}

const session* sessions::find(std::string_view id, time_point now) {
  if (id.size() != id_length)
    return nullptr;
  const auto at = known_.find(hash_of_id(id));
  if (at == known_.end())
    return nullptr;
  if (is_over(at->second, now)) {
    known_.erase(at);
    return nullptr;
  }
  at->second.used = now;
  return &at->second.what;
}

bool sessions::close(std::string_view id) {
  return known_.erase(hash_of_id(id)) > 0;
}

} // namespace depositd::kit
