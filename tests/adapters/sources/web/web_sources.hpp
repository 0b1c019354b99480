#pragma once

// Sources that are asked over HTTP, and what their tests need of them.

#include "adapters/sources/records/records.hpp"
#include "messages/ports/source_reader.hpp"
#include "tests/support/scripted_server.hpp"
#include "tests/support/temporary_folder.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <fstream>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace depositd::sources {

using depositd::testing::scripted_server;

inline source_settings web_source(source_kind kind, std::string url = {}) {
  source_settings out;
  out.kind = kind;
  out.scheduler = "main";
  out.from.url = std::move(url);
  return out;
}

inline reader_context web_context() {
  reader_context out;
  out.body_bytes_max = 1'000;
  return out;
}

/// Those of the servers of scripts/services.
class key_files {
public:
  explicit key_files(const std::string& secret = "only/for+tests")
    : secret_(secret) {
    write("access", "depositd-test\n");
    mend();
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream{path(name), std::ios::binary} << text;
  }

  void spoil() const {
    write("secret", "wrong\n");
  }

  void mend() const {
    write("secret", secret_ + "\n");
  }

  void name_in(source_origin& x) const {
    x.access_key_file = path("access");
    x.secret_key_file = path("secret");
  }

  std::string path(const std::string& name) const {
    return (folder_.path() / name).string();
  }

private:
  temporary_folder folder_;
  std::string secret_;
};

inline std::unique_ptr<source_reader>
opened(caf::expected<std::unique_ptr<source_reader>> made) {
  EXPECT_TRUE(made) << render(made.error());
  return made ? std::move(*made) : nullptr;
}

inline caf::expected<pulled_batch>
asked(source_reader& x, std::uint64_t limit = 100, std::string cursor = {},
      std::chrono::milliseconds timeout = std::chrono::seconds{60}) {
  return x.next_batch({limit, std::move(cursor), timeout});
}

/// What must succeed.
inline pulled_batch next(source_reader& x, std::uint64_t limit = 100,
                         std::string cursor = {}) {
  auto out = asked(x, limit, std::move(cursor));
  EXPECT_TRUE(out) << render(out.error());
  return out ? std::move(*out) : pulled_batch{};
}

inline std::vector<std::string> keys_of(const pulled_batch& x) {
  std::vector<std::string> out;
  for (const auto& record : x.records)
    out.push_back(record.key);
  return out;
}

inline std::string body_of_request(const std::string& request) {
  return request.substr(request.find("\r\n\r\n") + 4);
}

/// Its first line without the version.
inline std::string line_of_request(const std::string& request) {
  return request.substr(0, request.find(" HTTP/"));
}

/// Keeps whoever comes waiting while it is closed.
class gate {
public:
  void close() {
    const std::lock_guard lock{guard_};
    closed_ = true;
  }

  void open() {
    const std::lock_guard lock{guard_};
    closed_ = false;
    waiting_ = false;
    changed_.notify_all();
  }

  /// Whether one had to wait.
  bool pass() {
    std::unique_lock lock{guard_};
    if (!closed_)
      return false;
    waiting_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !closed_; });
    return true;
  }

  void await_waiting() {
    std::unique_lock lock{guard_};
    changed_.wait(lock, [this] { return waiting_; });
  }

private:
  std::mutex guard_;
  std::condition_variable changed_;
  bool closed_ = false;
  bool waiting_ = false;
};

/// Answers nobody until it goes.
class silent_server {
public:
  silent_server() {
    gate_.close();
  }

  ~silent_server() {
    gate_.open();
  }

  std::string url(const std::string& path) const {
    return server_.url(path);
  }

  void await_waiting() {
    gate_.await_waiting();
  }

private:
  gate gate_;
  scripted_server server_{[this](const std::string&) {
    gate_.pass();
    return std::string{};
  }};
};

/// Of each request, in turn; the last one for all that follow.
class turns {
public:
  turns(std::initializer_list<std::string> answers) : answers_(answers) {
    // nop
  }

  std::string operator()(const std::string&) {
    const auto at = std::min(next_++, answers_.size() - 1);
    return answers_[at];
  }

private:
  std::vector<std::string> answers_;
  std::size_t next_ = 0;
};

} // namespace depositd::sources
