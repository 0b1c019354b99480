#include "actors/journal/command.hpp"

#include "messages/values/codec.hpp"
#include "messages/values/work_numbers.hpp"

#include <utility>
#include <vector>

namespace depositd::journal {

namespace {

std::size_t bytes_of_bodies(const std::vector<event>& events) {
  std::size_t out = 0;
  for (const auto& x : events)
    if (const auto* item = std::get_if<item_enqueued>(&x))
      out += item->body.size();
  return out;
}

/// What metrics tell of batches and jobs.
void count_work_in(const std::vector<event>& events) {
  for (const auto& x : events)
    if (const auto* come = std::get_if<batch_received>(&x))
      batch_came(come->id, come->received_us);
    else if (const auto* batch = std::get_if<batch_moved>(&x))
      batch_moves(batch->id, batch->status, !batch->place.queue.empty());
    else if (const auto* made = std::get_if<job_created>(&x))
      job_moves_to(made->status.state);
    else if (const auto* job = std::get_if<job_moved>(&x))
      job_moves_to(job->status.state);
}

} // namespace

bool command::seal() {
  if (what_.events.empty() && out_.deliveries.empty())
    return false;
  std::vector<body_slot> slots;
  if (!what_.events.empty()) {
    out_.bytes.reserve(bytes_of_bodies(what_.events) + what_.user.size()
                       + 64 * what_.events.size());
    encode(what_, out_.bytes, slots);
  }
  count_work_in(what_.events);
  if (out_.locations_to) {
    std::erase_if(slots,
                  [this](const auto& x) { return !asked_.contains(x.id); });
    out_.slots = std::move(slots);
  }
  out_.events = static_cast<std::uint32_t>(what_.events.size());
  out_.generation = to_.generation;
  if (to_.backlog)
    to_.backlog->bytes += out_.bytes.size();
  return true;
}

} // namespace depositd::journal
