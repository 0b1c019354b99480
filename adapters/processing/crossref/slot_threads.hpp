#pragma once

// The threads of all slots of deposit queues.

#include <caf/actor_system.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

namespace depositd::crossref {

struct slot_threads_options {
  /// So many have something to do at once, as many as there are processors:
  /// who is through takes what waits, instead of one more being woken. 0: as
  /// many as there is work for, where it waits for other machines.
  std::size_t busy_max = 0;
  /// Who takes longer than about that may be waiting for something, and counts
  /// no more: what one slot does never keeps the others for longer.
  std::chrono::milliseconds patience{5};
};

/// Does what slots give it in the order in which it comes. Threads are started
/// when there is something to do for them, the one that was busy last is the
/// first to go on, and all end with this, which waits for nobody: what is not
/// begun by then is dropped. The actor system waits for them.
class slot_threads {
public:
  using work = std::function<void()>; ///< must not throw

  slot_threads(caf::actor_system& system, const slot_threads_options& options);

  slot_threads(const slot_threads&) = delete;
  slot_threads& operator=(const slot_threads&) = delete;
  ~slot_threads();

  /// From any thread. False, and nothing is done, if there is no thread at all
  /// and the machine has none.
  bool take(work what);

private:
  struct crew;

  std::shared_ptr<crew> crew_;
};

} // namespace depositd::crossref
