// AUTH and SUB: others are asked, and the client's next commands wait.

#include "adapters/doors/nsq/connection.hpp"

#include "messages/shard.hpp"
#include "messages/topics.hpp"
#include "messages/values/tallies.hpp"
#include "messages/values/topic_names.hpp"

#include <spdlog/spdlog.h>

#include <string_view>
#include <utility>

namespace depositd::nsq {

namespace {

/// An ephemeral channel may end while it is joined, and the next one too; what
/// ends so often is taken away on purpose.
constexpr std::uint32_t joins_max = 10;

constexpr std::string_view ended_text = "the channel has ended";

/// Runs its function once in the connection's thread, with the answer or, if
/// none comes, with the reason.
template <class Answer>
class in_thread {
public:
  using function = std::function<void(Answer*, const caf::error&)>;

  in_thread(io_thread& where, std::weak_ptr<connection> who, function then)
    : where_(&where), who_(std::move(who)), then_(std::move(then)) {
    // nop
  }

  in_thread(in_thread&& x) noexcept
    : where_(x.where_), who_(std::move(x.who_)),
      then_(std::exchange(x.then_, nullptr)) {
    // nop
  }

  ~in_thread() {
    if (then_)
      run(nullptr, caf::make_error(ec::overloaded,
                                   std::string{"the engine did not answer in "
                                               "time"}));
  }

