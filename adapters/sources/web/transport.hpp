#pragma once

// Questions over HTTP that end in time, and at once when nobody wants the
// answer any more.

#include "adapters/fetching/curl_kit.hpp"
#include "adapters/sources/records/interruption.hpp"
#include "messages/ports/source_reader.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::sources {

/// A longer answer is not read to its end.
inline constexpr std::size_t answer_bytes_max = std::size_t{64} * 1024 * 1024;

/// Of the bodies of one batch, about: one that has as many ends there.
inline constexpr std::size_t web_batch_bytes_max =
  std::size_t{64} * 1024 * 1024;

/// The time that a call has.
class allowance {
public:
  explicit allowance(std::chrono::milliseconds timeout)
    : timeout_(timeout), until_(std::chrono::steady_clock::now() + timeout) {
    // nop
  }

  /// What is left of it; never less than 0.
  std::chrono::milliseconds left() const;

  /// Of all of it.
  std::chrono::milliseconds timeout() const {
    return timeout_;
  }

private:
  std::chrono::milliseconds timeout_;
  std::chrono::steady_clock::time_point until_;
};

/// How far one batch goes on with more questions once it has something: to half
/// of its time, so that what is there counts however slow the rest comes.
class gathering {
public:
  explicit gathering(const batch_request& x)
    : limit_(x.limit), half_(x.timeout / 2), rest_(x.timeout - x.timeout / 4) {
    // nop
  }

  /// Records that it has room for.
  std::uint64_t room(const pulled_batch& x) const {
    const auto count = x.records.size() + x.bad.size();
    return limit_ > count ? limit_ - count : 0;
  }

  /// What a further question may take, for a batch that has something.
  const allowance& rest() const {
    return rest_;
  }

  void took(std::size_t bytes) {
    bytes_ += bytes;
  }

  bool is_enough(const pulled_batch& x) const {
    return room(x) == 0 || bytes_ >= web_batch_bytes_max
           || half_.left() == std::chrono::milliseconds{0};
  }

private:
  std::uint64_t limit_;
  allowance half_;
  allowance rest_;
  std::size_t bytes_ = 0;
};

/// Asks for messages until there are enough, none are left, or a further
/// question fails. `ask` is given how many, and how long it may take; `take`
/// puts a message into the batch and returns its bytes.
template <class Ask, class Take>
caf::expected<pulled_batch> gather_messages(const batch_request& x,
                                            const interruption& over, Ask ask,
                                            Take take) {
  const allowance time{x.timeout};
  gathering sum{x};
  pulled_batch out;
  do {
    const bool first = out.records.empty() && out.bad.empty();
    auto some = ask(sum.room(out), first ? time : sum.rest());
    if (!some && (first || over.cancelled()))
      return std::move(some.error());
    if (!some || some->empty())
      break;
    for (auto& one : *some)
      sum.took(take(std::move(one), out));
  } while (!sum.is_enough(out));
  return out;
}

/// Who signs as AWS wants it.
struct aws_signer {
  std::string region;
  std::string service;
  std::string access_key; ///< empty: nobody signs
  std::string secret_key;
};

struct web_question {
  std::string url;
  std::optional<std::string> post;  ///< the body; none: GET
  std::vector<std::string> headers; ///< "Name: value"
  aws_signer signer;
};

struct web_reply {
  long status = 0;
  std::string body;
};

/// Asks one question after the other and keeps the connection meanwhile. Used
/// by one thread. Follows no redirects, uses no proxy, and puts nothing of a
/// question into what it says of failures.
class web_line {
public:
  /// `ca_file`: PEM; empty: the system's. `stop` outlives it.
  web_line(std::string ca_file, const interruption& stop);

  /// The whole answer, whatever its status is. `ec::store_failed`: there was
  /// none in time, or it was cancelled; `ec::too_large`: it has more than
  /// `answer_bytes_max`.
  caf::expected<web_reply> ask(const web_question& x, const allowance& time);

private:
  void set_up(const web_question& x, const curl_strings& headers,
              const allowance& time);

  /// Until the end or a cancellation.
  CURLcode drive();

  using multi_handle = std::unique_ptr<CURLM, decltype(&curl_multi_cleanup)>;

  const std::string ca_file_;
  const interruption& stop_;
  curl_easy easy_; // which makes the library ready
  multi_handle multi_;
};

/// What the other side says of itself, for an error: one line of UTF-8, not
/// long, with *** in place of the secrets.
std::string quoted_reason(std::string_view said,
                          const std::vector<std::string>& secrets);

} // namespace depositd::sources
