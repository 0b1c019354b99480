#include "adapters/doors/nsq/http/door.hpp"

#include "adapters/doors/nsq/http/parts.hpp"
#include "adapters/doors/nsq/login.hpp"
#include "messages/receiving.hpp"
#include "messages/shard.hpp"
#include "messages/values/clock.hpp"
#include "messages/values/control.hpp"
#include "messages/values/tallies.hpp"
#include "messages/values/topic_names.hpp"

#include <spdlog/spdlog.h>

#include <system_error>
#include <utility>

namespace depositd::nsq_http {

namespace {

/// Which of the limits of bodies holds.
enum class body : std::uint8_t { none, message, messages };

struct operation {
  const char* method;
  const char* path;
  operation_function run;
  body takes = body::none;
  bool takes_long = false;
};

constexpr operation operations[] = {
  {"GET", "/info", tell_info},
  {"GET", "/stats", tell_stats},
  {"POST", "/pub", publish_one, body::message},
  {"POST", "/mpub", publish_several, body::messages},
  {"POST", "/topic/create", create_topic},
  {"POST", "/topic/delete", remove_topic, body::none, true},
  {"POST", "/topic/empty", empty_topic, body::none, true},
  {"POST", "/topic/pause", pause_topic},
  {"POST", "/topic/unpause", unpause_topic},
  {"POST", "/topic/tombstone", hide_topic},
  {"POST", "/channel/create", create_channel},
  {"POST", "/channel/delete", remove_channel, body::none, true},
  {"POST", "/channel/empty", empty_channel, body::none, true},
  {"POST", "/channel/pause", pause_channel},
  {"POST", "/channel/unpause", unpause_channel},
  {"GET", "/config/{option}", tell_option},
  {"PUT", "/config/{option}", set_option, body::message},
  {"GET", "/lookup", look_up},
  {"GET", "/topics", list_all_topics},
  {"GET", "/channels", list_channels},
  {"GET", "/nodes", list_nodes},
};

/// Where nothing is expected, something may be sent.
constexpr std::size_t unused_body_bytes = 64 * 1024;

/// Above this a body is refused before it has been read, if it may be.
constexpr std::uint64_t small_body_bytes = 64 * 1024;

std::int64_t now_s() {
  return engine_clock::system().now() / 1'000'000;
}

/// Who it is, or the answer to somebody who is not served.
struct admitted {
  caller who;
  std::optional<http::response> refused;
};

admitted admit(door_core& core, const kit::key_ring& ring,
               const http::request& from) {
  if (is_forged(from)) {
    core.refuse(from, "forged");
    return {{}, forbidden()};
  }
  const auto text = key_of(from);
  if (text.empty()) {
    if (core.options.anonymous)
      return {{nullptr, nsq::user_of_address(from.peer)}, std::nullopt};
    core.refuse(from, "missing");
    return {{}, unauthorized()};
  }
  const auto* key = ring.find(text);
  const auto now = engine_clock::system().now();
  if (!key || key->has_expired(now)) {
    core.refuse(from, key ? "expired" : "unknown");
    return {{}, unauthorized()};
  }
  kit::note_use(*key, core.asked, core.options.engine);
  return {{key, key->name}, std::nullopt};
}

void serve(const std::shared_ptr<door_core>& core, const operation& what,
           http::request&& from, http::responder answer) {
  auto ring = core->ring.load();
  auto who = admit(*core, *ring, from);
  if (who.refused)
    answer.send(std::move(*who.refused));
  else if (core->asked.full())
    answer.send(failure(caf::make_error(ec::overloaded)));
  else
    what.run({core, std::move(ring), std::move(who.who), std::move(from),
              std::move(answer)});
}

/// Who may not send need not send much.
void look_ahead(door_core& core, const http::request& head,
                http::gatekeeper gate) {
  const auto* length = head.header("content-length");
  if (length && std::stoull(*length) <= small_body_bytes)
    return gate.pass();
  auto who = admit(core, *core.ring.load(), head);
  if (who.refused)
    gate.refuse(std::move(*who.refused));
  else
    gate.pass();
}

http::route_options options_of(const std::shared_ptr<door_core>& core,
                               const operation& what) {
  const auto& from = core->options;
  const auto& limits = from.limits;
  http::route_options out;
  out.body_bytes_max = what.takes == body::messages  ? limits.body_bytes_max
                       : what.takes == body::message ? limits.message_bytes_max
                                                     : unused_body_bytes;
  out.unpacks = false; // what is published is what is handed out
  // Statistics of very many topics are long.
  out.repeatable = what.method == std::string_view{"GET"};
  out.answer_limit = what.takes_long ? from.bulk_limit : from.answer_limit;
  // Bodies of messages: in the request to the shard, in the events, and in the
  // journal's bytes. What was read goes before the last are made.
  out.copies = what.takes == body::none ? 0 : 2;
  out.late = std::make_shared<const http::response>(failed(503, "TIMEOUT"));
  out.unavailable = [](const http::hindrance& why) {
    return failed(503, why.stops ? "EXITING" : "OVERLOADED")
      .with("Retry-After", "1");
  };
  if (what.takes != body::none)
    out.before_body = [core](const http::request& head, http::gatekeeper gate) {
      look_ahead(*core, head, std::move(gate));
    };
  return out;
}

http::response plain(unsigned status, std::string text) {
  return http::response::of(status, "text/plain; charset=utf-8",
                            std::move(text));
}

/// Not for those only who may do something: load balancers ask too.
void ping(const std::shared_ptr<door_core>& core, http::responder answer) {
  const auto now = std::chrono::steady_clock::now();
  if (auto health = core->health.text(now); health != "OK") {
    answer.send(plain(500, std::move(health)));
    return;
  }
  core->asked.ask(core->options.engine, check_intake{},
                  [answer = std::move(answer)](kit::core_answer said) mutable {
                    answer.send(said.as<done>()
                                  ? plain(200, "OK")
                                  : plain(500, "NOK - " + render(said.why())));
                  });
}

} // namespace

void door_core::refuse(const http::request& from, const char* why) {
  const auto count = ++refused_keys;
  // By the words of EmoDB's door.
  const std::string_view word{why};
  const bool known = word == "expired" || word == "forged";
  tally(tally_of::login_failed, known ? "key_" + std::string{word}
                                      : "key_refused");
  if (refusals_logged.take({}, std::chrono::steady_clock::now()))
    spdlog::info("nsq_key_{} path=\"{}\" peer={} refused={}", why,
                 http::printable(from.path), from.peer, count);
}

bool door_core::within_quota(const kit::key_ring& from, std::string_view topic,
                             const std::string& user) {
  return options.quotas->take(from.control(), topic_queue(topic), user,
                              std::chrono::steady_clock::now());
}

void door_core::topics_changed() {
  if (const auto lookupds = where.load()->lookupds)
    lookupds->changed();
}

void door_core::learn(const caf::error& why) {
  health.learn(why, std::chrono::steady_clock::now());
}

namespace {

door_options with_health(door_options x) {
  if (!x.health)
    x.health = std::make_shared<nsq::wellbeing>();
  return x;
}

} // namespace

door_core::door_core(caf::actor_system& system, door_options x)
  : options(with_health(std::move(x))), start_s(now_s()),
    where(std::make_shared<const whereabouts>()),
    asked(system, {.outstanding_max = options.outstanding_max,
                   .patience = 2 * options.answer_limit,
                   .long_patience = 2 * options.bulk_limit,
                   .news = [this](kit::core_answer what) { ring.take(what); }}),
    health(*options.health) {
  // nop
}

caf::expected<std::unique_ptr<door>> door::open(caf::actor_system& system,
                                                door_options options) {
  std::shared_ptr<door_core> core;
  try {
    core = std::make_shared<door_core>(system, std::move(options));
  } catch (const std::system_error& failure) {
    return caf::make_error(ec::overloaded, std::string{failure.what()});
  }
  auto failure = core->ring.learn(system, core->options.shard, core->asked);
  std::unique_ptr<door> out{new door(std::move(core))};
  if (failure)
    return failure;
  return out;
}

door::door(std::shared_ptr<door_core> core) : core_(std::move(core)) {
  // nop
}

door::~door() {
  close();
}

void door::add_routes(http::router& routes) {
  for (const auto& what : operations)
    routes.add(
      what.method, what.path,
      [core = core_, &what](http::request&& from, http::responder answer) {
        serve(core, what, std::move(from), std::move(answer));
      },
      options_of(core_, what));
  http::route_options brief;
  brief.body_bytes_max = unused_body_bytes;
  brief.answer_limit = core_->options.answer_limit;
  brief.late = std::make_shared<const http::response>(
    plain(500, "NOK - the engine does not answer"));
  routes.add(
    "GET", "/ping",
    [core = core_](http::request&&, http::responder answer) {
      ping(core, std::move(answer));
    },
    brief);
}

void door::prepare(http::server_options& server) {
  server.refuse = refused;
}

void door::announce(whereabouts x) {
  core_->where.store(std::make_shared<const whereabouts>(std::move(x)));
}

void door::close() {
  core_->asked.close();
  core_->writing.close();
}

} // namespace depositd::nsq_http
