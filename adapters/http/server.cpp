#include "adapters/http/server.hpp"

#include "adapters/http/connection.hpp"
#include "adapters/http/exchange.hpp"
#include "adapters/http/housekeeper.hpp"
#include "adapters/http/io_loop.hpp"
#include "adapters/http/listen.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

#include <arpa/inet.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <unistd.h>

namespace depositd::http {

namespace {

// Read buffer and parsed headers of one connection.
constexpr std::size_t connection_memory_bytes = 64 * 1024;

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

std::string numeric_address(const sockaddr* from) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (!from)
    return {};
  const void* address =
    from->sa_family == AF_INET6
      ? static_cast<const void*>(
        &reinterpret_cast<const sockaddr_in6*>(from)->sin6_addr)
      : &reinterpret_cast<const sockaddr_in*>(from)->sin_addr;
  if (!inet_ntop(from->sa_family, address, text.data(), text.size()))
    return {};
  return text.data();
}

void ignore_library_log(void*, const char*, va_list) {
  // Its lines may quote what a client has sent.
}

} // namespace

class server_core {
public:
  server_core(server_options options, router routes)
    : options_(std::move(options)), routes_(std::move(routes)),
      housekeeper_(tick_of(options_)) {
    // nop
  }

  ~server_core() {
    stop(std::chrono::milliseconds{0});
  }

  caf::error start();
  void stop(std::chrono::milliseconds within);
  server_numbers numbers() const;

  const listener& where() const {
    return where_;
  }

private:
  /// What an instance's callbacks are given.
  struct worker {
    server_core& core;
    io_loop loop;
  };

  static MHD_Result on_request(void* self, MHD_Connection* handle,
                               const char* url, const char* method,
                               const char* version, const char* data,
                               std::size_t* size, void** slot);
  static void* on_target(void* self, const char* target,
                         MHD_Connection* handle);
  static void on_completed(void* self, MHD_Connection* handle, void** slot,
                           MHD_RequestTerminationCode why);
  static void on_connection(void* self, MHD_Connection* handle, void** slot,
                            MHD_ConnectionNotificationCode what);
  static std::size_t keep_escapes(void*, MHD_Connection*, char* text);

  caf::error read_certificate();
  MHD_Daemon* make_daemon(worker& for_whom);
  void open(MHD_Connection* handle, io_loop& loop, void** slot);
  void close_answers(std::chrono::steady_clock::time_point until);
  std::uint64_t busy();

  server_options options_;
  router routes_;
  exchange_context context_{options_, routes_};
  listener where_;
  std::uint32_t connections_max_ = 0;
  std::string certificate_;
  std::string key_;
  std::atomic<std::uint64_t> connections_{0};
  std::atomic<std::uint64_t> accepted_{0};
  housekeeper housekeeper_;
  std::vector<std::unique_ptr<worker>> workers_;
};

