#include "actors/cluster/projection_router.hpp"

#include "actors/cluster/scatter.hpp"
#include "actors/journal/gather.hpp"

namespace depositd::cluster {

namespace {

using self_pointer = actor_with<projection_router_state>*;

template <class Answer, class Request>
caf::result<Answer> answer(self_pointer self, Request& x) {
  return by_table<Answer>(self, x, {self->state.to.options().count, nullptr});
}

/// Of the shards that are here: others answer for theirs.
caf::result<store_report> report(self_pointer self, const report_store& x) {
  return journal::gather<store_report>(
    self, [&](const journal::gathering<store_report>& all) {
      const auto& places = self->state.to.places();
      for (shard_number i = 0; i < places.size(); ++i)
        if (places[i].who && places[i].here)
          ask_shard<store_report>(
            self, i, x, repeats::harmless,
            all.expect<store_report>([](store_report& sum, store_report& y) {
              rules::routing::sum_of_stores(sum, y, nullptr);
            }));
    });
}

} // namespace

projection_router_self::behavior_type
projection_router(self_pointer self, forwarding_options options) {
  self->state.to.begin(self, std::move(options));
  self->set_down_handler(
    [=](const caf::down_msg& x) { self->state.to.owner_down(x.source); });
  self->delayed_send(self, tick_interval, request_tick{});
  return {
    [=](submission_query& x) { return answer<submissions_found>(self, x); },
    [=](batch_query& x) { return answer<batches_found>(self, x); },
    [=](job_query& x) { return answer<jobs_found>(self, x); },
    [=](peek_items& x) { return answer<items_found>(self, x); },
    [=](failed_query& x) { return answer<failed_found>(self, x); },
    [=](forget_submissions& x) {
      return answer<submissions_forgotten>(self, x);
    },
    [](const back_up&) -> caf::result<done> {
      return caf::make_error(ec::store_failed,
                             std::string{
                               "several shards are not copied in one moment: "
                               "in PostgreSQL use pg_dump or pg_basebackup, of "
                               "a data folder a snapshot of its file system, "
                               "or a copy while the engine is stopped"});
    },
    [=](const report_store& x) { return report(self, x); },
    [=](const shard_placed& x) {
      self->state.to.set_place(x,
                               caf::actor_cast<caf::strong_actor_ptr>(x.reads));
    },
    [=](request_tick) {
      self->state.to.tick();
      self->delayed_send(self, tick_interval, request_tick{});
    },
  };
}

} // namespace depositd::cluster
