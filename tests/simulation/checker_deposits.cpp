// What clients and topics were told, against the journal.

#include "messages/values/names.hpp"
#include "messages/values/pipelines.hpp"
#include "messages/values/topic_names.hpp"
#include "tests/simulation/checker.hpp"
#include "tests/simulation/queues_of_lives.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace depositd::simulation {

namespace {

/// Calls `act` with each fact of one kind and its place.
template <class T, class Act>
void each(const history& x, Act act) {
  for (std::size_t i = 0; i < x.entries.size(); ++i)
    if (const auto* fact = std::get_if<T>(&x.entries[i].what))
      act(*fact, i);
}

template <class Event, class Act>
void each_event(const history& x, Act act) {
  each<journalled>(x, [&](const journalled& record, std::size_t at) {
    if (const auto* what = std::get_if<Event>(&record.what))
      act(*what, record, at);
  });
}

struct kept {
  const item_enqueued* item;
  const journalled* record;
  std::size_t at;
};

std::unordered_map<std::string_view, kept> kept_by_body(const history& x) {
  std::unordered_map<std::string_view, kept> out;
  each_event<item_enqueued>(
    x, [&](const auto& item, const auto& record, std::size_t at) {
      out.try_emplace(item.body, kept{&item, &record, at});
    });
  return out;
}

} // namespace

void check_nothing_lost(const history& x, findings& out) {
  const auto found = kept_by_body(x);
  each<acknowledged>(x, [&](const acknowledged& told, std::size_t at) {
    const auto item = found.find(told.body);
    if (item == found.end())
      out.push_back({"I-1", at, told.body + " was acknowledged and is lost"});
    else if (item->second.at > at)
      out.push_back({"I-1", at, told.body + " was acknowledged too early"});
    else if (item->second.item->id != told.id)
      out.push_back({"I-1", at, told.body + " was given another id"});
  });
}

void check_nothing_invented(const history& x, findings& out) {
  std::unordered_map<std::string_view, const attempted*> known;
  std::unordered_set<std::string_view> kept; ///< where they come by a move: M-1
  for (std::size_t i = 0; i < x.entries.size(); ++i) {
    if (const auto* tried = std::get_if<attempted>(&x.entries[i].what))
      known.emplace(tried->body, tried);
    const auto* record = std::get_if<journalled>(&x.entries[i].what);
    if (record == nullptr)
      continue;
    const auto* item = std::get_if<item_enqueued>(&record->what);
    if (item == nullptr)
      continue;
    if (item->queue.starts_with(dedup_queue_prefix))
      continue; // payloads that many send: E-1
    if (is_of_orders(item->queue)
        && item->queue.ends_with(std::string{"."} + split_stage))
      continue; // orders of those who were asked by others: D-1
    const auto at = known.find(item->body);
    if (at == known.end())
      out.push_back({"I-2", i, "nobody sent " + item->body});
    else if (is_topic_queue(item->queue) && is_topic_queue(at->second->queue)
             && at->second->user == record->user)
      continue; // which channels: T-1
    else if (x.with_pipeline_changes && item->queue.starts_with("p.")
             && at->second->queue.starts_with("p.")
             && at->second->user == record->user)
      continue; // to which stage: I-11
    else if (at->second->user != record->user
             || (kept.insert(item->body).second
                 && at->second->queue != item->queue))
      out.push_back({"I-2", i, item->body + " is in the wrong place"});
  }
}

void check_unanswered(const history& x, findings& out) {
  std::unordered_map<std::string_view, std::size_t> copies;
  std::unordered_map<std::string_view, std::size_t> left; ///< for other shards
  std::unordered_map<item_id, std::string_view> bodies;
  for (std::size_t i = 0; i < x.entries.size(); ++i) {
    const auto* record = std::get_if<journalled>(&x.entries[i].what);
    if (record == nullptr)
      continue;
    if (const auto* item = std::get_if<item_enqueued>(&record->what)) {
      if (is_topic_queue(item->queue)
          || item->queue.starts_with(dedup_queue_prefix))
        continue; // T-1, E-1
      bodies.emplace(item->id, item->body);
      if (++copies[item->body] == 2 + left[item->body])
        out.push_back({"I-3", i, item->body + " is there twice"});
    } else if (const auto* moved = std::get_if<item_moved>(&record->what)) {
      if (moved->to.starts_with(outbox_prefix))
        ++left[bodies[moved->id]];
    }
  }
  each<refused>(x, [&](const refused& told, std::size_t at) {
    if (copies.count(told.body) > 0)
      out.push_back({"I-3", at, told.body + " was refused and is there"});
  });
}

