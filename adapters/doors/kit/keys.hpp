#pragma once

// Who calls, and what they may do.

#include "messages/values/control.hpp"
#include "messages/values/names.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace depositd::kit {

/// The user of what is sent without a key.
inline constexpr std::string_view anonymous_name = anonymous_user;

struct api_key {
  std::string name; ///< the user of what it sends
  std::vector<key_permit> permits;
  std::string id; ///< its own name; empty: no key
  micros expires_us = never;
  /// When it was told last that the key is in use.
  std::shared_ptr<std::atomic<micros>> told_us;

  bool has_expired(micros now) const {
    return expires_us != never && expires_us <= now;
  }

  /// Whether it is to be told again; once an hour, to one caller.
  bool is_news(micros now) const;
};

/// Whether one of the permits covers the right on the queue. Names that begin
/// with two underscores are reached only by permits that spell them, and queues
/// of deposits, which are other people's, only by permits with the whole name.
bool permitted(const api_key& key, queue_right right, std::string_view queue,
               queue_kind kind = queue_kind::message);

/// The keys of one control state; immutable.
class key_ring {
public:
  /// `before`, which may be null, has the keys already if they are the same.
  key_ring(control_snapshot from, bool anonymous,
           const key_ring* before = nullptr);

  /// Null if the key is not known. An empty text is no key at all: the
  /// anonymous caller, if there may be one.
  const api_key* find(const std::string& text) const;

  /// What a queue is, by the core's name; one that is new takes messages.
  queue_kind kind_of(const std::string& core_name) const;

  const control_state& control() const {
    return *from_;
  }

private:
  using digests = std::unordered_map<std::string, api_key>;

  control_snapshot from_;
  bool anonymous_;
  api_key nobody_;
  std::shared_ptr<const digests> by_digest_;
};

} // namespace depositd::kit
