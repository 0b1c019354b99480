#pragma once

// The slot's dealings with its ports. Private to actors/processors.

#include "actors/processors/processor.hpp"
#include "messages/actor_with.hpp"

namespace depositd::processors {

using self_pointer = actor_with<processor_state>*;

/// Null if no port of the shard is known.
processor_port* find_port(self_pointer self, shard_number shard);

/// Takes up ports that are new and attaches to them.
void take_ports(self_pointer self, const ports_opened& found);

/// A port is gone; what was claimed there stays in hand.
void lose_port(self_pointer self, const caf::actor_addr& who);

void attach_to(self_pointer self, processor_port& port);

/// Asks for as many items as there is room for: the only port waits, several
/// are asked one after the other, and wait together once none had anything.
void draw(self_pointer self);

/// Sends outcomes to the port of their shard. Without one they are kept.
void hand_back(self_pointer self, processor_port* port,
               std::vector<outcome> outcomes);

/// Items that were asked for and are not there.
std::uint32_t credit_out(self_pointer self);

/// Asks a port for items.
void ask(self_pointer self, processor_port& port, std::uint32_t credit,
         bool waits);

/// Takes back all credit.
void stop_drawing(self_pointer self);

/// Extends the claims at ports on other nodes, again and again.
void touch_later(self_pointer self);
void touch_all(self_pointer self);

// -- draws.cpp: several ports -------------------------------------------------

/// The port whose turn it is, for one item if it has any now; all of them, and
/// for as long as it takes, if nobody waits anywhere.
void probe(self_pointer self);

/// A port is there from now on, or is not.
void open_draws(self_pointer self, processor_port& port);
void close_draws(self_pointer self, const processor_port& port);

/// A port says how many users it could serve, asked for that or for an item
/// that it did not have.
void take_count(self_pointer self, const deliver& x);

/// An item came from this port: credit at others is taken back.
void arrived(self_pointer self, processor_port& port);

/// While the handler is busy, numbers of users are asked for again; while the
/// slot waits for an answer, it makes sure that it does not wait for ever.
void look_later(self_pointer self);
void look_again(self_pointer self);

} // namespace depositd::processors
