#include "adapters/doors/kit/keys.hpp"

#include "adapters/stores/files/sha256.hpp"

#include <algorithm>

namespace depositd::kit {

namespace {

constexpr std::string_view system_prefix = "__";

bool covers(std::string_view pattern, std::string_view queue, queue_kind kind) {
  if (pattern.empty() || pattern.back() != '*')
    return pattern == queue;
  if (kind != queue_kind::message)
    return false;
  pattern.remove_suffix(1);
  return queue.starts_with(pattern)
         && (!queue.starts_with(system_prefix)
             || pattern.starts_with(system_prefix));
}

} // namespace

bool permitted(const api_key& key, queue_right right, std::string_view queue,
               queue_kind kind) {
  return std::any_of(key.permits.begin(), key.permits.end(), [&](auto& x) {
    return (x.right == queue_right::any || x.right == right)
           && covers(x.queue, queue, kind);
  });
}

bool api_key::is_news(micros now) const {
  constexpr micros hour = micros{3600} * 1'000'000;
  if (!told_us)
    return false;
  auto told = told_us->load(std::memory_order_relaxed);
  return now - told >= hour && told_us->compare_exchange_strong(told, now);
}

namespace {

api_key key_of(const control_state& from, const key_changed& x) {
  api_key out{user_of_key(from, x.name), x.permits, x.name};
  const auto terms = from.key_terms.find(x.name);
  if (terms != from.key_terms.end())
    out.expires_us = terms->second.expires_us;
  const auto used = from.keys_used.find(x.name);
  out.told_us = std::make_shared<std::atomic<micros>>(
    used == from.keys_used.end() ? never : used->second.used_us);
  return out;
}

} // namespace

key_ring::key_ring(control_snapshot from, bool anonymous,
                   const key_ring* before)
  : from_(std::move(from)),
    anonymous_(anonymous), nobody_{std::string{anonymous_name},
                                   {{queue_right::any, "*"}}} {
  // Most changes are about queues, and keys may be many.
  if (before != nullptr && before->from_->keys.is_same(from_->keys)
      && before->from_->key_terms.is_same(from_->key_terms)) {
    by_digest_ = before->by_digest_;
    return;
  }
  auto all = std::make_shared<digests>();
  for (const auto& [name, key] : from_->keys)
    if (!key.digest.empty())
      all->emplace(key.digest, key_of(*from_, key));
  by_digest_ = std::move(all);
}

queue_kind key_ring::kind_of(const std::string& core_name) const {
  const auto found = from_->queues.find(core_name);
  return found == from_->queues.end() ? queue_kind::message
                                      : found->second.kind;
}

const api_key* key_ring::find(const std::string& text) const {
  if (text.empty())
    return anonymous_ ? &nobody_ : nullptr;
  const auto found = by_digest_->find(sha256_hex(text));
  return found == by_digest_->end() ? nullptr : &found->second;
}

} // namespace depositd::kit
