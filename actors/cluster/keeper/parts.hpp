#pragma once

// The keeper's work, by what it is about. Private to actors/cluster/keeper.

#include "actors/cluster/keeper/keeper.hpp"

namespace depositd::cluster {

using phase = kept_shard::phase;

/// Whether the lease is ours.
bool is_ours(const kept_shard& x);

/// Tells router and reader.
void place(shard_keeper_pointer self, const shard_placed& x);
void place_nobody(shard_keeper_pointer self, shard_number shard,
                  epoch_number epoch);

// -- keeper.cpp ---------------------------------------------------------------

void look(shard_keeper_pointer self);

/// A shard has reached `none`: perhaps it was the last one.
void left_one(shard_keeper_pointer self);

// -- cores.cpp: what is ours --------------------------------------------------

void take(shard_keeper_pointer self, shard_number shard);

/// Ends the core at once. `release`: the lease is still ours to give back.
void lose(shard_keeper_pointer self, shard_number shard, const std::string& why,
          bool release);

/// Hands nothing out any more, lets claims end, gives the lease back.
void hand_over(shard_keeper_pointer self, shard_number shard);

void go_on_leaving(shard_keeper_pointer self, const look_at_claims& x);

/// An actor of a core has ended.
void core_down(shard_keeper_pointer self, const caf::down_msg& x);

// -- balance.cpp: who should have what ----------------------------------------

/// Takes what is free and hands over what is too much, by the newest table.
void balance(shard_keeper_pointer self);

// -- others.cpp: what others have ---------------------------------------------

/// Connects to engines that are ours to find; asks the owners of shards that
/// router and reader do not know yet.
void meet_owners(shard_keeper_pointer self);

/// Another engine is connected to us.
void called(shard_keeper_pointer self, const meet_engine& x);

/// Whether it was another engine that went; it is asked nothing more.
bool engine_down(shard_keeper_pointer self, const caf::actor_addr& who);

/// What others were said to have must be asked again.
void doubt_owners(shard_keeper_pointer self);

} // namespace depositd::cluster
