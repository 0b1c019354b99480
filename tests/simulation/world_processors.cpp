// Processors outside the engine: they work, dawdle, die and repeat themselves.

#include "messages/values/operations.hpp"
#include "messages/values/topic_names.hpp"
#include "tests/simulation/queues_of_lives.hpp"
#include "tests/simulation/world.hpp"

#include <caf/send.hpp>

#include <algorithm>

namespace depositd::simulation {

void world::add_processor() {
  const auto alive =
    std::count_if(workers_.begin(), workers_.end(), [](const auto& worker) {
      return !worker->gone && !is_of_pipeline(worker->queue)
             && !is_topic_queue(worker->queue)
             && worker->queue != notify_queue;
    });
  if (alive >= processors_max_)
    return;
  auto who = std::make_shared<simulated_worker>();
  who->queue = queue_names[chance_.below(4)];
  who->slots = 1 + chance_.below(4);
  if (knobs_.leases && chance_.one_in(2))
    who->lease_ms = 2000 + chance_.below(8000);
  if (knobs_.odd_criteria)
    switch (chance_.below(6)) {
      case 0:
        who->wants.size_max = 60;
        break;
      case 1:
        who->wants.required = {any_user(), any_user()};
        break;
      case 2:
        who->wants.excluded = {any_user()};
        break;
      case 3:
        who->wants.preferred = {any_user()};
        break;
      default:
        break;
    }
  spawn_worker(std::move(who));
}

void world::spawn_worker(std::shared_ptr<simulated_worker> who) {
  who->number = ++worker_numbers_;
  tell(processor_joined{who->number, who->queue, who->wants, who->slots});
  workers_.push_back(who);
  who->actor = system_.spawn([this, who](simulated_processor::pointer self) {
    return behave(self, who);
  });
}

void world::crash_processor() {
  if (workers_.empty())
    return;
  auto& who =
    *workers_[chance_.below(static_cast<std::uint32_t>(workers_.size()))];
  end_worker(who);
}

void world::end_worker(simulated_worker& who) {
  if (who.gone)
    return;
  who.gone = true;
  tell_consumer_left(who);
  tell(processor_joined{who.number, who.queue, who.wants, 0});
  caf::anon_send_exit(who.actor, caf::exit_reason::kill);
  who.actor = nullptr;
}

simulated_processor::behavior_type
world::behave(simulated_processor::pointer self,
              std::shared_ptr<simulated_worker> who) {
  // Its queue is gone, with the engine or without: it asks for another.
  self->set_down_handler([=, this](const caf::down_msg& x) {
    std::erase_if(who->doors, [&](const auto& in) {
      return in.door.address() == x.source;
    });
    tell_consumer_left(*who);
    look_later(self, *who);
  });
  attach_worker(self, who);
  return {
    [=, this](const deliver& x) { take_in(self, *who, x); },
    [=, this](const work_done& x) { report(self, *who, x.hand_out); },
    [=, this](attach_again) {
      if (is_shared() || is_topic_queue(who->queue) ? who->looking
                                                    : who->doors.empty())
        attach_worker(self, who);
    },
  };
}

void world::attach_worker(simulated_processor::pointer self,
                          const std::shared_ptr<simulated_worker>& who) {
  if (is_topic_queue(who->queue))
    return attach_to_channel(self, who);
  if (is_shared()) {
    visit_shards(self, who);
    return;
  }
  if (!engine_) {
    self->delayed_send(self, some_ms(2000), attach_again{});
    return;
  }
  const auto again = [=, this](const caf::error&) {
    if (who->doors.empty())
      self->delayed_send(self, some_ms(2000), attach_again{});
  };
  // Names of the living differ; the queue itself takes care of equal ones.
  const attach wish{
    self, "sp" + std::to_string(who->number), who->wants, who->lease_ms, {}};
  self
    ->request(engine_->core.shard, std::chrono::minutes{1},
              open_ports{who->queue})
    .then(
      [=, this](const ports_opened& x) {
        if (!who->doors.empty())
          return;
        for (const auto& found : x.ports) {
          who->doors.push_back({found.queue, 0, found.shard});
          self->monitor(found.queue);
          self->request(found.queue, std::chrono::minutes{1}, wish)
            .then(
              [=](const attached& reply) {
                for (auto& in : who->doors)
                  if (in.door == found.queue) {
                    in.number = reply.processor;
                    self->send(in.door, settle_and_request{
                                          reply.processor, who->slots, {}});
                  }
              },
              again);
        }
      },
      again);
}

void world::look_later(simulated_processor::pointer self,
                       simulated_worker& who) {
  who.looking = true;
  self->delayed_send(self, some_ms(2000), attach_again{});
}

void world::visit_shards(simulated_processor::pointer self,
                         const std::shared_ptr<simulated_worker>& who) {
  who->looking = false;
  const auto via = way_in();
  if (!via)
    return look_later(self, *who);
  self->request(via, std::chrono::minutes{1}, open_ports{who->queue})
    .then(
      [=, this](const ports_opened& x) {
        for (const auto& found : x.ports)
          take_port(self, who, found);
      },
      [=, this](const caf::error&) { look_later(self, *who); });
}

/// Of a shard that moved the new door counts.
void world::take_port(simulated_processor::pointer self,
                      const std::shared_ptr<simulated_worker>& who,
                      ports_opened::port found) {
  found.queue = engine_links::direct(found.queue);
  for (auto& in : who->doors)
    if (in.door == found.queue)
      return;
  std::erase_if(who->doors, [&](const auto& in) {
    if (in.shard != found.shard)
      return false;
    self->demonitor(in.door.address());
    return true;
  });
  who->doors.push_back({found.queue, 0, found.shard});
  self->monitor(found.queue);
  const attach wish{
    self, "sp" + std::to_string(who->number), who->wants, who->lease_ms, {}};
  self->request(found.queue, std::chrono::minutes{1}, wish)
    .then(
      [=, this](const attached& reply) {
        for (auto& in : who->doors)
          if (in.door == found.queue) {
            in.number = reply.processor;
            self->send(in.door,
                       settle_and_request{reply.processor, who->slots, {}});
          }
        if (is_topic_queue(who->queue) && is_ephemeral(who->queue))
          note_consumer(self, who);
      },
      [=, this](const caf::error&) {
        std::erase_if(who->doors,
                      [&](const auto& in) { return in.door == found.queue; });
        look_later(self, *who);
      });
}

void world::take_in(simulated_processor::pointer self, simulated_worker& who,
                    const deliver& news) {
  for (const auto& x : news.settled)
    tell(settled{who.number, x.id, x.accepted});
  for (const auto& item : news.items) {
    tell(handed_out{who.number, who.queue, item.id, item.token, item.attempt,
                    item.user, name_of_body(who.queue, item.body)});
    const auto number = ++hand_outs_;
    who.holds.push_back({number, item});
    if (who.quick) {
      report(self, who, number);
      continue;
    }
    auto takes = some_ms(chance_.one_in(4) ? 8000 : 400);
    if (knobs_.processor_pauses && chance_.one_in(12))
      takes = some_ms(120'000);
    self->delayed_send(self, takes, work_done{number});
  }
}

void world::report(simulated_processor::pointer self, simulated_worker& who,
                   std::uint64_t hand_out) {
  const auto at =
    std::find_if(who.holds.begin(), who.holds.end(),
                 [=](const auto& x) { return x.hand_out == hand_out; });
  if (at == who.holds.end())
    return;
  const auto item = at->item;
  const auto repeat =
    knobs_.repeated_outcomes && !who.quick && chance_.one_in(6);
  if (repeat) // it forgets that it said so, and says so again later
    self->delayed_send(self, some_ms(10'000), work_done{hand_out});
  else
    who.holds.erase(at);
  outcome what;
  what.id = item.id;
  what.token = item.token;
  what.member = item.member;
  if (is_of_pipeline(who.queue)) {
    what = stage_ended(who, item);
  } else if (!who.quick) {
    static constexpr verdict verdicts[] = {
      verdict::done,  verdict::done,    verdict::done,   verdict::failed,
      verdict::retry, verdict::not_yet, verdict::release};
    what.says = verdicts[chance_.below(7)];
    what.delay_ms = chance_.one_in(2) ? 0 : 500 + chance_.below(8000);
  }
  if (who.queue == "metadata")
    what = with_its_file(who.number, item, what);
  what.tell = who.queue == "metadata" && is_to_be_told();
  say(self, who, what, repeat ? 0 : 1);
}

void world::say(simulated_processor::pointer self, simulated_worker& who,
                const outcome& what, std::uint32_t credit) {
  // Each shard knows its own items only; nobody is told of an outcome for one
  // that has no owner.
  for (auto& in : who.doors)
    if (in.number != 0
        && (!is_shared() || in.shard == shard_of_item(what.id))) {
      tell(reported{who.number, what.id, what.token, what.says,
                    document_of(who, what), what.tell});
      self->send(in.door, settle_and_request{in.number, credit, {what}});
      return;
    }
}

} // namespace depositd::simulation
