#include "adapters/doors/nsq/lookup/registrar.hpp"

#include "adapters/doors/kit/gateway.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <system_error>
#include <utility>

namespace depositd::nsq_lookup {

namespace {

/// How long the shard may take to say what there is.
constexpr std::chrono::milliseconds shard_patience{30'000};

} // namespace

struct registrar::core : std::enable_shared_from_this<core> {
  core(caf::actor_system& system, registrar_options x)
    : options(std::move(x)), loop(kit::start_loop()), names(*loop),
      asked(system,
            {.patience = shard_patience, .news = [](kit::core_answer) {}}) {
    // nop
  }

  // -- in the loop's thread

  /// As long as there is anybody to tell.
  void keep_looking() {
    ticking = !peers.empty();
    if (!ticking)
      return;
    const auto now = loop->now();
    if (hinted.exchange(false))
      next_look = now;
    if (now >= next_look)
      ask_what_there_is(now);
    for (const auto& x : peers)
      x->look();
    loop->post_at(now + options.tick, [weak = weak_from_this()] {
      if (const auto x = weak.lock())
        x->keep_looking();
    });
  }

  void ask_what_there_is(kit::loop::time now) {
    // One at a time: what comes meanwhile is seen by the next.
    if (peers.empty() || now < asking_until)
      return;
    asking_until = now + shard_patience;
    next_look = now + options.look_interval;
    asked.ask(options.shard, list_topics{},
              [self = shared_from_this()](kit::core_answer what) {
                const auto* known = what.as<topics_listed>();
                self->take(known ? std::make_shared<const registrations>(
                             registrations_of(*known))
                                 : nullptr);
              });
  }

  void adopt(const std::shared_ptr<const registrations>& all) {
    asking_until = {};
    if (!all)
      return;
    {
      const std::lock_guard lock{guard};
      wanted = all;
    }
    for (const auto& x : peers)
      x->want(all);
  }

  void meet(const std::vector<endpoint>& lookupds) {
    std::vector<std::shared_ptr<peer>> now;
    for (const auto& where : lookupds) {
      const auto found =
        std::find_if(peers.begin(), peers.end(),
                     [&](const auto& x) { return x->where() == where; });
      now.push_back(found != peers.end()
                      ? *found
                      : std::make_shared<peer>(*loop, names, where,
                                               options.self, options.times));
    }
    peers = std::move(now);
    next_look = {};
    if (!ticking)
      keep_looking();
  }

  // -- in any thread

  void take(std::shared_ptr<const registrations> all) {
    loop->post([weak = weak_from_this(), all = std::move(all)] {
      if (const auto x = weak.lock())
        x->adopt(all);
    });
  }

  const registrar_options options;
  std::unique_ptr<kit::loop> loop;
  resolver names;
  kit::gateway asked;
  std::atomic<bool> hinted{false}; ///< there is news

  mutable std::mutex guard; ///< of the next two
  std::vector<endpoint> told;
  std::shared_ptr<const registrations> wanted;

  // In the loop's thread only.
  std::vector<std::shared_ptr<peer>> peers;
  kit::loop::time next_look{};
  kit::loop::time asking_until{};
  bool ticking = false;
};

caf::expected<std::unique_ptr<registrar>>
registrar::start(caf::actor_system& system, registrar_options options) {
  try {
    auto lookupds = options.lookupds;
    std::unique_ptr<registrar> out{
      new registrar(std::make_shared<core>(system, std::move(options)))};
    if (auto wrong = out->tell(std::move(lookupds)))
      return wrong;
    return out;
  } catch (const std::system_error& failure) {
    return caf::make_error(ec::overloaded, std::string{failure.what()});
  }
}

registrar::registrar(std::shared_ptr<core> x) : core_(std::move(x)) {
  // nop
}

registrar::~registrar() {
  close();
}

caf::error registrar::tell(std::vector<endpoint> lookupds) {
  if (lookupds.size() > lookupds_max)
    return caf::make_error(ec::invalid_argument,
                           "more than " + std::to_string(lookupds_max)
                             + " nsqlookupds");
  if (!lookupds.empty() && !can_be_found(core_->options.self))
    return caf::make_error(ec::invalid_argument,
                           std::string{"nsqlookupds are told of engines with "
                                       "both doors open only"});
  {
    const std::lock_guard lock{core_->guard};
    core_->told = lookupds;
  }
  core_->loop->post(
    [weak = std::weak_ptr{core_}, lookupds = std::move(lookupds)] {
      if (const auto x = weak.lock())
        x->meet(lookupds);
    });
  return {};
}

std::vector<endpoint> registrar::lookupds() const {
  const std::lock_guard lock{core_->guard};
  return core_->told;
}

void registrar::saw(const std::string& topic, const std::string& channel) {
  std::shared_ptr<const registrations> wanted;
  {
    const std::lock_guard lock{core_->guard};
    if (core_->told.empty())
      return;
    wanted = core_->wanted;
  }
  if (!wanted || wanted->count({topic, channel}) == 0)
    changed();
}

void registrar::changed() {
  core_->hinted = true;
}

void registrar::close() {
  core_->asked.close();
  core_->names.stop(); // posts nothing from here on
  core_->loop->stop();
  core_->peers.clear();
}

} // namespace depositd::nsq_lookup
