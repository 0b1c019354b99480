#pragma once

// Judges a history. The invariants have the names of the project's list; I-6
// and I-8 judge items, I-11 all that is special to jobs and batches.

#include "tests/simulation/history.hpp"

#include <string>
#include <vector>

namespace depositd::simulation {

struct finding {
  std::string invariant; ///< "I-5"
  std::size_t at = 0;    ///< index of the entry that shows it
  std::string what;
};

using findings = std::vector<finding>;

/// What was acknowledged is in the journal, and was before it was acknowledged.
void check_nothing_lost(const history& x, findings& out);          // I-1
/// What is in the journal was attempted, as it is.
void check_nothing_invented(const history& x, findings& out); // I-2
/// What was not answered is there once or not at all; what was refused, never.
void check_unanswered(const history& x, findings& out); // I-3
/// Who asks for a submission hears how it stands, with all that was durable
/// when it asked, and nothing that is not.
/// The same for who asks for lists of items, jobs and submissions: all that
/// fit, once each, in their order.
void check_look_ups(const history& x, findings& out);
/// Neither item ids nor records of a partition are there twice.
void check_no_doubles(const history& x, findings& out); // I-4
/// Never more claims than the cap.
void check_caps(const history& x, findings& out); // I-5
/// Items go from state to state as they may, and not before their time.
void check_states(const history& x, findings& out); // I-6
/// One claim at a time; tokens rise; only the holder of the last one ends it;
/// nothing is handed out or settled before the journal has it; no epoch writes
/// after a later one.
void check_claims(const history& x, findings& out); // I-7
/// Attempts are counted, and taken back only when the processor says so.
void check_attempts(const history& x, findings& out); // I-8
/// Between two turns of a user who could be served, nobody has two.
void check_fairness(const history& x, findings& out); // I-9
/// Prohibited users go only to processors that require them.
void check_prohibited(const history& x, findings& out); // I-10
/// Jobs walk their stages one by one, each done once and by who held it; moves
/// are those of the tables, and somebody wanted them; batches count what their
/// jobs are, are reported when all are terminal, and once each time; what is
/// held is not worked on.
void check_work(const history& x, findings& out); // I-11
/// Nothing of a held user or a suspended queue is handed out.
void check_holds(const history& x, findings& out); // I-12
/// Watermarks rise, and effects move with them.
void check_watermarks(const history& x, findings& out); // I-13
/// Each outcome is on the egress topic, in the order of its user.
void check_egress(const history& x, findings& out); // I-14
/// Each poison record is a dead letter once.
void check_dead_letters(const history& x, findings& out); // I-15
/// Bodies are where their places say, and what was sent.
void check_bodies(const history& x, findings& out); // I-16
/// The tables and the tail say the same as the whole log.
void check_recovery(const history& x, findings& out); // I-17
/// Everything that can be served is, once faults stop.
void check_liveness(const history& x, findings& out); // I-18
/// What an operator was told to be in force was durable then.
void check_settings(const history& x, findings& out); // C-1

/// The same in every shard, before it hands out anything after that.
void check_settings_everywhere(const history& x, findings& out); // C-1
/// A shard is written to under its newest lease, and not after the lease ended
/// or was given back; no two engines have it at once.
void check_leases(const history& x, findings& out); // L-1

/// What is moved was there when somebody wanted it, and arrives once, in its
/// order and under its user; a move that was promised comes to its end.
void check_moves(const history& x, findings& out); // M-1

/// What an operator was told to be cancelled has ended.
void check_cancelled(const history& x, findings& out); // C-2

/// What collapses was never handed out, and an equal payload is handed out
/// after it had come.
void check_equals(const history& x, findings& out); // E-1

/// A queue goes when it is empty, and nothing comes into one that has gone.
void check_fleeting(const history& x, findings& out);

/// A message that its publisher was told of comes into each channel that there
/// was, and into none twice.
void check_channels(const history& x, findings& out); // T-1

/// What is to be told of a deposit goes on with its end, and stays until it has
/// been told.
void check_notifying(const history& x, findings& out); // N-1

/// A claim lasts as long as its holder was told, and ends when it is given
/// back.
void check_renewals(const history& x, findings& out); // K-1

/// Never more items of a queue that is pulled into than its scheduler's mark.
void check_marks(const history& x, findings& out); // P-1

/// Nothing that was given since a backup was made is given again by who goes on
/// from it.
void check_backups(const history& x, findings& out); // B-1

/// What an engine's file says anew counts from its start on, and nothing else
/// that it says.
void check_configured(const history& x, findings& out); // C-3

/// What is deleted was agreed to, and what was agreed to is queued, once and as
/// a whole; orders of one object do not meet.
void check_deletions(const history& x, findings& out); // D-1

/// What is due is ordered once in its span, of one user's collection one run at
/// a time.
void check_checks(const history& x, findings& out); // F-1

/// Who was told that dead letters went back can rely on it.
void check_letters(const history& x, findings& out);

/// A large file is kept before a deposit names it, and who cannot read it does
/// not go on without it, nor lets the deposit pay for a store that is away.
void check_files(const history& x, findings& out); // O-1

/// Administrators are told of each job that came to need review, of no other,
/// and of one cause once in a while.
void check_reviews(const history& x, findings& out); // V-1

/// Whether there is a job that needs review of which nobody was told.
bool any_review_untold(const history& x);

/// All of them.
findings check(const history& x);

} // namespace depositd::simulation