void check_no_doubles(const history& x, findings& out) {
  std::unordered_set<item_id> ids;
  each_event<item_enqueued>(x, [&](const auto& item, const auto& record,
                                   std::size_t at) {
    if (!ids.insert(item.id).second)
      out.push_back({"I-4", at, "id " + std::to_string(item.id) + " twice"});
    if (shard_of_item(item.id) != record.shard)
      out.push_back(
        {"I-4", at, "id " + std::to_string(item.id) + " is of another shard"});
  });
  std::set<std::pair<std::string, std::int64_t>> rejected;
  each_event<record_rejected>(
    x, [&](const auto& what, const auto&, std::size_t at) {
      if (!rejected.emplace(what.partition, what.offset).second)
        out.push_back(
          {"I-4", at,
           "record " + std::to_string(what.offset) + " was rejected twice"});
    });
}

// -- ingress ------------------------------------------------------------------

namespace {

/// The records of one partition for one shard, and how far they are applied.
struct inflow {
  std::map<std::int64_t, const produced*> records; ///< all that ever come
  std::set<std::int64_t> applied;
  std::int64_t mark = -1;
};

using inflows = std::map<std::pair<shard_number, std::string>, inflow>;

void check_mark(const inflow& flow, const std::string& partition,
                std::size_t at, findings& out) {
  for (const auto& [offset, record] : flow.records) {
    const auto there = flow.applied.count(offset) > 0;
    if (there != (offset <= flow.mark))
      out.push_back({"I-13", at,
                     partition + " is applied up to "
                       + std::to_string(flow.mark) + ", and record "
                       + std::to_string(offset)
                       + (there ? " is there" : " is not")});
  }
}

/// Where a body of a record comes from.
using origins =
  std::unordered_map<std::string_view, std::pair<inflow*, std::int64_t>>;

origins sort_records(const history& x, inflows& flows) {
  origins out;
  each<produced>(x, [&](const produced& record, std::size_t) {
    if (record.repeated)
      return; // it may be applied or not: nothing comes of it
    auto& flow = flows[{record.shard, record.partition}];
    flow.records.emplace(record.offset, &record);
    if (!record.poison)
      out.emplace(record.body, std::pair{&flow, record.offset});
  });
  return out;
}

} // namespace

void check_watermarks(const history& x, findings& out) {
  inflows flows;
  const auto from = sort_records(x, flows);
  for (std::size_t i = 0; i < x.entries.size(); ++i) {
    const auto& what = x.entries[i].what;
    if (const auto* record = std::get_if<journalled>(&what)) {
      if (const auto* item = std::get_if<item_enqueued>(&record->what)) {
        const auto at = from.find(item->body);
        if (at != from.end())
          at->second.first->applied.insert(at->second.second);
      } else if (const auto* bad = std::get_if<record_rejected>(&record->what))
        flows[{record->shard, bad->partition}].applied.insert(bad->offset);
    } else if (const auto* group = std::get_if<group_written>(&what)) {
      for (const auto& mark : group->watermarks) {
        auto& flow = flows[{group->shard, mark.partition}];
        if (mark.offset < flow.mark)
          out.push_back({"I-13", i, mark.partition + " goes back"});
        flow.mark = mark.offset;
      }
      for (const auto& [key, flow] : flows)
        if (key.first == group->shard && out.size() < 20)
          check_mark(flow, key.second, i, out);
    }
  }
  if (!x.with_topics)
    return;
  for (const auto& [key, flow] : flows)
    for (const auto& [offset, record] : flow.records)
      if (!flow.applied.contains(offset))
        out.push_back({"I-13", x.entries.size(),
                       key.second + ": record " + std::to_string(offset)
                         + " was never read"});
}

// -- egress -------------------------------------------------------------------

