#include "adapters/doors/emodb/door.hpp"

#include "adapters/doors/emodb/parts.hpp"
#include "adapters/doors/http/browser.hpp"
#include "messages/values/clock.hpp"
#include "messages/values/tallies.hpp"
#include "messages/workers.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace depositd::emodb {

namespace {

struct operation {
  const char* method;
  const char* path; ///< behind {base}
  bool json_body;
  /// What the key must be allowed on the queue in the path.
  std::optional<queue_right> right;
  operation_function run;
  bool safe = true; ///< a GET that changes nothing, so HEAD may ask too
  bool takes_long = false;
  bool waits = false; ///< if its client wants to
};

constexpr operation operations[] = {
  {"POST", "/{queue}/send", true, queue_right::post, send_one},
  {"POST", "/{queue}/sendbatch", true, queue_right::post, send_batch},
  {"POST", "/{queue}/sendbatch1", true, queue_right::post, send_batch},
  {"POST", "/_sendbatch", true, std::nullopt, send_batches},
  {"GET", "/{queue}/poll", false, queue_right::poll, poll, false, false, true},
  {"POST", "/{queue}/ack", true, queue_right::poll, acknowledge},
  {"POST", "/{queue}/ackpoll", true, queue_right::poll, acknowledge_and_poll,
   true, false, true},
  {"POST", "/{queue}/renew", true, queue_right::poll, renew},
  {"POST", "/{queue}/fail", true, queue_right::poll, fail},
  {"GET", "/{queue}/peek", false, queue_right::poll, peek},
  {"GET", "/{queue}/size", false, queue_right::get_status, report_size},
  {"GET", "/{queue}/uncached_size", false, queue_right::get_status,
   report_size},
  {"GET", "/{queue}/claimcount", false, queue_right::get_status, report_claims},
  {"POST", "/{queue}/unclaimall", false, queue_right::poll, release_claims},
  {"DELETE", "/{queue}", false, queue_right::poll, purge, true, true},
  {"POST", "/_move", false, std::nullopt, begin_move},
  {"GET", "/_move/{reference}", false, std::nullopt, report_move},
};

constexpr const char* bases[] = {"/queue/1", "/dedupq/1"};

/// Above this a body is refused before it has been read, if it may be; a packed
/// one always, before it is unpacked.
constexpr std::uint64_t small_body_bytes = 64 * 1024;

/// A longer one is not read in the thread that serves all connections.
constexpr std::size_t long_body_bytes = 2 << 20;

/// Why the request is not served; nothing if its key may do it.
std::optional<http::response> forbids(door_core& core, const key_ring& ring,
                                      const operation& what, bool dedup,
                                      const http::request& from) {
  const auto& text = key_of(from);
  const auto* key = ring.find(text);
  const bool expired = key && key->has_expired(engine_clock::system().now());
  // Here a GET may take messages, so it is no harmless thing either.
  const bool forged = text.empty() && key
                      && !(http::is_from_own_page(from)
                           && http::may_be_nobody(from));
  if (key && !expired && !forged
      && (!what.right
          || permitted(*key, *what.right, from.captured[0],
                       ring.kind_of(core_name(from.captured[0], dedup)))))
    return std::nullopt;
  core.refuse(key, from,
              expired  ? "expired"
              : forged ? "forged"
                       : "refused");
  return expired ? key_expired() : not_authorized();
}

/// What is wrong before anything of the request is looked at.
std::optional<http::response> check_head(const operation& what,
                                         const http::request& from) {
  if (!from.captured.empty() && from.captured[0].empty())
    return not_found();
  if (what.json_body && !sends_json(from))
    return unsupported_media_type();
  if (!accepts_json(from))
    return not_acceptable();
  return std::nullopt;
}

void serve(const std::shared_ptr<door_core>& core, const operation& what,
           bool dedup, http::request&& from, http::responder answer) {
  if (auto wrong = check_head(what, from)) {
    answer.send(std::move(*wrong));
    return;
  }
  auto ring = core->ring.load();
  if (auto wrong = forbids(*core, *ring, what, dedup, from)) {
    answer.send(std::move(*wrong));
    return;
  }
  const auto* key = ring->find(key_of(from));
  kit::note_use(*key, core->asked, core->options.shard);
  if (!core->rates.take(key->name, std::chrono::steady_clock::now())) {
    answer.send(service_unavailable("too many requests of this key"));
    return;
  }
  if (what.right
      && !core->within_quota(*ring, core_name(from.captured[0], dedup),
                             key->name)) {
    answer.send(too_many_requests());
    return;
  }
  if (core->asked.full()) {
    answer.send(service_unavailable("too many requests wait"));
    return;
  }
  what.run(
    {core, std::move(ring), key, dedup, std::move(from), std::move(answer)});
}

/// Who may not send need not send much.
void look_ahead(door_core& core, const operation& what, bool dedup,
                const http::request& head, http::gatekeeper gate) {
  const auto* length = head.header("content-length");
  const bool packed = head.header("content-encoding") != nullptr;
  if (length && !packed && std::stoull(*length) <= small_body_bytes) {
    gate.pass();
  } else if (auto wrong = check_head(what, head)) {
    gate.refuse(std::move(*wrong));
  } else if (auto refused =
               forbids(core, *core.ring.load(), what, dedup, head)) {
    gate.refuse(std::move(*refused));
  } else {
    gate.pass();
  }
}

/// What a poll may wait for messages.
std::chrono::milliseconds time_to_wait(const door_options& options,
                                       const http::request& from) {
  query_reader query{from};
  const auto wait = query.number("wait", 0);
  return std::clamp<std::chrono::milliseconds>(
    std::chrono::seconds{wait}, std::chrono::seconds{0}, options.wait_max);
}

http::route_options options_of(const std::shared_ptr<door_core>& core,
                               const operation& what, bool dedup) {
  http::route_options out;
  out.body_bytes_max = core->options.body_bytes_max;
  out.answer_limit =
    what.takes_long ? core->options.bulk_limit : core->options.answer_limit;
  if (what.waits)
    out.more_time = [core](const http::request& from) {
      return time_to_wait(core->options, from);
    };
  out.head = what.safe;
  // Bodies of items: in the request to the shard, in the events of their user,
  // and in the journal's bytes. What was read goes before the last are made.
  out.copies = what.json_body ? 2 : 0;
  // Tens of milliseconds to read, others would wait.
  out.laborious = what.json_body;
  out.long_body_bytes = long_body_bytes;
  out.late = std::make_shared<const http::response>(
    service_unavailable("the engine did not answer in time"));
  out.unavailable = [](const http::hindrance& why) {
    return service_unavailable(why.text);
  };
  out.before_body = [core, &what, dedup](const http::request& head,
                                         http::gatekeeper gate) {
    look_ahead(*core, what, dedup, head, std::move(gate));
  };
  return out;
}

} // namespace

