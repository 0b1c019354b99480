#pragma once

// A system that has no more threads to give. Of one source of a program only:
// its function stands before the system's.

#include <cerrno>

#include <dlfcn.h>
#include <pthread.h>

namespace depositd::testing {

constexpr int as_many_as_wanted = -1;

/// For the thread that asks for others; 0: it gets none any more.
inline thread_local int threads_left = as_many_as_wanted;

} // namespace depositd::testing

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* how,
                              void* (*run)(void*), void* with) noexcept {
  using namespace depositd::testing;
  static const auto usual = reinterpret_cast<decltype(&pthread_create)>(
    ::dlsym(RTLD_NEXT, "pthread_create"));
  if (threads_left == 0)
    return EAGAIN;
  if (threads_left > 0)
    --threads_left;
  return usual(thread, how, run, with);
}
