#pragma once

#include "messages/actor_with.hpp"
#include "messages/actors.hpp"
#include "messages/ports/source_reader.hpp"
#include "messages/sources.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace depositd::sources {

/// Counts who still waits for the outside world, so that their end can be
/// waited for. Any thread may use it.
class running_count : public std::enable_shared_from_this<running_count> {
public:
  /// Counts until the last copy is gone.
  std::shared_ptr<void> one();

  /// Waits until nobody is counted. False if that takes longer.
  bool wait_for_none(std::chrono::milliseconds most);

private:
  void leave();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t count_ = 0;
};

/// The reader of a source's actor, as others may touch it: to end its wait.
class reader_handle {
public:
  /// Makes the batch that is under way return soon. Any thread.
  void cancel() noexcept;

  /// Of the actor: it has this one, which stays until the next call; null:
  /// none.
  void set(source_reader* reader) noexcept;

private:
  std::mutex mutex_;
  source_reader* reader_ = nullptr;
};

struct source_options {
  /// Called on the actor's own thread with the first question, and again after
  /// an error.
  std::function<caf::expected<std::unique_ptr<source_reader>>()> make_reader;
  std::shared_ptr<reader_handle> reader = std::make_shared<reader_handle>();
  std::shared_ptr<void> counted; ///< of a `running_count`; may be null
  /// After the source could not be told that records are applied.
  std::chrono::milliseconds retry_pause{1'000};
  /// Keys that wait to be told; beyond it they are dropped: their records come
  /// again, and are known.
  std::size_t keys_max = 100'000;
};

/// To itself: tell what could not be told.
struct tell_again {};

using source_self = source_actor::extend<caf::reacts_to<tell_again>>;

struct source_actor_state {
  using interface = source_self;

  ~source_actor_state();

  source_options options;
  std::unique_ptr<source_reader> reader; ///< null: not made yet
  std::vector<std::string> untold;       ///< applied keys
  bool again_due = false;                ///< a `tell_again` is on its way

  static inline const char* name = "source";
};

/// Reads one source, and is told what of it is applied. It waits for the
/// outside world: must be detached outside the deterministic scheduler.
source_self::behavior_type source(actor_with<source_actor_state>* self,
                                  source_options options);

} // namespace depositd::sources

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::sources::tell_again)
