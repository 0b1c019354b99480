#include "actors/rules/sources/known_keys.hpp"

namespace depositd::rules {

void known_keys::set_max(std::uint64_t known_max) {
  known_max_ = known_max;
  while (over_.size() > known_max_)
    over_.pop();
}

void known_keys::hand_on(std::string_view key, std::uint64_t digest) {
  forget(key);
  in_flight_.add({key, {}, {}, digest});
}

bool known_keys::end(std::string_view key, record_state how) {
  const bool was = in_flight_.remove(key);
  remember(key, how);
  return was;
}

void known_keys::remember(std::string_view key, record_state how) {
  over_.remove(key); // what ended again is the newest
  over_.add({key, {}, {}, static_cast<std::uint64_t>(how)});
  if (over_.size() > known_max_)
    over_.pop();
}

bool known_keys::forget(std::string_view key) {
  const bool was = in_flight_.remove(key);
  return over_.remove(key) || was;
}

bool known_keys::contains(std::string_view key) const noexcept {
  return in_flight_.contains(key) || over_.contains(key);
}

record_state known_keys::state(std::string_view key) const noexcept {
  if (in_flight_.contains(key))
    return record_state::queued;
  const auto over = over_.find(key);
  return over ? static_cast<record_state>(over->tag) : record_state::unknown;
}

std::uint64_t known_keys::digest(std::string_view key) const noexcept {
  const auto x = in_flight_.find(key);
  return x ? x->tag : 0;
}

} // namespace depositd::rules
