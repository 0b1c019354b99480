#include "actors/journal/command.hpp"

#include "messages/values/codec.hpp"

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

} // namespace

bool command::seal() {
  if (what_.events.empty() && out_.deliveries.empty())
    return false;
  std::vector<body_slot> slots;
  if (const auto bytes = bytes_of_bodies(what_.events); bytes > 0)
    out_.bytes.reserve(bytes + 64 * what_.events.size());
  if (!what_.events.empty())
    encode(what_, out_.bytes, slots);
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
