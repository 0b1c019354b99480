// Items of a queue that is moved here from another shard. A batch and the mark
// that it has come are one group of the journal, so each item comes in once,
// however often its batch is sent.

#include "actors/moved_items.hpp"
#include "actors/reply.hpp"
#include "actors/shard_parts.hpp"
#include "messages/codec.hpp"
#include "messages/names.hpp"

#include <algorithm>

namespace depositd::shard_parts {

namespace {

using parts_by_user = std::map<std::string, accept_items>;

std::int64_t mark_of(shard_pointer self, const std::string& partition) {
  const auto& marks = self->state.watermarks;
  const auto at = marks.find(partition);
  return at == marks.end() ? 0 : at->second;
}

accept_items::one accepted(shard_pointer self, ingest_deposit& x,
                           dedup_mode dedup) {
  accept_items::one out;
  out.id = ++self->state.id_last;
  out.priority = x.priority;
  out.size = x.particulars.size;
  if (!x.particulars.blob.empty())
    out.kind = body_kind::blob;
  auto& body = x.particulars.blob.empty() ? x.post : x.particulars.blob;
  if (dedup != dedup_mode::none)
    out.digest = digest_of(body);
  out.body = std::make_shared<const std::string>(std::move(body));
  return out;
}

/// What of the batch has not come yet, by user, in its order.
parts_by_user take_apart(shard_pointer self, ingest& x, queue_number queue,
                         ingested& result) {
  parts_by_user out;
  const auto& name = self->state.queues[queue].name;
  const auto dedup = self->state.control->queues.at(name).dedup;
  const auto mark = mark_of(self, x.partition);
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
  return out;
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

/// All of it has come. It may still be on its way to the journal, which lets
/// this answer go after it.
caf::result<ingested> say_again(shard_pointer self, ingested result) {
  append out;
  out.generation = self->state.generation;
  out.deliveries.emplace_back(
    reply{take_reply(self), caf::make_message(std::move(result))});
  self->send(self->state.options.journal, std::move(out));
  return answered_later<ingested>();
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
  if (parts.empty())
    return say_again(self, std::move(result));
  const watermark mark{x.partition,
                       std::max(x.upto, mark_of(self, x.partition))};
  self->state.watermarks[mark.partition] = mark.offset;
  auto own = own_part(self, queue);
  auto share
    = share_reply(take_reply(self), parts.size() + 1,
                  [result] { return caf::make_message(result); });
  own.deliveries.emplace_back(share);
  own.bundle = std::make_shared<append_bundle>();
  own.bundle->parts = static_cast<std::uint32_t>(parts.size()) + 1;
  own.bundle->marks.push_back(mark);
  for (auto& [user, items] : parts) {
    items.bundle = own.bundle;
    items.share = share;
    auto message = std::make_shared<accept_items>(std::move(items));
    with_node(self, user, number, [=](const user_node_actor& node) {
      self->send(node, std::move(*message));
    });
  }
  self->send(self->state.options.journal, std::move(own));
  return answered_later<ingested>();
}

} // namespace depositd::shard_parts
