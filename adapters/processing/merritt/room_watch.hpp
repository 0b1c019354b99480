#pragma once

// Looks at the working folder's disk for the jobs that wait for room on it, so
// that none of them has to: however many wait, nothing is done for them until
// there may be room.

#include "adapters/processing/merritt/promised_room.hpp"
#include "adapters/processing/merritt/waiting_jobs.hpp"
#include "adapters/processing/stages/stage_tools.hpp"

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>

namespace depositd::merritt {

/// May be used from several threads; has one of its own, which sleeps while
/// nobody waits.
class room_watch {
public:
  /// `tools` must have `wake`.
  room_watch(std::shared_ptr<const stages::stage_tools> tools,
             std::shared_ptr<promised_room> room);

  /// The item is woken when so many bytes have room. False: it has to ask again
  /// by itself.
  bool add(const handle_item& x, std::uint64_t bytes);

  /// The item has come, or waits no longer.
  void remove(item_id id);

private:
  void watch(const std::stop_token& stop);
  std::vector<wake_items> look();

  const std::shared_ptr<const stages::stage_tools> tools_;
  const std::shared_ptr<promised_room> room_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  waiting_jobs waiting_;
  std::jthread thread_; ///< last: it uses all the others
};

} // namespace depositd::merritt
