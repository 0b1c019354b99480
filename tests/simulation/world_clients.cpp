// Those who send and those who poll.

#include "messages/receiving.hpp"
#include "messages/values/operations.hpp"
#include "tests/simulation/world.hpp"
#include "tests/simulation/world_ask.hpp"

#include <algorithm>

namespace depositd::simulation {

std::string world::any_user() {
  if (knobs_.skew && !chance_.one_in(10))
    return "u0";
  return std::string{"u"}.append(std::to_string(chance_.below(knobs_.users)));
}

std::string world::any_queue() {
  return queue_names[chance_.below(3)];
}

void world::send(enqueue message,
                 std::function<void(const std::string&, item_id)> answered) {
  std::vector<std::string> bodies;
  for (const auto& x : message.items)
    bodies.push_back(x.body);
  ask(std::move(message), [=](const enqueued& x) {
    for (std::size_t i = 0; i < bodies.size(); ++i)
      answered(bodies[i], x.ids[i]);
  });
}

void world::send(enqueue message) {
  send(std::move(message), [this](const std::string& body, item_id id) {
    if (id != 0)
      tell(acknowledged{body, id});
    else
      tell(refused{body});
  });
}

void world::send_messages() {
  enqueue message;
  message.queue = any_queue();
  auto count = 1 + chance_.below(chance_.one_in(4) ? 12 : 3);
  const auto flood = knobs_.skew && chance_.one_in(12);
  if (flood)
    count = 50 + chance_.below(80);
  for (std::uint32_t i = 0; i < count; ++i) {
    new_item x;
    x.user = flood ? "u0" : any_user();
    x.priority =
      static_cast<std::uint8_t>(chance_.one_in(3) ? chance_.below(3) : 1);
    x.body = std::string{"b"}.append(std::to_string(++bodies_));
    if (chance_.one_in(4))
      x.body.resize(x.body.size() + 150, '.');
    tell(attempted{x.body, message.queue, x.user});
    message.items.push_back(std::move(x));
  }
  send(std::move(message));
}

void world::deposit(submit message,
                    std::function<void(const submitted&)> kept) {
  message.queue = "metadata";
  if (message.body.empty() && message.submission.blob.empty())
    message.submission.blob = "none";
  const auto name = message.submission.file_name;
  const auto user = message.user;
  tell(attempted{name, message.queue, user});
  ask(std::move(message), [=, this](const enqueued& x) {
    if (x.ids.at(0) == 0)
      return tell(refused{name});
    tell(acknowledged{name, x.ids[0]});
    kept(submitted_.emplace_back(submitted{x.ids[0], user, name}));
  });
}

void world::send_deposit() {
  submit message;
  message.user = any_user();
  message.submission.file_name =
    std::string{"f"}.append(std::to_string(++bodies_));
  deposit(std::move(message), [this](const submitted& x) {
    if (is_shared() && deposited_.size() < 20)
      deposited_.push_back(x.id);
  });
}

/// As a door does that processes a deposit before it answers: what it sends
/// comes claimed by it, or not at all.
void world::send_synchronous() {
  submit message;
  message.user = std::string{"u"}.append(
    std::to_string(synchronous_chance_.below(knobs_.users)));
  message.submission.source = source_v2.name;
  message.submission.file_name =
    std::string{"v"}.append(std::to_string(++synchronous_));
  deposit(std::move(message),
          [this](const submitted& x) { in_work_.push_back(x); });
}

void world::step_of_synchronous() {
  if (synchronous_chance_.one_in(2))
    send_synchronous();
  else
    end_synchronous();
}

/// Some doors never say a word: the queue has it when their time is over.
void world::end_synchronous() {
  if (in_work_.empty())
    return send_synchronous();
  const auto at = in_work_.begin()
                  + synchronous_chance_.below(
                    static_cast<std::uint32_t>(in_work_.size()));
  const auto ended = *at;
  in_work_.erase(at);
  if (synchronous_chance_.one_in(6))
    return;
  static constexpr verdict verdicts[] = {verdict::done, verdict::done,
                                         verdict::failed, verdict::release};
  settle_items::one one;
  one.name = {ended.id, digest_of_user(ended.user)};
  one.says = verdicts[synchronous_chance_.below(4)];
  one.document = "<" + ended.name + "/>";
  tell(reported{0, ended.id, 0, one.says});
  ask(settle_items{"metadata", {std::move(one)}}, [](const items_settled&) {});
}

// -- what became of deposits --------------------------------------------------

/// Of several engines some may not know yet that the shard is another's: what
/// they answer then is judged by nobody.
void world::look_up() {
  if (submitted_.empty() || look_up_chance_.one_in(3))
    return send_deposit();
  if (engine_ && !is_shared())
    look_up_one();
}

/// One of the last few, by what its depositor has of it.
void world::look_up_one() {
  const auto last = static_cast<std::uint32_t>(submitted_.size());
  const auto& one =
    submitted_[last - 1
               - look_up_chance_.below(std::min<std::uint32_t>(last, 8))];
  submission_query what;
  what.count_max = 1;
  what.newest_first = look_up_chance_.one_in(2);
  if (look_up_chance_.one_in(2)) {
    what.id = one.id;
  } else {
    what.user = one.user;
    what.file_name = one.name;
  }
  caf::anon_send(
    outside_,
    act{[=, this, id = one.id,
         reads = engine_->core.projector](caf::event_based_actor* self) {
      const auto asked_at = told_.entries.size();
      self->request(reads, std::chrono::minutes{10}, what)
        .then(
          [=, this](const submissions_found& x) {
            looked_up news{id, asked_at, {}};
            if (!x.rows.empty() && x.rows[0].id == id)
              news.found = x.rows[0].status;
            tell(std::move(news));
          },
          [](const caf::error&) { /* not now */ });
    }});
}

// -- polling ------------------------------------------------------------------

void world::poll() {
  receive_items message;
  message.queue = any_queue();
  message.taker = "poller";
  message.count = 1 + chance_.below(5);
  message.lease_ms = 1 + chance_.below(20'000);
  const auto queue = message.queue;
  ask(std::move(message), [=, this](const items_received& x) {
    for (const auto& item : x.items) {
      if (item.name.id == 0)
        continue;
      tell(handed_out{0, queue, item.name.id, 0, item.attempt, item.user,
                      item.body ? *item.body : ""});
      polled_.push_back({queue, item.name});
    }
  });
}

void world::end_polled() {
  if (polled_.empty())
    return poll();
  const auto at =
    polled_.begin() + chance_.below(static_cast<std::uint32_t>(polled_.size()));
  settle_items message;
  message.queue = at->queue;
  settle_items::one one;
  one.name = at->name;
  static constexpr verdict verdicts[] = {verdict::done, verdict::done,
                                         verdict::retry, verdict::release};
  one.says = verdicts[chance_.below(4)];
  tell(reported{0, at->name.id, 0, one.says});
  if (!chance_.one_in(5)) // else it says so once more
    polled_.erase(at);
  message.items.push_back(std::move(one));
  ask(std::move(message), [](const items_settled&) {});
}

} // namespace depositd::simulation
