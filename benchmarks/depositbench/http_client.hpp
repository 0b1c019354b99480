#pragma once

// What doors over HTTP share: a loop, and requests that are sent once.

#include "benchmarks/depositbench/client.hpp"
#include "benchmarks/depositbench/senders.hpp"
#include "benchmarks/depositbench/socket_loop.hpp"

#include <memory>
#include <string>
#include <vector>

namespace depositd::bench {

/// A request with the body that follows.
std::string request_head(const std::string& method, const std::string& target,
                         const std::string& headers, std::size_t body_bytes);

/// Keep-alive HTTP/1.1 with one request open. Reports what went wrong.
class reporting_conversation : public conversation {
public:
  explicit reporting_conversation(std::shared_ptr<progress> to);

  asked next(std::string& request) final;
  taken take(std::string_view received) final;
  bool may_close() const final;
  void broke(const std::string& why) override;

  /// Appends the next request to an empty text; false: nothing for now.
  virtual bool ask(std::string& request) = 0;

  /// The whole answer to what was asked.
  virtual void answered(int status, std::string_view body) = 0;

protected:
  /// Whether the answer is 200; otherwise the run ends with its text.
  bool good(const char* what, int status, std::string_view body);

  std::shared_ptr<progress> to_;

private:
  bool asked_ = false;
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

  socket_loop& loop() {
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
  socket_loop loop_;
};

} // namespace depositd::bench
