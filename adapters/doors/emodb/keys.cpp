#include "adapters/doors/emodb/keys.hpp"

#include "adapters/stores/files/sha256.hpp"

#include <algorithm>

namespace depositd::emodb {

namespace {

constexpr std::string_view system_prefix = "__";

bool covers(std::string_view pattern, std::string_view queue, queue_kind kind) {
  if (pattern.empty() || pattern.back() != '*')
    return pattern == queue;
  if (kind == queue_kind::deposit)
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

key_ring::key_ring(control_snapshot from, bool anonymous)
  : from_(std::move(from)),
    anonymous_(anonymous), nobody_{std::string{anonymous_name},
                                   {{queue_right::any, "*"}}} {
  for (const auto& [name, key] : from_->keys)
    if (!key.digest.empty())
      by_digest_.emplace(key.digest, api_key{name, key.permits});
}

queue_kind key_ring::kind_of(const std::string& core_name) const {
  const auto found = from_->queues.find(core_name);
  return found == from_->queues.end() ? queue_kind::message
                                      : found->second.kind;
}

const api_key* key_ring::find(const std::string& text) const {
  if (text.empty())
    return anonymous_ ? &nobody_ : nullptr;
  const auto found = by_digest_.find(sha256_hex(text));
  return found == by_digest_.end() ? nullptr : &found->second;
}

} // namespace depositd::emodb
