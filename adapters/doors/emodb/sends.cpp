// Messages on their way in.

#include "adapters/doors/emodb/parts.hpp"
#include "adapters/doors/kit/joint_answer.hpp"
#include "adapters/doors/kit/parts_in_turn.hpp"
#include "messages/values/clock.hpp"
#include "messages/values/trace_book.hpp"
#include "messages/values/trace_context.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace depositd::emodb {

namespace {

/// Of one request; each costs memory beyond its bytes.
constexpr std::size_t messages_max = 100'000;

/// Of what is too much for one: others, who send little, come in between. The
/// next is made ready while one is flushed.
constexpr std::size_t requests_at_once = 2;

/// What a message takes beside the copies of its bytes, on its way through
/// door, shard, user and journal: some ten small objects.
constexpr std::size_t item_overhead_bytes = 640;

http::response too_long(std::size_t size, std::size_t max) {
  return illegal_argument("Message size (" + std::to_string(size)
                          + ") is greater than the maximum allowed ("
                          + std::to_string(max) + ") message size");
}

/// The messages for one queue, and the first thing that is wrong with one.
struct batch {
  std::string queue;
  std::vector<new_item> items;
  std::optional<http::response> wrong;
};

/// Reads one message; false if the text is no JSON.
bool read_message(kit::json_reader& from, const call& x, batch& to) {
  new_item item;
  if (!from.copy(item.body))
    return false;
  const auto max = x.core->options.message_bytes_max;
  if (!to.wrong && item.body.size() > max)
    to.wrong = too_long(item.body.size(), max);
  else if (!to.wrong && to.items.size() == messages_max)
    to.wrong = illegal_argument("More than " + std::to_string(messages_max)
                                + " messages for one queue");
  if (to.wrong)
    return true;
  item.user = x.key->name;
  to.items.push_back(std::move(item));
  return true;
}

bool read_messages(kit::json_reader& from, const call& x, batch& to) {
  if (!from.open('['))
    return false;
  for (bool first = true; from.next(']', first);)
    if (!read_message(from, x, to))
      return false;
  return from.fault() == kit::json_fault::none;
}

/// What the service refuses in a batch.
std::optional<http::response> check(const call& x, batch& of) {
  if (auto wrong = check_queue_name(of.queue))
    return wrong;
  if (x.holds_deposits(x.core_name(of.queue)))
    return illegal_argument("Queue " + of.queue + " takes deposits only");
  return std::move(of.wrong);
}

/// Puts messages into the request that is being filled, and into new ones once
/// it has as many as one may: what one shard gets in one it takes as a whole.
class request_filler {
public:
  void add(const std::string& queue, std::vector<new_item>& items) {
    for (std::size_t i = 0; i < items.size();) {
      const auto count =
        static_cast<std::ptrdiff_t>(std::min(room(), items.size() - i));
      const auto begin = items.begin() + static_cast<std::ptrdiff_t>(i);
      put(queue, {std::make_move_iterator(begin),
                  std::make_move_iterator(begin + count)});
      i += static_cast<std::size_t>(count);
    }
  }

  std::vector<enqueue> take() {
    return std::move(all_);
  }

private:
  std::size_t room() {
    if (all_.empty() || count_ == enqueue_items_max) {
      all_.emplace_back().whole = true;
      count_ = 0;
    }
    return enqueue_items_max - count_;
  }

  void put(const std::string& queue, std::vector<new_item> items) {
    auto& to = all_.back();
    if (std::exchange(count_, count_ + items.size()) > 0) {
      to.also.push_back({queue, std::move(items)});
    } else {
      to.queue = queue;
      to.items = std::move(items);
    }
  }

