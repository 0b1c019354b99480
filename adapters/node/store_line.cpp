#include "adapters/node/store_line.hpp"

#include "messages/cluster.hpp"
#include "messages/values/errors.hpp"

#include <caf/event_based_actor.hpp>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

namespace depositd::node {

using std::chrono::steady_clock;

struct store_line::core {
  std::mutex mutex;
  std::condition_variable changed;
  store_server_actor engine; ///< null: there is none now
  std::uint64_t era = 0;     ///< rises with every engine that comes or goes
  bool closed = false;
};

namespace {

/// Another engine, or this one a moment later, would say no more. What a store
/// throws, such as memory that is not there, ends its server.
bool is_final(const caf::error& x) {
  return x == caf::sec::runtime_error
         || (x.category() == caf::atom("depositd") && x != ec::overloaded
             && x != ec::draining);
}

caf::error closed_error() {
  return caf::make_error(ec::draining, std::string{"this node is stopping"});
}

caf::error lonely_error() {
  return caf::make_error(ec::overloaded,
                         std::string{"no engine answered in time"});
}

} // namespace

store_line::store_line(caf::actor_system& system,
                       const store_line_options& options)
  : system_(system), options_(options), core_(std::make_shared<core>()) {
  // nop
}

store_line::~store_line() {
  close();
}

void store_line::connect(const store_server_actor& engine) {
  const std::lock_guard lock{core_->mutex};
  core_->engine = engine;
  ++core_->era;
  core_->changed.notify_all();
}

void store_line::disconnect() {
  connect(store_server_actor{});
}

void store_line::close() {
  const std::lock_guard lock{core_->mutex};
  core_->closed = true;
  core_->engine = nullptr;
  core_->changed.notify_all();
}

caf::expected<caf::message> store_line::ask_any(const attempt& once) {
  const auto until = steady_clock::now() + options_.patience;
  auto& state = *core_;
  std::unique_lock lock{state.mutex};
  while (true) {
    if (!state.changed.wait_until(lock, until,
                                  [&] { return state.closed || state.engine; }))
      return lonely_error();
    if (state.closed)
      return closed_error();
    const auto era = state.era;
    const auto given =
      std::make_shared<std::optional<caf::expected<caf::message>>>();
    const auto take = [core = core_, given](caf::expected<caf::message> x) {
      const std::lock_guard held{core->mutex};
      *given = std::move(x);
      core->changed.notify_all();
    };
    // It has no behavior, so it ends when the request does.
    system_.spawn([=, engine = state.engine](caf::event_based_actor* self) {
      once(self, engine, take);
    });
    const auto other = [&] { return state.closed || state.era != era; };
    state.changed.wait_until(lock, until, [&] { return *given || other(); });
    if (*given && (**given || is_final((*given)->error())))
      return std::move(**given);
    if (steady_clock::now() >= until)
      return lonely_error();
    // The same engine once more, but not at once.
    if (*given)
      state.changed.wait_for(lock, options_.pause, other);
  }
}

} // namespace depositd::node
