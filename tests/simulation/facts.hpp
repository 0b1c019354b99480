#pragma once

// What may happen in a simulated life, as those outside the engines see it.

#include "messages/journal.hpp"
#include "messages/ports/journal_store.hpp"
#include "messages/processors.hpp"
#include "messages/projection.hpp"
#include "messages/topics.hpp"
#include "messages/values/events.hpp"
#include "messages/values/sharding.hpp"
#include "messages/values/types.hpp"

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace depositd::simulation {

// -- clients. A deposit is known by its body, which nobody sends twice.

struct attempted {
  std::string body;
  std::string queue;
  std::string user;
};

/// A client was told that its deposit is kept.
struct acknowledged {
  std::string body;
  item_id id = 0;
};

/// A client was told that its deposit is not kept. Without this and without an
/// acknowledgement a client does not know.
struct refused {
  std::string body;
};

/// A publisher was told that its message is kept.
struct message_kept {
  std::string body;
};

/// An operator's wish about a topic, or about one of its channels.
struct topic_wanted {
  std::string topic;
  std::string channel; ///< empty: the topic itself
  topic_action what = topic_action::create;
};

/// Who sent a payload that others may send, too, was told that it is kept.
struct equal_kept {
  std::string body;
  item_id id = 0;
};

/// An operator's wish to end a deposit that waits, or all of a user's.
struct cancel_wanted {
  item_id id = 0; ///< 0: all
  std::string user;
};

/// The operator was told that it has ended.
struct cancelled_as_wanted {
  item_id id = 0;
};

/// A depositor has asked how a submission stands, when there were so many
/// entries, and is told.
struct looked_up {
  item_id id = 0;
  std::size_t asked_at = 0;
  std::optional<submission_status> found; ///< nothing: nobody knows of it
};

enum class listing : std::uint8_t { items, jobs, submissions };

/// Somebody has asked the read model, when there were so many entries, for the
/// items of a queue or for the jobs or the submissions of a user, and is told.
struct listed {
  listing what = listing::items;
  std::string among; ///< the queue, or the user
  std::size_t asked_at = 0;
  std::uint32_t count_max = 0;
  bool newest_first = false;
  item_id after = 0; ///< only what comes after it; 0: from the first on
  std::vector<std::pair<item_id, std::string>> rows; ///< and their states
};

/// A user's submissions that are over are to be forgotten.
struct forget_wanted {
  std::string user;
};

/// Those that were over when there were so many entries are.
struct forgotten {
  std::string user;
  std::size_t asked_at = 0;
};

/// A record of an ingress topic, read by the shard that its user is in.
struct produced {
  std::string partition;
  std::int64_t offset = 0;
  shard_number shard = 0;
  bool poison = false;
  std::string body;      ///< of the deposit; nothing if poison
  bool repeated = false; ///< by a producer that was not sure: no deposit
  bool returned = false; ///< by who sends dead letters back
};

/// Somebody wants so many dead letters to go back where they came from.
struct letters_wanted {
  std::uint32_t number = 0;
  std::size_t count = 0;
};

/// They were told that the brokers have them.
struct letters_returned {
  std::uint32_t number = 0;
};

// -- processors

/// Or left: then it waits for nothing any more.
struct processor_joined {
  std::uint32_t processor = 0; ///< the simulation's own number
  std::string queue;
  criteria wants;
  std::uint32_t credit_max = 0; ///< items that it may wait for at once
};

struct handed_out {
  std::uint32_t processor = 0; ///< 0: to a poll, which hears of no token
  std::string queue;
  item_id id = 0;
  claim_token token = 0;
  std::uint32_t attempt = 0;
  std::string user;
  std::string body;
};

struct reported {
  std::uint32_t processor = 0;
  item_id id = 0;
  claim_token token = 0;
  verdict says = verdict::done;
  /// Of a stage: the new body, by its name, that the outcome brings; or empty.
  std::string document = {};
  /// Of a deposit: its depositor is to be told of this end.
  bool tell = false;
};

struct settled {
  std::uint32_t processor = 0;
  item_id id = 0;
  bool accepted = false;
};

/// Whoever holds these claims wants them to last for so long from now on, or to
/// end; or somebody wants all of a queue to end.
struct renewal_wanted {
  std::uint32_t number = 0;
  std::uint32_t processor = 0; ///< 0: by the items' names alone
  std::string queue;
  bool all = false; ///< of the queue
  std::vector<item_id> ids;
  std::uint32_t lease_ms = 0; ///< 0: they are to end
};

/// It was told that this is so.
struct renewed_as_wanted {
  std::uint32_t number = 0;
};

/// A consumer of a channel was told that it is one, or is none any more.
struct consumer_noted {
  std::uint32_t processor = 0;
  std::string queue;
  bool here = false;
};

// -- operators

struct proposed {
  std::uint32_t number = 0;
  std::vector<event> changes;
};

/// The change is durable and in force, as the operator was told.
struct in_force {
  std::uint32_t number = 0;
};

/// An operator's wish about a batch or a job; 0: about many jobs.
struct work_wanted {
  std::uint32_t number = 0;
  item_id id = 0;
  work_action action = work_action::hold;
  std::string stage; ///< to be requeued to, if one was named
};

/// What the operator was told of it: the state that the move led to.
struct work_done_as_wanted {
  std::uint32_t number = 0;
  std::string state;
};

/// An operator's wish to move what a queue holds now to another.
struct move_wanted {
  std::string from;
  std::string to;
};

/// The operator was told that this will happen.
struct move_promised {
  std::string reference;
};

// -- journals. A group comes after the events that are in it.

struct journalled {
  shard_number shard = 0;
  epoch_number epoch = 0;
  sequence seq = 0;
  std::string user;
  event what;
};

struct group_written {
  shard_number shard = 0;
  epoch_number epoch = 0;
  sequence last = 0;
  std::vector<watermark> watermarks;
};

/// What a start would find at this moment, and what all events say that ever
/// were in the journal.
struct recovered {
  shard_number shard = 0;
  std::string from_tables; ///< canonical text
  std::string from_log;
};

/// The body of a live item is not where its place says.
struct body_missing {
  item_id id = 0;
};

// -- leases

/// Taken or renewed: the engine may have the shard until then.
struct leased {
  std::string engine;
  shard_number shard = 0;
  epoch_number epoch = 0;
  micros until_us = 0;
};

/// The engine says that nothing of the shard is there any more.
struct given_back {
  std::string engine;
  shard_number shard = 0;
  epoch_number epoch = 0;
};

/// The engine was stopped for a while and did not notice.
struct resumed {
  std::string engine;
};

// -- topics

struct published {
  std::string event_id;
  std::string user;
  std::string content;
};

/// An outcome of which the egress topic must tell, with the id it must have.
struct to_publish {
  std::string event_id;
  std::string user;
  std::string content;
};

struct dead_lettered {
  std::string partition;
  std::int64_t offset = 0;
};

// -- sources

/// A record that a source has from now on.
struct offered {
  std::string body;
  std::string source;
  bool bad = false;
};

/// From now on engines read and write them: of what had ended before, no more
/// is told than is still known.
struct topics_begun {};

// -- backups

/// The shard's stores are those of a backup from now on. What had happened
/// since it was made is in no history any more, but whoever had a part in it
/// knows of it: up to this number items were given by then, and up to this
/// epoch claims.
struct brought_back {
  item_id id_max = 0;
  epoch_number epoch_max = 0;
};

// -- orders about what is stored

/// Somebody wants this object back.
struct restore_wanted {
  std::string object;
};

/// Who asks for a deletion was told that there is such a request.
struct deletion_known {
  std::string reference;
};

/// The inventory has a version of this object from now on, by its time.
struct object_recorded {
  std::string object;
  micros recorded_us = 0;
};

/// Nothing of the object is stored any more, by an order of this request.
struct object_deleted {
  std::string object;
  std::string request;
};

/// These items need not wait any longer, whatever they were told.
struct wake_wanted {
  std::vector<item_id> ids;
};

// -- files that are too large for a journal

/// The store has it from now on.
struct file_kept {
  std::string sha256;
};

/// What the store said to who needed one.
enum class file_said : std::uint8_t { given, away, lost };

/// Somebody who works on a deposit has asked for its file, and says this of the
/// deposit.
struct file_asked {
  std::uint32_t processor = 0;
  item_id id = 0;
  file_said said = file_said::given;
  verdict says = verdict::done;
};

// -- jobs that need review

/// Administrators got a call about jobs of one cause.
struct review_told {
  std::uint32_t teller = 0;
  std::string pipeline;
  std::string stage;
  std::string reason;
  std::uint64_t count = 0;
  std::vector<item_id> jobs; ///< the first of them
  bool heard = true;         ///< the teller knows that they got it
};

/// Nothing is broken any more, and tellers had time for all that needs review.
struct reviews_awaited {};

// -- the world

/// Something was broken on purpose: rings may have lost a turn.
struct fault {
  std::string what;
};

/// Everything was mended and there was time enough, and yet this remains.
struct left_over {
  std::string what;
};

using fact =
  std::variant<attempted, acknowledged, refused, message_kept, topic_wanted,
               equal_kept, cancel_wanted, cancelled_as_wanted, looked_up,
               listed, forget_wanted, forgotten, produced, processor_joined,
               handed_out, reported, settled, renewal_wanted,
               renewed_as_wanted, consumer_noted, proposed, in_force,
               work_wanted,
               work_done_as_wanted, move_wanted, move_promised, journalled,
               group_written, recovered, body_missing, leased, given_back,
               resumed, published, to_publish, dead_lettered, offered, fault,
               left_over, brought_back, topics_begun, restore_wanted,
               deletion_known, letters_wanted, letters_returned,
               object_recorded, object_deleted, wake_wanted, file_kept,
               file_asked, review_told, reviews_awaited>;

} // namespace depositd::simulation
