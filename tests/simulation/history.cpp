#include "tests/simulation/history.hpp"

#include "messages/values/codec.hpp"

#include <sstream>

namespace depositd::simulation {

namespace {

/// Short forms of what people look for in a history.
struct teller {
  std::ostream& out;

  void operator()(const attempted& x) const {
    out << "attempted " << x.body << " of " << x.user << " in " << x.queue;
  }
  void operator()(const acknowledged& x) const {
    out << "acknowledged " << x.body << " as " << x.id;
  }
  void operator()(const refused& x) const {
    out << "refused " << x.body;
  }
  void operator()(const message_kept& x) const {
    out << "kept " << x.body;
  }
  void operator()(const topic_wanted& x) const {
    out << "wanted of topic " << x.topic << ' ' << x.channel << ": "
        << static_cast<int>(x.what);
  }
  void operator()(const equal_kept& x) const {
    out << "kept " << x.body << " as " << x.id;
  }
  void operator()(const cancel_wanted& x) const {
    out << "wanted cancelled " << x.id << " of " << x.user;
  }
  void operator()(const cancelled_as_wanted& x) const {
    out << "cancelled " << x.id;
  }
  void operator()(const looked_up& x) const {
    out << "looked up " << x.id << " since " << x.asked_at << ": "
        << (x.found ? std::to_string(static_cast<int>(*x.found)) : "unknown");
  }
  void operator()(const listed& x) const {
    constexpr const char* whats[] = {"items", "jobs", "submissions"};
    out << "listed " << whats[static_cast<std::size_t>(x.what)] << " of "
        << x.among << " since " << x.asked_at << ", at most " << x.count_max
        << " after " << x.after << ':';
    for (const auto& [id, state] : x.rows)
      out << ' ' << id << ' ' << state;
  }
  void operator()(const forget_wanted& x) const {
    out << "wanted forgotten: what is over of " << x.user;
  }
  void operator()(const forgotten& x) const {
    out << "forgot what was over of " << x.user << " since " << x.asked_at;
  }
  void operator()(const restore_wanted& x) const {
    out << "wanted back " << x.object;
  }
  void operator()(const deletion_known& x) const {
    out << "asked for: " << x.reference;
  }
  void operator()(const object_recorded& x) const {
    out << "recorded a version of " << x.object << " at " << x.recorded_us;
  }
  void operator()(const object_deleted& x) const {
    out << "deleted " << x.object << " as wanted by " << x.request;
  }
  void operator()(const wake_wanted& x) const {
    out << "to be woken:";
    for (const auto id : x.ids)
      out << ' ' << id;
  }
  void operator()(const file_kept& x) const {
    out << "kept file " << x.sha256;
  }
  void operator()(const file_asked& x) const {
    constexpr const char* words[] = {"given", "away", "lost"};
    out << "asked for the file of " << x.id << " by " << x.processor << ": "
        << words[static_cast<std::size_t>(x.said)] << ", verdict "
        << static_cast<int>(x.says);
  }
  void operator()(const review_told& x) const {
    out << "told by " << x.teller << (x.heard ? "" : ", who does not know it,")
        << " of " << x.count << " at " << x.pipeline << '.' << x.stage << " ("
        << x.reason << "):";
    for (const auto id : x.jobs)
      out << ' ' << id;
  }
  void operator()(const reviews_awaited&) const {
    out << "waited for all reviews";
  }
  void operator()(const letters_wanted& x) const {
    out << "wanted back #" << x.number << ": " << x.count << " letters";
  }
  void operator()(const letters_returned& x) const {
    out << "sent back #" << x.number;
  }
  void operator()(const produced& x) const {
    out << "produced " << x.partition << ' ' << x.offset
        << (x.poison ? " (poison)" : " ") << x.body << " for shard " << x.shard;
  }
  void operator()(const processor_joined& x) const {
    out << "processor " << x.processor << " joined " << x.queue;
  }
  void operator()(const handed_out& x) const {
    out << "handed out " << x.id << " of " << x.user << " in " << x.queue
        << ", token " << x.token << ", attempt " << x.attempt << ", to "
        << x.processor;
  }
  void operator()(const reported& x) const {
    out << "reported " << x.id << ", token " << x.token << ", verdict "
        << static_cast<int>(x.says) << ", by " << x.processor;
    if (!x.document.empty())
      out << ", document " << x.document;
    if (x.tell)
      out << ", to be told";
  }
  void operator()(const settled& x) const {
    out << "settled " << x.id << (x.accepted ? "" : " (refused)") << " for "
        << x.processor;
  }
  void operator()(const renewal_wanted& x) const {
    out << "wanted #" << x.number << " by " << x.processor << " for "
        << x.lease_ms << " ms: " << (x.all ? "all" : "claims") << " of "
        << x.queue;
    for (const auto id : x.ids)
      out << ' ' << id;
  }
  void operator()(const renewed_as_wanted& x) const {
    out << "renewed #" << x.number;
  }
  void operator()(const consumer_noted& x) const {
    out << "consumer " << x.processor << (x.here ? " is at " : " has left ")
        << x.queue;
  }
  void operator()(const proposed& x) const {
    out << "proposed #" << x.number << ", " << x.changes.size() << " changes";
  }
  void operator()(const in_force& x) const {
    out << "in force #" << x.number;
  }
  void operator()(const work_wanted& x) const {
    out << "wanted #" << x.number << ' ' << x.id << ": " << word(x.action)
        << ' ' << x.stage;
  }
  void operator()(const work_done_as_wanted& x) const {
    out << "as wanted #" << x.number << ", it is " << x.state;
  }
  void operator()(const move_wanted& x) const {
    out << "wanted: all of " << x.from << " in " << x.to;
  }
  void operator()(const move_promised& x) const {
    out << "promised move " << x.reference;
  }
  void operator()(const journalled& x) const {
    std::string bytes;
    encode(x.what, bytes);
    out << "journalled " << x.shard << ':' << x.seq << " epoch " << x.epoch
        << ' ' << x.user << ' ';
    std::visit(*this, x.what);
    out << " #" << std::hash<std::string>{}(bytes);
  }
  void operator()(const group_written& x) const {
    out << "group to " << x.shard << ':' << x.last;
    for (const auto& mark : x.watermarks)
      out << ' ' << mark.partition << '=' << mark.offset;
  }
  void operator()(const recovered& x) const {
    out << "recovered shard " << x.shard << " #"
        << std::hash<std::string>{}(x.from_tables) << " log #"
        << std::hash<std::string>{}(x.from_log);
  }
  void operator()(const body_missing& x) const {
    out << "body missing of " << x.id;
  }
  void operator()(const leased& x) const {
    out << x.engine << " has shard " << x.shard << " in epoch " << x.epoch
        << " until " << x.until_us;
  }
  void operator()(const given_back& x) const {
    out << x.engine << " gives back shard " << x.shard << " of epoch "
        << x.epoch;
  }
  void operator()(const resumed& x) const {
    out << x.engine << " is resumed";
  }
  void operator()(const published& x) const {
    out << "published " << x.event_id << " of " << x.user;
  }
  void operator()(const to_publish& x) const {
    out << "to publish " << x.event_id << " of " << x.user;
  }
  void operator()(const dead_lettered& x) const {
    out << "dead letter " << x.partition << ' ' << x.offset;
  }
  void operator()(const offered& x) const {
    out << x.source << " has " << x.body << (x.bad ? " (bad)" : "");
  }
  void operator()(const topics_begun&) const {
    out << "topics are read and written from now on";
  }
  void operator()(const brought_back& x) const {
    out << "brought back from a backup; items were given up to " << x.id_max
        << ", in epochs up to " << x.epoch_max;
  }
  void operator()(const fault& x) const {
    out << "fault: " << x.what;
  }
  void operator()(const left_over& x) const {
    out << "left over: " << x.what;
  }

