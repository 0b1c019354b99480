#include "adapters/doors/http/server_core.hpp"

#include "adapters/doors/http/connection.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <thread>
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

caf::expected<std::string> read_pem(const std::string& file) {
  std::ifstream in{file, std::ios::binary};
  std::stringstream out;
  if (!in || !(out << in.rdbuf()))
    return caf::make_error(ec::bad_setting, "cannot read " + file);
  return out.str();
}

void ignore_library_log(void*, const char*, va_list) {
  // Its lines may quote what a client has sent.
}

} // namespace

server_core::server_core(server_options options, router routes)
  : context_(std::make_shared<exchange_context>()),
    housekeeper_(tick_of(options)) {
  context_->options = std::move(options);
  context_->routes = std::move(routes);
}

server_core::~server_core() {
  stop(std::chrono::milliseconds{0});
}

caf::error server_core::read_certificate() {
  if (options().tls.certificate.empty() != options().tls.key.empty())
    return caf::make_error(ec::bad_setting,
                           "a certificate and its key are needed together");
  if (options().tls.certificate.empty())
    return {};
  auto certificate = read_pem(options().tls.certificate);
  if (!certificate)
    return certificate.error();
  auto key = read_pem(options().tls.key);
  if (!key)
    return key.error();
  certificate_ = std::move(*certificate);
  key_ = std::move(*key);
  return {};
}

// One instance per I/O thread, all on the same socket.
MHD_Daemon* server_core::make_daemon(worker& for_whom) {
  std::vector<MHD_OptionItem> items;
  const auto number = [&](MHD_OPTION what, std::intptr_t value) {
    items.push_back({what, value, nullptr});
  };
  std::string versions = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2";
  unsigned flags =
    MHD_USE_EPOLL | MHD_USE_ITC | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
  if (!certificate_.empty()) {
    flags |= MHD_USE_TLS;
    items.push_back({MHD_OPTION_HTTPS_MEM_CERT, 0, certificate_.data()});
    items.push_back({MHD_OPTION_HTTPS_MEM_KEY, 0, key_.data()});
    items.push_back({MHD_OPTION_HTTPS_PRIORITIES, 0, versions.data()});
  }
  const int socket = fcntl(where_.socket, F_DUPFD_CLOEXEC, 0);
  // Those above the limit are told so; the library would hang up on them.
  number(MHD_OPTION_CONNECTION_LIMIT,
         connections_max_ + std::max(connections_max_ / 8, 8u));
  number(MHD_OPTION_LISTEN_SOCKET, socket);
  number(MHD_OPTION_CONNECTION_MEMORY_LIMIT,
         static_cast<std::intptr_t>(connection_memory_bytes));
  number(MHD_OPTION_CONNECTION_TIMEOUT, 0);
  if (options().connections_per_address_max != 0)
    number(MHD_OPTION_PER_IP_CONNECTION_LIMIT,
           options().connections_per_address_max);
  items.push_back({MHD_OPTION_END, 0, nullptr});
  auto* out =
    MHD_start_daemon(flags, 0, nullptr, nullptr, on_request, &for_whom,
                     MHD_OPTION_EXTERNAL_LOGGER, ignore_library_log, nullptr,
                     MHD_OPTION_URI_LOG_CALLBACK, on_target, &for_whom,
                     MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, nullptr,
                     MHD_OPTION_NOTIFY_COMPLETED, on_completed, &for_whom,
                     MHD_OPTION_NOTIFY_CONNECTION, on_connection, &for_whom,
                     MHD_OPTION_ARRAY, items.data(), MHD_OPTION_END);
  if (!out)
    close(socket);
  return out;
}

caf::error server_core::start() {
  if (auto error = read_certificate())
    return error;
  auto where = listen_at(options().listen);
  if (!where)
    return where.error();
  where_ = std::move(*where);
  connections_max_ = connections_possible(options().connections_max);
  for (std::uint32_t i = 0; i < std::max(options().io_threads, 1u); ++i) {
    auto x = std::unique_ptr<worker>{new worker{*this, {}}};
    auto* daemon = make_daemon(*x);
    if (!daemon) {
      workers_.clear();
      close(where_.socket);
      return caf::make_error(
        ec::bad_setting,
        certificate_.empty()
          ? "cannot start the HTTP server at " + to_string(options().listen)
          : "cannot use the certificate " + options().tls.certificate
              + " with its key");
    }
    x->loop.start(daemon, options().after_round);
    workers_.push_back(std::move(x));
  }
  close(where_.socket);
  return {};
}

std::uint64_t server_core::busy() {
  std::uint64_t out = 0;
  housekeeper_.each([&](connection& x) {
    const auto what = phase_clock::what(x.clock.load());
    out += what == phase::answering || what == phase::sending;
  });
  return out;
}

// Answers whatever is still open with 503, until nothing waits.
void server_core::close_answers(std::chrono::steady_clock::time_point until) {
  using clock = std::chrono::steady_clock;
  while (busy() != 0 && clock::now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  context_->stopped = true;
  const auto sent_until = clock::now() + std::chrono::milliseconds{500};
  for (;;) {
    housekeeper_.each([](connection& x) {
      const std::lock_guard lock{x.guard};
      if (x.current)
        x.current->answer(unavailable(1));
    });
    // What is suspended must go on first: the library cannot stop before.
    if (context_->suspended == 0 && (busy() == 0 || clock::now() >= sent_until))
      return;
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  }
}

void server_core::stop(std::chrono::milliseconds within) {
  if (workers_.empty())
    return;
  context_->stopping = true;
  for (auto& x : workers_)
    x->loop.stop_listening();
  close_answers(std::chrono::steady_clock::now() + within);
  for (auto& x : workers_)
    x->loop.stop();
  workers_.clear();
  housekeeper_.stop();
}

server_numbers server_core::numbers() const {
  return {connections_, accepted_, context_->requests, context_->refused,
          housekeeper_.expired()};
}

} // namespace depositd::http
