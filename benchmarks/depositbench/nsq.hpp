#pragma once

// NSQ's protocol V2 as its clients speak it: depositd's door, or nsqd itself. A
// queue is a topic with one channel.

#include "benchmarks/depositbench/client.hpp"
#include "benchmarks/depositbench/senders.hpp"
#include "benchmarks/depositbench/socket_loop.hpp"

#include <set>
#include <string>
#include <vector>

namespace depositd::bench {

class nsq_client : public client {
public:
  /// With an empty secret there is no AUTH. Throws std::runtime_error if the
  /// address is none.
  nsq_client(const std::string& address, sender who);

  void produce(const producer_plan& plan,
               std::shared_ptr<progress> to) override;

  /// `credit` is RDY. A message counts as settled when its FIN is sent: it has
  /// no answer, and the window keeps it close to what the server has done.
  void work_on(const std::string& queue, const worker_plan& plan,
               std::shared_ptr<progress> to) override;
  void enqueue_now(const std::string& queue,
                   std::vector<new_item> items) override;

  /// Consumes until nothing comes any more.
  void purge(const std::string& queue) override;
  void finish() override;

private:
  /// The first channel would be given what waits in a topic, which is not what
  /// is measured: so it is there before anything is published.
  void make_channel(const std::string& queue);

  sender who_;
  std::set<std::string> made_;
  socket_loop loop_;
};

} // namespace depositd::bench
