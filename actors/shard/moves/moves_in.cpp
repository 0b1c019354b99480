// Items of a queue that is moved here from another shard. A batch and the mark
// that it has come are one group of the journal, so each item comes in once,
// however often its batch is sent.

#include "actors/shard/moves/batches.hpp"
#include "actors/shard/parts.hpp"
#include "messages/values/codec.hpp"
#include "messages/values/names.hpp"

#include <algorithm>
#include <iterator>
#include <map>

namespace depositd::shard {

namespace {

accept_items::one accepted(shard_pointer self, ingest_deposit& x,
                           dedup_mode dedup) {
  accept_items::one out;
  out.id = ++self->state.id_last;
  out.priority = x.priority;
  out.size = x.submission.size;
  if (!x.submission.blob.empty())
    out.kind = body_kind::blob;
  auto& body = x.submission.blob.empty() ? x.body : x.submission.blob;
  if (dedup != dedup_mode::none)
    out.digest = digest_of(body);
  out.body = std::make_shared<const std::string>(std::move(body));
  return out;
}

/// What of the batch has not come yet, by user, in its order.
user_parts take_apart(shard_pointer self, ingest& x, queue_number queue,
                      ingested& result) {
  std::map<std::string, accept_items> out;
  const auto& name = self->state.queues[queue].name;
  const auto dedup = self->state.control->queues.at(name).dedup;
  const auto mark = watermark_of(self, x.partition, 0);
  for (auto& item : x.deposits) {
    if (item.offset <= mark) {
      ++result.skipped;
      continue;
    }
    auto& part = out[item.user];
    if (!part.answer) {
      part.queue = queue;
      part.beyond_limit = true; // its items were accepted long ago
      part.answer = std::make_shared<enqueue_answer>();
    }
    auto one = accepted(self, item, dedup);
    one.position = static_cast<std::uint32_t>(part.items.size());
    part.answer->ids.push_back(one.id);
    part.items.push_back(std::move(one));
    ++result.accepted;
  }
  return {std::make_move_iterator(out.begin()),
          std::make_move_iterator(out.end())};
}

/// The shard's own part of the bundle. It has an event that changes nothing, as
/// marks only go with events: all the items may be swallowed as duplicates.
append own_part(shard_pointer self, const std::string& queue) {
  append out;
  out.generation = self->state.generation;
  out.events = 1;
  std::vector<body_slot> slots;
  encode(record{"",
                {queue_changed{queue, self->state.control->queues.at(queue)}}},
         out.bytes, slots);
  if (self->state.options.backlog)
    self->state.options.backlog->bytes += out.bytes.size();
  return out;
}

caf::error check(shard_pointer self, const ingest& x) {
  if (x.deposits.empty())
    return caf::make_error(ec::invalid_argument,
                           std::string{"nothing was moved"});
  const auto& queue = x.deposits.front().queue;
  const auto at = self->state.control->queues.find(queue);
  if (at == self->state.control->queues.end())
    return caf::make_error(ec::not_found, "no queue " + queue.substr(0, 255));
  if (at->second.kind != queue_kind::message)
    return caf::make_error(ec::invalid_argument,
                           "queue " + queue + " takes deposits only");
  for (const auto& item : x.deposits)
    if (item.queue != queue || !legal_user_name(item.user))
      return caf::make_error(ec::invalid_argument,
                             std::string{"not what a move sends"});
  return {};
}

} // namespace

caf::result<ingested> take_moved(shard_pointer self, ingest& x) {
  if (auto refused = refuse_intake(self))
    return refused;
  if (auto wrong = check(self, x))
    return wrong;
  const auto queue = x.deposits.front().queue;
  const auto number = *find_queue(self, queue);
  ingested result;
  auto parts = take_apart(self, x, number, result);
  // All of it has come. It may still be on its way to the journal.
  if (parts.empty())
    return answer_after_commits(self, std::move(result));
  const watermark mark{x.partition,
                       std::max(x.last, watermark_of(self, x.partition, 0))};
  self->state.watermarks[mark.partition] = mark.offset;
  auto own = own_part(self, queue);
  own.bundle = std::make_shared<append_bundle>();
  own.bundle->watermarks.push_back(mark);
  return commit_parts(self, parts, std::move(own), std::move(result));
}

} // namespace depositd::shard
