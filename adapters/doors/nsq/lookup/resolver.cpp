#include "adapters/doors/nsq/lookup/resolver.hpp"

#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include <netdb.h>

namespace depositd::nsq_lookup {

namespace {

addresses_found ask_system(const endpoint& where, int flags) {
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

addresses_found look_up_name(const endpoint& where) {
  return ask_system(where, 0);
}

/// What the resolver shares with its threads, which outlive it if the system
/// lets them wait.
struct resolver::desk : std::enable_shared_from_this<desk> {
  /// Somebody who waits for a name.
  struct question {
    endpoint where;
    taker then; ///< null: has been told
  };

  desk(kit::loop& x, resolver_options y) : how(std::move(y)), answers(&x) {
    // nop
  }

  /// False: too many wait, or nobody can be had who looks.
  bool add(const std::shared_ptr<question>& what) {
    const std::lock_guard lock{guard};
    if (waiting.size() >= how.waiting_max)
      return false;
    if (threads < how.threads_max && !start() && threads == 0)
      return false;
    waiting.push_back(what);
    return true;
  }

  /// False: the machine has no thread for us now. Whoever is started waits for
  /// the guard.
  bool start() {
    try {
      std::thread{[self = shared_from_this()] { self->work(); }}.detach();
      ++threads;
      return true;
    } catch (const std::system_error&) {
      return false;
    }
  }

  void work() {
    while (const auto what = next()) {
      addresses_found found;
      try {
        found = how.look_up(what->where);
      } catch (const std::exception& failure) {
        found.why = failure.what();
      }
      tell(what, std::move(found));
    }
  }

  /// Null: the thread is over.
  std::shared_ptr<question> next() {
    const std::lock_guard lock{guard};
    if (waiting.empty()) {
      --threads;
      return nullptr;
    }
    auto out = std::move(waiting.front());
    waiting.pop_front();
    return out;
  }

  void tell(const std::shared_ptr<question>& whom, addresses_found found) {
    const std::lock_guard lock{guard};
    if (answers != nullptr)
      answers->post([whom, found = std::move(found)] { answer(*whom, found); });
  }

  /// Nobody waits for it any more. In the loop's thread.
  void give_up(const std::shared_ptr<question>& what, const std::string& why) {
    {
      const std::lock_guard lock{guard};
      std::erase(waiting, what);
    }
    answer(*what, {{}, why});
  }

  /// Once, in the loop's thread.
  static void answer(question& whom, const addresses_found& found) {
    if (const auto then = std::exchange(whom.then, nullptr))
      then(found);
  }

  void stop() {
    const std::lock_guard lock{guard};
    answers = nullptr;
    waiting.clear();
  }

  const resolver_options how;
  std::mutex guard;   ///< of what follows; held for moments
  kit::loop* answers; ///< null once stopped
  std::deque<std::shared_ptr<question>> waiting;
  std::size_t threads = 0; ///< that look up names
};

resolver::resolver(kit::loop& answers, resolver_options how)
  : loop_(answers), desk_(std::make_shared<desk>(answers, std::move(how))) {
  // nop
}

resolver::~resolver() {
  stop();
}

void resolver::find(const endpoint& where, taker then) {
  if (auto number = ask_system(where, AI_NUMERICHOST); !number.all.empty())
    return then(std::move(number));
  const auto what =
    std::make_shared<desk::question>(desk::question{where, std::move(then)});
  std::string refused = "too many names wait";
  bool taken = false;
  try {
    taken = desk_->add(what);
  } catch (const std::system_error& failure) {
    refused = failure.what();
  }
  if (!taken) {
    desk_->give_up(what, refused);
    return;
  }
  loop_.post_at(loop_.now() + desk_->how.within, [desk = desk_, what] {
    desk->give_up(what, "the name was not found in time");
  });
}

void resolver::stop() {
  desk_->stop();
}

} // namespace depositd::nsq_lookup
