// CAF 0.17.6 as Debian has it is not instrumented, so ThreadSanitizer does not
// see that a message and an actor are handed from one thread to another: each
// would be a race. These stand before CAF's own functions, tell the sanitizer
// what they order, and call them.
//
// All that was sent to an actor before it takes a message counts as ordered,
// which is a little more than CAF promises.

#include <dlfcn.h>

extern "C" {
void __tsan_acquire(void* at);
void __tsan_release(void* at);
}

namespace {

template <class Function>
Function behind(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

} // namespace

// Arguments and results as the ABI passes them: what is not trivial by address.
#define STANDS_FOR(name) asm(name) __attribute__((visibility("default")))

// scheduled_actor::enqueue(mailbox_element_ptr, execution_unit*)
#define SCHEDULED_ENQUEUE                                                      \
  "_ZN3caf15scheduled_actor7enqueueESt10unique_ptrINS_15mailbox_elementENS_"   \
  "6detail8disposerEEPNS_14execution_unitE"
extern "C" void scheduled_enqueue(void* self, void* what, void* on)
  STANDS_FOR(SCHEDULED_ENQUEUE);
extern "C" void scheduled_enqueue(void* self, void* what, void* on) {
  static const auto call =
    behind<void (*)(void*, void*, void*)>(SCHEDULED_ENQUEUE);
  __tsan_release(self);
  call(self, what, on);
}

// blocking_actor::enqueue(mailbox_element_ptr, execution_unit*)
#define BLOCKING_ENQUEUE                                                       \
  "_ZN3caf14blocking_actor7enqueueESt10unique_ptrINS_15mailbox_elementENS_"    \
  "6detail8disposerEEPNS_14execution_unitE"
extern "C" void blocking_enqueue(void* self, void* what, void* on)
  STANDS_FOR(BLOCKING_ENQUEUE);
extern "C" void blocking_enqueue(void* self, void* what, void* on) {
  static const auto call =
    behind<void (*)(void*, void*, void*)>(BLOCKING_ENQUEUE);
  __tsan_release(self);
  call(self, what, on);
}

// scheduled_actor::launch(execution_unit*, bool lazy, bool hide)
#define LAUNCH "_ZN3caf15scheduled_actor6launchEPNS_14execution_unitEbb"
extern "C" void launch(void* self, void* on, bool lazy, bool hide)
  STANDS_FOR(LAUNCH);
extern "C" void launch(void* self, void* on, bool lazy, bool hide) {
  static const auto call = behind<void (*)(void*, void*, bool, bool)>(LAUNCH);
  __tsan_release(self);
  call(self, on, lazy, hide);
}

// scheduled_actor::activate(execution_unit*): at the beginning of each turn
#define ACTIVATE "_ZN3caf15scheduled_actor8activateEPNS_14execution_unitE"
extern "C" int activate(void* self, void* on) STANDS_FOR(ACTIVATE);
extern "C" int activate(void* self, void* on) {
  static const auto call = behind<int (*)(void*, void*)>(ACTIVATE);
  __tsan_acquire(self);
  const auto out = call(self, on);
  __tsan_release(self);
  return out;
}

// scheduled_actor::consume(mailbox_element&): each message
#define CONSUME "_ZN3caf15scheduled_actor7consumeERNS_15mailbox_elementE"
extern "C" int consume(void* self, void* what) STANDS_FOR(CONSUME);
extern "C" int consume(void* self, void* what) {
  static const auto call = behind<int (*)(void*, void*)>(CONSUME);
  __tsan_acquire(self);
  const auto out = call(self, what);
  __tsan_release(self);
  return out;
}

// blocking_actor::dequeue()
#define DEQUEUE "_ZN3caf14blocking_actor7dequeueEv"
extern "C" void* dequeue(void* out, void* self) STANDS_FOR(DEQUEUE);
extern "C" void* dequeue(void* out, void* self) {
  static const auto call = behind<void* (*) (void*, void*)>(DEQUEUE);
  auto* element = call(out, self);
  __tsan_acquire(self);
  return element;
}

// blocking_actor::await_data()
#define AWAIT_DATA "_ZN3caf14blocking_actor10await_dataEv"
extern "C" void await_data(void* self) STANDS_FOR(AWAIT_DATA);
extern "C" void await_data(void* self) {
  static const auto call = behind<void (*)(void*)>(AWAIT_DATA);
  call(self);
  __tsan_acquire(self);
}

// blocking_actor::await_data(timeout)
#define AWAIT_UNTIL                                                            \
  "_ZN3caf14blocking_actor10await_dataENSt6chrono10time_pointINS1_3_V212"      \
  "system_clockENS1_8durationIlSt5ratioILl1ELl1000000000EEEEEE"
extern "C" bool await_until(void* self, long when) STANDS_FOR(AWAIT_UNTIL);
extern "C" bool await_until(void* self, long when) {
  static const auto call = behind<bool (*)(void*, long)>(AWAIT_UNTIL);
  const auto out = call(self, when);
  __tsan_acquire(self);
  return out;
}

// intrusive_ptr_release(actor_control_block*): the last one ends the actor
#define LET_GO "_ZN3caf21intrusive_ptr_releaseEPNS_19actor_control_blockE"
extern "C" void let_go(void* actor) STANDS_FOR(LET_GO);
extern "C" void let_go(void* actor) {
  static const auto call = behind<void (*)(void*)>(LET_GO);
  __tsan_acquire(actor);
  __tsan_release(actor);
  call(actor);
}

// intrusive_ptr_release_weak(actor_control_block*): the last frees the memory
#define FORGET                                                                 \
  "_ZN3caf26intrusive_ptr_release_weakEPNS_19actor_control_blockE"
extern "C" void forget(void* actor) STANDS_FOR(FORGET);
extern "C" void forget(void* actor) {
  static const auto call = behind<void (*)(void*)>(FORGET);
  __tsan_acquire(actor);
  __tsan_release(actor);
  call(actor);
}

// shared_spinlock: who has it alone comes after all before; of those who share
// it nobody waits for another.

namespace {

/// Where those who share it are told of, beside the lock itself.
void* shared_side(void* lock) {
  return static_cast<char*>(lock) + 1;
}

} // namespace

// shared_spinlock::lock()
#define LOCK "_ZN3caf6detail15shared_spinlock4lockEv"
extern "C" void lock_alone(void* lock) STANDS_FOR(LOCK);
extern "C" void lock_alone(void* lock) {
  static const auto call = behind<void (*)(void*)>(LOCK);
  call(lock);
  __tsan_acquire(lock);
  __tsan_acquire(shared_side(lock));
}

// shared_spinlock::unlock()
#define UNLOCK "_ZN3caf6detail15shared_spinlock6unlockEv"
extern "C" void unlock_alone(void* lock) STANDS_FOR(UNLOCK);
extern "C" void unlock_alone(void* lock) {
  static const auto call = behind<void (*)(void*)>(UNLOCK);
  __tsan_release(lock);
  call(lock);
}

// shared_spinlock::lock_shared()
#define LOCK_SHARED "_ZN3caf6detail15shared_spinlock11lock_sharedEv"
extern "C" void lock_shared(void* lock) STANDS_FOR(LOCK_SHARED);
extern "C" void lock_shared(void* lock) {
  static const auto call = behind<void (*)(void*)>(LOCK_SHARED);
  call(lock);
  __tsan_acquire(lock);
}

// shared_spinlock::unlock_shared()
#define UNLOCK_SHARED "_ZN3caf6detail15shared_spinlock13unlock_sharedEv"
extern "C" void unlock_shared(void* lock) STANDS_FOR(UNLOCK_SHARED);
extern "C" void unlock_shared(void* lock) {
  static const auto call = behind<void (*)(void*)>(UNLOCK_SHARED);
  __tsan_release(shared_side(lock));
  call(lock);
}
