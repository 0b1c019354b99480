#pragma once

// What doors over HTTP share: a loop, and requests that are sent once.

#include "benchmarks/depositbench/client.hpp"
#include "benchmarks/depositbench/http_loop.hpp"
#include "benchmarks/depositbench/senders.hpp"

#include <memory>
#include <string>
#include <vector>

namespace depositd::bench {

/// A request with the body that follows.
std::string request_head(const std::string& method, const std::string& target,
                         const std::string& headers, std::size_t body_bytes);

/// Reports what went wrong on a connection.
class reporting_conversation : public conversation {
public:
  explicit reporting_conversation(std::shared_ptr<progress> to);

  void broke(const std::string& why) override;

protected:
  /// Whether the answer is 200; otherwise the run ends with its text.
  bool good(const char* what, int status, std::string_view body);

  std::shared_ptr<progress> to_;
};

class http_client : public client {
public:
  /// Throws std::runtime_error if the address is none.
  http_client(const std::string& address, std::vector<sender> senders);

  void finish() override;

protected:
  /// Sends these one after the other; each must be answered with 200 and, if
  /// `wanted` is given, contain it. Throws std::runtime_error otherwise.
  void send_all(const char* what, std::vector<std::string> requests,
                const std::string& wanted = {});

  http_loop& loop() {
    return loop_;
  }

  /// Which sender stands for user-N. Throws std::runtime_error if there are
  /// not so many.
  std::size_t index_of(const std::string& user) const;

  const std::vector<sender>& senders() const {
    return senders_;
  }

private:
  std::vector<sender> senders_;
  http_loop loop_;
};

} // namespace depositd::bench
