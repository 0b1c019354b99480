#include "actors/reply.hpp"
#include "actors/shard_parts.hpp"
#include "messages/names.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <random>

namespace depositd::shard_parts {

namespace {

/// Finished moves are remembered for this long, and this many of them.
constexpr micros moves_kept_us = micros{7} * 24 * 3600 * 1'000'000;
constexpr std::size_t moves_kept_max = 10'000;

caf::error invalid(std::string text) {
  return caf::make_error(ec::invalid_argument, std::move(text));
}

/// 128 random bits in hexadecimal.
std::string new_reference() {
  constexpr std::string_view digits = "0123456789abcdef";
  std::random_device source;
  std::string out;
  while (out.size() < 32) {
    auto bits = source();
    for (int i = 0; i < 8; ++i, bits >>= 4)
      out.push_back(digits[bits & 0xf]);
  }
  return out;
}

caf::error check(const control_state& control, const move_queue& x) {
  for (const auto* name : {&x.from, &x.to})
    if (!legal_queue_name(*name))
      return invalid("not a queue name: " + name->substr(0, 64));
  if (x.from == x.to)
    return invalid("cannot move queue to itself");
  const auto settings = [&](const std::string& name) {
    const auto at = control.queues.find(name);
    return at != control.queues.end() ? at->second
                                      : settings_of_new_queue(name);
  };
  const auto from = settings(x.from);
  const auto to = settings(x.to);
  if (from.kind == queue_kind::deposit || to.kind == queue_kind::deposit)
    return invalid("cannot move deposits");
  // Items of the source carry no digest of their payload.
  if (from.dedup == dedup_mode::none && to.dedup != dedup_mode::none)
    return invalid("cannot move a plain queue to one that collapses");
  return {};
}

/// Events that drop the finished moves nobody will ask for any more.
void forget_old(const control_state& control, micros now,
                std::vector<event>& out) {
  std::vector<const move_changed*> ended;
  for (const auto& [reference, x] : control.moves)
    if (x.status != move_status::in_progress)
      ended.push_back(&x);
  std::sort(ended.begin(), ended.end(), [](const auto* a, const auto* b) {
    return a->begun_us < b->begun_us;
  });
  for (std::size_t i = 0; i < ended.size(); ++i) {
    if (ended.size() - i <= moves_kept_max
        && ended[i]->begun_us + moves_kept_us > now)
      break;
    auto& x = std::get<move_changed>(out.emplace_back(*ended[i]));
    x.forgotten = true;
  }
}

void finish(shard_pointer self, const shard_move& run) {
  std::vector<event> changes;
  forget_old(*self->state.control, now(self), changes);
  auto what = run.what;
  what.status = run.failed ? move_status::error : move_status::complete;
  spdlog::info("move_ended reference={} from={} to={} failed={}",
               what.reference, what.from, what.to, run.failed);
  changes.emplace_back(std::move(what));
  self->state.moving.reset();
  commit_control(self, std::move(changes), {});
  run_moves(self);
}

void user_done(shard_pointer self, const std::shared_ptr<shard_move>& run) {
  if (--run->users_open == 0)
    finish(self, *run);
}

void move_some(shard_pointer self, const std::shared_ptr<shard_move>& run,
               const std::string& user) {
  with_node(self, user, run->from, [=](const user_node_actor& node) {
    reach_user(self, user, run->to);
    self
      ->request(node, self->state.options.request_timeout,
                move_items{run->from, run->to, run->what.id_last, 1000})
      .then(
        [=](const items_moved& x) {
          if (self->state.generation != run->generation)
            return;
          if (!x.more)
            user_done(self, run);
          else if (self->state.now == shard_state::phase::serving)
            move_some(self, run, user);
          // else the next engine goes on
        },
        [=](const caf::error& why) {
          if (self->state.generation != run->generation)
            return;
          // A slow store: what has moved meanwhile is no longer in the source.
          if (why == caf::sec::request_timeout
              && self->state.now == shard_state::phase::serving) {
            move_some(self, run, user);
            return;
          }
          spdlog::error("move_failed reference={} user={} reason=\"{}\"",
                        run->what.reference, user, render(why));
          run->failed = true;
          user_done(self, run);
        });
  });
}

void start(shard_pointer self, const move_changed& what) {
  auto& state = self->state;
  auto run = std::make_shared<shard_move>();
  run->what = what;
  run->generation = state.generation;
  const auto from = find_queue(self, what.from);
  const auto to = find_queue(self, what.to);
  std::vector<std::string> users;
  if (from && to) {
    run->from = *from;
    run->to = *to;
    for (const auto& [name, entry] : state.users)
      if (entry.members.count(*from) > 0)
        users.push_back(name);
  }
  state.moving = run;
  run->users_open = users.size();
  if (users.empty())
    finish(self, *run);
  for (const auto& user : users)
    move_some(self, run, user);
}

} // namespace

caf::result<move_begun> begin_move(shard_pointer self, const move_queue& x) {
  if (auto refused = refuse_intake(self))
    return refused;
  auto& state = self->state;
  if (auto wrong = check(*state.control, x))
    return wrong;
  std::vector<event> changes;
  if (!find_queue(self, x.to))
    changes.emplace_back(queue_changed{x.to, settings_of_new_queue(x.to)});
  move_changed what;
  what.reference = new_reference();
  what.from = x.from;
  what.to = x.to;
  what.begun_us = now(self);
  what.id_last = state.id_last;
  std::vector<delivery> deliveries;
  deliveries.emplace_back(
    reply{take_reply(self), caf::make_message(move_begun{what.reference})});
  changes.emplace_back(std::move(what));
  commit_control(self, std::move(changes), std::move(deliveries));
  run_moves(self);
  return answered_later<move_begun>();
}

void run_moves(shard_pointer self) {
  const auto& state = self->state;
  if (state.moving || state.now != shard_state::phase::serving)
    return;
  const move_changed* oldest = nullptr;
  for (const auto& [reference, x] : state.control->moves)
    if (x.status == move_status::in_progress
        && (oldest == nullptr || x.begun_us < oldest->begun_us))
      oldest = &x;
  if (oldest != nullptr)
    start(self, move_changed{*oldest});
}

} // namespace depositd::shard_parts