void check_egress(const history& x, findings& out) {
  if (!x.with_topics)
    return;
  std::size_t begun = 0; ///< what had ended before may be told
  each<topics_begun>(x, [&](const auto&, std::size_t at) { begun = at; });
  std::map<std::string, const to_publish*> wanted;
  std::set<std::string> early;
  std::map<std::string, std::vector<std::string>> order;
  each<to_publish>(x, [&](const to_publish& want, std::size_t at) {
    wanted.emplace(want.event_id, &want);
    if (at < begun)
      early.insert(want.event_id);
    order[want.user].push_back(want.event_id);
  });
  std::map<std::string, std::size_t> next; // of a user's
  std::set<std::string> seen;
  std::set<std::string> passed; ///< early ones, which may be told later
  const auto is_next = [&](const published& told) {
    if (passed.contains(told.event_id))
      return true;
    const auto& all = order[told.user];
    auto& at = next[told.user];
    while (at + 1 < all.size() && all[at] != told.event_id
           && early.contains(all[at]))
      passed.insert(all[at++]);
    return all[at++] == told.event_id;
  };
  each<published>(x, [&](const published& told, std::size_t at) {
    const auto want = wanted.find(told.event_id);
    if (want == wanted.end())
      out.push_back({"I-14", at, told.event_id + " never happened"});
    else if (want->second->content != told.content
             || want->second->user != told.user)
      out.push_back({"I-14", at, told.event_id + " is told wrongly"});
    else if (seen.insert(told.event_id).second && !is_next(told))
      out.push_back({"I-14", at, told.event_id + " is out of order"});
  });
  for (const auto& [id, want] : wanted)
    if (!seen.contains(id) && !early.contains(id))
      out.push_back({"I-14", x.entries.size(), id + " was never told"});
}

void check_dead_letters(const history& x, findings& out) {
  if (!x.with_topics)
    return;
  std::set<std::pair<std::string, std::int64_t>> poison;
  each<produced>(x, [&](const produced& record, std::size_t) {
    if (record.poison)
      poison.emplace(record.partition, record.offset);
  });
  auto missing = poison;
  each<dead_lettered>(x, [&](const dead_lettered& letter, std::size_t at) {
    if (poison.count({letter.partition, letter.offset}) == 0)
      out.push_back({"I-15", at,
                     "record " + std::to_string(letter.offset)
                       + " is a dead letter and was good"});
    missing.erase({letter.partition, letter.offset});
  });
  for (const auto& [partition, offset] : missing)
    out.push_back(
      {"I-15", x.entries.size(),
       "poison record " + std::to_string(offset) + " is no dead letter"});
}

void check_bodies(const history& x, findings& out) {
  std::unordered_map<item_id, std::string_view> sent;
  each_event<item_enqueued>(x, [&](const auto& item, const auto&, std::size_t) {
    sent.emplace(item.id, item.body);
  });
  // Of jobs and batches: stages write down new ones, which count from the next
  // claim on.
  std::unordered_map<item_id, std::string_view> rewritten;
  std::map<std::pair<item_id, claim_token>, std::string_view> by_claim;
  for (std::size_t i = 0; i < x.entries.size(); ++i) {
    const auto& what = x.entries[i].what;
    if (const auto* record = std::get_if<journalled>(&what)) {
      if (const auto* body = std::get_if<body_compacted>(&record->what);
          body != nullptr && !body->body.empty())
        rewritten[body->id] = body->body;
      if (const auto* claim = std::get_if<item_claimed>(&record->what);
          claim != nullptr && rewritten.count(claim->id) > 0)
        by_claim[{claim->id, claim->token}] = rewritten[claim->id];
    } else if (const auto* got = std::get_if<handed_out>(&what)) {
      const auto claim = by_claim.find({got->id, got->token});
      const auto item = sent.find(got->id);
      if (claim != by_claim.end()
            ? claim->second != got->body
            : item != sent.end() && item->second != got->body)
        out.push_back({"I-16", i,
                       "item " + std::to_string(got->id)
                         + " came with another body: " + got->body});
    }
  }
  each<body_missing>(x, [&](const body_missing& what, std::size_t at) {
    out.push_back(
      {"I-16", at, "the body of " + std::to_string(what.id) + " is gone"});
  });
}

} // namespace depositd::simulation
