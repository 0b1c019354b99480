#include "adapters/doors/nsq/door.hpp"

#include "adapters/doors/kit/drain.hpp"
#include "adapters/doors/nsq/connection.hpp"
#include "adapters/doors/nsq/parts.hpp"
#include "messages/shard.hpp"
#include "messages/values/topic_names.hpp"
#include "messages/workers.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace depositd::nsq {

namespace {

constexpr std::size_t auth_threads = 4;
constexpr std::size_t auth_waiting_max = 1'000;

/// Let in at one look, so that those who are in are served too.
constexpr int accepted_at_once = 64;
constexpr std::chrono::milliseconds accept_pause{100};

/// How exactly it is noticed that an answer has not come in time.
constexpr std::chrono::seconds late_interval{1};

std::uint16_t port_of(const sockaddr_storage& from) {
  if (from.ss_family == AF_INET6)
    return ntohs(reinterpret_cast<const sockaddr_in6&>(from).sin6_port);
  return ntohs(reinterpret_cast<const sockaddr_in&>(from).sin_port);
}

} // namespace

// -- a thread -----------------------------------------------------------------

io_thread::io_thread(door_core& x)
  : core(x), loop(core.options.loops.make()), lingering(*loop), round(*this) {
  loop->post([this] { loop->after_each_look([this] { end_of_look(); }); });
}

io_thread::~io_thread() {
  loop->stop();
  end_all();
}

void io_thread::take(int socket, const std::string& peer,
                     std::uint16_t peer_port, std::uint64_t place) {
  const auto x =
    std::make_shared<connection>(*this, socket, peer, peer_port, place);
  open.emplace(x.get(), x);
  x->start();
  if (core.draining)
    x->drain();
}

void io_thread::forget(const connection& x) {
  open.erase(&x);
}

void io_thread::end_of_look() {
  // Whoever is marked meanwhile has its turn after the next look.
  for (const auto& x : std::exchange(marked, {}))
    x->end_of_look();
  round.flush();
  if (!marked.empty())
    loop->post(nullptr);
}

void io_thread::end_all() {
  std::vector<std::shared_ptr<connection>> all;
  for (const auto& [key, x] : open)
    all.push_back(x);
  for (const auto& x : all)
    x->end();
  marked.clear();
}

// -- what all share -----------------------------------------------------------

namespace {

bool needs_login(const door_options& x) {
  return !x.auth_http_address.empty()
         || !serves_anonymous(x.listen, x.anonymous);
}

} // namespace

door_core::door_core(caf::actor_system& x, door_options y)
  : system(x), options(std::move(y)), keys(!needs_login(options)),
    arrivals(options.arrivals),
    asked(system,
          {.outstanding_max = options.outstanding_max,
           .patience = options.answer_limit,
           .news = [this](kit::core_answer what) { keys.take(what); }}) {
  facts.auth_required = needs_login(options);
  if (options.auth_http_address.empty())
    return;
  const auth_asker_options how{options.auth_http_address};
  auth = workers<auth_asker_actor>(
    system, {.count = auth_threads, .waiting_max = auth_waiting_max},
    [&system = system, how] {
      return system.spawn<caf::detached>(auth_asker, how);
    });
}

door_core::~door_core() {
  close();
}

bool door_core::within_quota(const std::string& topic,
                             const std::string& user) {
  return options.quotas->take(keys.load()->control(), topic_queue(topic), user,
                              std::chrono::steady_clock::now());
}

bool door_core::is_barred(const std::string& topic,
                          const std::string& user) const {
  return kit::request_quotas::is_barred(keys.load()->control(),
                                        topic_queue(topic), user);
}

bool door_core::may_make(const std::string& user, const std::string& topic,
                         const std::string& channel) {
  return options.makers->may_make(keys.load()->control(), user, topic, channel,
                                  std::chrono::steady_clock::now());
}

void door_core::refuse(const std::string& peer, const std::string& why) {
  const auto count = ++refused;
  if (may_log("refused"))
    spdlog::info("nsq_refused peer={} reason={} refused={}", peer,
                 why.substr(0, why.find(' ')), count);
}

bool door_core::may_log(const std::string& kind) {
  return lines_logged.take(kind, std::chrono::steady_clock::now());
}

// Who publishes one message and waits would otherwise wait for the next one
// who asks something.
void door_core::drop_late() {
  asked.drop_late();
  auto& loop = *threads.front()->loop;
  loop.post_at(loop.now() + late_interval, [this] { drop_late(); });
}

void door_core::watch_listening() {
  if (listening.socket >= 0)
    threads.front()->loop->watch(listening.socket, kit::interest::reading,
                                 [this] { accept(); });
}

