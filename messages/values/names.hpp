#pragma once

// Which names are legal. Names reach file names, logs and the shell, so what is
// allowed is small.

#include <string_view>

namespace depositd {

/// [A-Za-z0-9._-]{1,64}, but not "." nor "..". Case matters.
bool legal_user_name(std::string_view name) noexcept;

/// A user's name, or one with "~" and a number: its further keys.
bool legal_key_name(std::string_view name) noexcept;

/// The user of what is sent without a key, where that may be.
inline constexpr std::string_view anonymous_user = "anonymous";

/// [a-z0-9._:@-]{1,255} and '_', though not as a single leading character; not
/// "." nor "..". EmoDB's rule.
bool legal_message_queue_name(std::string_view name) noexcept;

/// Queues in which equal payloads collapse have names of their own, so that a
/// plain queue of the same name is another queue.
inline constexpr std::string_view dedup_queue_prefix = "dedupq/";

/// The queue in the source's shard where a batch of moved items waits until it
/// has arrived at the queue that the rest of the name says. No door accepts
/// such a name.
inline constexpr std::string_view outbox_prefix = "move/";

/// A name by EmoDB's rule, with or without the first prefix above.
bool legal_queue_name(std::string_view name) noexcept;

/// One address, safe to write into the head of a mail: NAME@HOST.
bool legal_mail_address(std::string_view text) noexcept;

/// Of http or https, with a host.
bool legal_web_address(std::string_view text) noexcept;

/// The same rule as for users.
bool legal_processor_name(std::string_view name) noexcept;

} // namespace depositd
