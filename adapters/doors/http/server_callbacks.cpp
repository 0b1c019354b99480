// What the library tells, on its I/O threads.

#include "adapters/doors/http/connection.hpp"
#include "adapters/doors/http/server_core.hpp"

#include <algorithm>
#include <new>
#include <string_view>
#include <utility>

#include <sys/socket.h>

namespace depositd::http {

namespace {

constexpr std::string_view too_slow =
  "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n"
  "Content-Type: text/plain;charset=UTF-8\r\nContent-Length: 44\r\n\r\n"
  "The request did not arrive within its time.\n";

connection* connection_of(MHD_Connection* handle) {
  const auto* info =
    MHD_get_connection_info(handle, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? static_cast<connection*>(info->socket_context) : nullptr;
}

} // namespace

void connection::expire() {
  ++context.expired;
  if (doing == phase::answering) {
    if (current)
      current->expire();
    return;
  }
  // The library only reads from this socket now, so nothing is mixed up.
  if (doing == phase::receiving && !secure)
    send(socket, too_slow.data(), too_slow.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  doing = phase::doomed;
  shutdown(socket, SHUT_RDWR);
}

MHD_Result server_core::on_request(void*, MHD_Connection*, const char*,
                                   const char* method, const char* version,
                                   const char* data, std::size_t* size,
                                   void** slot) {
  auto* x = static_cast<std::shared_ptr<exchange>*>(*slot);
  if (!x)
    return MHD_NO;
  // The library is C: nothing may be thrown through it.
  try {
    return (*x)->step(method, version, data, *size) ? MHD_YES : MHD_NO;
  } catch (const std::bad_alloc&) {
    return (*x)->give_up() ? MHD_YES : MHD_NO;
  }
}

void* server_core::on_target(void* self, const char* target,
                             MHD_Connection* handle) {
  auto& core = static_cast<worker*>(self)->core;
  auto* at = connection_of(handle);
  if (!at)
    return nullptr;
  try {
    auto x = std::make_shared<exchange>(core.context_, *at, handle,
                                        target ? target : "");
    at->current = x;
    at->loop.in_heads.insert(at);
    x->begin();
    return new std::shared_ptr<exchange>(std::move(x));
  } catch (const std::bad_alloc&) {
    at->current.reset();
    return nullptr; // the request that has nobody is closed
  }
}

void server_core::on_completed(void*, MHD_Connection* handle, void** slot,
                               MHD_RequestTerminationCode why) {
  const std::unique_ptr<std::shared_ptr<exchange>> x{
    static_cast<std::shared_ptr<exchange>*>(std::exchange(*slot, nullptr))};
  if (!x)
    return;
  (*x)->detach();
  auto* at = connection_of(handle);
  if (!at)
    return;
  at->loop.in_heads.erase(at);
  at->current.reset();
  if ((*x)->is_chunked())
    at->answered_chunks = at->loop.round();
  // An answer of the library's own ends a request that is not complete; the
  // phase then still says so when the connection is closed.
  if (why == MHD_REQUEST_TERMINATED_COMPLETED_OK && at->doing == phase::sending)
    at->enter(phase::idle, at->loop.now() + at->context.options.idle_limit);
}

void server_core::open(MHD_Connection* handle, io_loop& loop, void** slot) {
  auto x = std::make_unique<connection>(*context_, loop);
  if (const auto* info =
        MHD_get_connection_info(handle, MHD_CONNECTION_INFO_CONNECTION_FD))
    x->socket = info->connect_fd;
  if (const auto* info =
        MHD_get_connection_info(handle, MHD_CONNECTION_INFO_CLIENT_ADDRESS))
    x->peer = kit::numeric_address(info->client_addr);
  x->place = addresses_.enter(x->peer);
  x->secure = context_->certificates.now() != nullptr;
  // Before this one is counted: several may come before the first is closed.
  if (auto* ended = loop.arriving.add(*x, loop.now()))
    vacate(*ended);
  x->over_limit = !connections_.enter();
  const auto limit = x->over_limit
                       ? std::min(options().idle_limit, options().receive_limit)
                       : options().idle_limit;
  x->enter(phase::idle, loop.now() + limit);
  loop.connections.add(*x);
  *slot = x.release();
}

void server_core::close(connection& x) {
  x.loop.connections.remove(x);
  x.loop.arriving.forget(x);
  x.loop.in_heads.erase(&x);
  if (x.lingers || x.doing == phase::receiving
      || kit::has_unread_bytes(x.socket))
    x.loop.ended.add(x.socket);
  vacate(x);
}

void server_core::vacate(connection& x) {
  if (std::exchange(x.counted, false))
    connections_.leave();
}

/// Who is one too many is hung up on: an answer would cost a place of others.
/// Of several threads each may let one in more.
MHD_Result server_core::on_arrival(void* self, const sockaddr* from,
                                   socklen_t) {
  const auto& core = static_cast<worker*>(self)->core;
  try {
    return core.addresses_.has_room(kit::numeric_address(from)) ? MHD_YES
                                                                : MHD_NO;
  } catch (const std::bad_alloc&) {
    return MHD_NO;
  }
}

/// The connection keeps what it has shown.
int server_core::on_handshake(gnutls_session_t session, const gnutls_datum_t*,
                              int, const gnutls_pk_algorithm_t*, int,
                              gnutls_pcert_st** chain, unsigned* length,
                              gnutls_privkey_t* key) {
  auto* handle = static_cast<MHD_Connection*>(gnutls_session_get_ptr(session));
  auto* x = handle ? connection_of(handle) : nullptr;
  if (!x)
    return -1;
  x->shown = x->context.certificates.now();
  x->shown->show(chain, length, key);
  return 0;
}

void server_core::on_connection(void* self, MHD_Connection* handle, void** slot,
                                MHD_ConnectionNotificationCode what) {
  auto& core = static_cast<worker*>(self)->core;
  if (what == MHD_CONNECTION_NOTIFY_STARTED) {
    try {
      core.open(handle, static_cast<worker*>(self)->loop, slot);
    } catch (const std::bad_alloc&) {
      *slot = nullptr; // nobody knows of it: its first request is closed
    }
    return;
  }
  const std::unique_ptr<connection> x{
    static_cast<connection*>(std::exchange(*slot, nullptr))};
  if (x)
    core.close(*x);
}

// Nothing is logged: lines may quote what a client has sent. But they are the
// only sign of what the library does before it asks anybody. It does not say of
// whom; looked at are those that it can be, not the thousands that are open.
void server_core::on_log_line(void* self, const char* format, va_list) {
  const auto says = [&](std::string_view what) {
    return std::string_view{format}.find(what) != std::string_view::npos;
  };
  const auto refuse = says("Content-Length") ? &exchange::refuse_length
                      : says("in pool")      ? &exchange::refuse_cookies
                                             : nullptr;
  if (refuse == nullptr)
    return;
  for (auto* x : static_cast<worker*>(self)->loop.in_heads)
    if (x->current && (*x->current.*refuse)())
      return;
}

std::size_t server_core::keep_escapes(void*, MHD_Connection*, char* text) {
  return std::char_traits<char>::length(text);
}

} // namespace depositd::http