  // -- events

  void operator()(const item_enqueued& x) const {
    out << "enqueued " << x.id << " in " << x.queue;
  }
  void operator()(const item_claimed& x) const {
    out << "claimed " << x.id << " in " << x.queue << " token " << x.token
        << " attempt " << x.attempt << " by " << x.processor << " stamp "
        << x.stamp << " credit " << x.credit;
  }
  void operator()(const item_released& x) const {
    out << "released " << x.id << " in " << x.queue << " attempt " << x.attempt
        << " until " << x.available_us << " (" << x.reason << ')';
  }
  void operator()(const item_finished& x) const {
    out << "finished " << x.id << " in " << x.queue << " as "
        << static_cast<int>(x.how) << " (" << x.reason << ')';
  }
  void operator()(const item_parked& x) const {
    out << (x.parked ? "parked " : "unparked ") << x.id;
  }
  void operator()(const claim_renewed& x) const {
    out << "extended " << x.id << " to " << x.deadline_us;
  }
  void operator()(const body_compacted& x) const {
    out << "relocated " << x.id;
  }
  void operator()(const user_limits_changed& x) const {
    out << "limits of " << x.user << " in " << x.queue << ": "
        << (x.has_allocation ? std::to_string(x.allocation) : "-") << '/'
        << (x.has_concurrency ? std::to_string(x.concurrency) : "-");
  }
  void operator()(const queue_changed& x) const {
    out << "queue " << x.queue << ": concurrency " << x.settings.concurrency
        << ", allocation " << x.settings.allocation
        << (x.settings.suspended ? ", suspended" : "");
  }
  void operator()(const user_eligibility_changed& x) const {
    out << "standing of " << x.user << (x.held ? " held" : "")
        << (x.prohibited ? " prohibited" : "");
  }
  void operator()(const item_moved& x) const {
    out << "moved " << x.id << " from " << x.queue << " to " << x.to;
  }
  void operator()(const move_changed& x) const {
    out << "move " << x.reference << " from " << x.from << " to " << x.to
        << " of what came to " << x.id_last << ", status "
        << static_cast<int>(x.status);
  }
  void operator()(const server_changed& x) const {
    out << "server" << (x.suspended ? " suspended" : " goes on");
  }
  void operator()(const batch_received& x) const {
    out << "batch " << x.id;
  }
  void operator()(const batch_moved& x) const {
    out << "batch " << x.id << " is " << word(x.status.state);
    tell(x.queue, x.place);
    tell(x.jobs);
    out << " reports " << x.reports;
  }
  void operator()(const batch_counted& x) const {
    out << "batch " << x.id << " counts";
    tell(x.jobs);
  }
  void operator()(const job_created& x) const {
    out << "job " << x.id << " of batch " << x.batch << " is "
        << word(x.status.state);
  }
  void operator()(const job_moved& x) const {
    out << "job " << x.id << " is " << word(x.status.state);
    tell(x.queue, x.place);
    out << " (" << x.status.note << ')';
  }
  void operator()(const batch_forgotten& x) const {
    out << "forgot batch " << x.id;
  }
  void operator()(const collection_changed& x) const {
    out << "collection " << x.settings.name
        << (x.settings.held ? " held" : " free");
  }
  void tell(const std::string& from, const item_place& x) const {
    out << ", from " << from << " to " << (x.queue.empty() ? "-" : x.queue)
        << (x.parked ? " parked" : "") << " attempt " << x.attempt << " until "
        << x.available_us;
  }
  void tell(const job_counts& x) const {
    out << " expected " << x.expected << (x.split ? " split" : "") << " open "
        << x.open << " held " << x.held << " completed " << x.completed
        << " failed " << x.failed << " deleted " << x.deleted;
  }
  template <class Other>
  void operator()(const Other&) const {
    out << "event";
  }
};

} // namespace

std::string to_text(const entry& x) {
  std::ostringstream out;
  out << x.at_us << ' ';
  std::visit(teller{out}, x.what);
  return out.str();
}

std::uint64_t digest_of(const history& x) {
  std::uint64_t out = 14695981039346656037U;
  for (const auto& one : x.entries)
    for (const unsigned char c : to_text(one))
      out = (out ^ c) * 1099511628211U;
  return out;
}

} // namespace depositd::simulation
