#include "adapters/doors/operations/health.hpp"

#include "messages/projection.hpp"
#include "messages/shard.hpp"

namespace depositd {

namespace {

constexpr auto patience = std::chrono::seconds{1};
constexpr unsigned retry_after_s = 5;

void say(const check_health& x, const char* state) {
  x.answer->send(http::response::text(200, std::string{state} + "\n"));
}

void say_wrong(const check_health& x, const char* part,
               const caf::error& why) {
  auto out = http::response::text(503, std::string{part} + ": " + render(why)
                                         + "\n");
  x.answer->send(std::move(out).with("Retry-After",
                                     std::to_string(retry_after_s)));
}

/// Ready: the shard takes work and the store can be read.
void check_store(health_actor::pointer self, const read_model_actor& projector,
                 const std::function<bool()>& kafka_waits,
                 const check_health& x) {
  const auto* state = kafka_waits && kafka_waits() ? "degraded kafka" : "ok";
  self->request(projector, patience, report_store{})
    .then([=](const store_report&) { say(x, state); },
          [=](const caf::error& why) { say_wrong(x, "store", why); });
}

void check(health_actor::pointer self, const shard_doors_actor& shard,
           const read_model_actor& projector,
           const std::function<bool()>& kafka_waits, const check_health& x) {
  if (x.question == health_question::alive) {
    self->request(shard, patience, watch_control{nullptr})
      .then([=](const control_changed&) { say(x, "ok"); },
            [=](const caf::error& why) { say_wrong(x, "shard", why); });
    return;
  }
  self->request(shard, patience, check_intake{})
    .then([=](const done&) { check_store(self, projector, kafka_waits, x); },
          [=](const caf::error& why) { say_wrong(x, "shard", why); });
}

} // namespace

health_actor::behavior_type health(health_actor::pointer self,
                                   shard_doors_actor shard,
                                   read_model_actor projector,
                                   std::function<bool()> kafka_waits) {
  return {
    [=](const check_health& x) {
      check(self, shard, projector, kafka_waits, x);
    },
  };
}

void add_health_routes(http::router& routes, const health_actor& whom) {
  const auto ask = [=](health_question question) {
    return [=](http::request&&, http::responder answer) {
      caf::anon_send(whom,
                     check_health{question, std::make_shared<http::responder>(
                                              std::move(answer))});
    };
  };
  routes.add("GET", "/livez", ask(health_question::alive));
  routes.add("GET", "/readyz", ask(health_question::ready));
  routes.add("GET", "/healthcheck", ask(health_question::ready));
}

} // namespace depositd
