#pragma once

// Actors of the test's own system, seen as if they lived on another node: what
// is sent to them passes a proxy with a foreign node id, as over a connection
// that can be cut.

#include "messages/actors.hpp"
#include "messages/processors.hpp"

#include <caf/actor_proxy.hpp>
#include <caf/make_actor.hpp>
#include <caf/node_id.hpp>

#include <functional>
#include <map>
#include <memory>
#include <utility>

namespace depositd::testing {

/// Between here and there.
struct connection {
  bool cut = false;   ///< nothing passes, in either direction
  bool muted = false; ///< nothing passes from the engine to the processors
};

/// Passes everything on to an actor of this system.
class stand_in : public caf::actor_proxy {
public:
  using change = std::function<caf::message(caf::message)>;
  using view = std::function<caf::strong_actor_ptr(caf::strong_actor_ptr)>;

  stand_in(caf::actor_config& cfg, caf::strong_actor_ptr behind,
           std::shared_ptr<connection> way, change on_the_way, view from_there)
    : caf::actor_proxy(cfg),
      behind_(std::move(behind)),
      way_(std::move(way)),
      on_the_way_(std::move(on_the_way)),
      from_there_(std::move(from_there)) {
    // nop
  }

  void enqueue(caf::mailbox_element_ptr what,
               caf::execution_unit* context) override {
    enqueue(what->sender, what->mid, what->move_content_to_message(), context);
  }

  void enqueue(caf::strong_actor_ptr sender, caf::message_id id,
               caf::message content, caf::execution_unit* context) override {
    if (way_->cut || (way_->muted && !on_the_way_))
      return;
    if (on_the_way_)
      content = on_the_way_(std::move(content));
    else
      sender = from_there_(std::move(sender));
    behind_->enqueue(std::move(sender), id, std::move(content), context);
  }

  void kill_proxy(caf::execution_unit* context, caf::error reason) override {
    cleanup(std::move(reason), context);
  }

private:
  caf::strong_actor_ptr behind_;
  std::shared_ptr<connection> way_;
  change on_the_way_; ///< of doors only
  view from_there_;   ///< who says it, as the node knows them
};

/// A node of processors as its engine sees it, and the engine as seen by it.
class other_node {
public:
  explicit other_node(caf::actor_system& system, std::uint32_t number = 1)
    : system_(system),
      id_(caf::make_node_id(70'000 + number,
                            caf::node_id::default_data::host_id_type{})) {
    // nop
  }

  /// As messages from there have it.
  const caf::node_id& id() const {
    return id_;
  }

  /// The door of a queue for processors of this node.
  queue_port_actor door(const queue_port_actor& real) {
    return caf::actor_cast<queue_port_actor>(
      stand_in_for(caf::actor_cast<caf::strong_actor_ptr>(real),
                   [this](caf::message x) { return introduce(x); }));
  }

  /// An actor of this node for its engine.
  template <class Handle>
  Handle seen(const Handle& real) {
    return caf::actor_cast<Handle>(
      stand_in_for(caf::actor_cast<caf::strong_actor_ptr>(real), nullptr));
  }

  processor_actor processor(const processor_actor& real) {
    return seen(real);
  }

  /// What the engine says is lost from now on; the other way works.
  void mute() {
    way_->muted = true;
  }

  /// The engine notices that the connection is gone, of this actor first.
  void lose(const processor_actor& real) {
    const auto at = known_.find(caf::actor_cast<caf::strong_actor_ptr>(real));
    static_cast<stand_in*>(at->second->get())
      ->kill_proxy(nullptr, caf::exit_reason::remote_link_unreachable);
    known_.erase(at);
  }

  /// Both sides notice that the connection is gone.
  void cut() {
    way_->cut = true;
    for (const auto& [actor, proxy] : std::exchange(known_, {}))
      static_cast<stand_in*>(proxy->get())->kill_proxy(
        nullptr, caf::exit_reason::remote_link_unreachable);
    way_ = std::make_shared<connection>();
  }

private:
  /// An `attach` names its processor as the engine must see it.
  caf::message introduce(const caf::message& x) {
    if (!x.match_elements<attach>())
      return x;
    auto out = x.get_as<attach>(0);
    out.who = processor(out.who);
    return caf::make_message(std::move(out));
  }

  caf::strong_actor_ptr stand_in_for(const caf::strong_actor_ptr& real,
                                     stand_in::change on_the_way) {
    auto& known = known_[real];
    if (!known) {
      caf::actor_config config;
      known = caf::make_actor<stand_in, caf::strong_actor_ptr>(
        real->id(), id_, &system_, config, real, way_, std::move(on_the_way),
        [this](caf::strong_actor_ptr who) {
          const auto at = known_.find(who);
          return at == known_.end() ? who : at->second;
        });
      const auto address = caf::actor_cast<caf::actor_addr>(known);
      real->get()->attach_functor([address](const caf::error& why) {
        if (auto proxy = caf::actor_cast<caf::strong_actor_ptr>(address))
          static_cast<stand_in*>(proxy->get())->kill_proxy(nullptr, why);
      });
    }
    return known;
  }

  caf::actor_system& system_;
  caf::node_id id_;
  std::shared_ptr<connection> way_ = std::make_shared<connection>();
  /// By age, not by where they are in memory: who hears first that the
  /// connection is gone must be the same every time.
  struct older {
    bool operator()(const caf::strong_actor_ptr& a,
                    const caf::strong_actor_ptr& b) const {
      return (a ? a->id() : 0) < (b ? b->id() : 0);
    }
  };
  std::map<caf::strong_actor_ptr, caf::strong_actor_ptr, older> known_;
};

} // namespace depositd::testing
