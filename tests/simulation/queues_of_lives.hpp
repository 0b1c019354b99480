#pragma once

// Which queues of a life are those of stages, by their names.

#include <string_view>

namespace depositd::simulation {

/// Whether the queue is one of the pipelines of orders.
inline bool is_of_orders(std::string_view queue) {
  return queue.starts_with("aptrust_");
}

/// Whether the queue is one of the pipelines that simulated lives have.
inline bool is_of_pipeline(std::string_view queue) {
  return queue.starts_with("p.") || is_of_orders(queue);
}

} // namespace depositd::simulation