  void run(Answer* what, caf::error why) {
    // Nobody keeps what only waits for one that has gone.
    if (who_.expired()) {
      then_ = nullptr;
      return;
    }
    auto kept =
      what != nullptr ? std::make_shared<Answer>(std::move(*what)) : nullptr;
    where_->post([who = std::move(who_), then = std::exchange(then_, nullptr),
                  kept = std::move(kept), why = std::move(why)] {
      const auto self = who.lock();
      if (self && !self->ended())
        then(kept.get(), why);
    });
  }

private:
  io_thread* where_;
  std::weak_ptr<connection> who_;
  function then_;
};

} // namespace

template <class Answer, class Actor, class Message>
void connection::ask(const Actor& whom, Message what,
                     std::function<void(Answer*, const caf::error&)> then) {
  busy_ = true;
  auto done_here = [this, then = std::move(then)](Answer* said,
                                                  const caf::error& why) {
    busy_ = false;
    then(said, why);
    mark();
  };
  core_.asked.ask(
    whom, std::move(what),
    [to = in_thread<Answer>{thread_, weak_from_this(), std::move(done_here)}](
      kit::core_answer said) mutable {
      auto* known = said.as<Answer>();
      to.run(known, known != nullptr ? caf::error{} : said.why());
    });
}

// -- AUTH ---------------------------------------------------------------------

void connection::authenticate(const command& what) {
  const auto& secret = what.bodies.front();
  if (login_.entered())
    return refuse(refusal::invalid("AUTH already set"));
  if (core_.auth)
    return ask_server(secret, [this](const refusal* wrong) {
      if (wrong != nullptr)
        refuse(*wrong);
      else
        entered();
    });
  const auto keys = core_.keys.load();
  if (!core_.facts.auth_required && keys->control().keys.empty())
    return refuse(refusal::of("E_AUTH_DISABLED", "AUTH disabled"));
  if (!login_.enter_with_key(secret, keys)) {
    core_.refuse(address_, "E_AUTH_FAILED");
    tally(tally_of::login_failed, "key_refused");
    return refuse(refusal::of("E_AUTH_FAILED", "AUTH failed"));
  }
  entered();
}

void connection::ask_server(const std::string& secret,
                            std::function<void(const refusal*)> then) {
  ask_authorizations what;
  what.what.secret = secret;
  what.what.remote_ip = address_;
  if (wire_.tls() != nullptr) {
    what.what.tls = true;
    what.what.common_name = wire_.tls()->common_name();
  }
  ask<authorizations_told>(
    core_.auth, std::move(what),
    [this, secret, then = std::move(then)](authorizations_told* said,
                                           const caf::error& why) {
      refusal wrong;
      if (said == nullptr) {
        tally(tally_of::login_failed, "auth_server");
        // What the server says is not for strangers.
        if (core_.may_log("auth_failed"))
          spdlog::info("nsq_auth_failed peer={} reason=\"{}\"", address_,
                       render(why));
        wrong = refusal::of("E_AUTH_FAILED", "AUTH failed");
        return then(&wrong);
      }
      if (said->state->permits.empty()) {
        wrong = refusal::of("E_UNAUTHORIZED", "AUTH no authorizations found");
        return then(&wrong);
      }
      login_.enter_with(secret, std::move(said->state), now());
      then(nullptr);
    });
}

void connection::entered() {
  user_.clear();
  record_->change([&](client_facts& x) {
    x.authed = true;
    x.auth_identity = login_.identity();
    x.auth_identity_url = login_.identity_url();
  });
  answer(login_.answer());
}

// -- SUB ----------------------------------------------------------------------

void connection::fail_subscribing(const std::string& why) {
  refuse(refusal::of("E_SUB_FAILED", "SUB failed " + why));
}

void connection::subscribe(const command& what) {
  if (!permitted(what))
    return;
  if (!core_.may_make(user_of_messages(), what.topic, what.channel))
    return fail_subscribing(std::string{made_enough});
  if (!core_.clients.consume(what.topic, what.channel,
                             core_.options.limits.channel_consumers_max))
    return fail_subscribing("E_TOO_MANY_CHANNEL_CONSUMERS");
  topic_ = what.topic;
  channel_ = what.channel;
  counted_ = true;
  join_channel();
}

void connection::join_channel() {
  ++joins_;
  lost_ = false;
  ask<done>(core_.options.shard,
            order_topic{topic_, channel_, topic_action::create},
            [this](done* said, const caf::error& why) {
              if (said == nullptr)
                fail_subscribing(render(why));
              else
                open_channel();
            });
}

// There will be another channel of its name.
void connection::join_again(const std::string& why) {
  consumer_.reset();
  if (joins_ >= joins_max)
    return fail_subscribing(why);
  join_channel();
}

void connection::lose_channel(std::uint32_t join) {
  if (join != joins_)
    return;
  if (joined_)
    return end();
  lost_ = true;
}

void connection::open_channel() {
  ask<queue_port_actor>(core_.options.shard,
                        open_queue{channel_queue(topic_, channel_)},
                        [this](queue_port_actor* queue, const caf::error& why) {
                          if (queue == nullptr || !*queue)
                            fail_subscribing(render(why));
                          else
                            attach_to(*queue);
                        });
}

void connection::attach_to(const queue_port_actor& queue) {
  consumer_options how;
  how.queue = queue;
  how.msg_timeout = terms_.msg_timeout;
  how.msg_timeout_max = core_.options.limits.msg_timeout_max;
  how.sample_rate = terms_.sample_rate;
  how.backlog_bytes_max = core_.options.backlog_bytes_max;
  how.settle_limit = core_.options.answer_limit;
  how.record = record_;
  const auto in_this_thread = [weak = weak_from_this(),
                               &to = thread_](auto what) {
    to.post([weak, what = std::move(what)]() mutable {
      const auto self = weak.lock();
      if (self && !self->ended())
        what(*self);
    });
  };
  how.face = std::make_shared<claim_face>(
    core_.system,
    claim_face::callbacks{
      [in_this_thread](deliver&& what) {
        in_this_thread([what = std::move(what)](connection& self) mutable {
          if (self.consumer_)
            self.consumer_->take(std::move(what), self.now());
          self.mark();
        });
      },
      [in_this_thread, join = joins_] {
        in_this_thread([join](connection& self) { self.lose_channel(join); });
      }});
  how.face->watch(queue);
  attach what;
  what.who = how.face->handle();
  what.name = record_->facts().remote_address + "/" + std::to_string(place_);
  what.lease_ms = static_cast<std::uint32_t>(how.msg_timeout.count());
  ask<attached>(queue, std::move(what),
                [this, how](attached* said, const caf::error& why) mutable {
                  if (why == caf::sec::request_receiver_down)
                    return join_again(render(why));
                  if (said == nullptr)
                    return fail_subscribing(render(why));
                  how.number = said->processor;
                  begin_consuming(std::move(how));
                });
}

void connection::begin_consuming(consumer_options how) {
  const auto queue = how.queue;
  consumer_ = std::make_unique<consumer>(static_cast<consumer_host&>(*this),
                                         std::move(how));
  // An ephemeral channel goes with its last consumer.
  noted_ = true;
  ask<done>(core_.options.shard, note_consumers{topic_, channel_, 1},
            [this, queue](done* said, const caf::error& why) {
              if (lost_ || why == ec::not_found)
                join_again(lost_ ? std::string{ended_text} : render(why));
              else if (said == nullptr)
                fail_subscribing(render(why));
              else if (is_ephemeral(channel_))
                make_sure_of(queue);
              else
                subscribed();
            });
}

// Between attaching and being noted the channel may have ended, and another one
// have been made of its name: that its end was not heard of says nothing.
void connection::make_sure_of(const queue_port_actor& queue) {
  ask<queue_port_actor>(core_.options.shard,
                        open_queue{channel_queue(topic_, channel_)},
                        [this, queue](queue_port_actor* now,
                                      const caf::error& why) {
                          if (lost_ || (now != nullptr && *now != queue))
                            join_again(std::string{ended_text});
                          else if (now == nullptr)
                            fail_subscribing(render(why));
                          else
                            subscribed();
                        });
}

void connection::subscribed() {
  joined_ = true;
  record_->change([&](client_facts& x) {
    x.state = client_state::subscribed;
    x.topic = topic_;
    x.channel = channel_;
  });
  answer("OK");
}

} // namespace depositd::nsq
