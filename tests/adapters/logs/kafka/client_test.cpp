// What becomes of a client while the system has no more threads to give.

#include "adapters/logs/kafka/client.hpp"

#include <gtest/gtest.h>

#include <cerrno>

#include <dlfcn.h>
#include <pthread.h>

namespace {

thread_local bool has_no_more = false; ///< for the thread that asks

} // namespace

/// Stands before the system's.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* how,
                              void* (*run)(void*), void* with) noexcept {
  static const auto usual = reinterpret_cast<decltype(&pthread_create)>(
    ::dlsym(RTLD_NEXT, "pthread_create"));
  return has_no_more ? EAGAIN : usual(thread, how, run, with);
}

namespace depositd::kafka {

namespace {

TEST(kafka_client, is_closed_though_no_thread_can_be_had_for_it) {
  kafka_options options;
  options.brokers = "127.0.0.1:1";
  auto x = client::open(RD_KAFKA_PRODUCER, options, {});
  ASSERT_TRUE(x) << render(x.error());
  ASSERT_GT(rd_kafka_thread_cnt(), 0);
  has_no_more = true;
  x->reset();
  has_no_more = false;
  EXPECT_EQ(rd_kafka_thread_cnt(), 0);
}

} // namespace

} // namespace depositd::kafka
