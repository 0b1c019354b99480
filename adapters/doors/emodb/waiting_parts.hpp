#pragma once

// The waiting room's work, by what it is about. Private to the room.

#include "adapters/doors/emodb/waiting_room.hpp"
#include "messages/actor_with.hpp"

namespace depositd::emodb::waiting {

using self_pointer = actor_with<waiting_room_state>*;
using waiting_one = waited_queue::one;

// -- waiting_room.cpp: who waits ----------------------------------------------

/// Null if nobody waits for it.
waited_queue* find_queue(self_pointer self, const std::string& name);

bool is_over(self_pointer self, const waiting_one& x);

/// Takes it out of the count if it is refused by now.
bool is_refused(self_pointer self, const waiting_one& x);

/// Both take it out of the count and answer it.
void leave(self_pointer self, const waiting_one& x,
           std::vector<received_item> items);
void turn_away(self_pointer self, const waiting_one& x, const caf::error& why);

// -- waiting_queues.cpp: queues that tell -------------------------------------

/// How many can be served? Answered now, and when there are more.
void ask_counts(self_pointer self, const waited_queue& x);

/// Attaches to the queue, if there is one and that is not done. One that does
/// not exist is waited for: it comes with its first message.
void open(self_pointer self, const std::string& name, waited_queue& x);

void close(self_pointer self, waited_queue& x);

void port_down(self_pointer self, const caf::down_msg& down);

// -- waiting_answers.cpp: asking the shard ------------------------------------

void give_back(self_pointer self, const give_back_items& x);

/// Asks for those in front that can ask as one.
void serve(self_pointer self, const std::string& name, waited_queue& x);

} // namespace depositd::emodb::waiting
