#pragma once

// Decisions about what operators set; the state is in
// messages/values/control.hpp.

#include "messages/values/control.hpp"
#include "messages/values/errors.hpp"
#include "messages/values/events.hpp"
#include "messages/values/scheduling.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace depositd::rules {

/// Limits and eligibility of a user in a queue, defaults filled in.
member_limits limits_of(const control_state& state, const std::string& queue,
                        const std::string& user);

/// Whether a control event makes sense as it stands: names legal, queue known,
/// numbers in range, processor criteria not contradicting each other.
caf::error check(const control_state& state, const event& change);

/// Of a queue that comes with its first use.
queue_settings settings_of_new_queue(const std::string& name);

/// Why one queue cannot be moved to another; no error if it can. Either may not
/// exist yet.
caf::error check_move(const control_state& state, const std::string& from,
                      const std::string& to);

/// What processors elsewhere need of it to work: no hash of a password, no key,
/// nobody's limits, no operator.
control_state for_nodes(const control_state& state);

/// Applies a control event; other events are ignored. Returns whether anything
/// changed.
bool apply(control_state& state, const event& change);

/// Control events that make `from` equal to `to`, but for queues, which never
/// go, and for topics and their queues, which each shard has for itself.
std::vector<event> differences(const control_state& from,
                               const control_state& to);

/// Key of a control event in the projection's control table, {kind, key};
/// kind is the event's index, a key of two names joins them with a newline.
/// Nothing for other events.
std::optional<std::pair<std::uint8_t, std::string>>
control_key(const event& change);

/// Whether there is nothing of the entry after this event that would have to be
/// remembered: its row in the projection goes. False for other events, and for
/// those whose entries never end.
bool ends_entry(const event& change);

/// What a queue keeps from its beginning, because its ring and its items are
/// laid out by it: kind, priority mode, `oldest_band_every` and dedup mode.
/// Returns the settings that are wanted with these of the known ones.
queue_settings with_fixed_of(const queue_settings& known,
                             queue_settings wanted);

inline constexpr const char* fixed_settings_text =
  "kind, priority, oldest_band_every and dedup of a queue cannot change";

/// What a permit of a key may be for: a queue, the beginning of some and a `*`,
/// `*`, and of NSQ's doors nsq/TOPIC, nsq/TOPIC/CHANNEL or the beginning of
/// these and a `*`.
bool is_queue_pattern(std::string_view x);

} // namespace depositd::rules