// There are no descriptors or no memory: it stays ready, and would be told
// again and again.
void door_core::pause_accepting() {
  auto& loop = *threads.front()->loop;
  loop.unwatch(listening.socket);
  loop.post_at(loop.now() + accept_pause, [this] { watch_listening(); });
}

void door_core::accept() {
  for (int i = 0; i < accepted_at_once && listening.socket >= 0; ++i) {
    sockaddr_storage from{};
    socklen_t size = sizeof from;
    auto* address = reinterpret_cast<sockaddr*>(&from);
    const int socket =
      accept4(listening.socket, address, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0) {
      if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
        pause_accepting();
      return;
    }
    const int on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const auto peer = kit::numeric_address(address);
    const auto place = arrivals.enter(peer);
    auto& to = *threads[next_thread++ % threads.size()];
    to.post([&to, socket, peer, port = port_of(from), place] {
      to.take(socket, peer, port, place);
    });
  }
}

void door_core::stop_listening() {
  if (threads.empty())
    return;
  kit::compute_in(*threads.front()->loop, [this] {
    if (listening.socket < 0)
      return;
    threads.front()->loop->unwatch(listening.socket);
    ::close(std::exchange(listening.socket, -1));
  });
}

void door_core::close() {
  if (std::exchange(closed, true))
    return;
  stop_listening();
  // In their thread: it may go on with what is not the door's.
  for (auto& x : threads)
    kit::compute_in(*x->loop, [&x] { x->end_all(); });
  for (auto& x : threads)
    x->loop->stop();
  asked.close(); // from here on nobody posts to the threads
  if (listening.socket >= 0)
    ::close(std::exchange(listening.socket, -1));
  if (auth)
    caf::anon_send_exit(auth, caf::exit_reason::kill);
}

// -- the door -----------------------------------------------------------------

namespace {

caf::error begin_listening(door_core& core) {
  auto listening = kit::listen_at(core.options.listen);
  if (!listening)
    return listening.error();
  core.listening = std::move(*listening);
  const auto count = std::max(core.options.io_threads, 1U);
  try {
    for (std::uint32_t i = 0; i < count; ++i)
      core.threads.push_back(std::make_unique<io_thread>(core));
  } catch (const std::system_error& why) {
    return caf::make_error(ec::bad_setting, why.what());
  }
  core.threads.front()->post([&core] {
    core.watch_listening();
    core.drop_late();
  });
  return {};
}

} // namespace

caf::expected<std::unique_ptr<door>> door::open(caf::actor_system& system,
                                                door_options options) {
  auto tls = kit::tls_context::of(options.tls, options.tls_ca);
  if (!tls)
    return tls.error();
  if (!*tls && options.tls_required)
    return caf::make_error(ec::bad_setting,
                           std::string{"TLS cannot be required without a "
                                       "certificate"});
  auto core = std::make_unique<door_core>(system, std::move(options));
  core->facts.tls = *tls != nullptr;
  core->tls.use(std::move(*tls));
  if (auto failure = core->keys.learn(system, core->options.shard, core->asked))
    return failure;
  if (auto failure = begin_listening(*core))
    return failure;
  return std::unique_ptr<door>{new door(std::move(core))};
}

door::door(std::unique_ptr<door_core> core) : core_(std::move(core)) {
  // nop
}

door::~door() {
  close();
}

caf::error door::reload() {
  const auto& options = core_->options;
  auto tls = kit::tls_context::of(options.tls, options.tls_ca);
  if (!tls)
    return tls.error();
  core_->tls.use(std::move(*tls));
  return {};
}

std::uint16_t door::port() const {
  return core_->listening.port;
}

const std::string& door::address() const {
  return core_->listening.address;
}

std::vector<client_facts> door::statistics(const std::string& topic,
                                           const std::string& channel) const {
  return core_->clients.consumers(topic, channel);
}

std::vector<client_facts> door::producers() const {
  return core_->clients.producers();
}

void door::stop_listening() {
  if (!core_->closed)
    core_->stop_listening();
}

bool door::drain(std::chrono::milliseconds within) {
  if (core_->closed)
    return true;
  const auto until = std::chrono::steady_clock::now() + within;
  stop_listening();
  core_->draining = true;
  for (auto& x : core_->threads)
    x->post([thread = x.get()] {
      for (const auto& [key, each] : thread->open)
        each->drain();
    });
  return kit::wait_while(
    [this] {
      const auto all = core_->clients.consumers({}, {});
      return std::any_of(all.begin(), all.end(), [](const client_facts& x) {
        return x.in_flight_count > 0;
      });
    },
    until);
}

void door::close() {
  core_->close();
}

} // namespace depositd::nsq
