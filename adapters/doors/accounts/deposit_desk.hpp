#pragma once

// A file that a user hands in, through whichever door: what speaks against it,
// and how it is kept and queued.

#include "adapters/doors/accounts/messages.hpp"
#include "adapters/doors/http/form.hpp"
#include "adapters/doors/kit/gateway.hpp"
#include "adapters/doors/kit/request_quotas.hpp"
#include "messages/records.hpp"
#include "messages/shard.hpp"
#include "messages/values/control.hpp"
#include "messages/values/operations.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace depositd::accounts {

/// The first part that has a file name, whatever it is called; else a whole
/// part under one of the names that clients use for the file; else null.
const http::form_part* file_of(const http::form& form);

/// How many files are in the form: what a door does not take of them, nobody
/// has got.
std::size_t files_in(const http::form& form);

struct file_deposit {
  std::string user;
  std::string login;     ///< as typed
  std::string operation; ///< empty: the default
  std::string file_name; ///< as sent
  std::string trace;     ///< a legal `traceparent`, or empty
  std::shared_ptr<const std::string> bytes;
  /// Of the budget, for what of it is on its way to the shard.
  std::shared_ptr<const void> held = nullptr;
};

enum class deposit_fault : std::uint8_t {
  none,
  unknown_operation,
  over_quota,
  too_large,
};

/// What a door holds deposits against.
struct deposit_rules {
  const control_state& control;
  kit::request_quotas& quotas;
  kit::request_quotas::time now;
  std::size_t bytes_max = 0;
};

/// What can be known before anything is kept; a request that gets as far
/// counts for the quota.
deposit_fault judge(const file_deposit& x, const deposit_rules& rules);

/// `ec::pending_limit_reached` or `ec::quota_reached` if as much waits as may.
caf::error too_much(const pending_counted& x);

/// The operation has to be known. Without `sha256` the file goes along.
submission submission_of(const file_deposit& x, const submission_source& source,
                         const std::string& sha256);

/// Of a door's gateway: longer than its server lets a client wait, which then
/// says 504.
inline constexpr std::chrono::milliseconds answer_patience{120'000};

/// Who keeps and queues for a door.
struct deposit_desk {
  shard_doors_actor shard;
  worker_actor blobs;
  kit::gateway& asked; ///< of the door, through which the shard is asked
  std::chrono::milliseconds ask_timeout{30'000}; ///< of who keeps files
};

/// Hears the number of the submission, which is durable then; in any thread.
/// Dropped if the shard says nothing for as long as the gateway waits.
using handed_in = std::function<void(const caf::expected<item_id>&)>;

/// Whether the file comes with its item, so that one flush keeps both.
inline bool goes_along(const file_deposit& x) {
  return !x.bytes->empty() && x.bytes->size() <= inline_submission_bytes_max;
}

/// Queues a file that is kept, or that goes along.
void queue_file(const deposit_desk& at, const file_deposit& x,
                const std::string& sha256, handed_in then);

/// Queues a file that `judge` has nothing against; a large one is kept first.
template <class Self>
void hand_in(Self* self, const deposit_desk& at, const file_deposit& x,
             handed_in then) {
  if (goes_along(x)) {
    queue_file(at, x, {}, std::move(then));
    return;
  }
  self->request(at.blobs, at.ask_timeout, keep_blob{x.bytes, *x.bytes})
    .then([=](const blob_kept& kept) { queue_file(at, x, kept.sha256, then); },
          [=](const caf::error& why) { then(why); });
}

} // namespace depositd::accounts
