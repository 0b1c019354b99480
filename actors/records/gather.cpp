#include "actors/records/gather.hpp"

#include "messages/values/codec.hpp"

#include <algorithm>
#include <utility>

namespace depositd::records {

namespace {

constexpr bool is_end(job_state x) {
  return x == job_state::completed || x == job_state::failed
         || x == job_state::deleted;
}

constexpr bool is_end(batch_state x) {
  return x == batch_state::completed || x == batch_state::failed
         || x == batch_state::deleted;
}

/// A state is entered once at a time: by this an end is known again, whichever
/// of the moves that leave it as it is tells of it.
template <class Status>
std::string end_id(const char* kind, item_id id, const Status& x) {
  return kind + std::to_string(id) + ':' + word(x.state) + ':'
         + std::to_string(x.changed_us);
}

/// Takes what is to be published out of the journal.
class gatherer {
public:
  explicit gatherer(publisher_state& state)
    : state_(state),
      tells_work_(static_cast<bool>(state.options.format.write_job)) {
    // nop
  }

  void take(const record& x, sequence first) {
    user_ = &x.user;
    next_ = first;
    for (const auto& e : x.events) {
      // A group may have been published in part.
      if (next_ > state_.cursor)
        std::visit([this](const auto& fields) { see(fields); }, e);
      ++next_;
    }
  }

  publication result;
  std::size_t lookups = 0;

private:
  /// `what` is of this event and of no other: a store that was brought back
  /// from a backup gives numbers again, and readers must not take what has one
  /// of them now for what had it then.
  std::string event_id(const std::string& what) const {
    return std::to_string(state_.options.shard) + ':' + std::to_string(next_)
           + ':' + what;
  }

  template <class Other>
  void see(const Other&) {
    // nobody outside is told
  }

  void see(const queue_changed& x) {
    if (x.settings.kind == queue_kind::deposit)
      state_.deposit_queues.insert(x.queue);
  }

  void see(const submission_received& x) {
    if (state_.known.size() < state_.options.known_max)
      state_.known[x.id] = {x.submission, x.received_us};
  }

  template <class T>
  T& add(T x) {
    return std::get<T>(
      result.entries.emplace_back(publication::entry{next_, true, std::move(x)})
        .what);
  }

  outcome_event& add_outcome(item_id id, const std::string& queue,
                             micros finished_us) {
    outcome_event out;
    out.event_id = event_id(std::to_string(finished_us));
    out.finished_us = finished_us;
    out.id = id;
    out.user = *user_;
    out.queue = queue;
    return add(std::move(out));
  }

  void see(const item_finished& x) {
    see_end(x);
  }

  void see(const submission_ended& x) {
    see_end(x);
  }

  template <class Event>
  void see_end(const Event& x) {
    if (state_.deposit_queues.count(x.queue) == 0)
      return;
    auto& out = add_outcome(x.id, x.queue, x.finished_us);
    out.how = x.how;
    out.reason = x.reason;
    out.batch_id = x.batch_id;
    out.document = x.document;
    const auto known = state_.known.find(x.id);
    result.entries.back().known = known != state_.known.end();
    if (known == state_.known.end()) {
      ++lookups;
      return;
    }
    // Kept until the batch is out: it may have to be made again.
    out.submission = known->second.submission;
    out.received_us = known->second.received_us;
  }

  void see(const submission_recorded& x) {
    auto& out = add_outcome(x.id, x.queue, x.finished_us);
    out.submission = x.submission;
    out.how = x.failed ? ending::failed : ending::done;
    out.batch_id = x.batch_id;
    out.document = x.document;
    out.received_us = x.received_us;
  }

  void see(const record_rejected& x) {
    add(dead_letter{event_id(x.partition + ':' + std::to_string(x.offset)), x});
  }

  /// Whether this end was not told before.
  bool is_news(item_id id, const std::string& end) {
    const auto at = state_.ended.find(id);
    if (at != state_.ended.end() && at->second == end)
      return false;
    return std::exchange(ended_[id], end) != end;
  }

  void see(const batch_moved& x) {
    if (!tells_work_ || !is_end(x.status.state))
      return;
    ended_batch out;
    out.event_id = end_id("batch:", x.id, x.status);
    if (!is_news(x.id, out.event_id))
      return;
    out.row.id = x.id;
    out.row.user = *user_;
    out.row.queue = x.place.queue;
    out.row.status = x.status;
    out.row.jobs = x.jobs;
    out.row.reports = x.reports;
    ++lookups;
    add(std::move(out));
  }

