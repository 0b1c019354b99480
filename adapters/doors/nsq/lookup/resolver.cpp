#include "adapters/doors/nsq/lookup/resolver.hpp"

#include <cstring>
#include <system_error>
#include <utility>

#include <netdb.h>

namespace depositd::nsq_lookup {

namespace {

addresses_found look_up(const endpoint& where, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const auto port = std::to_string(where.port);
  addresses_found out;
  if (const int code =
        ::getaddrinfo(where.host.c_str(), port.c_str(), &hints, &list)) {
    out.why = gai_strerror(code);
    return out;
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> held{list,
                                                                freeaddrinfo};
  for (const auto* at = list; at; at = at->ai_next) {
    address one;
    std::memcpy(&one.bytes, at->ai_addr, at->ai_addrlen);
    one.size = at->ai_addrlen;
    out.all.push_back(one);
  }
  return out;
}

} // namespace

void resolver::find(const endpoint& where, taker then) {
  if (auto number = look_up(where, AI_NUMERICHOST); !number.all.empty())
    return then(std::move(number));
  try {
    if (!labour_)
      labour_ = kit::start_loop();
  } catch (const std::system_error& failure) {
    return then({{}, failure.what()});
  }
  labour_->post([this, where, then = std::move(then)] {
    answers_.post([then, found = look_up(where, 0)] { then(found); });
  });
}

void resolver::stop() {
  if (labour_)
    labour_->stop();
}

} // namespace depositd::nsq_lookup
