#pragma once

// The slot's dealings with its doors. Private to actors/processor*.cpp.

#include "actors/processors/processor.hpp"

namespace depositd::processor_parts {

using self_pointer = processor_self::stateful_pointer<processor_state>;

/// Null if no door of the shard is known.
processor_door* find_door(self_pointer self, shard_number shard);

/// Takes up doors that are new and attaches to them.
void take_doors(self_pointer self, const doors_opened& found);

/// A door is gone; what was claimed there stays in hand.
void lose_door(self_pointer self, const caf::actor_addr& who);

void attach_to(self_pointer self, processor_door& door);

/// Asks for as many items as there is room for: the only door waits, several
/// are asked one after the other, and wait together once none had anything.
void draw(self_pointer self);

/// Sends outcomes to the door of their shard. Without one they are kept.
void deliver(self_pointer self, processor_door* door,
             std::vector<outcome> outcomes);

/// Items that were asked for and are not there.
std::uint32_t credit_out(self_pointer self);

/// Asks a door for items.
void ask(self_pointer self, processor_door& door, std::uint32_t credit,
         bool waits);

/// Takes back all credit.
void stop_drawing(self_pointer self);

/// Extends the claims at doors on other nodes, again and again.
void touch_later(self_pointer self);
void touch_all(self_pointer self);

// -- processor_visits.cpp: several doors --------------------------------------

/// The door whose turn it is, for one item if it has any now; all of them, and
/// for as long as it takes, if nobody waits anywhere.
void probe(self_pointer self);

/// A door is there from now on, or is not.
void open_visits(self_pointer self, processor_door& door);
void close_visits(self_pointer self, const processor_door& door);

/// A door says how many users it could serve, asked for that or for an item
/// that it did not have.
void take_count(self_pointer self, const handed& x);

/// An item came from this door: credit at others is taken back.
void arrived(self_pointer self, processor_door& door);

/// While the handler is busy, numbers of users are asked for again; while the
/// slot waits for an answer, it makes sure that it does not wait for ever.
void look_later(self_pointer self);
void look_again(self_pointer self);

} // namespace depositd::processor_parts
