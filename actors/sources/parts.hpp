#pragma once

// The scheduler's work, by what it is about. Private to actors/sources.

#include "actors/sources/scheduler.hpp"
#include "messages/actor_with.hpp"

namespace depositd::sources {

using scheduler_pointer = actor_with<scheduler_actor_state>*;

micros now_us(scheduler_pointer self);

/// Null if there is none.
fed_source* find_source(scheduler_actor_state& state, std::uint64_t number);
fed_source* find_source(scheduler_actor_state& state, const std::string& name);

// -- scheduler.cpp ------------------------------------------------------------

/// Of a source, as its buffer and what is known beside it go by them.
source_settings settings_here(source_settings by);

/// Does whatever can be done now; called when anything has happened.
void go_on(scheduler_pointer self);

// -- scheduler_settings.cpp ---------------------------------------------------

/// Brings strategy, marks and sources to what is set.
void follow_settings(scheduler_pointer self, const control_state& control);

// -- scheduler_pulling.cpp: buffers are filled --------------------------------

puller spawn_puller(scheduler_pointer self, const fed_source& x);

/// Reads on if it is time for that, and ends what takes too long.
void replenish(scheduler_pointer self, fed_source& x, micros at_us);

/// When `replenish` has to be called again; `never`: something happens before.
micros replenish_due_us(const scheduler_actor_state& state,
                        const fed_source& x);

/// What reads has other settings than the source.
void change_reader(fed_source& x, micros at_us);

/// Whether sources of this kind are told what is applied.
bool forgets_applied(source_kind kind) noexcept;

/// The source may forget these, if it is one that does.
void tell_source(scheduler_pointer self, fed_source& x,
                 std::vector<std::string> keys);

// -- scheduler_feeding.cpp: and emptied ---------------------------------------

/// Takes from the buffers as the strategy says and the marks allow.
void pick(scheduler_pointer self, micros at_us);

/// Sends what was picked, or what could not be fed, again.
void send_picked(scheduler_pointer self, fed_source& x, micros at_us);

/// Whether answers are expected that say what became of picks.
bool is_moving(const fed_source& x);

/// The source goes: what has not left stays unfed.
void drop_picked(scheduler_actor_state& state, fed_source& x);

/// Stores how far a source is applied, if that moved.
void keep(scheduler_pointer self, fed_source& x, micros at_us);

// -- scheduler_measuring.cpp: up to the marks ---------------------------------

/// Asks how much is left, if it is time for that.
void measure(scheduler_pointer self, micros at_us);
micros measure_due_us(const scheduler_actor_state& state);

/// All that is known of what is left is of another queue.
void forget_measured(scheduler_actor_state& state);

// -- scheduler_users.cpp: and up to those of users ----------------------------

bool has_user_marks(const scheduler_actor_state& state);

/// Sets records aside until the first one may be fed.
void set_aside(scheduler_actor_state& state, fed_source& x);

/// Whether the user may have no more, but for what sources have brought back.
bool is_at_mark(const scheduler_actor_state& state, const std::string& user);

/// A record of the user was picked, of this source or by hand (null).
void note_picked(scheduler_actor_state& state, fed_source* x,
                 const std::string& user);
/// It is durable, or let go.
void note_resolved(scheduler_actor_state& state, const std::string& user);

/// Asks how many items users have, if it is time for that.
void ask_users(scheduler_pointer self, micros at_us);
micros ask_users_due_us(const scheduler_actor_state& state);

/// What the source has brought back is nobody's.
void give_back(scheduler_actor_state& state, fed_source& x);

/// Users are not known any more; nothing stays aside.
void forget_users(scheduler_actor_state& state);

/// Counts what is on its way, from when there are marks of users.
void begin_users(scheduler_actor_state& state);

// -- scheduler_answers.cpp: what operators ask --------------------------------

caf::result<schedulers_reported> report(scheduler_pointer self);
caf::result<record_found> find_one(scheduler_pointer self,
                                   const find_record& x);
caf::result<strategy_explained> explain(scheduler_pointer self,
                                        const explain_strategy& x);
caf::result<source_tested> test_one(scheduler_pointer self,
                                    const test_source& x);
caf::result<fed_by_hand> feed_hand(scheduler_pointer self,
                                   const feed_by_hand& x);

} // namespace depositd::sources
