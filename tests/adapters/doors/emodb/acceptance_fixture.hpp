#pragma once

// The door as its clients see it, over real sockets: queues that nobody has
// used, messages, polls. One engine serves all tests of a program.

#include "tests/adapters/doors/emodb/acceptance_answers.hpp"
#include "tests/adapters/doors/emodb/acceptance_client.hpp"
#include "tests/adapters/doors/emodb/acceptance_engine.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace depositd::testing {

/// The key that may do everything.
inline const std::string key_of_all = "key-of-all-rights";

/// Started at the first call, gone with the program.
engine_process& shared_engine();

struct message {
  std::string id;
  std::string payload; ///< compact

  friend bool operator==(const message&, const message&) = default;
};

/// `{"n":"00"}`, `{"n":"01"}`, ...: the same order by number and by bytes.
std::vector<std::string> numbered(std::size_t count, std::size_t from = 0);

/// `[a,b,...]` of JSON texts.
std::string array_of(const std::vector<std::string>& texts);

/// `["a","b",...]`.
std::string ids_of(const std::vector<message>& messages);

/// Sorted; a payload that came twice is there twice.
std::vector<std::string> payloads_of(const std::vector<message>& messages);

/// Queues of one kind through one client.
class emodb_client {
public:
  emodb_client(std::uint16_t port, std::string base,
               std::string key = key_of_all, long limit_ms = 20'000);

  /// `path` follows the base: "q/send". Bodies go as `application/json`.
  http_answer post(const std::string& path, const std::string& body);

  /// Without a body and a content type.
  http_answer post(const std::string& path);
  http_answer get(const std::string& path);
  http_answer remove(const std::string& path);

  /// The key is added, unless it is empty.
  http_answer call(const std::string& method, const std::string& path,
                   std::vector<std::string> headers = {},
                   const std::string& body = {});

  // Calls that have to succeed.
  void send(const std::string& queue, const std::string& payload);
  void send_all(const std::string& queue,
                const std::vector<std::string>& payloads);
  std::vector<message> poll(const std::string& queue,
                            const std::string& query = "ttl=300&limit=1000");
  std::vector<message> peek(const std::string& queue, int limit = 1000);
  void ack(const std::string& queue, const std::vector<message>& messages);
  void renew(const std::string& queue, int ttl,
             const std::vector<message>& messages);
  std::int64_t size(const std::string& queue);
  std::int64_t claims(const std::string& queue);
  std::string move(const std::string& from, const std::string& to);
  std::string status_of(const std::string& reference);

  /// Waits for the end of the move and demands that it is a good one.
  void await_move(const std::string& reference);

  const std::string& base() const {
    return base_;
  }

  /// What a poll was answered.
  std::vector<message> messages_in(const http_answer& x);

private:
  std::int64_t number_in(const http_answer& x);

  http_client client_;
  std::string base_;
  std::string key_;
};

/// Polls until the condition holds; false if it does not within the limit.
template <class Condition>
bool wait_for(Condition holds,
              std::chrono::milliseconds limit = std::chrono::seconds{30}) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline)
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{10}); // sleeps: look
  }
  return true;
}

/// Lets time pass over something that must not change meanwhile.
void outlive(std::chrono::milliseconds time);

/// Which door, and whether batches are sent twice to it.
enum class flavour { queue, dedupq, dedupq_sent_twice };

std::string name_of(const ::testing::TestParamInfo<flavour>& x);

class emodb_base : public ::testing::Test {
protected:
  explicit emodb_base(const std::string& base)
    : client(shared_engine().http_port(), base) {
    // nop
  }

  /// The name of a queue that nobody has used.
  static std::string fresh();

  emodb_client client;
  const std::string q = fresh();
};

/// Both doors, or both and batches sent twice, depending on what the suite is
/// instantiated with.
class emodb_doors : public emodb_base,
                    public ::testing::WithParamInterface<flavour> {
protected:
  emodb_doors()
    : emodb_base(GetParam() == flavour::queue ? "/queue/1" : "/dedupq/1") {
    // nop
  }

  bool twice() const {
    return GetParam() == flavour::dedupq_sent_twice;
  }

  /// Distinct messages.
  void send_batch(const std::string& queue,
                  const std::vector<std::string>& payloads) {
    client.send_all(queue, payloads);
    if (twice())
      client.send_all(queue, payloads);
  }

  /// What counts and peeks may say of so many messages: those that nobody has
  /// polled are there twice if they were sent twice.
  ::testing::AssertionResult stand_for(std::size_t seen,
                                       std::size_t distinct) const {
    if (seen >= distinct && seen <= (twice() ? 2 : 1) * distinct)
      return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure()
           << seen << " for " << distinct << " messages";
  }
};

class emodb_queue : public emodb_base {
protected:
  emodb_queue() : emodb_base("/queue/1") {
    // nop
  }
};

class emodb_dedupq : public emodb_base {
protected:
  emodb_dedupq() : emodb_base("/dedupq/1") {
    // nop
  }
};

/// Runs a suite of `emodb_doors` on both doors.
#define ON_BOTH_DOORS(suite)                                                   \
  INSTANTIATE_TEST_SUITE_P(                                                    \
    on, suite, ::testing::Values(flavour::queue, flavour::dedupq), name_of)

/// And with every batch sent twice to the dedup queue: case X9.
#define ON_BOTH_DOORS_AND_TWICE(suite)                                         \
  INSTANTIATE_TEST_SUITE_P(on, suite,                                          \
                           ::testing::Values(flavour::queue, flavour::dedupq,  \
                                             flavour::dedupq_sent_twice),      \
                           name_of)

} // namespace depositd::testing