namespace {

connection* connection_of(MHD_Connection* handle) {
  const auto* info =
    MHD_get_connection_info(handle, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? static_cast<connection*>(info->socket_context) : nullptr;
}

} // namespace

MHD_Result server_core::on_request(void*, MHD_Connection*, const char*,
                                   const char* method, const char* version,
                                   const char* data, std::size_t* size,
                                   void** slot) {
  auto* x = static_cast<std::shared_ptr<exchange>*>(*slot);
  return x && (*x)->step(method, version, data, *size) ? MHD_YES : MHD_NO;
}

void* server_core::on_target(void* self, const char* target,
                             MHD_Connection* handle) {
  auto& core = static_cast<worker*>(self)->core;
  auto* at = connection_of(handle);
  if (!at)
    return nullptr;
  auto x = std::make_shared<exchange>(core.context_, *at, handle,
                                      target ? target : "");
  {
    const std::lock_guard lock{at->guard};
    at->current = x;
  }
  return new std::shared_ptr<exchange>(std::move(x));
}

void server_core::on_completed(void* self, MHD_Connection* handle, void** slot,
                               MHD_RequestTerminationCode why) {
  const std::unique_ptr<std::shared_ptr<exchange>> x{
    static_cast<std::shared_ptr<exchange>*>(std::exchange(*slot, nullptr))};
  if (!x)
    return;
  (*x)->detach();
  auto& core = static_cast<worker*>(self)->core;
  if (auto* at = connection_of(handle)) {
    {
      const std::lock_guard lock{at->guard};
      at->current.reset();
    }
    // An answer of the library's own ends a request that is not complete; the
    // phase then still says so when the connection is closed.
    if (why == MHD_REQUEST_TERMINATED_COMPLETED_OK
        && phase_clock::what(at->clock.load()) == phase::sending)
      at->clock.enter(phase::idle,
                      phase_clock::now_ms() + core.options_.idle_limit.count());
  }
}

void server_core::open(MHD_Connection* handle, io_loop& loop, void** slot) {
  auto x = std::make_unique<connection>();
  x->loop = &loop;
  if (const auto* info =
        MHD_get_connection_info(handle, MHD_CONNECTION_INFO_CONNECTION_FD))
    x->socket = info->connect_fd;
  if (const auto* info =
        MHD_get_connection_info(handle, MHD_CONNECTION_INFO_CLIENT_ADDRESS))
    x->peer = numeric_address(info->client_addr);
  x->secure = !certificate_.empty();
  x->over_limit = ++connections_ > connections_max_;
  ++accepted_;
  const auto limit = x->over_limit
                       ? std::min(options_.idle_limit, options_.receive_limit)
                       : options_.idle_limit;
  x->clock.enter(phase::idle, phase_clock::now_ms() + limit.count());
  housekeeper_.add(x.get());
  *slot = x.release();
}

void server_core::on_connection(void* self, MHD_Connection* handle, void** slot,
                                MHD_ConnectionNotificationCode what) {
  auto& core = static_cast<worker*>(self)->core;
  if (what == MHD_CONNECTION_NOTIFY_STARTED) {
    core.open(handle, static_cast<worker*>(self)->loop, slot);
    return;
  }
  const std::unique_ptr<connection> x{
    static_cast<connection*>(std::exchange(*slot, nullptr))};
  if (!x)
    return;
  core.housekeeper_.remove(x.get());
  --core.connections_;
}

std::size_t server_core::keep_escapes(void*, MHD_Connection*, char* text) {
  return std::char_traits<char>::length(text);
}

caf::error server_core::read_certificate() {
  if (options_.tls.certificate.empty() != options_.tls.key.empty())
    return caf::make_error(ec::bad_setting,
                           "a certificate and its key are needed together");
  if (options_.tls.certificate.empty())
    return {};
  auto certificate = read_pem(options_.tls.certificate);
  if (!certificate)
    return certificate.error();
  auto key = read_pem(options_.tls.key);
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
  if (options_.connections_per_address_max != 0)
    number(MHD_OPTION_PER_IP_CONNECTION_LIMIT,
           options_.connections_per_address_max);
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
  auto where = listen_at(options_.listen);
  if (!where)
    return where.error();
  where_ = std::move(*where);
  connections_max_ = connections_possible(options_.connections_max);
  for (std::uint32_t i = 0; i < std::max(options_.io_threads, 1u); ++i) {
    auto x = std::unique_ptr<worker>{new worker{*this, {}}};
    auto* daemon = make_daemon(*x);
    if (!daemon) {
      workers_.clear();
      close(where_.socket);
      return caf::make_error(
        ec::bad_setting,
        certificate_.empty()
          ? "cannot start the HTTP server at " + to_string(options_.listen)
          : "cannot use the certificate " + options_.tls.certificate
              + " with its key");
    }
    x->loop.start(daemon);
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
  context_.stopped = true;
  const auto sent_until = clock::now() + std::chrono::milliseconds{500};
  for (;;) {
    housekeeper_.each([](connection& x) {
      const std::lock_guard lock{x.guard};
      if (x.current)
        x.current->answer(unavailable(1));
    });
    // What is suspended must go on first: the library cannot stop before.
    if (context_.suspended == 0 && (busy() == 0 || clock::now() >= sent_until))
      return;
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  }
}

void server_core::stop(std::chrono::milliseconds within) {
  if (workers_.empty())
    return;
  context_.stopping = true;
  for (auto& x : workers_)
    x->loop.stop_listening();
  close_answers(std::chrono::steady_clock::now() + within);
  for (auto& x : workers_)
    x->loop.stop();
  workers_.clear();
  housekeeper_.stop();
}

server_numbers server_core::numbers() const {
  return {connections_, accepted_, context_.requests, context_.refused,
          housekeeper_.expired()};
}

caf::expected<std::unique_ptr<server>> server::start(server_options options,
                                                     router routes) {
  auto core =
    std::make_unique<server_core>(std::move(options), std::move(routes));
  if (auto error = core->start())
    return error;
  return std::unique_ptr<server>{new server{std::move(core)}};
}

server::server(std::unique_ptr<server_core> core) : core_(std::move(core)) {
  // nop
}

server::~server() = default;

std::uint16_t server::port() const noexcept {
  return core_->where().port;
}

const std::string& server::address() const noexcept {
  return core_->where().address;
}

server_numbers server::numbers() const noexcept {
  return core_->numbers();
}

void server::stop(std::chrono::milliseconds within) {
  core_->stop(within);
}

} // namespace depositd::http
