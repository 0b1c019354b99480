#include "actors/cluster/forwarding.hpp"

#include "messages/values/errors.hpp"

#include <caf/actor.hpp>
#include <caf/response_promise.hpp>
#include <caf/scheduled_actor.hpp>
#include <caf/type_erased_tuple.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace depositd::cluster {

namespace {

caf::error owner_gone(shard_number shard) {
  return caf::make_error(ec::store_failed,
                         "the engine that had shard " + std::to_string(shard)
                           + " is gone; nobody knows whether it did this");
}

/// The owner turned the request away before it did anything. `ec::fenced` is
/// not among these: a commit whose answer was lost may stand all the same.
bool turned_away(const caf::error& why) {
  return why == ec::draining || why == caf::sec::request_receiver_down;
}

/// Hands an answer on as it is.
class relaying final : public asker {
public:
  relaying(caf::scheduled_actor* self, caf::response_promise promise)
    : self_(self), promise_(std::move(promise)) {}

  void take(caf::type_erased_tuple&) override {
    auto& here = *self_->current_mailbox_element();
    promise_.deliver(here.move_content_to_message());
  }

  void fail(const caf::error& why) override {
    promise_.deliver(why);
  }

private:
  caf::scheduled_actor* self_; ///< whose handlers call this
  caf::response_promise promise_;
};

} // namespace

/// Somebody has an answer, or is gone.
class owner_asked final : public asker {
public:
  owner_asked(forwarding* to, std::uint64_t number)
    : to_(to), number_(number) {}

  void take(caf::type_erased_tuple& answer) override {
    if (const auto was = ended(); was.question)
      was.question->asking->take(answer);
  }

  void fail(const caf::error& why) override {
    const auto was = ended();
    if (!was.question)
      return;
    if (turned_away(why) || why == ec::fenced)
      to_->owner_failed(was.question, was.whom, why);
    else
      was.question->asking->fail(why);
  }

private:
  /// What was asked, unless it has been given up.
  forwarding::sent ended() {
    auto out = to_->open_.extract(number_);
    return out ? std::move(out.mapped()) : forwarding::sent{};
  }

  forwarding* to_; ///< of the actor whose handlers call this
  std::uint64_t number_;
};

void forwarding::begin(caf::scheduled_actor* self, forwarding_options options) {
  self_ = self;
  options_ = std::move(options);
  places_.resize(options_.count);
  held_.resize(options_.count);
}

bool forwarding::all_placed() const {
  return std::all_of(places_.begin(), places_.end(),
                     [](const auto& x) { return bool{x.who}; });
}

void forwarding::set_place(const shard_placed& x,
                           const caf::strong_actor_ptr& who) {
  auto& at = places_[x.shard];
  if (x.epoch < at.epoch)
    return;
  const auto before = at.who;
  at = {x.epoch, x.engine, who, x.here};
  if (who && before != who)
    self_->monitor(who);
  if (before && before != who) {
    const auto until = self_->clock().now() + options_.last_answer;
    fail_open([&](sent& y) {
      if (y.question->shard != x.shard || y.whom != before)
        return false;
      y.until = std::min(y.until, until);
      return y.question->may == repeats::harmless;
    });
  }
  if (who)
    let_go(x.shard);
}

void forwarding::owner_down(const caf::actor_addr& whom) {
  for (auto& at : places_)
    if (at.who && whom == at.who) {
      at.who = nullptr;
      options_.lost();
    }
  fail_open([&](const sent& y) { return y.whom == whom; });
}

void forwarding::tick() {
  const auto now = self_->clock().now();
  refuse_late(now);
  let_go_again();
  fail_open([&](const sent& y) { return y.until <= now; });
}

void forwarding::refuse_all(const caf::error& why) {
  for (auto& all : held_)
    for (auto& x : std::exchange(all, {}))
      x.question->asking->fail(why);
}

shard_question forwarding::question(shard_number shard, caf::message what,
                                    repeats may, bool takes_long) const {
  shard_question out;
  out.shard = shard;
  out.what = std::move(what);
  out.may = may;
  out.until = self_->clock().now() + options_.owner_wait;
  out.within = takes_long ? options_.bulk_timeout : options_.request_timeout;
  return out;
}

void forwarding::ask(shard_question x) {
  ask_owner(std::make_shared<const shard_question>(std::move(x)));
}

void forwarding::forward(shard_question x, caf::response_promise promise) {
  const auto& at = places_[x.shard];
  if (at.who && at.here) {
    promise.delegate(caf::actor_cast<caf::actor>(at.who), std::move(x.what));
    return;
  }
  x.asking = std::make_unique<relaying>(self_, std::move(promise));
  ask(std::move(x));
}

/// Fails what was sent and fits.
void forwarding::fail_open(const std::function<bool(sent&)>& fits) {
  std::vector<sent> failed;
  for (auto at = open_.begin(); at != open_.end();)
    if (fits(at->second)) {
      failed.push_back(std::move(at->second));
      at = open_.erase(at);
    } else {
      ++at;
    }
  for (const auto& x : failed)
    owner_failed(x.question, x.whom, owner_gone(x.question->shard));
}

/// Lets go what waits for the shard, but for what its owner has just turned
/// away: both would ask each other without end.
void forwarding::let_go(shard_number shard) {
  const auto owner = places_[shard].who;
  for (auto& x : std::exchange(held_[shard], {}))
    if (x.turned_away_by && x.turned_away_by == owner)
      held_[shard].push_back(std::move(x));
    else
      ask_owner(x.question);
}

/// What was turned away is sent again.
void forwarding::let_go_again() {
  for (shard_number shard = 0; shard < held_.size(); ++shard) {
    for (auto& x : held_[shard])
      x.turned_away_by = nullptr;
    if (places_[shard].who)
      let_go(shard);
  }
}

void forwarding::refuse_late(time_point now) {
  for (shard_number shard = 0; shard < held_.size(); ++shard) {
    auto& all = held_[shard];
    const auto late =
      std::stable_partition(all.begin(), all.end(), [&](const auto& x) {
        return x.question->until > now;
      });
    const std::vector<waiting> refused{std::make_move_iterator(late),
                                       std::make_move_iterator(all.end())};
    all.erase(late, all.end());
    for (const auto& x : refused)
      x.question->asking->fail(caf::make_error(
        ec::overloaded, "no engine has shard " + std::to_string(shard)
                          + " at the moment; try again later"));
  }
}

/// Whom it was sent to will not answer.
void forwarding::owner_failed(const question_ptr& question,
                              const caf::actor_addr& owner,
                              const caf::error& why) {
  const auto repeat =
    turned_away(why)
    || (question->may == repeats::harmless && why != caf::sec::request_timeout);
  if (!repeat || self_->clock().now() >= question->until) {
    question->asking->fail(why);
    return;
  }
  auto& at = places_[question->shard];
  if (at.who && owner == at.who) {
    at.who = nullptr; // it will not be the owner for long
    options_.lost();
  }
  if (at.who)
    ask_owner(question);
  else
    held_[question->shard].push_back({question, owner});
}

void forwarding::ask_owner(const question_ptr& question) {
  const auto owner = places_[question->shard].who;
  if (!owner) {
    held_[question->shard].push_back({question, nullptr});
    return;
  }
  const auto number = ++open_last_;
  open_.emplace(number,
                sent{question, caf::actor_cast<caf::actor_addr>(owner)});
  ask_whole(self_, owner, question->within, question->what,
            std::make_unique<owner_asked>(this, number));
}

} // namespace depositd::cluster
