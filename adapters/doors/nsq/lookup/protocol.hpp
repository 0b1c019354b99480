#pragma once

// What nsqd and nsqlookupd say to each other: commands are lines, answers are
// their length (four bytes, the highest first) and a text.

#include "adapters/doors/nsq/lookup/directory.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace depositd::nsq_lookup {

/// A topic, or one of its channels: {topic, ""} or {topic, channel}.
using registration = std::pair<std::string, std::string>;

/// In an order in which a topic comes before its channels.
using registrations = std::set<registration>;

registrations registrations_of(const topics_listed& all);

/// The bytes that a connection begins with.
std::string greeting(const announced& self);

std::string register_command(const registration& x);
std::string unregister_command(const registration& x);
inline constexpr std::string_view ping_command = "PING\n";

/// Takes answers apart, however their bytes arrive.
class answer_reader {
public:
  static constexpr std::size_t answer_bytes_max = 64 * 1024;

  void add(std::string_view bytes) {
    buffer_.append(bytes);
  }

  /// The next answer that is whole.
  std::optional<std::string> next();

  /// An answer says that it is longer than any can be.
  bool absurd() const;

  void clear() {
    buffer_.clear();
  }

private:
  std::uint32_t size() const;

  std::string buffer_;
};

} // namespace depositd::nsq_lookup
