// Deposits from logs of records. All effects of a batch and the new watermark
// of its partition are one group of the journal, so that whatever crashes, each
// record has come in once.

#include "actors/journal/reply.hpp"
#include "actors/shard/parts.hpp"
#include "messages/values/codec.hpp"
#include "messages/values/names.hpp"
#include "messages/values/submission_body.hpp"
#include "messages/values/test_points.hpp"

#include <algorithm>
#include <xxhash.h>

namespace depositd::shard {

namespace {

/// Before the first offset of a partition.
constexpr std::int64_t nothing_applied = -1;

/// Why this is no deposit here; empty if it is one.
std::string wrong_with(shard_pointer self, const ingest_deposit& x) {
  if (!legal_user_name(x.user))
    return "not a user name";
  if (x.priority > 99)
    return "priority is 0 to 99";
  const auto queue = self->state.control->queues.find(x.queue);
  if (queue == self->state.control->queues.end()
      || queue->second.kind != queue_kind::deposit)
    return "no deposit queue " + x.queue.substr(0, 64);
  return {};
}

/// What a batch comes to, while it is taken apart.
struct batch {
  user_parts parts; ///< one for each user and queue
  std::map<std::pair<std::string, queue_number>, std::size_t> index;
  record rejected;
  ingested result;
  std::size_t ids_fresh = 0; ///< of them, now among the shard's recent ones
};

/// The same deposit may be written twice, by a producer that was not sure; an
/// id that comes again with something else is wrong.
bool is_repeated(shard_pointer self, batch& to, const ingest_deposit& x,
                 std::string& wrong) {
  using rules::recent_ids;
  const auto& p = x.submission;
  if (p.file_name.empty() || seeded_bug("dedupe_skipped"))
    return false;
  const auto& content = x.body.empty() ? p.blob : x.body;
  switch (self->state.ingested.see(
    x.user, p.file_name, p.size, XXH3_64bits(content.data(), content.size()),
    now(self))) {
    case recent_ids::answer::fresh:
      ++to.ids_fresh;
      return false;
    case recent_ids::answer::repeated:
      return true;
    case recent_ids::answer::other_content:
      wrong = "the user has used this id for something else";
  }
  return false;
}

void add_deposit(shard_pointer self, batch& to, ingest_deposit& x) {
  const auto number = *find_queue(self, x.queue);
  auto [at, fresh] = to.index.try_emplace({x.user, number}, to.parts.size());
  if (fresh) {
    to.parts.emplace_back(x.user, accept_items{});
    auto& items = to.parts.back().second;
    items.queue = number;
    items.beyond_limit = true;
    items.answer = std::make_shared<enqueue_answer>();
  }
  auto& items = to.parts[at->second].second;
  accept_items::one one;
  one.id = ++self->state.id_last;
  one.priority = x.priority;
  one.size = x.submission.size;
  one.body = std::make_shared<const std::string>(
    encode_submission_body(x.submission, x.body));
  one.position = static_cast<std::uint32_t>(items.items.size());
  items.answer->ids.push_back(one.id);
  items.items.push_back(std::move(one));
  items.submissions.push_back(std::move(x.submission));
  ++to.result.accepted;
}

void reject(batch& to, const std::string& partition, ingest_rejected x) {
  to.rejected.events.emplace_back(
    record_rejected{partition, x.offset, std::move(x.reason), std::move(x.key),
                    std::move(x.value), std::move(x.headers)});
  ++to.result.rejected;
}

batch take_apart(shard_pointer self, ingest& x) {
  batch out;
  const auto applied = watermark_of(self, x.partition, nothing_applied);
  // A log may also give records twice within one batch.
  const auto is_new = [&](std::int64_t offset, std::int64_t& last) {
    const auto fresh
      = offset > last || seeded_bug("watermark_not_checked");
    out.result.skipped += fresh ? 0 : 1;
    last = std::max(last, offset);
    return fresh;
  };
  auto last = applied;
  for (auto& deposit : x.deposits) {
    if (!is_new(deposit.offset, last))
      continue;
    auto wrong = wrong_with(self, deposit);
    const auto repeated
      = wrong.empty() && is_repeated(self, out, deposit, wrong);
    if (repeated)
      ++out.result.skipped;
    else if (wrong.empty())
      add_deposit(self, out, deposit);
    else
      out.result.refused.push_back({deposit.offset, std::move(wrong)});
  }
  last = applied;
  for (auto& record : x.rejected)
    if (is_new(record.offset, last))
      reject(out, x.partition, std::move(record));
  return out;
}

/// As if the batch had never come: who has the records sends them again, the
/// refused ones among the rejected.
caf::result<ingested> refuse_batch(shard_pointer self, batch& x,
                                   item_id id_last) {
  self->state.id_last = id_last;
  self->state.ingested.take_back(x.ids_fresh);
  ingested out;
  out.refused = std::move(x.result.refused);
  return answer_after_commits(self, std::move(out));
}

/// The shard's own part of the bundle: rejected records, and the answer's last
/// share.
append own_part(shard_pointer self, const batch& x) {
  append out;
  out.generation = self->state.generation;
  out.events = static_cast<std::uint32_t>(x.rejected.events.size());
  if (out.events > 0) {
    std::vector<body_slot> slots;
    encode(x.rejected, out.bytes, slots);
  }
  if (self->state.options.backlog)
    self->state.options.backlog->bytes += out.bytes.size();
  return out;
}

} // namespace

caf::result<ingested> ingest_batch(shard_pointer self, ingest& x) {
  if (auto refused = refuse_intake(self))
    return refused;
  const auto id_last = self->state.id_last;
  auto all = take_apart(self, x);
  if (!all.result.refused.empty())
    return refuse_batch(self, all, id_last);
  const watermark mark{
    x.partition,
    std::max(x.last, watermark_of(self, x.partition, nothing_applied))};
  self->state.watermarks[mark.partition] = mark.offset;
  auto own = own_part(self, all);
  crash_point("ingest_decided");
  if (all.result.accepted + all.result.rejected == 0) {
    // Nothing to repeat, so nothing hangs on when the mark is kept.
    self->send(self->state.options.journal, keep_watermark{mark});
  } else {
    own.bundle = std::make_shared<append_bundle>();
    if (seeded_bug("watermark_outside_group"))
      self->delayed_send(self->state.options.journal,
                         std::chrono::milliseconds{1}, keep_watermark{mark});
    else
      own.bundle->watermarks.push_back(mark);
  }
  return commit_parts(self, all.parts, std::move(own), std::move(all.result));
}

std::int64_t watermark_of(shard_pointer self, const std::string& name,
                          std::int64_t otherwise) {
  const auto& watermarks = self->state.watermarks;
  const auto at = watermarks.find(name);
  return at == watermarks.end() ? otherwise : at->second;
}

caf::result<ingested> commit_parts(shard_pointer self, user_parts& parts,
                                   append own, ingested result) {
  auto share =
    journal::share_reply(journal::take_reply(self), parts.size() + 1,
                         [result] { return caf::make_message(result); });
  own.deliveries.emplace_back(share);
  if (own.bundle)
    own.bundle->parts = static_cast<std::uint32_t>(parts.size()) + 1;
  for (auto& [user, items] : parts) {
    items.bundle = own.bundle;
    items.share = share;
    const auto number = items.queue;
    auto message = std::make_shared<accept_items>(std::move(items));
    with_user(self, user, number, [=](const user_actor& node) {
      self->send(node, std::move(*message));
    });
  }
  self->send(self->state.options.journal, std::move(own));
  return journal::answered_later<ingested>();
}

/// Whoever goes on from a mark that is not durable yet loses what is before it
/// if that append fails.
caf::result<watermarks_read> tell_watermarks(shard_pointer self) {
  if (auto refused = refuse_intake(self))
    return refused;
  watermarks_read out;
  for (const auto& [partition, offset] : self->state.watermarks)
    out.watermarks.push_back({partition, offset});
  return answer_after_commits(self, std::move(out));
}

} // namespace depositd::shard
