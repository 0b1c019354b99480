#include "tests/simulation/links.hpp"

#include "messages/actors.hpp"
#include "messages/cluster.hpp"
#include "messages/processors.hpp"
#include "messages/shard.hpp"

#include <caf/actor_proxy.hpp>
#include <caf/make_actor.hpp>
#include <caf/node_id.hpp>

#include <vector>

namespace depositd::simulation {

namespace {

caf::node_id node_of(engine_number engine) {
  return caf::make_node_id(80'000 + engine,
                           caf::node_id::default_data::host_id_type{});
}

} // namespace

/// Passes on what the engine `here` says to an actor of `there`.
class distant_actor : public caf::actor_proxy {
public:
  distant_actor(caf::actor_config& cfg, engine_links* links,
                engine_number here, engine_number there,
                caf::strong_actor_ptr real,
                std::shared_ptr<engine_links::link> way)
    : caf::actor_proxy(cfg), links_(links), here_(here), there_(there),
      real_(std::move(real)), way_(std::move(way)) {
    // nop
  }

  void enqueue(caf::mailbox_element_ptr what,
               caf::execution_unit* context) override {
    enqueue(what->sender, what->mid, what->move_content_to_message(), context);
  }

  void enqueue(caf::strong_actor_ptr sender, caf::message_id id,
               caf::message content, caf::execution_unit* context) override {
    const auto arrives = here_ < there_ ? way_->said : way_->heard;
    if (way_->up && arrives)
      real_->enqueue(links_->seen(there_, here_, sender), id,
                     links_->carried(here_, there_, std::move(content)),
                     context);
  }

  void kill_proxy(caf::execution_unit* context, caf::error reason) override {
    cleanup(std::move(reason), context);
  }

  const engine_links::link& way() const {
    return *way_;
  }

  const caf::strong_actor_ptr& real() const {
    return real_;
  }

private:
  engine_links* links_;
  engine_number here_;
  engine_number there_;
  caf::strong_actor_ptr real_;
  std::shared_ptr<engine_links::link> way_;
};

namespace {

/// Who monitors the stand-in hears that the actor has ended, if anything is
/// heard from over there.
void end_with(const caf::strong_actor_ptr& real,
              const caf::strong_actor_ptr& stand_in, bool is_first) {
  const auto address = caf::actor_cast<caf::actor_addr>(stand_in);
  real->get()->attach_functor([=](const caf::error& why) {
    const auto who = caf::actor_cast<caf::strong_actor_ptr>(address);
    if (!who)
      return;
    auto& out = *static_cast<distant_actor*>(who->get());
    if (is_first ? out.way().heard : out.way().said)
      out.kill_proxy(nullptr, why);
  });
}

} // namespace

const std::shared_ptr<engine_links::link>&
engine_links::link_of(engine_number a, engine_number b) {
  auto& out = links_[pair_of(a, b)];
  if (!out)
    out = std::make_shared<link>();
  return out;
}

caf::strong_actor_ptr engine_links::seen(engine_number here,
                                         engine_number there,
                                         const caf::strong_actor_ptr& real) {
  if (!real || here == there)
    return real;
  if (real->node() != system_.node()) {
    // Our own actor comes home, or one that is elsewhere is named.
    const auto home = views_.find({there, here, real->id()});
    const auto* known = home == views_.end() ? nullptr : home->second.get();
    return known == real.get()
             ? static_cast<distant_actor*>(real->get())->real()
             : real;
  }
  auto& out = views_[{here, there, real->id()}];
  if (!out) {
    caf::actor_config config;
    out = caf::make_actor<distant_actor, caf::strong_actor_ptr>(
      real->id(), node_of(there), &system_, config, this, here, there, real,
      link_of(here, there));
    end_with(real, out, here < there);
  }
  return out;
}

caf::strong_actor_ptr engine_links::direct(const caf::strong_actor_ptr& who) {
  const auto* distant =
    who ? dynamic_cast<const distant_actor*>(who->get()) : nullptr;
  return distant == nullptr ? who : distant->real();
}

caf::message engine_links::carried(engine_number from, engine_number to,
                                   caf::message content) {
  const auto shown = [&](auto& handle) { handle = seen(to, from, handle); };
  if (content.match_elements<meet_engine>()) {
    auto out = content.get_as<meet_engine>(0);
    shown(out.from);
    return caf::make_message(std::move(out));
  }
  if (content.match_elements<engine_met>()) {
    auto out = content.get_as<engine_met>(0);
    for (auto& x : out.shards) {
      shown(x.core);
      shown(x.reads);
    }
    return caf::make_message(std::move(out));
  }
  if (content.match_elements<ports_opened>()) {
    auto out = content.get_as<ports_opened>(0);
    for (auto& x : out.ports)
      shown(x.queue);
    return caf::make_message(std::move(out));
  }
  if (content.match_elements<queue_port_actor>()) {
    auto out = content.get_as<queue_port_actor>(0);
    shown(out);
    return caf::make_message(std::move(out));
  }
  if (content.match_elements<attach>()) {
    auto out = content.get_as<attach>(0);
    shown(out.who);
    return caf::make_message(std::move(out));
  }
  if (content.match_elements<watch_control>()) {
    auto out = content.get_as<watch_control>(0);
    shown(out.who);
    return caf::make_message(std::move(out));
  }
  return content;
}

void engine_links::mute(engine_number from, engine_number to) {
  auto& way = *link_of(from, to);
  (from < to ? way.said : way.heard) = false;
}

void engine_links::cut(engine_number one, engine_number other) {
  const auto at = links_.find(pair_of(one, other));
  if (at == links_.end())
    return;
  at->second->up = false;
  links_.erase(at);
  lose([=](const view& x) {
    return pair_of(std::get<0>(x), std::get<1>(x)) == pair_of(one, other);
  });
}

void engine_links::cut_all(engine_number of) {
  std::vector<pair> lost;
  for (const auto& [ends, way] : links_)
    if (ends.first == of || ends.second == of)
      lost.push_back(ends);
  for (const auto& [one, other] : lost)
    cut(one, other);
}

void engine_links::lose(const std::function<bool(const view&)>& which) {
  std::vector<caf::strong_actor_ptr> lost;
  for (auto at = views_.begin(); at != views_.end();)
    if (which(at->first)) {
      lost.push_back(std::move(at->second));
      at = views_.erase(at);
    } else {
      ++at;
    }
  for (const auto& who : lost)
    static_cast<distant_actor*>(who->get())
      ->kill_proxy(nullptr, caf::exit_reason::remote_link_unreachable);
}

} // namespace depositd::simulation
