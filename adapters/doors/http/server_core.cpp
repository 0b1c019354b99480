#include "adapters/doors/http/server_core.hpp"

#include "adapters/doors/http/connection.hpp"
#include "adapters/doors/kit/drain.hpp"

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

namespace depositd::http {

namespace {

std::chrono::milliseconds tick_of(const server_options& x) {
  const auto least =
    std::min({x.idle_limit, x.receive_limit, x.answer_limit, x.send_limit});
  return std::clamp(least / 4, std::chrono::milliseconds{5},
                    std::chrono::milliseconds{250});
}

} // namespace

caf::expected<std::unique_ptr<server>> server::start(server_options options,
                                                     router routes) {
  auto out =
    std::make_unique<server_core>(std::move(options), std::move(routes));
  if (auto error = out->listen())
    return error;
  return std::unique_ptr<server>{std::move(out)};
}

server_core::server_core(server_options options, router routes)
  : context_(std::make_shared<exchange_context>()) {
  context_->options = std::move(options);
  context_->routes = std::move(routes);
  context_->memory = context_->options.memory;
  if (!context_->memory)
    context_->memory = std::make_shared<memory_budget>(
      memory_budget::limits{context_->options.bodies_bytes_max, 0});
  context_->long_answers = std::make_shared<memory_budget>(
    memory_budget::limits{context_->memory->most().bytes_max / 4, 0});
}

server_core::~server_core() {
  server_core::stop(std::chrono::milliseconds{0});
}

/// Of each loop. Half of all: whoever asks for something finds a place.
std::uint32_t server_core::silent_max() const {
  const auto loops = std::max(options().io_threads, 1u);
  return std::max(connections_.max() / 2 / loops, 1u);
}

// All of them listen at the same socket.
caf::error server_core::start_loop() {
  try {
    if (!labour_)
      labour_ = kit::start_loop();
    context_->labour = labour_.get();
    loops_.push_back(std::make_unique<io_loop>(options().loops.make(),
                                               tick_of(options())));
  } catch (const std::system_error& why) {
    return caf::make_error(ec::bad_setting, why.what());
  }
  auto& loop = *loops_.back();
  loop.arriving.limit(silent_max());
  const int socket = fcntl(where_.socket, F_DUPFD_CLOEXEC, 0);
  if (socket < 0)
    return caf::make_error(ec::bad_setting, "cannot start the HTTP server at "
                                              + to_string(options().listen));
  loop.start(socket,
             {[this, &loop](int client, const sockaddr* from) {
                arrive(loop, client, from);
              },
              [this](connection& x) { vacate(x); }, options().after_round});
  return {};
}

caf::error server_core::reload() {
  auto read = kit::tls_context::of(options().tls, std::string{});
  if (!read)
    return read.error();
  context_->tls.use(std::move(*read));
  return {};
}

caf::error server_core::listen() {
  if (auto wrong = reload())
    return wrong;
  auto where = kit::listen_at(options().listen);
  if (!where)
    return where.error();
  where_ = std::move(*where);
  connections_.set(options().connections_max);
  addresses_.set(options().connections_per_address_max);
  caf::error failure;
  for (std::uint32_t i = 0; i < std::max(options().io_threads, 1u); ++i)
    if (!failure)
      failure = start_loop();
  if (failure)
    loops_.clear();
  ::close(where_.socket);
  return failure;
}

// -- who comes, and goes ------------------------------------------------------

void server_core::arrive(io_loop& loop, int socket, const sockaddr* from) {
  connection* x = nullptr;
  try {
    x = take_in(loop, socket, from);
    if (x != nullptr)
      admit(loop, *x);
  } catch (const std::bad_alloc&) {
    if (x != nullptr)
      x->end();
  }
  if (socket >= 0)
    ::close(socket);
}

/// Null: who is one too many is hung up on, an answer would cost a place of
/// others. Of several threads each may let one in more. The socket is the
/// connection's if it is none any more.
connection* server_core::take_in(io_loop& loop, int& socket,
                                 const sockaddr* from) {
  auto peer = kit::numeric_address(from);
  // Those above the limit are told so, as long as they are few.
  const auto most = connections_.max() + std::max(connections_.max() / 8, 8U);
  if (!addresses_.has_room(peer) || connections_.now() >= most)
    return nullptr;
  auto x =
    std::make_unique<connection>(context_, loop, socket, std::move(peer));
  socket = -1;
  return &loop.add(std::move(x));
}

void server_core::admit(io_loop& loop, connection& x) {
  const int on = 1;
  setsockopt(x.socket(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  x.place = addresses_.enter(x.peer);
  // Before this one is counted: several may come before the first is closed.
  if (auto* ended = loop.arriving.add(x, loop.now()))
    vacate(*ended);
  x.over_limit = !connections_.enter();
  x.counted = true;
  const auto limit = x.over_limit
                       ? std::min(options().idle_limit, options().receive_limit)
                       : options().idle_limit;
  x.enter(phase::idle, loop.now() + limit);
  x.start(context_->tls.now());
}

void server_core::vacate(connection& x) {
  if (std::exchange(x.counted, false))
    connections_.leave();
}

// -- the end ------------------------------------------------------------------

bool server_core::busy() {
  return std::any_of(loops_.begin(), loops_.end(), [](const auto& x) {
    return x->compute([](const auto& open) {
      return std::any_of(open.begin(), open.end(), [](const auto* one) {
        const auto doing = static_cast<const connection*>(one)->doing;
        return doing == phase::answering || doing == phase::sending;
      });
    });
  });
}

void server_core::answer_all_unavailable() {
  for (const auto& x : loops_)
    x->compute([](const auto& open) {
      for (const auto* one : open)
        if (const auto& current = static_cast<const connection*>(one)->current)
          current->answer_unavailable();
    });
}

// They would go on for ever.
void server_core::end_streams() {
  for (const auto& x : loops_)
    x->compute([](const auto& open) {
      for (const auto* one : open)
        if (const auto& current = static_cast<const connection*>(one)->current)
          current->end_stream();
    });
}

// Answers whatever is still open with 503, until nothing waits.
void server_core::close_answers(std::chrono::steady_clock::time_point until) {
  using clock = std::chrono::steady_clock;
  kit::wait_while([this] { return busy(); }, until);
  context_->stopped = true;
  const auto sent_until = clock::now() + std::chrono::milliseconds{500};
  kit::wait_while(
    [this] {
      answer_all_unavailable();
      return busy();
    },
    sent_until);
}

void server_core::stop(std::chrono::milliseconds within) {
  if (loops_.empty())
    return;
  context_->stopping = true;
  for (auto& x : loops_)
    x->stop_listening();
  end_streams();
  close_answers(std::chrono::steady_clock::now() + within);
  for (auto& x : loops_)
    x->stop();
  loops_.clear();
  labour_->stop();
}

server_numbers server_core::numbers() const {
  server_numbers out{
    connections_.now(), connections_.total(), context_->requests,
    context_->refused,  context_->expired,    {},
    context_->answered.times()};
  const auto add = [&](const std::string& route, const status_counts& x) {
    if (auto all = x.all(); !all.empty())
      out.by_route.push_back({route, std::move(all)});
  };
  add("(none)", context_->unrouted);
  for (const auto* one : context_->routes.all())
    add(one->name, *one->answered);
  return out;
}

} // namespace depositd::http
