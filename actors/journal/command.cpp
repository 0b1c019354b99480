#include "actors/journal/command.hpp"

#include "messages/values/codec.hpp"

#include <utility>
#include <vector>

namespace depositd::journal {

bool command::seal() {
  if (what_.events.empty() && out_.deliveries.empty())
    return false;
  std::vector<body_slot> slots;
  if (!what_.events.empty())
    encode(what_, out_.bytes, slots);
  if (out_.locations_to)
    out_.slots = std::move(slots);
  out_.events = static_cast<std::uint32_t>(what_.events.size());
  out_.generation = to_.generation;
  if (to_.backlog)
    to_.backlog->bytes += out_.bytes.size();
  return true;
}

} // namespace depositd::journal
