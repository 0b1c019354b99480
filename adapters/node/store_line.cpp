#include "adapters/node/store_line.hpp"

#include "messages/cluster.hpp"
#include "messages/values/errors.hpp"

#include <caf/event_based_actor.hpp>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

namespace depositd::node {

using std::chrono::steady_clock;

struct effect_line::core {
  std::mutex mutex;
  std::condition_variable changed;
  effects_actor engine; ///< null: there is none now
  std::uint64_t era = 0; ///< rises with every engine that comes or goes
  bool closed = false;
};

namespace {

using answer = std::optional<caf::expected<std::string>>;

bool said_by_engine(const caf::error& x) {
  return x.category() == caf::atom("depositd");
}

/// Asks once; runs until there is an answer or none came in time.
caf::behavior
asker(caf::event_based_actor* self, const effects_actor& engine,
      const effect_call& what, std::chrono::milliseconds within,
      const std::function<void(caf::expected<std::string>)>& give) {
  self->request(engine, within, what)
    .then(
      [=](effect_result& x) {
        give(std::move(x.bytes));
        self->quit();
      },
      [=](const caf::error& problem) {
        give(problem);
        self->quit();
      });
  return {};
}

caf::error closed_error() {
  return caf::make_error(ec::draining, std::string{"this node is stopping"});
}

caf::error lonely_error() {
  return caf::make_error(ec::overloaded,
                         std::string{"no engine answered in time"});
}

} // namespace

effect_line::effect_line(caf::actor_system& system,
                         const effect_line_options& options)
  : system_(system), options_(options), core_(std::make_shared<core>()) {
  // nop
}

effect_line::~effect_line() {
  close();
}

void effect_line::connect(const effects_actor& engine) {
  const std::lock_guard lock{core_->mutex};
  core_->engine = engine;
  ++core_->era;
  core_->changed.notify_all();
}

void effect_line::disconnect() {
  connect(effects_actor{});
}

void effect_line::close() {
  const std::lock_guard lock{core_->mutex};
  core_->closed = true;
  core_->engine = nullptr;
  core_->changed.notify_all();
}

caf::expected<std::string> effect_line::call(const std::string& what,
                                             const std::string& arguments) {
  const auto until = steady_clock::now() + options_.patience;
  auto& state = *core_;
  std::unique_lock lock{state.mutex};
  while (true) {
    if (!state.changed.wait_until(
          lock, until, [&] { return state.closed || state.engine; }))
      return lonely_error();
    if (state.closed)
      return closed_error();
    const auto era = state.era;
    const auto given = std::make_shared<answer>();
    system_.spawn(asker, state.engine, effect_call{what, arguments},
                  options_.call_timeout,
                  [core = core_, given](caf::expected<std::string> x) {
                    const std::lock_guard held{core->mutex};
                    *given = std::move(x);
                    core->changed.notify_all();
                  });
    const auto other = [&] { return state.closed || state.era != era; };
    state.changed.wait_until(lock, until, [&] { return *given || other(); });
    if (*given && (**given || said_by_engine((*given)->error())))
      return std::move(**given);
    if (steady_clock::now() >= until)
      return lonely_error();
    // The same engine once more, but not at once.
    if (*given)
      state.changed.wait_for(lock, options_.pause, other);
  }
}

} // namespace depositd::node
