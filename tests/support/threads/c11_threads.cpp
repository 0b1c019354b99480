// ThreadSanitizer knows threads that `pthread_create` made; one that glibc's
// `thrd_create` made, as librdkafka's are, dies at the first memory that it
// asks for. These make them of those.

#include <cstdint>
#include <memory>
#include <pthread.h>
#include <threads.h>

namespace {

struct work {
  thrd_start_t run;
  void* with;
};

void* begin(void* given) {
  const std::unique_ptr<work> what{static_cast<work*>(given)};
  const std::intptr_t out = what->run(what->with);
  return reinterpret_cast<void*>(out);
}

} // namespace

extern "C" {

int thrd_create(thrd_t* thread, thrd_start_t run, void* with) {
  auto what = std::make_unique<work>(work{run, with});
  if (::pthread_create(thread, nullptr, begin, what.get()) != 0)
    return thrd_error;
  static_cast<void>(what.release()); // the thread has it
  return thrd_success;
}

int thrd_join(thrd_t thread, int* result) {
  void* out = nullptr;
  if (::pthread_join(thread, &out) != 0)
    return thrd_error;
  if (result != nullptr)
    *result = static_cast<int>(reinterpret_cast<std::intptr_t>(out));
  return thrd_success;
}

int thrd_detach(thrd_t thread) {
  return ::pthread_detach(thread) == 0 ? thrd_success : thrd_error;
}

} // extern "C"
