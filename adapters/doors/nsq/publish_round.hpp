#pragma once

// What the clients of one thread publish between two looks at their sockets:
// for one topic and user it goes to the shard as one message.

#include "adapters/doors/nsq/answers.hpp"
#include "adapters/doors/nsq/commands.hpp"
#include "messages/topics.hpp"
#include "messages/values/memory_budget.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace depositd::nsq {

class connection;
struct io_thread;

/// What messages take of memory on their way through the engine: their text in
/// the message to the shard, in the events of their user and in the journal's
/// bytes, and some ten small objects each.
constexpr std::uint64_t cost_of(std::uint64_t text_bytes,
                                std::size_t messages) {
  constexpr std::uint64_t copies = 3;
  constexpr std::uint64_t overhead_bytes = 640;
  return copies * text_bytes + overhead_bytes * messages;
}

/// Bytes in all of the texts.
std::uint64_t text_bytes_of(const std::vector<std::string>& bodies);

/// What one message to the shard holds of the budget: until it goes, with the
/// last of those who keep it.
class publish_charge {
public:
  explicit publish_charge(std::shared_ptr<memory_budget> of)
    : of_(std::move(of)) {
    // nop
  }

  publish_charge(const publish_charge&) = delete;
  publish_charge& operator=(const publish_charge&) = delete;

  ~publish_charge() {
    of_->let_go(bytes_);
  }

  /// Takes over what the caller has held. Not once the message is on its way.
  void adopt(std::uint64_t bytes) {
    bytes_ += bytes;
  }

private:
  const std::shared_ptr<memory_budget> of_;
  std::uint64_t bytes_ = 0;
};

/// Whom to tell how it went.
struct publish_answer {
  std::weak_ptr<connection> to;
  answer_queue::number number = 0;
  verb what = verb::pub;
  std::uint64_t bytes = 0; ///< of text
  /// Messages to the shard that it is spread over, and how many are open.
  std::shared_ptr<std::uint32_t> open;
};

class publish_round {
public:
  explicit publish_round(io_thread& where) : where_(where) {
    // nop
  }

  /// All of one command. The budget, if there is one, holds its cost already.
  void add(publish what, publish_answer to);

  /// Asks the shard for everything; after every look at the sockets.
  void flush();

private:
  struct group {
    publish what;
    std::shared_ptr<publish_charge> charge; ///< null without a budget
    std::size_t bytes = 0;
    std::vector<publish_answer> answers;
  };

  group& group_for(const publish& what, std::size_t bytes);
  void add_part(publish what, publish_answer to);

  io_thread& where_;
  std::vector<group> groups_;
};

} // namespace depositd::nsq