  void see(const job_moved& x) {
    if (!tells_work_ || !is_end(x.status.state))
      return;
    ended_job out;
    out.event_id = end_id("job:", x.id, x.status);
    if (!is_news(x.id, out.event_id)) {
      if (x.place.queue.empty())
        state_.ended.erase(x.id); // nothing more will happen to it
      return;
    }
    // Stages may follow on completion: a repetition must say the same.
    if (x.status.state != job_state::completed) {
      out.stage_queue = x.queue;
      out.row.attempt = x.place.attempt;
    }
    out.row.id = x.id;
    out.row.batch = x.batch;
    out.row.user = *user_;
    out.row.queue = x.place.queue;
    out.row.priority = x.place.priority;
    out.row.status = x.status;
    out.has_facts = x.has_facts;
    out.row.facts = x.facts;
    ++lookups;
    add(std::move(out));
  }

  publisher_state& state_;
  const bool tells_work_;
  const std::string* user_ = nullptr;
  sequence next_ = 0;
  std::unordered_map<item_id, std::string> ended_; ///< in this publication
};

template <class Row>
std::unordered_map<item_id, const Row*>
rows_by_id(const std::vector<Row>& rows) {
  std::unordered_map<item_id, const Row*> out;
  for (const auto& row : rows)
    out.emplace(row.id, &row);
  return out;
}

std::vector<item_id> each_once(std::vector<item_id> ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

/// Up to before the first entry that is one too many.
void keep_first(publication& x, std::size_t count) {
  if (x.entries.size() <= count)
    return;
  x.last = x.entries[count].at - 1;
  x.entries.resize(count);
}

} // namespace

caf::expected<publication> gather(publisher_state& state) {
  gatherer out{state};
  caf::error damage;
  std::size_t events = 0;
  record x;
  auto failed =
    state.options.store->read(state.cursor + 1, [&](const stored_group& group) {
      record_reader reader{group.bytes, group.group, bodies::skipped};
      auto next = group.first;
      while (!reader.at_end() && !damage) {
        damage = reader.next(x);
        if (!damage)
          out.take(x, next);
        next += x.events.size();
      }
      out.result.last = group.last;
      events += group.last - group.first + 1;
      return !damage && events < state.options.events_max
             && out.lookups < state.options.lookups_max;
    });
  if (damage)
    return damage;
  // Up to a part that was dropped.
  if (failed && (failed != ec::not_found || out.result.last == 0))
    return failed;
  keep_first(out.result, state.batch_max);
  return std::move(out.result);
}

std::vector<item_id> jobs_of(const publication& x) {
  std::vector<item_id> out;
  for (const auto& entry : x.entries)
    if (const auto* job = std::get_if<ended_job>(&entry.what))
      out.push_back(job->row.id);
  return each_once(std::move(out));
}

std::vector<item_id> batches_of(const publication& x) {
  std::vector<item_id> out;
  for (const auto& entry : x.entries)
    if (const auto* job = std::get_if<ended_job>(&entry.what))
      out.push_back(job->row.batch);
    else if (const auto* batch = std::get_if<ended_batch>(&entry.what))
      out.push_back(batch->row.id);
  return each_once(std::move(out));
}

void fill_in(publication& x, const std::vector<job_row>& rows) {
  const auto by_id = rows_by_id(rows);
  for (auto& entry : x.entries) {
    auto* job = std::get_if<ended_job>(&entry.what);
    if (job == nullptr)
      continue;
    const auto at = by_id.find(job->row.id);
    entry.forgotten = at == by_id.end();
    if (entry.forgotten)
      continue;
    job->row.info = at->second->info;
    job->row.created_us = at->second->created_us;
    if (!job->has_facts)
      job->row.facts = at->second->facts;
  }
}

void fill_in(publication& x, const std::vector<batch_row>& rows) {
  const auto by_id = rows_by_id(rows);
  for (auto& entry : x.entries) {
    auto* job = std::get_if<ended_job>(&entry.what);
    auto* batch = std::get_if<ended_batch>(&entry.what);
    if (job == nullptr && batch == nullptr)
      continue;
    const auto at
      = by_id.find(job != nullptr ? job->row.batch : batch->row.id);
    if (at == by_id.end()) {
      entry.forgotten = true;
      continue;
    }
    if (job != nullptr) {
      job->batch_uuid = at->second->info.uuid;
    } else {
      batch->row.info = at->second->info;
      batch->row.received_us = at->second->received_us;
    }
  }
}

} // namespace depositd::records
