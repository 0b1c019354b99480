#include "actors/shard/admission/admission.hpp"

#include "messages/values/names.hpp"
#include "messages/values/submission_body.hpp"

#include <algorithm>
#include <utility>
#include <xxhash.h>

namespace depositd::shard {

std::uint64_t digest_of(std::string_view body) {
  return std::max<std::uint64_t>(XXH3_64bits(body.data(), body.size()), 1);
}

caf::error check_item(const std::string& user, std::uint8_t priority) {
  if (!legal_user_name(user))
    return caf::make_error(ec::invalid_argument,
                           std::string{"not a user name"});
  if (priority > 99)
    return caf::make_error(ec::invalid_argument,
                           std::string{"priority is 0 to 99"});
  return {};
}

admission::admission(shard_pointer self, bool beyond_limit)
  : self_(self), beyond_limit_(beyond_limit), id_last_(self->state.id_last),
    own_(self->state.journal) {
  // nop
}

admission::part& admission::part_of(queue_number queue,
                                    const std::string& user) {
  auto& users = index_[queue];
  if (const auto at = users.find(user); at != users.end())
    return *at->second;
  const auto& name = self_->state.queues[queue].name;
  auto& out = parts_.emplace_back();
  out.user = user;
  out.items.queue = queue;
  out.items.beyond_limit = beyond_limit_;
  out.items.answer = ids_;
  out.collapses =
    self_->state.control->queues.at(name).dedup != dedup_mode::none;
  users.emplace(out.user, &out);
  return out;
}

void admission::put(part& to, accept_items::one&& x) {
  x.id = ++self_->state.id_last;
  x.position = static_cast<std::uint32_t>(ids_->ids.size());
  ids_->ids.push_back(x.id);
  to.items.items.push_back(std::move(x));
}

void admission::add(queue_number queue, const std::string& user,
                    accept_items::one x) {
  auto& to = part_of(queue, user);
  if (to.collapses)
    x.digest = digest_of(*x.body);
  put(to, std::move(x));
}

void admission::await(queue_number queue, const std::string& user) {
  part_of(queue, user); // without items it only passes by
}

void admission::add_deposit(queue_number queue, const std::string& user,
                            std::uint8_t priority, submission submission,
                            std::string_view body, std::uint64_t digest) {
  accept_items::one x;
  x.priority = priority;
  x.size = submission.size;
  x.digest = digest;
  x.body = std::make_shared<const std::string>(
    encode_submission_body(submission, body));
  x.deposit =
    std::make_shared<const depositd::submission>(std::move(submission));
  put(part_of(queue, user), std::move(x));
}

void admission::add_batch(queue_number queue, const std::string& user,
                          std::uint8_t priority, batch_info info,
                          std::string document) {
  accept_items::one x;
  x.priority = priority;
  x.size = document.size();
  x.body = std::make_shared<const std::string>(std::move(document));
  x.batch = std::make_shared<const batch_info>(std::move(info));
  put(part_of(queue, user), std::move(x));
}

void admission::note(event x) {
  own_.note(std::move(x));
}

void admission::go_with(watermark x) {
  bundle_ = std::make_shared<append_bundle>();
  bundle_->watermarks.push_back(std::move(x));
}

void admission::keep_to(std::uint32_t claims_max) {
  parts_.front().items.claims_max = claims_max;
}

void admission::make_whole() {
  whole_ = true;
}

void admission::take_back() {
  self_->state.id_last = id_last_;
}

// The user decides of all parts at once, once it knows all of their queues.
void admission::send_whole() {
  const auto user = parts_.front().user;
  const auto all =
    std::make_shared<accept_items>(std::move(parts_.front().items));
  all->whole = true;
  for (auto at = parts_.begin() + 1; at != parts_.end(); ++at)
    all->also.push_back(std::move(at->items));
  with_user(self_, user, all->queue,
            [self = self_, user, all](const user_actor& whom) {
              for (const auto& more : all->also)
                reach_user(self, user, more.queue);
              self->send(whom, std::move(*all));
            });
}

void admission::send(reply_address where, answer_maker what) {
  // The shard's own part may have no events. Of a bundle it always goes: it
  // opens the bundle at the journal before the shard sends a later watermark of
  // the same partition, which must not overtake what this one stands behind.
  const auto own = !own_.empty() || parts_.empty() || bundle_;
  const auto count = parts_.size() + (own ? 1 : 0);
  auto share = journal::share_reply(
    std::move(where), count,
    [ids = ids_, what = std::move(what)] { return what(*ids); });
  if (bundle_)
    bundle_->parts = static_cast<std::uint32_t>(count);
  for (auto& x : parts_) {
    x.items.bundle = bundle_;
    x.items.share = share;
  }
  if (whole_ && !parts_.empty())
    send_whole();
  else
    for (auto& x : parts_) {
      const auto number = x.items.queue;
      send_to_user(self_, x.user, number, std::move(x.items));
    }
  if (!own)
    return;
  own_.deliver(std::move(share));
  own_.go_with(std::move(bundle_));
  own_.commit(self_);
}

} // namespace depositd::shard
