// Deposits and batches from logs of records. All effects of a batch and the new
// watermark of its partition are one group of the journal, so that whatever
// crashes, each record has come in once.

#include "actors/shard/admission/admission.hpp"
#include "messages/values/tallies.hpp"
#include "messages/values/test_points.hpp"

#include <algorithm>
#include <xxhash.h>

namespace depositd::shard {

namespace {

/// Before the first offset of a partition.
constexpr std::int64_t nothing_applied = -1;

/// Why this is no deposit here; empty if it is one.
std::string wrong_here(shard_pointer self, const ingest_deposit& x) {
  const auto queue = self->state.control->queues.find(x.queue);
  if (const auto wrong = check_item(x.user, x.priority))
    return render(wrong);
  if (queue == self->state.control->queues.end()
      || queue->second.kind != queue_kind::deposit)
    return "no deposit queue " + x.queue.substr(0, 64);
  return {};
}

/// What a batch comes to, while it is taken apart.
struct batch {
  admission coming;
  ingested result;
  std::size_t ids_fresh = 0; ///< of them, now among the shard's recent ones
};

/// By what a repetition is known.
struct identity {
  const std::string& user;
  const std::string& id;
  std::uint64_t size = 0;
  std::uint64_t digest = 0;
};

/// Of what is wanted, and of what: a file may be looked up and recorded. Never
/// 0.
std::uint64_t digest_of(const ingest_deposit& x) {
  const auto& p = x.submission;
  const auto& content = x.body.empty() ? p.blob : x.body;
  const auto digest = XXH3_64bits_withSeed(
    content.data(), content.size(),
    XXH3_64bits(p.operation.data(), p.operation.size()));
  return std::max<std::uint64_t>(digest, 1);
}

/// The same deposit may be written twice, by a producer that was not sure; an
/// id that comes again with something else is wrong.
bool is_repeated(shard_pointer self, batch& to, const identity& x,
                 std::string& wrong) {
  using rules::recent_ids;
  if (x.id.empty() || seeded_bug("dedupe_skipped"))
    return false;
  switch (self->state.ingested.see(x.user, x.id, x.size, x.digest, now(self))) {
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

void count_rejected(shard_pointer self, const std::string& queue) {
  const auto known = find_queue(self, queue).has_value();
  tally(tally_of::submission_rejected, known ? queue : "(none)",
        to_string(ec::invalid_argument));
}

void take_deposit(shard_pointer self, batch& to, ingest_deposit& x) {
  auto wrong = wrong_here(self, x);
  const auto& p = x.submission;
  const auto digest = digest_of(x);
  if (wrong.empty()
      && is_repeated(self, to, {x.user, p.file_name, p.size, digest}, wrong)) {
    ++to.result.skipped;
    tally(tally_of::submission_repeated, x.queue);
  } else if (wrong.empty()) {
    to.coming.add_deposit(*find_queue(self, x.queue), x.user, x.priority,
                          std::move(x.submission), x.body, digest);
    ++to.result.accepted;
  } else {
    count_rejected(self, x.queue);
    to.result.refused.push_back({x.offset, std::move(wrong)});
  }
}

void take_batch(shard_pointer self, batch& to, ingest_work& x) {
  auto& what = x.what;
  const auto queue = place_batch(self, what);
  std::string wrong;
  if (!queue)
    wrong = render(queue.error());
  else if (is_repeated(self, to,
                       {what.user, rules::id_of(what.info),
                        rules::size_of(what.info), x.digest},
                       wrong)) {
    ++to.result.skipped;
    tally(tally_of::submission_repeated, self->state.queues[*queue].name);
    return;
  }
  if (!wrong.empty()) {
    count_rejected(self, {});
    to.result.refused.push_back({x.offset, std::move(wrong)});
    return;
  }
  to.coming.add_batch(*queue, what.user, what.priority, std::move(what.info),
                      std::move(what.document));
  ++to.result.accepted;
}

void take_apart(shard_pointer self, batch& to, ingest& x) {
  const auto applied = watermark_of(self, x.partition, nothing_applied);
  // A log may also give records twice within one batch.
  const auto is_new = [&](std::int64_t offset, std::int64_t& last) {
    const auto fresh = offset > last || seeded_bug("watermark_not_checked");
    to.result.skipped += fresh ? 0 : 1;
    last = std::max(last, offset);
    return fresh;
  };
  auto last = applied;
  for (auto& deposit : x.deposits)
    if (is_new(deposit.offset, last))
      take_deposit(self, to, deposit);
  last = applied;
  for (auto& work : x.works)
    if (is_new(work.offset, last))
      take_batch(self, to, work);
  last = applied;
  for (auto& record : x.rejected) {
    if (!is_new(record.offset, last))
      continue;
    to.coming.note(
      record_rejected{x.partition, record.offset, std::move(record.reason),
                      std::move(record.key), std::move(record.value),
                      std::move(record.headers)});
    ++to.result.rejected;
  }
}

/// As if the batch had never come: who has the records sends them again, the
/// refused ones among the rejected.
caf::result<ingested> refuse_batch(shard_pointer self, batch& x) {
  x.coming.take_back();
  self->state.ingested.take_back(x.ids_fresh);
  ingested out;
  out.refused = std::move(x.result.refused);
  return answer_after_commits(self, std::move(out));
}

} // namespace

caf::result<ingested> ingest_batch(shard_pointer self, ingest& x) {
  if (auto refused = refuse_growth(self))
    return refused;
  batch all{admission{self, true}, {}, 0};
  take_apart(self, all, x);
  if (!all.result.refused.empty())
    return refuse_batch(self, all);
  auto reached = raise_watermark(self, x.partition, x.last, nothing_applied);
  crash_point("ingest_decided");
  if (all.result.accepted + all.result.rejected == 0)
    // Nothing to repeat, so nothing hangs on when the watermark is kept.
    self->send(self->state.journal.actor, keep_watermark{std::move(reached)});
  else if (seeded_bug("watermark_outside_group"))
    self->delayed_send(self->state.journal.actor, std::chrono::milliseconds{1},
                       keep_watermark{std::move(reached)});
  else
    all.coming.go_with(std::move(reached));
  return all.coming.commit<ingested>(
    [result = std::move(all.result)](const auto&) { return result; });
}

std::int64_t watermark_of(shard_pointer self, const std::string& name,
                          std::int64_t otherwise) {
  const auto& watermarks = self->state.watermarks;
  const auto at = watermarks.find(name);
  return at == watermarks.end() ? otherwise : at->second;
}

watermark raise_watermark(shard_pointer self, const std::string& name,
                          std::int64_t to, std::int64_t otherwise) {
  const auto offset = std::max(to, watermark_of(self, name, otherwise));
  self->state.watermarks[name] = offset;
  return {name, offset};
}

/// Whoever goes on from a watermark that is not durable yet loses what is
/// before it if that append fails.
caf::result<watermarks_read> tell_watermarks(shard_pointer self) {
  if (auto refused = refuse_intake(self))
    return refused;
  watermarks_read out;
  for (const auto& [partition, offset] : self->state.watermarks)
    out.watermarks.push_back({partition, offset});
  return answer_after_commits(self, std::move(out));
}

} // namespace depositd::shard
