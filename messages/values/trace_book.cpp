#include "messages/values/trace_book.hpp"

#include "messages/values/trace_context.hpp"

#include <atomic>
#include <deque>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace depositd {

namespace {

struct trace_shelf {
  std::atomic<bool> open{false};
  std::mutex mutex;
  std::unordered_map<item_id, noted_trace> by_item;
  std::deque<item_id> order; ///< oldest first
};

trace_shelf& kept_traces() {
  static trace_shelf out;
  return out;
}

void remember(item_id id, noted_trace x) {
  auto& to = kept_traces();
  const std::lock_guard guard{to.mutex};
  if (!to.by_item.insert_or_assign(id, std::move(x)).second)
    return;
  to.order.push_back(id);
  if (to.order.size() <= traces_noted_max)
    return;
  to.by_item.erase(to.order.front());
  to.order.pop_front();
}

} // namespace

void open_trace_book() {
  kept_traces().open = true;
}

bool is_trace_book_open() {
  return kept_traces().open.load(std::memory_order_relaxed);
}

void note_trace(item_id id, std::string trace) {
  if (is_trace_book_open() && !trace.empty())
    remember(id, {std::move(trace), {}, never});
}

void note_message(item_id id, std::string_view traceparent, micros at_us) {
  if (is_trace_book_open() && legal_traceparent(traceparent))
    remember(id, {trace_of(traceparent, id, at_us).trace,
                  std::string{traceparent}, at_us});
}

std::optional<noted_trace> trace_noted(item_id id) {
  auto& from = kept_traces();
  const std::lock_guard guard{from.mutex};
  const auto at = from.by_item.find(id);
  return at == from.by_item.end() ? std::nullopt : std::optional{at->second};
}

} // namespace depositd