  std::vector<enqueue> all_;
  std::size_t count_ = 0; ///< messages in the last one
};

std::vector<enqueue> requests_of(const call& x, std::vector<batch>&& batches) {
  request_filler out;
  for (auto& one : batches)
    out.add(x.core_name(one.queue), one.items);
  return out.take();
}

/// What the sender says of its trace; empty if nobody wants to know.
std::string traceparent_of(const call& x) {
  const auto* given = x.from.header(traceparent_header);
  return given != nullptr && is_trace_book_open() && legal_traceparent(*given)
           ? *given
           : std::string{};
}

/// All that was sent together has one trace.
void note_messages(const enqueued& said, const std::string& traceparent) {
  if (traceparent.empty())
    return;
  const auto now = engine_clock::system().now();
  for (const auto id : said.ids)
    if (id != 0)
      note_message(id, traceparent, now);
}

void send_all(call& x, std::vector<batch>&& batches) {
  std::size_t count = 0;
  for (const auto& one : batches)
    count += one.items.size();
  if (!x.answer.hold(count * item_overhead_bytes)) {
    x.answer.send(service_unavailable("there is no memory for these messages"));
    return;
  }
  x.from.body = {}; // all of it is in the batches
  const auto traceparent = traceparent_of(x);
  auto requests = requests_of(x, std::move(batches));
  if (requests.empty()) {
    x.answer.send(success());
    return;
  }
  const auto held = x.answer.keep();
  auto joint = kit::make_joint_answer<http::response>(
    requests.size(), [to = std::move(x.answer)](http::response all) mutable {
      to.send(std::move(all));
    });
  // Weak: whom it asks keeps what waits for answers.
  const std::weak_ptr<door_core> door = x.core;
  kit::ask_in_turn(
    std::move(requests), requests_at_once, [=](enqueue what, auto turn) {
      const auto core = door.lock();
      if (!core)
        return;
      core->asked.ask(
        core->options.shard, std::move(what),
        [joint, turn, traceparent](kit::core_answer answer) {
          const auto* said = answer.as<enqueued>();
          if (said)
            note_messages(*said, traceparent);
          if (!said)
            joint->take(failure(answer.why()), true);
          else if (said->refused > 0)
            joint->take(queue_full(said->over_bytes), true);
          else
            joint->take(success(), false);
          turn->next();
        },
        held);
    });
}

/// The batches of {"queue":[...],...}; of equal names the last counts.
bool read_batches(kit::json_reader& from, const call& x,
                  std::vector<batch>& to) {
  if (!from.open('{'))
    return false;
  for (bool first = true; from.next('}', first);) {
    batch one;
    if (!from.key(one.queue))
      return false;
    if (from.look() == 'n') {
      one.wrong = illegal_argument("There are no messages for a queue");
      if (!from.skip())
        return false;
    } else if (!read_messages(from, x, one)) {
      return false;
    }
    std::erase_if(to, [&](auto& y) { return y.queue == one.queue; });
    to.push_back(std::move(one));
    if (to.size() > messages_max / 100)
      return from.refuse("Too many queues in one request");
  }
  return from.fault() == kit::json_fault::none;
}

std::vector<batch> single(batch&& x) {
  std::vector<batch> out;
  out.push_back(std::move(x));
  return out;
}

} // namespace

void send_one(call x) {
  kit::json_reader reader{x.from.body};
  batch one{x.queue(), {}, {}};
  if (reader.at_end()) {
    x.answer.send(empty_body());
  } else if (!read_message(reader, x, one) || !reader.finish()) {
    x.answer.send(bad_json(reader));
  } else if (!x.refused(check(x, one))) {
    if (!traceparent_of(x).empty()) {
      // By itself: what goes together is told of together.
      send_all(x, single(std::move(one)));
      return;
    }
    auto held = x.answer.keep();
    x.core->together.send(x.core_name(one.queue), std::move(one.items[0]),
                          std::move(x.answer), std::move(held));
  }
}

void send_batch(call x) {
  std::vector<batch> batches(1);
  batches[0].queue = x.queue();
  const auto read = [&](kit::json_reader& from) {
    return read_messages(from, x, batches[0]);
  };
  if (read_body(x, read) && !x.refused(check(x, batches[0])))
    send_all(x, std::move(batches));
}

void send_batches(call x) {
  std::vector<batch> batches;
  const auto read = [&](kit::json_reader& from) {
    return read_batches(from, x, batches);
  };
  if (!read_body(x, read))
    return;
  for (const auto& one : batches)
    if (!x.may(queue_right::post, one.queue)) {
      x.answer.send(queue_forbidden(one.queue));
      return;
    }
  for (auto& one : batches)
    if (x.refused(check(x, one)))
      return;
  for (const auto& one : batches)
    if (!x.core->within_quota(*x.ring, x.core_name(one.queue), x.key->name)) {
      x.answer.send(too_many_requests());
      return;
    }
  send_all(x, std::move(batches));
}

} // namespace depositd::emodb
