#pragma once

// What SQS says in its JSON protocol, and what is said to it.

#include "adapters/sources/web/held_messages.hpp"
#include "messages/values/errors.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::sources::sqs {

/// SQS takes and gives no more at once.
inline constexpr std::size_t messages_max = 10;

inline constexpr const char* json_type = "application/x-amz-json-1.0";

/// Why something was refused; both are empty if it is no such document.
struct refusal {
  std::string code; ///< "QueueDoesNotExist", without what comes before '#'
  std::string message;
};

refusal read_refusal(std::string_view text);

struct receive {
  std::uint64_t count = 0;
  std::uint64_t wait_s = 0;
  std::uint64_t visibility_s = 0; ///< until it comes again
};

/// Asks for messages of the queue with that URL.
std::string write_receive(std::string_view queue, const receive& x);

struct message {
  std::string id;
  std::string receipt; ///< of this delivery
  std::string body;    ///< any bytes, if the server sends such ones
};

/// `ec::malformed`.
caf::expected<std::vector<message>> read_messages(std::string_view text);

/// Asks to delete these, at most `messages_max`.
std::string write_deletion(std::string_view queue,
                           std::span<const held_messages::one> what);

struct deletion {
  struct failure {
    std::size_t at = 0;
    refusal why;
  };
  std::vector<std::size_t> done; ///< by position
  std::vector<failure> failed;
};

/// Of so many. `ec::malformed` if it speaks of others, or does not speak of
/// each.
caf::expected<deletion> read_deletion(std::string_view text, std::size_t count);

} // namespace depositd::sources::sqs
