// Records come: what is not known becomes items, with the origin in the record
// of the journal that makes each. What is known is only said.

#include "actors/shard/feeding/feeding.hpp"

#include "actors/rules/control/sources.hpp"
#include "actors/shard/admission/admission.hpp"
#include "messages/values/names.hpp"
#include "messages/values/record_trace.hpp"
#include "messages/values/test_points.hpp"
#include "messages/values/trace_book.hpp"

#include <algorithm>
#include <utility>
#include <xxhash.h>

namespace depositd::shard {

namespace {

/// So much is forgotten before that is journalled without a further reason.
constexpr std::size_t forgotten_max = 1'000;

constexpr std::size_t reason_bytes_max = 1'024;

caf::error too_much(const char* what) {
  return caf::make_error(ec::too_large,
                         std::string{what} + " in one message of records");
}

caf::error no_such_source(const std::string& name) {
  return caf::make_error(ec::stale_claim, "source " + name.substr(0, 64)
                                            + " is no more, or another one");
}

caf::error check(const feed_records& x) {
  if (x.records.size() > feed_records_max || x.bad.size() > feed_records_max)
    return too_much("more than 10000 records");
  std::size_t bytes = 0;
  for (const auto& one : x.records)
    bytes += one.key.size() + one.user.size() + one.body.size();
  std::size_t bad_bytes = 0;
  for (const auto& one : x.bad)
    bad_bytes +=
      one.key.size() + one.user.size() + one.reason.size() + one.body.size();
  if (bytes > feed_bytes_max || bad_bytes > feed_bytes_max)
    return too_much("more than 16 MiB");
  return {};
}

/// Whether this is the source that the settings have. The shard that decides
/// them knows of every source; others may hear of it late.
caf::error check_source(shard_pointer self, const feed_records& x) {
  const auto& state = self->state;
  const auto at = state.control->sources.find(x.source);
  const auto known = at != state.control->sources.end();
  if (known && at->second.made_us == x.made_us)
    return {};
  const auto gone =
    known ? at->second.made_us > x.made_us : state.options.number == 0;
  if (gone)
    return no_such_source(x.source);
  return caf::make_error(ec::overloaded,
                         "shard " + std::to_string(state.options.number)
                           + " does not know source " + x.source.substr(0, 64)
                           + " yet: try again");
}

/// The queue's number; it comes into being if it is new.
caf::expected<queue_number> queue_for(shard_pointer self,
                                      const std::string& name) {
  if (!legal_queue_name(name))
    return caf::make_error(ec::invalid_argument,
                           "not a queue name: " + name.substr(0, 64));
  const auto number = reach_queue(self, name);
  if (!number)
    return number;
  const auto why =
    rules::why_not_fed(name, self->state.control->queues.at(name));
  if (!why.empty())
    return caf::make_error(ec::invalid_argument, why);
  return number;
}

/// Why the record cannot be an item; empty if it can. Whoever pulls them does
/// not let such ones come so far.
std::string wrong_with(const feed_records::one& x) {
  if (x.key.empty() || x.key.size() > record_key_bytes_max)
    return "the key has no bytes or more than 4096";
  if (x.user.empty() || x.user.size() > record_user_bytes_max)
    return "the user has no bytes or more than 255";
  if (x.body.size() > inline_body_bytes_max)
    return "the body has more than " + std::to_string(inline_body_bytes_max)
           + " bytes";
  return {};
}

/// By which a bad record is known; never 0.
std::uint64_t digest_of_bad(const bad_record& x) {
  std::string all;
  for (const auto* part : {&x.key, &x.reason, &x.body})
    all.append(std::to_string(part->size())).append(1, ':').append(*part);
  return std::max<std::uint64_t>(XXH3_64bits(all.data(), all.size()), 1);
}

/// What a message comes to, while it is taken apart.
struct fed_batch {
  admission coming;
  records_fed result;
};

void keep_bad(shard_pointer self, fed_batch& to, const feed_records& of,
              const bad_record& x) {
  record_refused out;
  out.digest = digest_of_bad(x);
  if (!self->state.records.refuse(of.source, of.made_us, out.digest))
    return;
  out.queue = of.queue;
  out.source = of.source;
  out.made_us = of.made_us;
  out.key = x.key.substr(0, record_key_bytes_max);
  out.user = x.user.substr(0, record_user_bytes_max);
  out.reason = x.reason.substr(0, reason_bytes_max);
  out.body = x.body.substr(0, refused_body_bytes_max);
  out.refused_us = now(self);
  to.coming.note(std::move(out));
}

void make_item(shard_pointer self, fed_batch& to, const feed_records& of,
               const feed_records::one& x, queue_number queue) {
  accept_items::one item;
  item.size = x.body.size();
  item.body = std::make_shared<const std::string>(x.body);
  item.origin = std::make_shared<const record_origin>(
    record_origin{of.source, of.made_us, x.key});
  to.coming.add(queue, x.user, std::move(item));
  auto& state = self->state;
  if (is_trace_book_open())
    note_message(state.id_last, traceparent_of_record(x.body), now(self));
  state.records.take({state.id_last, of.queue, of.source, of.made_us, x.key},
                     x.user);
}

void take_one(shard_pointer self, fed_batch& to, const feed_records& of,
              const feed_records::one& x, queue_number queue) {
  if (auto wrong = wrong_with(x); !wrong.empty()) {
    keep_bad(self, to, of, {x.key, x.user, std::move(wrong), x.body});
    to.result.was.push_back(record_state::failed);
    return;
  }
  const auto by_hand = x.by_hand && !seeded_bug("fed_by_hand_passed_over");
  const auto known = by_hand || seeded_bug("record_taken_twice")
                       ? rules::record_register::finding{}
                       : self->state.records.find(of.source, of.made_us, x.key);
  to.result.was.push_back(known.state);
  if (known.state == record_state::unknown)
    make_item(self, to, of, x, queue);
  else if (known.id != 0) // it may still be on its way
    to.coming.await(queue, std::string{known.user});
}

} // namespace

caf::result<records_fed> take_records(shard_pointer self,
                                      const feed_records& x) {
  if (auto refused = refuse_growth(self))
    return refused;
  if (auto wrong = check(x))
    return wrong;
  if (auto wrong = check_source(self, x))
    return wrong;
  const auto queue = queue_for(self, x.queue);
  if (!queue)
    return queue.error();
  if (!self->state.records.begin(x.source, x.made_us, x.known_max))
    return no_such_source(x.source);
  // Before anything comes that is to be known from now on.
  journal_forgotten(self, 1);
  fed_batch all{admission{self, true}, {}};
  all.result.was.reserve(x.records.size());
  for (const auto& one : x.records)
    take_one(self, all, x, one, *queue);
  for (const auto& one : x.bad)
    keep_bad(self, all, x, one);
  return all.coming.commit<records_fed>(
    [result = std::move(all.result)](const auto&) { return result; });
}

void note_moved(shard_pointer self, const records_moved& x) {
  auto& state = self->state;
  // What an actor of before a new start still says is in the store, or nowhere.
  const auto at = state.users.find(x.user);
  if (state.now == shard_state::phase::recovering || at == state.users.end()
      || caf::actor_cast<caf::strong_actor_ptr>(at->second.actor)
           != self->current_sender())
    return;
  auto& records = state.records;
  if (x.moved != 0)
    records.move(x.queue, x.user, x.moved);
  for (const auto& y : x.claimed)
    records.change_claims(y.source, y.made_us, y.change);
  record_ended end;
  end.queue = x.queue;
  for (const auto& y : x.ended) {
    end.id = y.id;
    end.source = y.source;
    end.made_us = y.made_us;
    end.key = y.key;
    end.failed = y.failed;
    records.end(end, x.user);
  }
  journal_forgotten(self, forgotten_max);
}

void journal_forgotten(shard_pointer self, std::size_t keys_min) {
  auto& state = self->state;
  for (auto& x : state.records.take_forgotten(keys_min)) {
    journal::command todo{state.journal};
    todo.note(std::move(x));
    todo.commit(self);
  }
}

} // namespace depositd::shard