lasting_right::lasting_right(const call& x)
  : core_(x.core), ring_(x.ring), key_(x.key), text_(key_of(x.from)),
    user_(x.key->name), queue_(x.queue()), dedup_(x.dedup) {
  // nop
}

const api_key* lasting_right::find() {
  auto newest = core_->ring.load();
  if (newest == ring_)
    return key_;
  ring_ = std::move(newest);
  const auto* known = ring_->find(text_);
  const bool may = known && known->name == user_
                   && permitted(*known, queue_right::poll, queue_,
                                ring_->kind_of(core_name(queue_, dedup_)));
  key_ = may ? known : nullptr;
  return key_;
}

std::optional<http::response> lasting_right::gone() {
  const auto* key = find();
  if (!key)
    return not_authorized();
  if (key->has_expired(engine_clock::system().now()))
    return key_expired();
  return std::nullopt;
}

bool call::refused(std::optional<http::response> wrong) {
  if (wrong)
    answer.send(std::move(*wrong));
  return wrong.has_value();
}

void door_core::refuse(const api_key* key, const http::request& from,
                       const char* why) {
  const auto count = ++refused_keys;
  tally(tally_of::login_failed, std::string{"key_"} + why);
  if (refusals_logged.take({}, std::chrono::steady_clock::now()))
    spdlog::info("key_{} key=\"{}\" path=\"{}\" peer={} refused={}", why,
                 key ? http::printable(key->id) : "", // not known: a secret
                 http::printable(from.path), from.peer, count);
}

bool door_core::within_quota(const key_ring& from, const std::string& queue,
                             const std::string& user) {
  return options.quotas->take(from.control(), queue, user,
                              std::chrono::steady_clock::now());
}

door_core::door_core(caf::actor_system& system, door_options x)
  : options(std::move(x)), ring(options.anonymous),
    deposits(workers<deposit_reader_actor>(
      system, {.waiting_max = options.outstanding_max},
      [&system, blobs = options.blobs] {
        return system.spawn<caf::detached>(deposit_reader, blobs);
      })),
    waiting(system.spawn(waiting_room,
                         waiting_room_options{
                           .shard = options.shard,
                           .waiting_max = options.waiting_max,
                           .ask_timeout = options.answer_limit})),
    asked(system, {.outstanding_max = options.outstanding_max,
                   .patience = 2 * options.answer_limit,
                   .long_patience = 2 * options.bulk_limit,
                   .news = [this](kit::core_answer what) { ring.take(what); }}),
    together(asked, options.shard), rates(options.requests_per_second) {
  // nop
}

caf::expected<std::unique_ptr<door>> door::open(caf::actor_system& system,
                                                door_options options) {
  auto core = std::make_shared<door_core>(system, std::move(options));
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
  for (const bool dedup : {false, true})
    for (const auto& what : operations)
      routes.add(
        what.method, std::string{bases[dedup]} + what.path,
        [core = core_, &what, dedup](http::request&& from,
                                     http::responder answer) {
          serve(core, what, dedup, std::move(from), std::move(answer));
        },
        options_of(core_, what, dedup));
  routes.add("GET", "/ping", [](http::request&&, http::responder answer) {
    answer.send(http::response::of(200, "text/plain", "pong"));
  });
}

std::vector<route_name> door::all_routes() {
  std::vector<route_name> out{{"GET", "/ping"}};
  for (const auto* base : bases)
    for (const auto& what : operations)
      out.push_back({what.method, std::string{base} + what.path});
  return out;
}

void door::end_round() {
  core_->together.flush();
}

void door::close() {
  core_->asked.close();
  caf::anon_send_exit(core_->waiting, caf::exit_reason::user_shutdown);
  caf::anon_send_exit(core_->deposits, caf::exit_reason::user_shutdown);
}

} // namespace depositd::emodb
