#pragma once

// What the clients of one thread publish between two looks at their sockets:
// for one topic and user it goes to the shard as one message.

#include "adapters/doors/nsq/answers.hpp"
#include "adapters/doors/nsq/commands.hpp"
#include "messages/topics.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace depositd::nsq {

class connection;
struct io_thread;

/// Whom to tell how it went.
struct publish_answer {
  std::weak_ptr<connection> to;
  answer_queue::number number = 0;
  verb what = verb::pub;
  std::uint64_t bytes = 0;
  /// Messages to the shard that it is spread over, and how many are open.
  std::shared_ptr<std::uint32_t> open;
};

class publish_round {
public:
  explicit publish_round(io_thread& where) : where_(where) {
    // nop
  }

  /// All of one command.
  void add(publish what, publish_answer to);

  /// Asks the shard for everything; after every look at the sockets.
  void flush();

private:
  struct group {
    publish what;
    std::size_t bytes = 0;
    std::vector<publish_answer> answers;
  };

  group& group_for(const publish& what, std::size_t bytes);
  void add_part(publish what, publish_answer to);

  io_thread& where_;
  std::vector<group> groups_;
};

} // namespace depositd::nsq
