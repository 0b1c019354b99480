// What the library tells, on its I/O threads.

#include "adapters/doors/http/connection.hpp"
#include "adapters/doors/http/server_core.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>

namespace depositd::http {

namespace {

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
      at->clock.enter(phase::idle, phase_clock::now_ms()
                                     + core.options().idle_limit.count());
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
                       ? std::min(options().idle_limit, options().receive_limit)
                       : options().idle_limit;
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

} // namespace depositd::http
