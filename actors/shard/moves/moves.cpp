#include "actors/journal/reply.hpp"
#include "actors/rules/control/control.hpp"
#include "actors/rules/control/founding.hpp"
#include "actors/shard/parts.hpp"
#include "messages/values/hex.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <random>

namespace depositd::shard {

namespace {

/// Finished moves are remembered for this long, and this many of them.
constexpr micros moves_kept_us = micros{7} * 24 * 3600 * 1'000'000;
constexpr std::size_t moves_kept_max = 10'000;

/// 128 random bits in hexadecimal.
std::string random_reference() {
  std::random_device source;
  std::string out(32, '0');
  for (std::size_t at = 0; at < out.size(); at += 8)
    put_hex(&out[at], source(), 8);
  return out;
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

void user_done(shard_pointer self, const std::shared_ptr<shard_move>& run) {
  if (--run->users_open == 0)
    finish_move(self, run);
}

void move_some(shard_pointer self, const std::shared_ptr<shard_move>& run,
               const std::string& user);

/// What has moved all the same is no longer in the source.
void not_moved(shard_pointer self, const std::shared_ptr<shard_move>& run,
               const std::string& user, const caf::error& why) {
  if (!still_moves(self, *run))
    return;
  if (why == caf::sec::request_timeout) // a slow store
    return move_some(self, run, user);
  // An append that failed: we hear of it here before the journal says so and
  // everything starts over, and by then the move must not have ended. Others
  // of its users may have told us already.
  if (run->next != shard_move::step::begin)
    resume_later(self, run, shard_move::step::begin, why);
}

void move_some(shard_pointer self, const std::shared_ptr<shard_move>& run,
               const std::string& user) {
  with_user(self, user, run->from, [=](const user_actor& whom) {
    if (self->state.moving != run)
      return;
    reach_user(self, user, run->to);
    self
      ->request(whom, self->state.options.request_timeout,
                move_items{run->from, run->to, run->what.id_last, 1000})
      .then(
        [=](const items_moved& x) {
          if (self->state.moving != run)
            return;
          if (!x.more)
            user_done(self, run);
          else if (self->state.now == shard_state::phase::serving)
            move_some(self, run, user);
          // else the next engine goes on
        },
        [=](const caf::error& why) { not_moved(self, run, user, why); });
  });
}

bool has_queue(shard_pointer self, const std::string& name) {
  const auto& options = self->state.options;
  return shard_of(name, options.shards) == options.number;
}

void start(shard_pointer self, const move_changed& what) {
  auto& state = self->state;
  auto run = std::make_shared<shard_move>();
  run->what = what;
  run->generation = state.journal.generation;
  if (const auto from = find_queue(self, what.from)) {
    run->from = *from;
    run->users = members_of(self, *from);
  }
  state.moving = run;
  if (!has_queue(self, what.to)) {
    move_away(self, run);
    return;
  }
  const auto to = find_queue(self, what.to);
  if (!to || run->users.empty()) {
    finish_move(self, run);
    return;
  }
  run->to = *to;
  run->users_open = run->users.size();
  for (const auto& user : run->users)
    move_some(self, run, user);
}

/// The move is over: whoever asks is told so from now on.
std::vector<event> ending_of(shard_pointer self, const shard_move& run) {
  std::vector<event> out;
  forget_old(*self->state.control, now(self), out);
  auto what = run.what;
  what.status = move_status::complete;
  out.emplace_back(std::move(what));
  return out;
}

void ended(shard_pointer self, const shard_move& run) {
  spdlog::info("move_ended reference={} from={} to={}", run.what.reference,
               run.what.from, run.what.to);
  self->state.moving.reset();
}

move_changed beginning_of(shard_pointer self, const move_queue& x) {
  move_changed out;
  const auto& named = self->state.options.new_reference;
  out.reference = named ? named() : random_reference();
  out.from = x.from;
  out.to = x.to;
  out.begun_us = now(self);
  out.id_last = self->state.id_last;
  return out;
}

/// Where there are several shards the control shard keeps the move: answered
/// when it, and every shard, has it in its journal.
caf::result<move_begun> begin_everywhere(shard_pointer self,
                                         move_changed what) {
  auto promise = self->make_response_promise<move_begun>();
  const auto reference = what.reference;
  const auto& options = self->state.options;
  self
    ->request(options.router, options.request_timeout,
              propose{{event{std::move(what)}}})
    .then([=](const done&) mutable { promise.deliver(move_begun{reference}); },
          [=](const caf::error& why) mutable {
            // A proposal that was repeated may have come after the end.
            if (self->state.control->moves.count(reference) > 0
                && why == ec::invalid_argument)
              promise.deliver(move_begun{reference});
            else
              promise.deliver(why);
          });
  return promise;
}

} // namespace

caf::result<move_begun> begin_move(shard_pointer self, const move_queue& x) {
  if (auto refused = refuse_intake(self))
    return refused;
  auto& state = self->state;
  if (auto wrong = rules::check_move(*state.control, x.from, x.to))
    return wrong;
  auto what = beginning_of(self, x);
  if (state.options.router)
    return begin_everywhere(self, std::move(what));
  std::vector<event> changes;
  if (!find_queue(self, x.to)) {
    auto made = rules::found(
      *state.control, {x.to, x.founder, state.options.queues_per_key_max});
    if (!made)
      return made.error();
    changes = std::move(*made);
  }
  reply begun{journal::take_reply(self),
              caf::make_message(move_begun{what.reference})};
  changes.emplace_back(std::move(what));
  commit_control(self, changes, std::move(begun));
  run_moves(self);
  return journal::answered_later<move_begun>();
}

void run_moves(shard_pointer self) {
  auto& state = self->state;
  if (state.moving || state.now != shard_state::phase::serving)
    return;
  if (ship_left_over(self))
    return;
  const auto& moves = state.control->moves;
  std::erase_if(state.moves_ended, [&](const auto& reference) {
    const auto at = moves.find(reference);
    return at == moves.end() || at->second.status != move_status::in_progress;
  });
  const move_changed* oldest = nullptr;
  for (const auto& [reference, x] : moves)
    if (x.status == move_status::in_progress && has_queue(self, x.from)
        && state.moves_ended.count(reference) == 0
        && (oldest == nullptr || x.begun_us < oldest->begun_us))
      oldest = &x;
  if (oldest != nullptr)
    start(self, move_changed{*oldest});
}

void finish_move(shard_pointer self, const std::shared_ptr<shard_move>& run) {
  const auto& options = self->state.options;
  auto changes = ending_of(self, *run);
  if (!options.router) {
    ended(self, *run);
    commit_control(self, changes);
    run_moves(self);
    return;
  }
  self
    ->request(options.router, options.request_timeout,
              propose{std::move(changes)})
    .then(
      [=](const done&) {
        if (self->state.moving != run)
          return;
        ended(self, *run);
        self->state.moves_ended.insert(run->what.reference);
        run_moves(self);
      },
      [=](const caf::error& why) {
        resume_later(self, run, shard_move::step::finish, why);
      });
}

void resume_later(shard_pointer self, const std::shared_ptr<shard_move>& run,
                  shard_move::step next, const caf::error& why) {
  if (!still_moves(self, *run))
    return; // the next engine goes on
  if (auto reason = render(why); run->stopping.is_new(reason))
    spdlog::warn("move_waits reference={} to={} reason=\"{}\"",
                 run->what.reference, run->what.to, reason);
  run->next = next;
  self->delayed_send(self, std::chrono::milliseconds{500},
                     resume_move{run->generation});
}

void go_on_moving(shard_pointer self, const resume_move& x) {
  const auto run = self->state.moving;
  if (!run || run->generation != x.generation || !still_moves(self, *run))
    return;
  if (run->next == shard_move::step::finish)
    finish_move(self, run);
  else if (run->next == shard_move::step::begin)
    start(self, run->what);
  else
    go_on_moving_away(self, run);
}

bool still_moves(shard_pointer self, const shard_move& run) {
  const auto& state = self->state;
  return state.moving.get() == &run
         && state.journal.generation == run.generation
         && state.now == shard_state::phase::serving;
}

} // namespace depositd::shard
