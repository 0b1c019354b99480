#include "adapters/doors/http/server_core.hpp"

#include "adapters/doors/http/connection.hpp"
#include "adapters/doors/kit/drain.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace depositd::http {

namespace {

// Read buffer and parsed headers of one connection.
// The library clears all of it after every request.
constexpr std::size_t connection_memory_bytes = 32 * 1024;

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

// One instance per I/O thread, all on the same socket.
MHD_Daemon* server_core::make_daemon(worker& for_whom) {
  std::vector<MHD_OptionItem> items;
  const auto number = [&](MHD_OPTION what, std::intptr_t value) {
    items.push_back({what, value, nullptr});
  };
  std::string versions = kit::tls_versions;
  unsigned flags =
    MHD_USE_EPOLL | MHD_USE_ITC | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
  if (context_->certificates.now()) {
    flags |= MHD_USE_TLS;
    // Asked for at each handshake, because it may be exchanged.
    items.push_back({MHD_OPTION_HTTPS_CERT_CALLBACK, 0,
                     reinterpret_cast<void*>(&on_handshake)});
    items.push_back({MHD_OPTION_HTTPS_PRIORITIES, 0, versions.data()});
  }
  const int socket = fcntl(where_.socket, F_DUPFD_CLOEXEC, 0);
  // Those above the limit are told so; the library would hang up on them.
  number(MHD_OPTION_CONNECTION_LIMIT,
         connections_.max() + std::max(connections_.max() / 8, 8u));
  number(MHD_OPTION_LISTEN_SOCKET, socket);
  number(MHD_OPTION_CONNECTION_MEMORY_LIMIT,
         static_cast<std::intptr_t>(connection_memory_bytes));
  number(MHD_OPTION_CONNECTION_TIMEOUT, 0);
  items.push_back({MHD_OPTION_END, 0, nullptr});
  auto* out =
    MHD_start_daemon(flags, 0, on_arrival, &for_whom, on_request, &for_whom,
                     MHD_OPTION_EXTERNAL_LOGGER, on_log_line, &for_whom,
                     MHD_OPTION_URI_LOG_CALLBACK, on_target, &for_whom,
                     MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, nullptr,
                     MHD_OPTION_NOTIFY_COMPLETED, on_completed, &for_whom,
                     MHD_OPTION_NOTIFY_CONNECTION, on_connection, &for_whom,
                     MHD_OPTION_ARRAY, items.data(), MHD_OPTION_END);
  if (!out)
    ::close(socket);
  return out;
}

/// Of each loop. Half of all: whoever asks for something finds a place.
std::uint32_t server_core::silent_max() const {
  const auto loops = std::max(options().io_threads, 1u);
  return std::max(connections_.max() / 2 / loops, 1u);
}

caf::error server_core::start_worker() {
  try {
    if (!labour_)
      labour_ = kit::start_loop();
    context_->labour = labour_.get();
    workers_.push_back(std::unique_ptr<worker>{new worker{
      *this, io_loop{options().loops.make(), tick_of(options())}}});
  } catch (const std::system_error& why) {
    return caf::make_error(ec::bad_setting, why.what());
  }
  auto& loop = workers_.back()->loop;
  loop.arriving.limit(silent_max());
  if (auto* daemon = make_daemon(*workers_.back())) {
    loop.start(daemon, options().after_round);
    return {};
  }
  return caf::make_error(ec::bad_setting, "cannot start the HTTP server at "
                                            + to_string(options().listen));
}

caf::error server_core::reload() {
  auto read = certificate::of(options().tls);
  if (!read)
    return read.error();
  context_->certificates.use(std::move(*read));
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
      failure = start_worker();
  if (failure)
    workers_.clear();
  ::close(where_.socket);
  return failure;
}

bool server_core::busy() {
  return std::any_of(workers_.begin(), workers_.end(), [](const auto& x) {
    return x->loop.compute([](const auto& open) {
      return std::any_of(open.begin(), open.end(), [](const auto* one) {
        const auto doing = static_cast<const connection*>(one)->doing;
        return doing == phase::answering || doing == phase::sending;
      });
    });
  });
}

void server_core::answer_all_unavailable() {
  for (const auto& x : workers_)
    x->loop.compute([](const auto& open) {
      for (const auto* one : open)
        if (const auto& current = static_cast<const connection*>(one)->current)
          current->answer_unavailable();
    });
}

// They would go on for ever.
void server_core::end_streams() {
  for (const auto& x : workers_)
    x->loop.compute([](const auto& open) {
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
  const auto waits = [&] {
    answer_all_unavailable();
    // What is suspended must go on first: the library cannot stop before.
    return context_->suspended != 0 || (busy() && clock::now() < sent_until);
  };
  kit::wait_while(waits, clock::time_point::max());
}

void server_core::stop(std::chrono::milliseconds within) {
  if (workers_.empty())
    return;
  context_->stopping = true;
  for (auto& x : workers_)
    x->loop.stop_listening();
  end_streams();
  close_answers(std::chrono::steady_clock::now() + within);
  for (auto& x : workers_)
    x->loop.stop();
  workers_.clear();
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
