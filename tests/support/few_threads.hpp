#pragma once

// A system that has few threads to give. Of one source of a program only: its
// function stands before the system's.

#include <atomic>
#include <cerrno>
#include <memory>

#include <dlfcn.h>
#include <pthread.h>

namespace depositd::testing {

/// As long as it lives, the thread that made it can have no more than `count`
/// others at once that run.
class few_threads {
public:
  explicit few_threads(int count) {
    left = std::make_shared<std::atomic<int>>(count);
  }

  ~few_threads() {
    left.reset();
  }

  few_threads(const few_threads&) = delete;
  few_threads& operator=(const few_threads&) = delete;

  /// Null: as many as it wants.
  static inline thread_local std::shared_ptr<std::atomic<int>> left;
};

/// What a counted thread does, and who counts it.
struct counted_thread {
  static void* run(void* self) {
    const std::unique_ptr<counted_thread> me{
      static_cast<counted_thread*>(self)};
    auto* out = me->what(me->with);
    ++*me->left;
    return out;
  }

  void* (*what)(void*);
  void* with;
  std::shared_ptr<std::atomic<int>> left;
};

} // namespace depositd::testing

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* how,
                              void* (*run)(void*), void* with) noexcept {
  using namespace depositd::testing;
  static const auto usual = reinterpret_cast<decltype(&pthread_create)>(
    ::dlsym(RTLD_NEXT, "pthread_create"));
  const auto left = few_threads::left;
  if (!left)
    return usual(thread, how, run, with);
  if (--*left < 0) {
    ++*left;
    return EAGAIN;
  }
  auto counted = std::make_unique<counted_thread>(
    counted_thread{run, with, left});
  const auto wrong = usual(thread, how, counted_thread::run, counted.get());
  if (wrong == 0)
    counted.release(); // the thread's
  else
    ++*left;
  return wrong;
}
